"""One of OpenCode's sessions, read from where the log stands: rows first, then server events."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.block_rows import RECORDINGS
from unbraid.agents.opencode.sessions.changes import Database
from unbraid.agents.opencode.sessions.database import database_runs, last_change
from unbraid.agents.opencode.sessions.follower import (
    ROWS,
    ROWS_FROM,
    ChangedRows,
    RowFollower,
    rows_since,
)
from unbraid.agents.opencode.sessions.store import OpenCodeSessions
from unbraid.agents.opencode.sessions.watch import DatabaseWatch
from unbraid.agents.port import Recorded
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


def test_it_begins_with_all_rows_and_how_far_they_go(path: Path, root: str) -> None:
    follower = OpenCodeSessions({"OPENCODE_DB": str(path)}).follow(root, Recorded())
    assert follower is not None
    assert follower.unsettled
    noted, rows = follower.read(at_once=True)
    assert noted == Chunk(ROWS, last_change(path, root), b"")
    assert rows.data == b"".join(Database(path).changed()[root])
    assert not follower.unsettled
    follower.give_rows(ChangedRows([EVENT], 7))
    assert [(chunk.offset, chunk.data) for chunk in follower.read()] == [
        (7, b""),
        (len(rows.data), EVENT),
    ]


def test_what_a_person_was_asked_before_it_was_followed_is_in_no_row(path: Path, root: str) -> None:
    """A server reports of a session before anybody follows it: by then its words are in rows."""
    watch = DatabaseWatch({"OPENCODE_DB": str(path)}, [], warn=pytest.fail)
    watch.look()
    watch._give(root, [EVENT, ASKED])
    follower = watch.follow(root, Recorded())
    assert follower is not None
    _, rows, asked = follower.read(at_once=True)
    assert rows.data == b"".join(Database(path).changed()[root])
    assert asked.data == ASKED


def test_what_was_given_before_its_rows_were_read_is_in_them(path: Path, root: str) -> None:
    follower = RowFollower(root, Recorded(), Database(path))
    follower.give_rows(ChangedRows([EVENT], 7))
    assert list(follower.read()) == []
    assert follower.read_first(at_once=True)
    assert EVENT not in b"".join(chunk.data for chunk in follower.read())


def test_a_later_run_of_stored_rows_does_not_begin_with_what_a_server_reports(
    path: Path, root: str
) -> None:
    at = last_change(path, root)
    follower = RowFollower(root, Recorded(earlier={ROWS: at}, earlier_ms=at), Database(path))
    assert follower.read_first()
    follower.give_events([EVENT], whole=False)
    assert list(follower.read()) == []
    follower.give_rows(ChangedRows([EVENT], at + 1))
    follower.give_events([EVENT], whole=True)  # its beginning is in the run before
    assert [chunk.data for chunk in follower.read()] == [b"", EVENT]
    follower.give_events([EVENT], whole=False)
    assert [chunk.data for chunk in follower.read()] == [EVENT]


def test_what_a_person_is_asked_waits_for_the_first_row(path: Path, root: str) -> None:
    at = last_change(path, root)
    follower = RowFollower(root, Recorded(earlier={ROWS: at}, earlier_ms=at), Database(path))
    assert follower.read_first()
    follower.give_events([EVENT, ASKED], whole=False)
    assert list(follower.read()) == []
    follower.give_rows(ChangedRows([EVENT], at + 1))
    assert [chunk.data for chunk in follower.read()] == [b"", EVENT, ASKED]


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
