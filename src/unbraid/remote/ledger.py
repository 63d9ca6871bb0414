"""How far the runs of a log have arrived at other servers: a SQLite file in the data folder.

A run is in it from the moment at which it is to be sent, and what a server has not acknowledged is
removed only by a person. The ledger may be behind: what was acknowledged and not noted, as after a
kill, is sent again, and the server skips it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, NamedTuple

from unbraid.errors import LogError
from unbraid.system.home import make_private_folder
from unbraid.system.locks import locked_file
from unbraid.timings import LEDGER_LOCK_SECONDS

FOLDER = "outbox"
FILE_NAME = "ledger.db"


class SentRun(NamedTuple):
    """A run on its way: which log it is in, which server gets it, and the last event that this has
    acknowledged. What was to be redacted on its way stays so.
    """

    log: str
    url: str
    run: str
    seq: int
    redact: bool


class DeliveryLedger:
    """The file, shared by all processes of a machine. Raises LogError if it cannot be used."""

    def __init__(self, home: Path | None) -> None:
        """Opens the one in a data folder; without one, a ledger that lives in this process."""
        self._folder = None if home is None else home / FOLDER
        try:
            if self._folder is not None:
                # Agents' runs are private: no other user of the machine may read their names.
                make_private_folder(self._folder)
            self._path = ":memory:" if self._folder is None else str(self._folder / FILE_NAME)
            self._database = sqlite3.connect(
                self._path, timeout=LEDGER_LOCK_SECONDS, isolation_level=None
            )
            # What a power cut takes back is sent again: no commit has to wait for the disk.
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.executescript(_TABLES)
        except (OSError, sqlite3.Error) as error:
            raise LogError(f"{self._folder or 'ledger'}: {error}") from error

    @staticmethod
    def exists(home: Path) -> bool:
        """Returns whether anything was ever to be sent from here."""
        return (home / FOLDER / FILE_NAME).exists()

    def cursor(self, log: str, url: str) -> int | None:
        """Returns up to where all runs of a log are noted; None if that was never begun."""
        query = "SELECT cursor FROM servers WHERE log = ? AND url = ?"
        rows = self._all(query, (log, url))
        return int(rows[0][0]) if rows else None

    def machine_names(self, current: str | None) -> set[str | None]:
        """Notes how this machine is called; returns that and all names that it had before."""
        with self._transaction() as database:
            database.execute("INSERT OR IGNORE INTO machines VALUES (?)", (current,))
        return {name for (name,) in self._all("SELECT name FROM machines", ())}

    def note(
        self,
        log: str,
        url: str,
        runs: Iterable[str],
        *,
        cursor: int | None = None,
        redact: bool = False,
    ) -> None:
        """Notes that these runs are to be sent, and that up to a `cursor` all are noted."""
        rows = [(log, url, run, redact) for run in runs]
        with self._transaction() as database:
            database.executemany(
                "INSERT INTO runs (log, url, run, redact) VALUES (?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET arrived = 0, redact = max(redact, excluded.redact)",
                rows,
            )
            if cursor is not None:
                database.execute(
                    "INSERT INTO servers (log, url, cursor) VALUES (?, ?, ?)"
                    " ON CONFLICT DO UPDATE SET cursor = excluded.cursor",
                    (log, url, cursor),
                )

    def acknowledge(self, log: str, url: str, seqs: Iterable[tuple[str, int, bool]]) -> None:
        """Notes up to where runs have arrived, and whether that is all of them."""
        rows = [(seq, arrived, log, url, run) for run, seq, arrived in seqs]
        with self._transaction() as database:
            database.executemany(
                "UPDATE runs SET seq = ?, arrived = ? WHERE log = ? AND url = ? AND run = ?", rows
            )

    def seq(self, log: str, url: str, run: str) -> int:
        """Returns the last event of a run that was acknowledged."""
        query = "SELECT seq FROM runs WHERE log = ? AND url = ? AND run = ?"
        rows = self._all(query, (log, url, run))
        return int(rows[0][0]) if rows else 0

    def known(self, log: str, url: str) -> set[str]:
        """Returns all runs of a log that were to be sent to a server, arrived or not."""
        query = "SELECT run FROM runs WHERE log = ? AND url = ?"
        return {str(run) for (run,) in self._all(query, (log, url))}

    def waiting(self) -> list[SentRun]:
        """Returns the runs that have not arrived wholly."""
        query = "SELECT log, url, run, seq, redact FROM runs WHERE NOT arrived ORDER BY rowid"
        return [
            SentRun(log=str(log), url=str(url), run=str(run), seq=int(seq), redact=bool(redact))
            for log, url, run, seq, redact in self._all(query, ())
        ]

    def discard(self, waiting: SentRun) -> None:
        """Gives up what is left of a run."""
        with self._transaction() as database:
            where = "log = ? AND url = ? AND run = ?"
            database.execute(f"DELETE FROM runs WHERE {where}", waiting[:3])

    def lock(self, log: str, url: str) -> IO[bytes] | None:
        """Returns the lock of who sends a whole log to a server, to be closed; None if another
        process has it.
        """
        if self._folder is None:
            return None
        # A digest: no name of a file has slashes in it.
        digest = sha256(f"{log}\n{url}".encode()).hexdigest()[:32]
        return locked_file(self._folder / f"{digest}.lock")

    def close(self) -> None:
        """Closes the file."""
        self._database.close()

    def _all(self, query: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        try:
            with closing(self._database.execute(query, values)) as rows:
                return rows.fetchall()
        except sqlite3.Error as error:
            raise LogError(f"{self._path}: {error}") from error

    def _transaction(self) -> _Transaction:
        return _Transaction(self._database, self._path)


class _Transaction:
    """All of a block or nothing of it; what SQLite says against it is a LogError."""

    def __init__(self, database: sqlite3.Connection, path: str) -> None:
        self._database, self._path = database, path

    def __enter__(self) -> sqlite3.Connection:
        try:
            self._database.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise LogError(f"{self._path}: {error}") from error
        return self._database

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        try:
            self._database.execute("COMMIT" if error is None else "ROLLBACK")
        except sqlite3.Error as problem:
            raise LogError(f"{self._path}: {problem}") from problem
        if isinstance(error, sqlite3.Error):
            raise LogError(f"{self._path}: {error}") from error


_TABLES = """
CREATE TABLE IF NOT EXISTS servers (
    log TEXT, url TEXT, cursor INTEGER NOT NULL, PRIMARY KEY (log, url)
);
CREATE TABLE IF NOT EXISTS runs (
    log TEXT, url TEXT, run TEXT, seq INTEGER NOT NULL DEFAULT 0,
    arrived INTEGER NOT NULL DEFAULT 0, redact INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (log, url, run)
);
CREATE TABLE IF NOT EXISTS machines (name TEXT UNIQUE);
CREATE INDEX IF NOT EXISTS runs_waiting ON runs (arrived) WHERE NOT arrived;
"""
