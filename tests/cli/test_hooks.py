"""`unbraid hooks`, as a person types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from unbraid.cli import main


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name in ("CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "UNBRAID_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def typed(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["hooks", *words])
    return done.exit_code, done.output


def test_install_status_uninstall(home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    assert typed("install")[0] == 2, "nothing to install into"
    settings.parent.mkdir()
    settings.write_text('{"model": "opus"}\n')
    assert typed("install") == (0, f"Claude Code: installed: {settings}\n")
    assert list(json.loads(settings.read_text())) == ["model", "hooks"]
    assert json.loads(typed("status", "--json")[1]) == [
        {
            "kind": "claude",
            "title": "Claude Code",
            "installed": "yes",
            "place": str(settings),
            "problem": None,
        },
        {
            "kind": "opencode",
            "title": "OpenCode",
            "installed": "no",
            "place": str(home / ".config" / "opencode" / "plugin" / "unbraid.js"),
            "problem": None,
        },
    ]
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "disableAllHooks": True}))
    code, said = typed("status", "claude")
    assert (code, "disableAllHooks" in said) == (0, True)
    assert typed("uninstall") == (0, "Claude Code: not installed\nOpenCode: not installed\n")
    assert json.loads(settings.read_text()) == {"model": "opus", "disableAllHooks": True}


def test_a_file_that_is_not_understood_is_named(home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text("{ // mine\n}")
    code, said = typed("install", "claude")
    assert (code, "settings.json: is not JSON" in said) == (3, True)
    assert typed("install", "codex")[0] == 2
    # The others have files of their own.
    (home / ".config" / "opencode").mkdir(parents=True)
    for word in ("install", "status", "uninstall"):
        code, said = typed(word)
        assert (code, "OpenCode: " in said, "is not JSON" in said) == (3, True, True)
