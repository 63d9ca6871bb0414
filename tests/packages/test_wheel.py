"""What people install: built without Node and without network, into empty environments."""

from __future__ import annotations

import os
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
# uv trusts a list of its own where nothing tells it to trust what the system trusts, as pip does.
INSTALL_ENV = os.environ | {"UV_NATIVE_TLS": "1"}

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
    # Its own pip would take longer to install than all the rest.
    place = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    pip: list[Path | str] = [sys.executable, "-m", "pip", "--python", place / "bin" / "python"]
    unbraid, env = installed([*pip, "install", "--quiet", "--no-compile"], built, tmp_path)
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
        place = tmp_path / Path(python).name
        uv = [sys.executable, "-m", "uv"]
        subprocess.run([*uv, "venv", "--quiet", "--python", python, place / "env"], check=True)
        installed([*uv, "pip", "install", "--quiet", "-p", place / "env"], built, place)


@pytest.mark.parametrize("installer", ["pipx", "uv"])
def test_it_installs_as_a_tool(installer: str, built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    install = {"pipx": ["pipx", "install"], "uv": ["uv", "tool", "install"]}[installer]
    place = {"HOME": tmp_path, "PIPX_HOME": tmp_path / "pipx", "PIPX_BIN_DIR": tmp_path / "bin"}
    place |= {"UV_TOOL_DIR": tmp_path / "uv", "UV_TOOL_BIN_DIR": tmp_path / "bin"}
    env = INSTALL_ENV | {name: str(path) for name, path in place.items()}
    command = [sys.executable, "-m", *install, "--quiet", str(wheel)]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert run(tmp_path / "bin" / "unbraid", env, "--version").startswith("unbraid, version ")


def installed(install: list[Path | str], built: Path, place: Path) -> tuple[Path, dict[str, str]]:
    """Installs the wheel without extras, and tries what needs nothing else."""
    bin, (wheel,) = place / "env" / "bin", built.glob("*.whl")
    done = subprocess.run([*install, wheel], env=INSTALL_ENV, capture_output=True, text=True)
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
