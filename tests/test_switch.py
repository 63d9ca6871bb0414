"""The switch that turns skips into failures."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

TESTS = {
    "test_mark.py": "import pytest\n@pytest.mark.skip('a mark')\ndef test_it() -> None: ...\n",
    "test_call.py": "import pytest\ndef test_it() -> None: pytest.skip('a call')\n",
    "test_module.py": "import pytest\npytest.skip('a module', allow_module_level=True)\n",
    "test_fails.py": "import pytest\n@pytest.mark.xfail\ndef test_it() -> None: raise ValueError\n",
}


def run(folder: Path, no_skips: str) -> str:
    for name, text in TESTS.items():
        (folder / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest"]
    command += ["-p", "no:cacheprovider", "--continue-on-collection-errors"]
    command += ["-c", os.devnull, "--rootdir", str(folder), str(folder)]
    env = os.environ | {"UNBRAID_NO_SKIPS": no_skips, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout


def test_every_kind_of_skip_is_a_failure_with_the_switch(tmp_path: Path) -> None:
    output = run(tmp_path, "1")
    for reason in ("a mark", "a call", "a module"):
        assert f"(UNBRAID_NO_SKIPS=1): Skipped: {reason}" in output
    assert "skipped" not in output.splitlines()[-1]
    assert "1 xfailed" in output


def test_without_the_switch_a_skip_is_a_skip(tmp_path: Path) -> None:
    assert "3 skipped, 1 xfailed" in run(tmp_path, "0")
