"""The command that continues a child session of OpenCode."""

from __future__ import annotations

import json
import os
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from unbraid.agents.opencode.editions import OPENCODE
from unbraid.agents.opencode.launch import SETTINGS as VARIABLE
from unbraid.agents.port import Resumption
from unbraid.events import StreamStart
from unbraid.log import MemoryLog, RunSummary
from unbraid.steer.resume import resumption
from unbraid.testing.log_contract import sample_run

SETTINGS = OPENCODE.variable(VARIABLE)


@pytest.fixture(autouse=True)
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database of OpenCode's with the child's session."""
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE session (id, directory)")
        db.execute("INSERT INTO session VALUES ('ses_2', '/w x')")
    monkeypatch.setenv("OPENCODE_DB", str(path))


async def found(env: dict[str, str], *more: str) -> Resumption:
    log = MemoryLog()
    first = sample_run(["a"])[:2]
    place: dict[str, Any] = {"seq": 3, "ts": 1, "stream_id": 1, "depth": 1}
    child = StreamStart(parent_stream_id=0, agent_id="ses_2", agent="it's", **place)
    await log.append("ses_1", [*first, child])
    run = RunSummary("ses_1", source="opencode", session_id="ses_1", cwd="/elsewhere")
    return await resumption(log, run, stream=1, env={**os.environ, **env}, arguments=more)


async def test_it_keeps_its_agent_and_the_persons_settings() -> None:
    mine = {"theme": "dark", "agent": {"it's": {"model": "m"}, "other": {}}}
    command = await found({SETTINGS: json.dumps(mine)}, "run", "Go on.")
    assert command.argv == ["opencode", "run", "--session", "ses_2", "--agent=it's", "Go on."]
    assert json.loads(command.env[SETTINGS]) == {
        "theme": "dark",
        "agent": {"it's": {"model": "m", "mode": "all"}, "other": {}},
    }
    words = shlex.split(str(command))
    assert words[:3] == ["cd", "/w x", "&&"]
    assert words[3] == f"{SETTINGS}={command.env[SETTINGS]}"
    assert words[4:] == command.argv


async def test_another_agent_may_be_asked_for() -> None:
    command = await found({}, "run", "--agent", "build", "Go on.")
    assert command.argv[4:] == ["--agent", "build", "Go on."]
    assert command.env == {}


async def test_settings_that_cannot_be_read_do_not_stop_it() -> None:
    command = await found({SETTINGS: '{"agent": [1], '})
    assert json.loads(command.env[SETTINGS]) == {"agent": {"it's": {"mode": "all"}}}
