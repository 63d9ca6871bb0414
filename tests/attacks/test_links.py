"""Attack: an agent puts a link to a file of its owner where its watcher expects a transcript.

An agent in a container that shares only the folder of its sessions cannot read `~/.ssh`. A watch on
the outside can, and showed what it found there as `malformed` lines of the agent's run: to everyone
who may read runs, and to the server of a team. So no link is followed, at no part of a path; but
the folder of all sessions, which belongs to the person, may be one.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.attacks.test_blinding import PLACES
from tests.forked import ran
from tests.record.watch.test_watch_files import Machine, texts, watched
from tests.record.watch.writing import SESSION, Writer, append
from unbraid.agents.codex.rollouts import RolloutFolders
from unbraid.agents.files import JsonlSessions
from unbraid.agents.opencode.database import load
from unbraid.log import SqliteLog
from unbraid.system.files import open_regular, read_small

SECRET = "the owner's private key"
OTHER = "33333333-2222-4333-8444-555555555555"


@pytest.fixture
async def machine(tmp_path: Path) -> AsyncIterator[Machine]:
    log = await SqliteLog.open(tmp_path / "home" / "log.db")
    try:
        yield Machine(tmp_path, log)
    finally:
        await log.close()


def planted(writer: Writer, private: Path) -> None:
    """Links to a file, wherever Claude Code has one; and to a folder, wherever it has one."""
    project = writer.main.parent
    private.mkdir()
    # As a log of its owner's own may be: whole lines, and also a record.
    stolen = private / f"{OTHER}.jsonl"
    append(stolen, f"{SECRET}\n".encode() + writer.text(SECRET))
    for place in PLACES:
        (project / place).parent.mkdir(parents=True, exist_ok=True)
        (project / place).symlink_to(stolen)
    (project / SESSION / "subagents" / "workflows").symlink_to(private)
    (private / "agent-x.jsonl").write_bytes(stolen.read_bytes())
    (project.parent / "-another-project").symlink_to(private)


async def test_a_watch_shows_nothing_behind_a_link(machine: Machine, tmp_path: Path) -> None:
    writer = Writer(machine.config)
    append(writer.main, writer.text("before"))
    async with watched(machine, inotify=True):
        await machine.until(writer.session, "before")
        planted(writer, tmp_path / "private")
        append(writer.main, writer.text("after"))
        events = await machine.until(writer.session, "after")
    assert texts(events) == ["before", "after"]
    everything = [entry.data for entry in await machine.log.read_all()]
    assert not any(SECRET.encode() in data for data in everything)
    assert [run.run for run in await machine.log.runs()] == [writer.session]


def test_no_command_shows_what_is_behind_a_link(tmp_path: Path) -> None:
    writer = Writer(tmp_path / ".claude")
    append(writer.main, writer.prompt("Find me.") + writer.text("Here I am."))
    planted(writer, tmp_path / "private")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "UNBRAID_HOME": str(tmp_path / "u")}
    commands = (
        ("cat", SESSION),
        ("ps", "--all"),
        ("search", "owner"),
        ("import", "--all"),
        ("cost",),
    )
    for words in commands:
        done = ran(*words, env=env)
        assert done.returncode in (0, 1), done.stderr
        assert "private key" not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        assert OTHER not in done.stdout
    # A file that its person names may be a link.
    link = tmp_path / "named.jsonl"
    link.symlink_to(writer.main)
    done = ran("cat", str(link), env=env)
    assert done.returncode == 0
    assert "Here I am." in done.stdout


async def test_the_folder_of_all_sessions_may_be_a_link(machine: Machine, tmp_path: Path) -> None:
    elsewhere = tmp_path / "another-disk"
    elsewhere.mkdir()
    machine.config.mkdir(parents=True, exist_ok=True)
    (machine.config / "projects").symlink_to(elsewhere)
    writer = Writer(machine.config)
    append(writer.main, writer.text("seen"))
    async with watched(machine, inotify=True):
        assert texts(await machine.until(writer.session, "seen")) == ["seen"]


def test_other_kinds_do_not_follow_links_either(tmp_path: Path) -> None:
    stolen = tmp_path / "stolen"
    stolen.write_text(f'{{"title": "{SECRET}"}}')
    day = tmp_path / "codex" / "2026" / "01" / "01"
    storage = tmp_path / "opencode" / "session" / "project"
    toys = tmp_path / "toys"
    name = f"rollout-2026-01-01T00-00-00-{OTHER}.jsonl"
    for folder, link in ((day, name), (storage, "ses_1.json"), (toys, "one.jsonl")):
        folder.mkdir(parents=True)
        (folder / link).symlink_to(stolen)
    assert RolloutFolders(lambda: [tmp_path / "codex"]).files() == {}
    assert load(tmp_path / "opencode").execute("SELECT * FROM session").fetchall() == []
    assert JsonlSessions("toy", toys).files() == {}


@pytest.mark.parametrize("swap", ["the file", "its folder"])
def test_a_link_that_comes_between_the_look_and_the_opening(
    swap: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name is a file whenever somebody looks, and a link when it is opened."""
    folder, private = tmp_path / "folder", tmp_path / "private"
    for each in (folder, private):
        each.mkdir()
        (each / "a.jsonl").write_text(each.name)
    name = folder / "a.jsonl"
    changed, target = (name, private / "a.jsonl") if swap == "the file" else (folder, private)
    aside, opened = tmp_path / "aside", os.open

    def racing(path: object, *rest: int) -> int:
        changed.rename(aside)
        changed.symlink_to(target)
        try:
            return opened(name, *rest)
        finally:
            changed.unlink()
            aside.rename(changed)

    monkeypatch.setattr("unbraid.system.files.os.open", racing)
    readers: list[Callable[[Path], object]] = [open_regular, read_small]
    for read in readers:
        with pytest.raises(OSError, match="symbolic link"):
            read(name)
