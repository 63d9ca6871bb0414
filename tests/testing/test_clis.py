"""The cache of CLIs: fetched once, whole or not at all. The npm is a stand-in that packs a file."""

from __future__ import annotations

import concurrent.futures
import os
from pathlib import Path

import pytest

from unbraid.testing import CliUnavailable, clis

STAND_IN = """#!/bin/sh
echo fetched >> "$NPM_CALLS"
for last; do :; done
case "$last" in *@9.9.9) echo "no such version" >&2; exit 1;; esac
mkdir -p package/bin
echo 'made up' > package/cli.js; echo 'made up' > package/claude
tar czf "$4/made-up.tgz" package && rm -r package
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the stand-in counts how often it was called."""
    for name, text in {"npm": STAND_IN, "node": "#!/bin/sh\n"}.items():
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(text)
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("UNBRAID_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NPM_CALLS", str(tmp_path / "calls"))
    return tmp_path / "calls"


def test_many_ask_and_one_fetches(calls: Path) -> None:
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        found = set(pool.map(clis.claude, ["2.0.76"] * 8))
    assert len(found) == 1
    node, script = found.pop().command
    assert Path(node).name == "node" and Path(script).read_text() == "made up\n"
    assert calls.read_text() == "fetched\n"


def test_a_newer_one_is_a_program_of_its_own(calls: Path) -> None:
    (program,) = clis.claude("2.1.325").command
    assert os.access(program, os.X_OK)


def test_what_cannot_be_had_says_why_and_leaves_nothing(calls: Path, tmp_path: Path) -> None:
    with pytest.raises(CliUnavailable, match="no such version"):
        clis.claude("9.9.9")
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".lock"]


def test_without_npm_or_ripgrep_the_reason_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNBRAID_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CliUnavailable, match="npm"):
        clis.claude("2.1.325")
    with pytest.raises(CliUnavailable, match="ripgrep"):
        clis.opencode("1.18.33")


def test_the_cache_has_a_sensible_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNBRAID_CACHE", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert clis.cache_folder() == tmp_path / "unbraid"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert clis.cache_folder() == Path.home() / ".cache" / "unbraid"
