"""Documentation that cannot lie: pages match the code, examples run, links lead somewhere."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\(([^)#]+)[^)]*\)")
SCREEN = re.compile(r"```text\n\$ (unbraid [^\n]+)\n(.*?)```", re.DOTALL)


def generated() -> dict[str, str]:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    pages: dict[str, str] = module.pages()
    return pages


def test_the_reference_is_what_the_code_says() -> None:
    for name, text in generated().items():
        page = ROOT / "docs" / "reference" / name
        assert page.read_text() == text, f"{name} is out of date: run `make fix`"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


EXAMPLES = [
    pytest.param(code, id=f"{page.relative_to(ROOT)}-{number}")
    for page in PAGES
    for number, code in enumerate(PYTHON.findall(page.read_text()))
]


@pytest.mark.parametrize("code", EXAMPLES)
def test_python_examples_run(code: str, tmp_path: Path) -> None:
    recording = ROOT / "tests" / "recordings" / "nested.plain-fwd.2.1.325" / "stdout.ndjson"
    (tmp_path / "stdout.ndjson").write_bytes(recording.read_bytes())
    (tmp_path / "projects").symlink_to(recording.with_name("projects"))
    (tmp_path / "example.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "-W", "error", "example.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_python_examples_have_the_types_that_we_promise(tmp_path: Path) -> None:
    for number, example in enumerate(EXAMPLES):
        (tmp_path / f"example_{number}.py").write_text(str(example.values[0]))
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    files = map(str, tmp_path.glob("*.py"))
    done = subprocess.run([*command, *files], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


SCREENS = [
    pytest.param(command, shown, id=command)
    for page in PAGES
    for command, shown in SCREEN.findall(page.read_text())
]


@pytest.mark.parametrize(("command", "shown"), SCREENS)
def test_screens_show_what_the_command_prints(command: str, shown: str) -> None:
    words = [sys.executable, "-m", "unbraid", *command.split()[1:]]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip() == shown.rstrip()
