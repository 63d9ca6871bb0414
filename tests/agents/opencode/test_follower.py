"""One of OpenCode's sessions, read from where the log stands: rows first, then server events."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.block_rows import RECORDINGS
from unbraid.agents.opencode.database import database_runs, last_change
from unbraid.agents.opencode.follower import (
    ROWS,
    ROWS_FROM,
    Database,
    RowFollower,
    rows_since,
)
from unbraid.agents.opencode.hooks import PluginLink
from unbraid.agents.opencode.store import Installation, OpenCodeSessions
from unbraid.agents.opencode.watch import DatabaseWatch
from unbraid.agents.port import Recorded, WatchOptions
from unbraid.read.chunk import Chunk

EVENT = b'{"type":"session.updated","properties":{}}\n'
ASKED = b'{"type":"permission.asked","properties":{"id":"per_1"}}\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    nested = RECORDINGS / "nested.run.opencode" / "opencode.db"
    return Path(shutil.copy(nested, tmp_path / "opencode.db"))


@pytest.fixture
def root(path: Path) -> str:
    (run,) = database_runs(path)
    assert run.session is not None
    return run.session


def change(path: Path, at: int) -> None:
    """One row of the main agent changes."""
    with closing(sqlite3.connect(path)) as db, db:
        newest = "SELECT id FROM session WHERE parent_id IS NULL"
        db.execute(f"UPDATE session SET time_updated = ?, agent = 'x' WHERE id IN ({newest})", [at])


def test_it_begins_with_all_rows_and_how_far_they_go(path: Path, root: str) -> None:
    follower = OpenCodeSessions(Installation({"OPENCODE_DB": str(path)})).follow(root, Recorded())
    assert follower is not None
    assert follower.unsettled
    noted, rows = follower.read(at_once=True)
    at = last_change(path, root)
    assert noted == Chunk(ROWS, at, b"")
    assert rows.data == b"".join(Database(path).changed()[root].lines)
    assert not follower.unsettled
    change(path, at + 1)
    assert list(follower.read()) == [], "nobody says that something has changed"
    follower.may_have_changed = True
    noted, more = follower.read()
    assert noted == Chunk(ROWS, at + 1, b"")
    assert (more.source, more.offset) == (rows.source, len(rows.data))
    assert b"session.created" in more.data and b"message.part" not in more.data


def test_what_a_person_was_asked_before_it_was_followed_is_in_no_row(path: Path, root: str) -> None:
    """A server reports of a session before anybody follows it: by then its words are in rows."""
    watch = DatabaseWatch(Installation({"OPENCODE_DB": str(path)}), WatchOptions(pytest.fail))
    watch.look()
    watch.report(root, [EVENT, ASKED], PluginLink())
    follower = watch.follow(root, Recorded())
    assert follower is not None
    _, rows, asked = follower.read(at_once=True)
    assert rows.data == b"".join(Database(path).changed()[root].lines)
    assert asked.data == ASKED


def later_run(path: Path, root: str) -> tuple[RowFollower, int]:
    """The next run of a session whose rows are all in the runs before, and until when they are."""
    at = last_change(path, root)
    follower = RowFollower(root, Recorded(earlier={ROWS: at}, earlier_ms=at), path)
    assert list(follower.read()) == []
    return follower, at


def test_a_later_run_of_stored_rows_does_not_begin_with_what_a_server_reports(
    path: Path, root: str
) -> None:
    follower, at = later_run(path, root)
    follower.give_events([EVENT], whole=False)
    assert list(follower.read()) == []
    change(path, at + 1)
    follower.may_have_changed = True
    follower.give_events([EVENT], whole=True)  # its beginning is in the run before
    _, rows = follower.read()
    assert EVENT not in rows.data
    follower.give_events([EVENT], whole=False)
    assert [chunk.data for chunk in follower.read()] == [EVENT]


def test_what_a_person_is_asked_waits_for_the_first_row(path: Path, root: str) -> None:
    follower, at = later_run(path, root)
    follower.give_events([EVENT, ASKED], whole=False)
    assert list(follower.read()) == []
    change(path, at + 1)
    follower.may_have_changed = True
    _, _, asked = follower.read()
    assert asked.data == ASKED


def test_a_session_that_only_a_server_has_is_what_it_reports() -> None:
    follower = RowFollower("ses_1", Recorded(), None)
    assert not follower.unsettled
    follower.give_events([EVENT, EVENT], whole=True)
    (chunk,) = follower.read()
    assert (chunk.source.partition(".")[0], chunk.data) == ("server", EVENT * 2)


def test_since_when_rows_are_new() -> None:
    assert rows_since(Recorded()) is None
    assert rows_since(Recorded({ROWS_FROM: 3, ROWS: 4}, is_new=False)) == 3
    assert rows_since(Recorded(earlier={ROWS: 7}, earlier_ms=9)) == 8
    # A run that knew stdout alone: its rows are those of its time.
    assert rows_since(Recorded(earlier_ms=9)) == 10
