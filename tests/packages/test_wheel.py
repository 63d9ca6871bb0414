"""What people install: built without Node and without network, into empty environments."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[2]
MAX_WHEEL_BYTES = 1_500_000
PYTHONS = [name for name in ("3.11", "3.12", "3.13", "3.14") if not sys.version.startswith(name)]

pytestmark = [pytest.mark.timeout(300), pytest.mark.xdist_group("packages")]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel and the sdist, of what git has: as from a clean checkout."""
    source, place = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("built")
    names = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT).decode().split("\0")
    for name in filter(None, names):
        if not name.startswith("tests/"):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    # No Node and no make: only Python is on the PATH, and nothing answers at this proxy.
    nowhere = "http://127.0.0.1:9"
    env = {"PATH": str(Path(sys.executable).parent), "https_proxy": nowhere, "http_proxy": nowhere}
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(place)]
    subprocess.run(command, cwd=source, env=env, check=True, capture_output=True)
    return place


def test_the_wheel_has_the_page_and_is_small(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    assert wheel.stat().st_size < MAX_WHEEL_BYTES
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {"unbraid/serve/static/index.html", "unbraid/py.typed"} <= names
    assert not [name for name in names if name.startswith(("tests", "web", "benchmarks"))]
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as packed_files:
        packed = {name.partition("/")[2] for name in packed_files.getnames()}
    assert {"pyproject.toml", "LICENSE", "src/unbraid/serve/static/index.html"} <= packed


def test_it_installs_and_runs(built: Path, tmp_path: Path) -> None:
    unbraid, env = installed(sys.executable, built, tmp_path)
    assert run(unbraid, env, "ps", "--json").strip() == "[]"
    assert "run explainer" in run(unbraid, env, "demo", "--speed", "1000", "--no-page")
    words = [str(unbraid), "serve", "--port", "0"]
    with subprocess.Popen(words, env=env, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            link = next(line for line in server.stderr if "http" in line).split()[-1]
            with httpx.Client(follow_redirects=True, trust_env=False) as browser:
                assert "<title>" in browser.get(link).text
        finally:
            server.terminate()
    assert server.returncode == 0


def test_it_runs_with_other_versions_of_python_that_are_here(built: Path, tmp_path: Path) -> None:
    for python in filter(None, map(_python, PYTHONS)):
        installed(python, built, tmp_path / Path(python).name)


def installed(python: str, built: Path, place: Path) -> tuple[Path, dict[str, str]]:
    """Installs the wheel without extras, and tries what needs nothing else."""
    subprocess.run([python, "-m", "venv", place / "env"], check=True, capture_output=True)
    bin, (wheel,) = place / "env" / "bin", built.glob("*.whl")
    pip: list[Path | str] = [
        bin / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-compile",
        wheel,
    ]
    done = subprocess.run(pip, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    home = place / "home"
    home.mkdir()
    env = {"HOME": str(home), "PATH": f"{bin}:/usr/bin:/bin", "UNBRAID_HOME": str(home / "data")}
    assert run(bin / "unbraid", env, "--version").startswith("unbraid, version ")
    recording = next((place / "env").rglob("demo.ndjson"))
    assert "Done. **The fix** is one line" in run(bin / "unbraid", env, "cat", str(recording))
    return bin / "unbraid", env


def run(program: Path, env: dict[str, str], *words: str) -> str:
    """What a command prints."""
    done = subprocess.run([program, *words], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _python(version: str) -> str | None:
    """A Python of this version that starts: a shim of a version manager may not."""
    managed = (Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python{version}")
    for found in filter(None, (shutil.which(f"python{version}"), *map(str, managed))):
        if not subprocess.run([found, "-c", "import ensurepip"], capture_output=True).returncode:
            return found
    return None
