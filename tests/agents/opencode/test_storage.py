"""OpenCode before 1.2 kept files: they tell the same as a database would."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.block_rows import CLEAN
from tests.record.run.agents import log_path, logged, play, verdict
from unbraid.agents.opencode.database import load
from unbraid.errors import SourceError
from unbraid.fold.tree import Tree
from unbraid.log import SqliteLog
from unbraid.record.sessions.importer import open_or_import
from unbraid.record.sessions.run_list import list_sessions
from unbraid.record.sessions.sources import events_of, runs_of_sources
from unbraid.record.sessions.stored_sessions import search_files

VERSION = "1.1.65"
ARGS = ["run", "--model", "scripted/one", "[[main]] Go."]


@pytest.mark.cli
async def test_what_an_old_one_has_written(tmp_path: Path) -> None:
    recording = await play(f"opencode {VERSION}", "fan-same-opening", tmp_path, ARGS, prefix=())
    assert recording.exit == 0
    env = {"HOME": str(tmp_path)}
    storage = tmp_path / ".local" / "share" / "opencode" / "storage"
    (run,) = runs_of_sources([str(storage)], {})
    events = list(events_of(run))
    assert verdict(recording, events, tmp_path / "a") == CLEAN
    session = run.session
    assert session is not None
    (by_name,) = runs_of_sources([session], env)
    assert list(events_of(by_name)) == events

    warned: list[str] = []
    (row,) = list_sessions(env, None, warn=warned.append)
    assert (row.run, row.source, row.agents, warned) == (session, "opencode", 3, [])
    used = [node.usage.total_tokens for node in Tree(events).nodes.values()]
    assert row.usage.total_tokens == sum(used)

    places = search_files("BOTH done", env)
    assert [(place.run, place.agent_id, place.snippet) for place in places] == [
        (session, None, "Both done.")
    ]

    log = await SqliteLog.open(log_path(tmp_path))
    summary = await open_or_import(log, session, env)
    await log.close()
    assert summary.run == session
    (in_log,) = (await logged(tmp_path)).values()
    assert verdict(recording, in_log, tmp_path / "b") == CLEAN


def written(folder: Path, **files: Any) -> Path:
    for name, content in files.items():
        kind, inside, stem = name.split("__")
        path = folder / kind / inside / f"{stem}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return folder


def test_nothing_inside_a_file_breaks_it(tmp_path: Path) -> None:
    odd: Any = {"parentID": [1], "title": {}, "time": {"created": "x", "updated": []}}
    said = {"type": "text", "text": "Still here.", "time": {"start": 5, "end": 6}}
    storage = written(
        tmp_path / "storage",
        session__p__ses_1=odd,
        session__p__ses_2="{half",
        session__p__ses_3="[]",
        message__ses_1__msg_1={"role": "assistant", "time": {"created": 1}},
        message__ses_1__msg_2="\0",
        part__msg_1__prt_1=said,
        part__msg_1__prt_2={"type": "text", "text": 7, "time": 3, "state": "x"},
    )
    (run,) = runs_of_sources([str(storage)], {})
    texts = [event.delta for event in events_of(run) if event.type == "text"]  # type: ignore[attr-defined]
    assert texts == ["Still here."]
    shutil.rmtree(storage / "message")
    with pytest.raises(SourceError, match="is a folder"):
        runs_of_sources([str(storage)], {})


def test_a_session_of_both_is_listed_once(tmp_path: Path) -> None:
    data = tmp_path / ".local" / "share" / "opencode"
    output = {"role": "assistant", "time": {"created": 1, "completed": 2}}
    about = {"title": "old", "time": {"created": 1, "updated": 2}}
    storage = written(data / "storage", session__p__ses_1=about, message__ses_1__msg_1=output)
    with closing(load(storage)) as files, closing(sqlite3.connect(data / "opencode.db")) as db:
        files.execute("UPDATE session SET title = 'new'")
        files.commit()
        files.backup(db)
    rows = list_sessions({"HOME": str(tmp_path)}, None, warn=print)
    assert [(row.run, row.title) for row in rows] == [("ses_1", "new")]
