"""Hooks in a person's settings: what is theirs stays, in its order, byte for byte at the end."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.agents.claude.hooks.commands import EVENTS, is_ours
from unbraid.agents.claude.hooks.installer import SettingsFile, has_hooks, is_installed
from unbraid.errors import SourceError

FOLDER = Path("/somewhere/unbraid's folder/hooks")

_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(), each, max_size=3),
    max_leaves=8,
)
_hook = st.fixed_dictionaries({"type": st.just("command"), "command": st.text()})
_group = st.fixed_dictionaries({"hooks": st.lists(_hook, max_size=2)})
_hooks = st.dictionaries(
    st.sampled_from([*EVENTS, "Notification"]), st.lists(_group, max_size=2), min_size=1
)


def file_in(folder: Path) -> SettingsFile:
    return SettingsFile(folder / "settings.json", folder / "backups" / "settings.json")


def commands(settings: dict[str, Any]) -> list[str]:
    found = (group["hooks"] for groups in settings["hooks"].values() for group in groups)
    return [hook["command"] for hooks in found for hook in hooks]


@given(
    st.dictionaries(st.text().filter(lambda name: name != "hooks"), _values, max_size=4),
    st.none() | _hooks,
    st.sampled_from([None, 2, 4, "\t"]),
    st.booleans(),
)
def test_nothing_of_theirs_is_lost(
    others: dict[str, Any], hooks: Any, indent: Any, ascii_only: bool
) -> None:
    theirs = {**others, **({} if hooks is None else {"hooks": hooks})}
    with TemporaryDirectory() as folder:
        file = file_in(Path(folder))
        before = json.dumps(theirs, indent=indent, ensure_ascii=ascii_only).encode()
        file.path.write_bytes(before)
        file.install(FOLDER)
        installed = file.path.read_bytes()
        settings = json.loads(installed)
        assert is_installed(settings, FOLDER)
        assert [name for name in settings if name != "hooks"] == list(others)
        assert {name: each for name, each in settings.items() if name != "hooks"} == others
        for event, groups in (hooks or {}).items():
            assert settings["hooks"][event][: len(groups)] == groups, "theirs come first"
        assert {
            event: [group for group in groups if not any(map(is_ours, group["hooks"]))]
            for event, groups in settings["hooks"].items()
        } == {**{event: [] for event in EVENTS}, **(hooks or {})}
        file.install(FOLDER)
        assert file.path.read_bytes() == installed, "installing again changes nothing"
        file.uninstall()
        assert file.path.read_bytes() == before
        file.uninstall()
        assert file.path.read_bytes() == before


def test_they_are_known_again_after_the_cli_has_rewritten_the_file(tmp_path: Path) -> None:
    file = file_in(tmp_path)
    file.path.write_text('{"model": "opus", "hooks": {"Stop": []}}\n')
    file.install(FOLDER)
    settings = json.loads(file.path.read_text())
    # Its own layout, a key of its own in front, another hook of the person's in the middle.
    theirs = {"type": "command", "command": "say done"}
    settings["hooks"]["Stop"].insert(1, {"hooks": [theirs]})
    file.path.write_text(json.dumps({"theme": "dark", **settings}, separators=(",", ":")))
    assert is_installed(file.read(), FOLDER)
    file.install(Path("/elsewhere"))
    assert is_installed(file.read(), Path("/elsewhere"))
    assert sum(map("say done".__eq__, commands(file.read()))) == 1
    file.uninstall()
    left = {"theme": "dark", "model": "opus", "hooks": {"Stop": [{"hooks": [theirs]}]}}
    assert json.loads(file.path.read_text()) == left


def test_a_file_that_was_not_there_is_gone_again(tmp_path: Path) -> None:
    file = file_in(tmp_path)
    file.install(FOLDER)
    assert has_hooks(file.read())
    file.uninstall()
    assert not file.path.exists()


def test_a_link_stays_a_link_and_modes_stay(tmp_path: Path) -> None:
    dotfiles = tmp_path / "dotfiles.json"
    dotfiles.write_text('{"a": 1}')
    dotfiles.chmod(0o640)
    file = file_in(tmp_path)
    file.path.symlink_to(dotfiles)
    file.install(FOLDER)
    assert file.path.is_symlink()
    assert has_hooks(json.loads(dotfiles.read_text()))
    assert dotfiles.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "backups", "dotfiles.json", "settings.json",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "content",
    [
        '{"a": 1, // a comment\n}',
        "[]",
        '{"hooks": []}',
        '{"hooks": {"Stop": {}}}',
        '{"a": NaN}',
        '{"a": 1e400}',
        "{" * 100,
        '{"a": ' + "[" * 100_000,
    ],
)
def test_what_cannot_be_understood_is_not_written_to(tmp_path: Path, content: str) -> None:
    file = file_in(tmp_path)
    file.path.write_text(content)
    with pytest.raises(SourceError, match=r"settings\.json"):
        file.install(FOLDER)
    with pytest.raises(SourceError, match=r"settings\.json"):
        file.uninstall()
    assert file.path.read_text() == content


def test_what_is_no_group_stays_where_it_is(tmp_path: Path) -> None:
    file = file_in(tmp_path)
    file.path.write_text('{"hooks": {"Stop": [null, {"hooks": "x"}, 3]}}')
    before = file.path.read_bytes()
    file.install(FOLDER)
    assert is_installed(file.read(), FOLDER)
    file.uninstall()
    assert file.path.read_bytes() == before
