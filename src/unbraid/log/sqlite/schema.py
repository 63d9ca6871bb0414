"""The SQLite file: its tables, its version, and how an older one is brought up to date.

`PRAGMA user_version` counts the migrations a file has had. Each runs in one transaction with the
new number, so a crash leaves the file at one version or the other. A migration that has been
released is never edited.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from unbraid.log.port import LogUnusable

# "unbr", so that a database of another program is never taken for ours.
APPLICATION_ID = 0x756E6272

Migration = tuple[str, ...]

MIGRATIONS: tuple[Migration, ...] = (
    (
        # AUTOINCREMENT: cursors and ids are never given twice, even after the newest rows were
        # deleted.
        """CREATE TABLE runs (
            id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL UNIQUE, status TEXT NOT NULL,
            started INTEGER NOT NULL, updated INTEGER NOT NULL, bytes INTEGER NOT NULL,
            last_seq INTEGER NOT NULL, open_from INTEGER NOT NULL,
            words TEXT NOT NULL, summary BLOB NOT NULL)""",
        # Over columns that hardly ever change, so that an append does not touch them.
        "CREATE INDEX runs_started ON runs (started, run)",
        "CREATE INDEX runs_status ON runs (status, started, run)",
        """CREATE TABLE events (
            cursor INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, seq INTEGER NOT NULL,
            ts INTEGER NOT NULL, stream_id INTEGER NOT NULL, type TEXT NOT NULL,
            data BLOB NOT NULL)""",
        "CREATE UNIQUE INDEX events_seq ON events (run, seq)",
        """CREATE TABLE positions (
            run INTEGER NOT NULL, source TEXT NOT NULL, offset INTEGER NOT NULL,
            PRIMARY KEY (run, source)) WITHOUT ROWID""",
        """CREATE TABLE spool (
            id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, source TEXT NOT NULL,
            offset INTEGER NOT NULL, arrived_ms INTEGER NOT NULL, data BLOB NOT NULL,
            UNIQUE (run, source, offset))""",
        """CREATE TABLE said (
            id INTEGER PRIMARY KEY, run INTEGER NOT NULL, stream_id INTEGER NOT NULL,
            seq INTEGER NOT NULL, ts INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL)""",
        "CREATE INDEX said_run ON said (run)",
        """CREATE VIRTUAL TABLE said_words USING fts5 (
            text, content='said', content_rowid='id', tokenize='unicode61 remove_diacritics 2')""",
    ),
    (
        "ALTER TABLE runs ADD COLUMN session TEXT",
        # A blob could be taken for SQLite's own binary JSON.
        "UPDATE runs SET session = json_extract(CAST(summary AS TEXT), '$.session_id')",
        "CREATE INDEX runs_session ON runs (session)",
    ),
    (
        # A run that is not over works or waits. Which, its next event shows.
        """UPDATE runs SET status = 'working', summary = CAST(
            json_set(CAST(summary AS TEXT), '$.status', 'working') AS BLOB)
            WHERE status = 'live'""",
    ),
    # 0: the bytes themselves; 1: compressed with zlib.
    ("ALTER TABLE spool ADD COLUMN compressed INTEGER NOT NULL DEFAULT 0",),
)


def set_version(connection: sqlite3.Connection, version: int) -> None:
    """Notes how many migrations a file has had."""
    connection.execute(f"PRAGMA user_version = {version}")


def migrate(
    connection: sqlite3.Connection, address: str, migrations: Sequence[Migration] = MIGRATIONS
) -> None:
    """Bring the file to the newest version; LogUnusable if it is newer still or not ours."""
    if _version(connection, address, len(migrations)) == len(migrations):
        return
    # Looked at again under the lock: another process may be creating the same file.
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection, address, len(migrations))
        for migration in migrations[version:]:
            for statement in migration:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        set_version(connection, len(migrations))
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection, address: str, newest: int) -> int:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    owner = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if tables and owner != APPLICATION_ID:
        raise LogUnusable(address, "corrupt", "is a database of another program")
    if version > newest:
        problem = f"was written by a newer unbraid (version {version}, this one knows {newest})"
        raise LogUnusable(address, "newer", problem)
    return version
