"""Attack: an agent puts a database where its own is read in which a name stands for a program.

A view over an endless query hung `cat`, `search` and `watch`, which could not be stopped either; a
FIFO of the database's name did the same. Only regular files are opened, only tables are read, and
what takes too long is given up.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.agents.opencode.tables import TABLES
from unbraid.agents.opencode import database
from unbraid.agents.opencode.database import (
    connect,
    database_blocks,
    database_runs,
    stored_sessions,
)
from unbraid.agents.opencode.follower import Database
from unbraid.errors import SourceError

ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)"
SCHEMAS = {
    "view": f"""ALTER TABLE part RENAME TO old;
        CREATE VIEW part AS {ENDLESS} SELECT old.* FROM old, r;""",
    "view in capitals": f"""DROP TABLE session;
        CREATE VIEW SESSION AS {ENDLESS} SELECT n AS id, NULL AS parent_id FROM r;""",
    "computed column": """DROP TABLE part; CREATE TABLE part (id, message_id, session_id,
        time_created, time_updated, data AS (hex(zeroblob(400000000))));""",
    "virtual table": """DROP TABLE message;
        CREATE VIRTUAL TABLE message USING fts5(id, session_id, data, time_updated);""",
}
READERS: dict[str, Callable[[Path], object]] = {
    "cat": database_runs,
    "watch": lambda path: Database(path).changed(last=True),
    "ps": stored_sessions,
}


def made(path: Path, more: str) -> Path:
    with closing(sqlite3.connect(path)) as db:
        db.executescript(TABLES)
        db.execute(
            "INSERT INTO session VALUES ('ses_a', NULL, 't', '/w', '1.2.27', 1, 1, NULL, NULL)"
        )
        db.execute("INSERT INTO part VALUES ('prt_a', 'msg_a', 'ses_a', 1, '{}', 1)")
        db.executescript(more)
    return path


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("schema", SCHEMAS)
def test_only_tables_are_read(tmp_path: Path, schema: str, reader: str) -> None:
    path = made(tmp_path / "opencode.db", SCHEMAS[schema])
    with pytest.raises(SourceError, match="in place of tables"):
        READERS[reader](path)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_search_finds_nothing_there(tmp_path: Path, schema: str) -> None:
    path = made(tmp_path / "opencode.db", SCHEMAS[schema])
    assert list(database_blocks(path, "t", ())) == []


@pytest.mark.parametrize("reader", READERS)
def test_a_fifo_is_no_database(tmp_path: Path, reader: str) -> None:
    path = tmp_path / "opencode.db"
    os.mkfifo(path)
    if reader == "watch":  # it has no size, so there is nothing to read
        READERS[reader](path)
        return
    with pytest.raises(SourceError, match="regular"):
        READERS[reader](path)
    assert list(database_blocks(path, "t", ())) == []


@pytest.mark.parametrize("end", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("reader", READERS)
def test_a_fifo_is_no_journal_of_a_database(tmp_path: Path, end: str, reader: str) -> None:
    path = made(tmp_path / "opencode.db", "")
    os.mkfifo(f"{path}{end}")
    with pytest.raises(SourceError, match="regular"):
        READERS[reader](path)
    assert list(database_blocks(path, "t", ())) == []


def test_a_file_without_an_end_among_those_of_early_releases(tmp_path: Path) -> None:
    for name in ("session/p/ses_a", "message/ses_a/msg_a", "part/msg_a/prt_a"):
        file = tmp_path / f"{name}.json"
        file.parent.mkdir(parents=True)
        file.write_text('{"role": "assistant", "type": "text"}')
    with file.open("wb") as sparse:
        sparse.truncate(6 << 30)
    ((root, track),) = [(run.session, run.tracks[0]) for run in database_runs(tmp_path)]
    assert root == "ses_a"
    assert b"unbraid.row_bytes" in b"".join(track.read())


def test_what_takes_too_long_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "DATABASE_READ_CPU_SECONDS", 0.2)
    path = made(tmp_path / "opencode.db", "")
    with closing(connect(path)) as db, pytest.raises(sqlite3.OperationalError, match="interrupted"):
        db.execute(f"{ENDLESS} SELECT count(*) FROM r").fetchall()
