"""The plugin file of OpenCode: ours comes and goes, a person's own stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from unbraid.agents.opencode.hooks import OpenCodeHooks
from unbraid.errors import CallerError


def test_a_file_comes_and_goes(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "PATH": ""}
    hooks = OpenCodeHooks(env)
    assert not hooks.is_present()
    config = tmp_path / ".config" / "opencode"
    config.mkdir(parents=True)
    assert hooks.is_present()
    assert hooks.state().installed == "no"
    state = hooks.install()
    path = config / "plugin" / "unbraid.js"
    assert (state.installed, state.place) == ("yes", str(path))
    text = path.read_text()
    assert f'"{tmp_path}/.local/share/unbraid/hooks/hook.sock"' in text
    path.write_text(text + "// of before\n")
    assert hooks.state().installed == "outdated"
    assert hooks.install().installed == "yes"
    assert path.read_text() == text
    assert hooks.uninstall().installed == "no"
    assert list(config.iterdir()) == []


def test_a_persons_own_file_is_not_touched(tmp_path: Path) -> None:
    hooks = OpenCodeHooks({"HOME": str(tmp_path), "PATH": ""})
    path = tmp_path / ".config" / "opencode" / "plugin" / "unbraid.js"
    path.parent.mkdir(parents=True)
    path.write_text("export const Mine = 1;\n")
    for change in (hooks.install, hooks.uninstall):
        with pytest.raises(CallerError, match="was not written by unbraid"):
            change()
    assert path.read_text() == "export const Mine = 1;\n"


def test_a_folder_that_is_too_long_for_a_socket_is_named(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "PATH": ""}
    assert OpenCodeHooks({**env, "UNBRAID_HOME": "/short"}).state().problem is None
    hooks = OpenCodeHooks({**env, "UNBRAID_HOME": str(tmp_path / ("x" * 100))})
    assert hooks.state().problem is None, "it is not installed"
    assert "set a shorter UNBRAID_HOME" in (hooks.install().problem or "")
