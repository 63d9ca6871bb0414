"""OpenCode's database, followed: what whoever begins later gets, and of one session alone."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.block_rows import RECORDINGS
from unbraid import events as e
from unbraid.agents.opencode.database import database_runs, last_change
from unbraid.agents.opencode.follower import (
    ROW_STORING_MS,
    TEXT_BEFORE_CALL_TIMEOUT_SECONDS,
    Database,
)
from unbraid.agents.opencode.records import ended_at
from unbraid.fold.pipeline import Pipeline

FAN = RECORDINGS / "fan-same-opening.run.opencode-1.2.27" / "opencode.db"
# Helpers' texts with a call after each in the same message.
BEFORE_A_CALL = """SELECT id, data FROM part AS text WHERE session_id IN
    (SELECT id FROM session WHERE parent_id IS NOT NULL) AND data LIKE '%"type":"text"%'
    AND EXISTS (SELECT 1 FROM part WHERE message_id = text.message_id AND id > text.id
    AND data LIKE '%"type":"tool"%') LIMIT 2"""
NESTED = RECORDINGS / "nested.run.opencode" / "opencode.db"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return Path(shutil.copy(NESTED, tmp_path / "opencode.db"))


def root_of(path: Path) -> str:
    (run,) = database_runs(path)
    assert run.session is not None
    return run.session


def touch(path: Path, at: int) -> None:
    """Everything that has ended changes once more."""
    with closing(sqlite3.connect(path)) as db, db:
        parts = db.execute("SELECT id, data FROM part").fetchall()
        for part, data in parts:
            read = json.loads(data)
            if ended_at(read) is not None:
                read["emptied"] = True
                row = (json.dumps(read), at, part)
                db.execute("UPDATE part SET data = ?, time_updated = ? WHERE id = ?", row)


def test_it_knows_how_far_it_has_come(path: Path) -> None:
    root = root_of(path)
    changed = Database(path).changed()
    assert changed.keys() == {root}
    assert changed[root].upto == last_change(path, root)
    assert Database(path, changed[root].upto + 1).changed() == {}


def test_it_knows_who_has_said_something_since_the_look_before(path: Path) -> None:
    root, database = root_of(path), Database(path)
    assert not database.has(root)
    database.changed()
    assert database.changed_roots == {root}
    assert database.has(root)
    database.changed()
    assert database.changed_roots == set()
    touch(path, last_change(path, root) + 1)
    database.changed()
    assert database.changed_roots == {root}


def test_a_second_change_within_a_tick_of_the_file_systems_clock_is_found(path: Path) -> None:
    root, database = root_of(path), Database(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = DELETE")  # the file itself changes
    os.utime(path)
    database.changed()
    before = path.stat()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE part SET time_updated = ?", [last_change(path, root) + 1])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert database.changed().keys() == {root}


def test_a_row_from_after_the_clock_was_put_back_is_found(path: Path) -> None:
    root, database = root_of(path), Database(path)
    database.changed()
    touch(path, last_change(path, root) - 1000)
    assert database.changed().keys() == {root}
    assert database.changed() == {}


@pytest.mark.parametrize("touched", [False, True], ids=["as it was", "changed itself"])
def test_who_begins_later_gets_the_sessions_above_what_is_new(path: Path, touched: bool) -> None:
    """A child that is continued alone: nothing else would say whose it is, and of which program. It
    is heard while it works, and its run begins with what it is told.
    """
    root = root_of(path)
    since = last_change(path, root) + 1
    at = since + 5000
    with closing(sqlite3.connect(path)) as db, db:
        lowest = "SELECT id, parent_id FROM session ORDER BY time_created DESC LIMIT 1"
        child, parent = db.execute(lowest).fetchone()
        for name, role in (("msg_zz1", "user"), ("msg_zz2", "assistant")):
            new = json.dumps({"role": role, "time": {"created": at}})
            db.execute("INSERT INTO message (id, session_id, time_created, time_updated, data)"
                       " VALUES (?, ?, ?, ?, ?)", (name, child, at, at, new))  # fmt: skip
            said = json.dumps({"type": "text", "text": role, "time": {"start": at, "end": at}})
            db.execute("INSERT INTO part (id, message_id, session_id, time_created, time_updated,"
                       " data) VALUES (?, ?, ?, ?, ?, ?)",
                       (name, name, child, at, at, said))  # fmt: skip
        if touched:
            db.execute("UPDATE session SET time_updated = ? WHERE id = ?", (at, child))
    assert parent == root
    lines = Database(path, since, only=root).changed()[root].lines
    events = Pipeline().feed(b"".join(lines))
    assert {event.ts for event in events} == {at}
    assert isinstance(events[0], e.RequestReceived)
    assert events[0].session_id == root
    (start,) = [x for x in events if isinstance(x, e.StreamStart) and x.stream_id]
    assert (start.agent_id, start.parent_stream_id) == (child, 0)
    (text,) = [x for x in events if isinstance(x, e.Text)]
    assert (text.delta, text.stream_id) == ("assistant", start.stream_id)


def test_a_child_that_is_continued_alone_ends_as_it_does(path: Path) -> None:
    (run,) = database_runs(path)
    lines = [line for track in run.tracks for line in b"".join(track.read()).splitlines(True)]
    root = root_of(path).encode()
    kept = [line for line in lines if b"session.created" in line or root not in line]
    pipeline = Pipeline()
    events = pipeline.feed(b"".join(kept)) + pipeline.finish()
    ends = {x.stream_id: x.reason for x in events if isinstance(x, e.StreamEnd)}
    assert len(ends) > 1
    assert set(ends.values()) == {"completed"}


def test_an_old_row_that_changes_is_no_news_to_whoever_begins_later(path: Path) -> None:
    root = root_of(path)
    later = last_change(path, root) + ROW_STORING_MS + 1
    database = Database(path, later)
    assert database.changed() == {}
    touch(path, later + 1)
    assert database.changed() == {}
    assert b'"emptied"' in b"".join(Database(path).changed()[root].lines)


def test_one_session_alone_has_the_children_that_come_later(path: Path) -> None:
    root = root_of(path)
    with closing(sqlite3.connect(path)) as db, db:
        query = "UPDATE session SET parent_id = NULL WHERE parent_id = ? RETURNING id"
        (child,) = (name for (name,) in db.execute(query, (root,)))
    part = Database(path, only=root)
    first = part.changed()[root]
    alone = b"".join(first.lines)
    assert f'"sessionID":"{child}"'.encode() not in alone
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE session SET parent_id = ? WHERE id = ?", (root, child))
        db.execute("UPDATE part SET time_updated = ?", (first.upto + 1,))
    assert f'"sessionID":"{child}"'.encode() in b"".join(part.changed()[root].lines)


class Late:
    """A database in which texts that precede calls are stored late, its reader, and the time."""

    def __init__(self, path: Path) -> None:
        self.path, self.now = path, 0.0
        with closing(sqlite3.connect(path)) as db, db:
            self.texts = dict(db.execute(BEFORE_A_CALL).fetchall())
            for part, stored in self.texts.items():
                begun = json.loads(stored) | {"text": ""}
                del begun["time"]["end"]
                db.execute("UPDATE part SET data = ? WHERE id = ?", (json.dumps(begun), part))
        self.root = root_of(path)
        self.database = Database(path, clock=lambda: self.now)

    def store(self) -> None:
        """The next of the texts is stored."""
        part = next(iter(self.texts))
        row = (self.texts.pop(part), last_change(self.path, self.root) + 1000, part)
        with closing(sqlite3.connect(self.path)) as db, db:
            db.execute("UPDATE part SET data = ?, time_updated = ? WHERE id = ?", row)


@pytest.fixture
def late(tmp_path: Path) -> Late:
    return Late(Path(shutil.copy(FAN, tmp_path / "opencode.db")))


def test_calls_wait_for_all_the_texts_before_them(late: Late) -> None:
    texts = [json.loads(stored)["text"] for stored in late.texts.values()]
    assert len(texts) == 2
    assert late.database.changed() == {}
    assert late.database.waiting == {late.root}
    assert not late.database.quiet
    late.store()
    # Not the call of the text that is there now either: that was found after it, behind the other.
    assert late.database.changed() == {}
    late.store()
    (rows,) = late.database.changed().values()
    assert late.database.waiting == set()
    assert all(text in b"".join(rows.lines).decode() for text in texts)
    assert rows.upto == last_change(late.path, late.root)


def test_the_wait_for_a_text_is_bounded(late: Late) -> None:
    os.utime(late.path, (1, 1))  # nobody has just written it
    assert late.database.changed() == {}
    late.now = TEXT_BEFORE_CALL_TIMEOUT_SECONDS
    assert late.database.changed().keys() == {late.root}
    assert late.database.quiet


def test_at_the_end_nobody_waits_for_a_text(late: Late) -> None:
    assert late.database.changed(last=True).keys() == {late.root}
