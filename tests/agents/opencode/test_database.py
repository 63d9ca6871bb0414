"""OpenCode's database: one run per root session, opened read-only; and its exports."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.block_rows import CLEAN, RECORDINGS, Row, joined, judge, logged_rows
from unbraid.agents.opencode.database import connect
from unbraid.errors import SourceError
from unbraid.record.sessions.sources import events_of, runs_of_sources

Json = dict[str, Any]

NESTED = RECORDINGS / "nested.run.opencode"
OTHERS = ["fan-same-opening.run.opencode-1.2.27", "resumed.serve.opencode-1.2.27"]


def sessions(path: Path) -> list[tuple[str, str | None]]:
    with closing(connect(path)) as db:
        return db.execute("SELECT id, parent_id FROM session ORDER BY time_created").fetchall()


def with_two_roots(path: Path) -> list[str]:
    """A database in which two sessions that nobody spawned said one word each, one with a child."""
    rows = [("ses_a", None, 1), ("ses_b", None, 5), ("ses_c", "ses_b", 6)]
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = wal")
        db.execute("CREATE TABLE session (id, parent_id, title, directory, version, time_created)")
        db.execute("CREATE TABLE message (id, session_id, data)")
        db.execute("CREATE TABLE part (id, message_id, session_id, time_created, data)")
        for sid, parent, when in rows:
            info = json.dumps({"role": "assistant", "time": {"created": when}})
            text = json.dumps({"type": "text", "text": sid[-1], "time": {"start": 1, "end": 2}})
            db.execute("INSERT INTO session VALUES (?, ?, '', '', '', ?)", (sid, parent, when))
            db.execute("INSERT INTO message VALUES (?, ?, ?)", (f"msg_{sid}", sid, info))
            values = (f"prt_{sid}", f"msg_{sid}", sid, when, text)
            db.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?)", values)
        db.commit()
    return [sid for sid, _, _ in rows]


def words(path: str, **env: str) -> list[list[str]]:
    runs = runs_of_sources([path], env)
    return [
        [event.delta for event in events_of(run) if event.type == "text"]  # type: ignore[attr-defined]
        for run in runs
    ]


@pytest.mark.parametrize("name", [NESTED.name, *OTHERS])
def test_the_database_alone_holds_all_that_was_said(name: str) -> None:
    (run,) = runs_of_sources([str(RECORDINGS / name / "opencode.db")], {})
    assert judge(RECORDINGS / name, events_of(run), full=True) == CLEAN


def test_every_root_session_is_a_run_with_its_children(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with_two_roots(path)
    assert words(str(path)) == [["a"], ["b", "c"]]


@pytest.mark.parametrize(("session", "said"), [("ses_a", ["a"]), ("ses_c", ["b", "c"])])
@pytest.mark.parametrize("how", ["OPENCODE_DB", "XDG_DATA_HOME", "HOME"])
def test_a_session_is_found_by_its_id_with_all_its_run(
    session: str, said: list[str], how: str, tmp_path: Path
) -> None:
    folder = {"OPENCODE_DB": "x", "XDG_DATA_HOME": "opencode"}.get(how, ".local/share/opencode")
    path = tmp_path / folder / "opencode.db"
    path.parent.mkdir(parents=True)
    with_two_roots(path)
    value = path if how == "OPENCODE_DB" else tmp_path
    assert words(session, **{"HOME": "/nowhere", how: str(value)}) == [said]


def test_beside_a_stream_only_that_streams_session_counts(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with_two_roots(path)
    stream = tmp_path / "stdout"
    stream.write_text('{"type":"step_start","sessionID":"ses_a","part":{"type":"step-start"}}\n')
    runs = runs_of_sources([str(stream), str(path)], {})
    assert [run.session for run in runs] == ["ses_a"]
    assert [row[2] for row in logged_rows(events_of(runs[0]))] == ["a"]


def test_the_database_cannot_be_written_by_us(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with_two_roots(path)
    with closing(connect(path)) as db, pytest.raises(sqlite3.OperationalError, match="readonly"):
        db.execute("DELETE FROM session")


def test_what_a_writer_has_not_checkpointed_is_read(tmp_path: Path) -> None:
    path = tmp_path / "open code?.db"
    with_two_roots(path)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("UPDATE part SET data = replace(data, '\"a\"', '\"later\"')")
        writer.commit()
        assert Path(f"{path}-wal").stat().st_size > 0
        assert words(str(path)) == [["later"], ["b", "c"]]


@pytest.mark.parametrize("data", [None, "", "[]", "null", "{", b"\xff", 7])
def test_a_row_that_cannot_be_read_costs_only_itself(data: object, tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with_two_roots(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE part SET data = ? WHERE session_id = 'ses_a'", (data,))
        db.commit()
    assert words(str(path)) == [[], ["b", "c"]]


def test_a_database_of_someone_elses_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE cookies (id)")
    with pytest.raises(SourceError, match="not an OpenCode database"):
        runs_of_sources([str(path)], {})


def test_a_database_without_a_session_is_said_to_be_so(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with_two_roots(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("DELETE FROM session")
        db.commit()
    with pytest.raises(SourceError, match="holds no session"):
        runs_of_sources([str(path)], {})


def exported(path: Path, session: str) -> Json:
    """What `opencode export` prints of a session."""
    with closing(connect(path)) as db:
        db.row_factory = sqlite3.Row
        row = db.execute("SELECT * FROM session WHERE id = ?", (session,)).fetchone()
        info = {"id": row["id"], "directory": row["directory"], "title": row["title"]}
        info |= {"parentID": row["parent_id"], "time": {"created": row["time_created"]}}
        messages = []
        for message in db.execute(
            "SELECT * FROM message WHERE session_id = ? ORDER BY id", (session,)
        ).fetchall():
            parts = db.execute(
                "SELECT * FROM part WHERE message_id = ? ORDER BY id", (message["id"],)
            ).fetchall()
            own = {"id": message["id"], "sessionID": session}
            inside = {"messageID": message["id"], "sessionID": session}
            messages.append(
                {
                    "info": json.loads(message["data"]) | own,
                    "parts": [json.loads(p["data"]) | inside | {"id": p["id"]} for p in parts],
                }
            )
    return {"info": info, "messages": messages}


def test_an_export_has_what_its_session_said(tmp_path: Path) -> None:
    database = NESTED / "opencode.db"
    (run,) = runs_of_sources([str(database)], {})
    everything = joined(logged_rows(events_of(run)))
    (root, _), *_ = sessions(database)
    for indent in (None, 2):
        path = tmp_path / "export.json"
        path.write_text(json.dumps(exported(database, root), indent=indent))
        (run,) = runs_of_sources([str(path)], {})
        assert (run.source, run.session) == ("opencode", root)
        rows: list[Row] = joined(logged_rows(events_of(run)))
        assert rows == [row for row in everything if row[0] == ""]


@pytest.mark.parametrize("content", ['{"info":{}}', '{"info":{"id":7},"messages":[{}]}'])
def test_a_broken_export_is_no_reason_to_fall_over(content: str, tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(content)
    (run,) = runs_of_sources([str(path)], {})
    assert [event.type for event in events_of(run)][-1] == "done"
