"""Where a session works, as soon as anything says so."""

from __future__ import annotations

import json
from pathlib import Path

from unbraid import events as e
from unbraid.agents.claude.resume import resumption
from unbraid.agents.claude.sessions.store import ClaudeSessions
from unbraid.agents.port import StoredAgent
from unbraid.log import opened_log
from unbraid.log.port import Log
from unbraid.record.followed_session import FollowedSession
from unbraid.record.runs import open_run

SESSION = "0b8a7c1e-1111-4222-8333-444455556666"
WHERE = "/home/someone/project"


def home_of(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A session that has only just begun, as an interactive one does, and its environment."""
    main = tmp_path / "claude" / "projects" / "-x" / f"{SESSION}.jsonl"
    main.parent.mkdir(parents=True)
    main.write_text(json.dumps({"type": "mode", "mode": "normal", "sessionId": SESSION}) + "\n")
    env = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}
    return main, env


def note_process(main: Path) -> None:
    folder = main.parents[2] / "sessions"
    folder.mkdir()
    entry = {"pid": 1, "sessionId": SESSION, "cwd": WHERE}
    (folder / "1.json").write_text(json.dumps(entry))


def ask(main: Path) -> None:
    message = {"role": "user", "content": "Go"}
    stamp = "2026-11-15T10:00:00.000Z"
    line = {"type": "user", "uuid": "u", "sessionId": SESSION, "timestamp": stamp, "cwd": WHERE}
    with main.open("a") as file:
        file.write(json.dumps({**line, "message": message}) + "\n")


async def look(log: Log, env: dict[str, str]) -> None:
    """One process that follows the session for a moment."""
    recorder, recorded = await open_run(log, SESSION)
    follower = ClaudeSessions(env).follow(SESSION, recorded)
    assert follower is not None
    await FollowedSession(recorder, follower).look(at_once=True)


async def folders(log: Log) -> list[str | None]:
    """What the log says of the folder, event by event."""
    events = [e.decode_event(entry.data) for entry in await log.read(SESSION, 0, 1000)]
    return [x.cwd for x in events if isinstance(x, e.RequestReceived | e.FleetSessionMeta)]


async def test_the_folder_comes_when_it_is_known(tmp_path: Path) -> None:
    main, env = home_of(tmp_path)
    async with opened_log("memory:") as log:
        recorder, recorded = await open_run(log, SESSION)
        follower = ClaudeSessions(env).follow(SESSION, recorded)
        assert follower is not None
        followed = FollowedSession(recorder, follower)
        await followed.look(at_once=True)
        assert await folders(log) == [None, None]
        ask(main)
        await followed.look(at_once=True)
        assert await folders(log) == [None, None, WHERE]
        summary = await log.run(SESSION)
        assert summary is not None
        assert (summary.cwd, summary.title) == (WHERE, "Go")


async def test_the_folder_comes_after_a_restart(tmp_path: Path) -> None:
    main, env = home_of(tmp_path)
    async with opened_log("memory:") as log:
        await look(log, env)
        ask(main)
        await look(log, env)
        assert await folders(log) == [None, None, WHERE]
        with main.open("a") as file:
            file.write(json.dumps({"type": "custom-title", "customTitle": "Mine"}) + "\n")
        await look(log, env)
        assert [where for where in await folders(log) if where] == [WHERE]


async def test_the_process_says_where_it_works_before_its_transcript_does(tmp_path: Path) -> None:
    main, env = home_of(tmp_path)
    note_process(main)
    async with opened_log("memory:") as log:
        await look(log, env)
        assert await folders(log) == [WHERE, WHERE]
    assert resumption(env, StoredAgent(SESSION), ()).cwd == WHERE
