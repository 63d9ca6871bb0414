"""OpenCode's database, followed: what is told to whoever begins later, and of one session alone."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.said import RECORDINGS
from unbraid.agents.opencode.changes import Database
from unbraid.agents.opencode.database import database_runs, last_change
from unbraid.agents.opencode.records import ended_at
from unbraid.timings import ROW_STORING_MS

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


def test_it_knows_how_far_it_has_told(path: Path) -> None:
    root, database = root_of(path), Database(path)
    assert database.changed().keys() == {root}
    assert database.upto == {root: last_change(path, root)}
    assert Database(path, database.upto[root] + 1).changed() == {}


def test_it_knows_who_has_said_something_since_the_look_before(path: Path) -> None:
    root, database = root_of(path), Database(path)
    assert not database.has(root)
    database.changed()
    assert database.heard == {root}
    assert database.has(root)
    database.changed()
    assert database.heard == set()
    touch(path, last_change(path, root) + 1)
    database.changed()
    assert database.heard == {root}


def test_an_old_row_that_changes_is_no_news_to_whoever_begins_later(path: Path) -> None:
    root = root_of(path)
    later = last_change(path, root) + ROW_STORING_MS + 1
    database = Database(path, later)
    assert database.changed() == {}
    touch(path, later + 1)
    assert database.changed() == {}
    assert b'"emptied"' in b"".join(Database(path).changed()[root])


def test_one_session_alone_has_the_children_that_come_later(path: Path) -> None:
    root = root_of(path)
    with closing(sqlite3.connect(path)) as db, db:
        query = "UPDATE session SET parent_id = NULL WHERE parent_id = ? RETURNING id"
        (child,) = (name for (name,) in db.execute(query, (root,)))
    part = Database(path).part(root, 0)
    alone = b"".join(part.changed()[root])
    assert f'"sessionID":"{child}"'.encode() not in alone
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE session SET parent_id = ? WHERE id = ?", (root, child))
        db.execute("UPDATE part SET time_updated = ?", (part.upto[root] + 1,))
    assert f'"sessionID":"{child}"'.encode() in b"".join(part.changed()[root])
