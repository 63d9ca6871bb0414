"""Documentation that cannot lie: pages match the code, examples run, links lead somewhere."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest

from tests.record.watch.writing import Writer, append
from unbraid.cli import main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
TIMEOUT_SECONDS = 120
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
        page = ROOT / "docs" / name
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
    shutil.copytree(recording.with_name("projects"), tmp_path / "projects")
    an_hour_ago = time.time() - 3600
    for path in (tmp_path / "projects").rglob("*.jsonl"):
        os.utime(path, (an_hour_ago, an_hour_ago))
    at_work = Writer(tmp_path)
    at_work.timestamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    append(at_work.main, at_work.prompt() + at_work.text("I am at it."))
    (tmp_path / "example.py").write_text(code)
    # Whoever runs the tests has sessions and a log of their own.
    env = {**os.environ, "HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path)}
    env |= {"UNBRAID_HOME": str(tmp_path / "unbraid"), "OPENCODE_DB": str(tmp_path / "none.db")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "example.py"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    if code in LIBRARY:
        assert done.stdout
    if "watching()" in code:
        assert f"{at_work.session} main text" in done.stdout


LIBRARY = PYTHON.findall((ROOT / "docs" / "how-to" / "library.md").read_text())


def test_examples_of_the_library_fit_a_glance() -> None:
    assert [code for code in LIBRARY if len(code.splitlines()) >= 20] == []


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


def test_the_readme_quotes_a_real_stdout() -> None:
    """Each quoted line is one of the demo's, in its order; "…" stands for what is left out."""
    quoted = re.findall(r'^\{"type".*$', (ROOT / "README.md").read_text(), re.MULTILINE)
    assert len(quoted) == 5
    stdout = (ROOT / "src/unbraid/cli/demo.ndjson").read_text().splitlines()
    numbers = []
    for line in quoted:
        parts = map(re.escape, (part.strip() for part in line.split("…")))
        pattern = re.compile(".*".join(parts))
        numbers += [number for number, real in enumerate(stdout) if pattern.search(real)][:1]
    assert len(numbers) == 5 and numbers == sorted(numbers)


SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_commands_have_the_options_that_a_page_uses(page: Path) -> None:
    """Of what stands in its shell examples; what follows a lone "--" is another program's."""
    context = click.Context(main, info_name="unbraid")
    for block in SHELL.findall(page.read_text()):
        for called in re.findall(r"(?:^|\| *|\$\()unbraid\b([^|>#\n]*)", block, re.MULTILINE):
            words = called.split(" -- ")[0].split()
            command: click.Command = main
            while isinstance(command, click.Group) and words and re.match(r"[a-z]", words[0]):
                inner = command.get_command(context, words.pop(0))
                assert inner is not None, f"unbraid{called}"
                command = inner
            known = {
                name for param in command.params for name in (*param.opts, *param.secondary_opts)
            }
            used = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
            assert used <= known | {"--help", "--version"}, f"unbraid{called}"


def test_every_variable_of_ours_is_documented() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text()
    code = "".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    named = set(re.findall(r"\bUNBRAID_[A-Z]+(?:_[A-Z]+)*\b", code))
    assert "UNBRAID_HOME" in named
    assert {name for name in named if f"`{name}`" not in page} == set()
