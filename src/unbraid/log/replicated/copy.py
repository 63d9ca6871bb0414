"""A reader's own copy of a journal: the SQLite log, folded from the records in their order; and the
task that keeps it up to date.

Every copy applies the same records by the same rules, so all of them hold the same events under the
same cursors. Each batch is one transaction together with the sequence number of its last record, so
a copy is always that of some moment of the journal, also after `kill -9`. Raw bytes are not copied:
only who continues a run needs them, and asks the journal.

All processes of a machine share one copy. The process that gets the lock beside it applies the
records; the others read the result, and one of them takes over when the holder is gone. Before each
start, the journal must be the one that was copied, and still have what was copied. If it does not,
acknowledged appends are lost there: the copy stays as it is, perhaps the last that has them, and
says so.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple

import msgspec

from unbraid.errors import LogError
from unbraid.events import decode_event
from unbraid.log.fold import Line
from unbraid.log.port import LogConflict, LogUnusable
from unbraid.log.replicated.journal import (
    FeedBroken,
    InvalidRecord,
    JournalRecord,
    RecordJournal,
    StoredRecord,
    decoded,
    lines_of,
)
from unbraid.log.sqlite.appender import Appender, clear, forget_run, replace_by_summary
from unbraid.log.sqlite.file import DamagedCopy
from unbraid.log.sqlite.log import SqliteLog
from unbraid.log.sqlite.reader import chunk_offsets, execute, offsets_of, summary_of
from unbraid.log.summary import RunSummary
from unbraid.read.record import BAD_JSON
from unbraid.system.locks import locked_file
from unbraid.system.tasks import end_task
from unbraid.timings import FOLD_RETRY_SECONDS, FORGOTTEN_KEPT_SECONDS, NATS_LOST_SECONDS

# Another process of this machine folds; when it is gone, the next one takes over this soon.
FOLD_LOCK_RETRY_SECONDS = 0.5

# A cursor is the number of a record, times this, plus the index of the event in it: the same on
# every machine, and within the numbers that JavaScript counts exactly.
CURSOR_STEP = 65_536
MAX_EVENTS = CURSOR_STEP - 1
# REMEMBERED is how many of the last records, and of the skipped ones, are kept: they show whether a
# journal has lost some. REMEMBERED_TOGETHER is how many of them may come from one batch.
REMEMBERED, REMEMBERED_TOGETHER = 64, 8
# So many of them are looked for; what retention has replaced is not there.
RECENT_LOOKED_FOR = 8

_TABLES = (
    """CREATE TABLE IF NOT EXISTS journal_place (
        one INTEGER PRIMARY KEY CHECK (one = 1), created TEXT NOT NULL, seq INTEGER NOT NULL)""",
    "CREATE TABLE IF NOT EXISTS journal_recent (seq INTEGER PRIMARY KEY, id TEXT NOT NULL)",
    """CREATE TABLE IF NOT EXISTS journal_heads (
        run TEXT PRIMARY KEY, seq INTEGER NOT NULL, forgotten INTEGER NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS journal_skipped (
        seq INTEGER PRIMARY KEY, run TEXT NOT NULL, problem TEXT NOT NULL)""",
)

_summary = msgspec.json.Decoder(RunSummary).decode


class CopyProgress(NamedTuple):
    """Which journal a copy is of, and the last record that it has."""

    created: str
    seq: int


class SkippedRecord(NamedTuple):
    """A record that no copy has applied, and why."""

    seq: int
    run: str
    problem: str


@dataclass(slots=True)
class RunHead:
    """What a writer has to know of a run, as the copy has it."""

    summary: RunSummary
    offsets: dict[str, int]
    chunk_offsets: set[tuple[str, int]]
    seq: int
    forgotten: bool

    def has_same(self, other: RunHead) -> bool:
        """Returns whether a record between the two has added nothing."""
        return (
            self.summary.last_seq == other.summary.last_seq
            and self.offsets == other.offsets
            and self.chunk_offsets == other.chunk_offsets
        )


class JournalCopy:
    """The copy. Made by `JournalCopy.open`; `log` answers everything that readers ask."""

    def __init__(
        self, log: SqliteLog, path: Path, journal: RecordJournal, *, idle_seconds: float
    ) -> None:
        self.log, self.path, self._journal = log, path, journal
        self._lock_path = path.with_name(f"{path.name}.fold")
        self._applied = 0
        self._folds = False  # whether this process is the one that applies the records
        self.problem: LogUnusable | None = None
        self.hindrance: LogUnusable | None = None
        self.connected = False
        self.restarts = 0
        self._shorter_since: float | None = None
        self._closed = False
        self._lock = self._try_lock()
        # Nobody has updated the copy for so long that records of deletions may have expired: it
        # must be built again.
        self._outdated = self._lock is not None and idle_seconds > FORGOTTEN_KEPT_SECONDS
        self._task = asyncio.create_task(self._work())
        self._guard = asyncio.create_task(self._watch_file())

    @classmethod
    async def open(cls, path: Path, journal: RecordJournal) -> JournalCopy:
        """Opens the copy in a file, or begins one there, and begins to bring it up to date."""
        idle_seconds = _idle_seconds(path)
        log = await SqliteLog.open(path, is_copy=True)
        try:
            await log.writer.submit(_create)
            return cls(log, path, journal, idle_seconds=idle_seconds)
        except BaseException:
            await log.close()
            raise

    async def check(self) -> None:
        """Reads the whole file; raises DamagedCopy if it is damaged."""
        problem = await self.log.readers.read(_first_problem)
        if problem != "ok":
            raise DamagedCopy(self.path, f"the file is damaged ({problem})")

    async def progress(self) -> CopyProgress | None:
        """Returns how far the copy is; None if it has not begun."""
        return await self.log.readers.read(_progress)

    async def head(self, run: str) -> RunHead:
        """Returns where a run stands."""
        return await self.log.readers.read(_head, run)

    async def skipped(self) -> list[SkippedRecord]:
        """Returns the last records that could not be applied, newest first."""
        query = "SELECT seq, run, problem FROM journal_skipped ORDER BY seq DESC"
        return [SkippedRecord(*row) for row in await self.log.readers.read(execute, query)]

    async def fold(self, batch: Sequence[StoredRecord]) -> None:
        """Applies records, all of them or none."""
        await self.log.writer.submit(_fold, self.log.appender, batch, self._journal.address)

    async def applied(self) -> int:
        """Returns the sequence number of the last record that the copy has."""
        if not (self._folds or self._outdated):
            progress = await self.progress()
            self._applied = 0 if progress is None else progress.seq
        return self._applied

    async def reached(self, seq: int, seconds: float, *, even_hindered: bool = False) -> bool:
        """Waits until the copy has a record; returns False if that takes longer than this, or if
        something hinders the copy itself.
        """
        if self._applied >= seq:
            return True
        signal = self.log.signal
        try:
            async with asyncio.timeout(seconds):
                while even_hindered or self.hindrance is None:
                    version = signal.version
                    if await self.applied() >= seq:
                        return True
                    await signal.changed(version)
        except TimeoutError:
            pass
        return False

    async def has_lost_records(self) -> bool:
        """Returns whether the journal has lost what was copied. Only the process that applies
        records finds that out, so this looks itself.
        """
        while True:
            try:
                await self._verify()
                return False
            except FeedBroken:
                await asyncio.sleep(FOLD_RETRY_SECONDS)  # it is known within seconds
            except LogUnusable as error:
                if error.reason != "lost":
                    raise
                return True

    async def close(self) -> None:
        """Stops, lets another process apply records, and closes the file."""
        self._closed = True
        await end_task(self._guard)
        await end_task(self._task)
        self._unlock()
        await self.log.close()

    async def _watch_file(self) -> None:
        """Stops if the copy's file is gone: this process can neither read nor fold what comes, and
        a process that begins a new file needs the lock.
        """
        while self.log.replaced() is None:  # noqa: ASYNC110 - a file sends no signal
            await asyncio.sleep(FOLD_LOCK_RETRY_SECONDS)
        problem = "this machine's copy was deleted or replaced meanwhile: start this process again"
        self.problem = LogUnusable(self._journal.address, "io", problem)
        await end_task(self._task)

    async def _work(self) -> None:
        await self._locked()
        try:
            while not self._closed:
                try:
                    self._applied = await self.applied()
                    self._folds = True
                    await self._follow()
                except LogUnusable as error:
                    self.connected = False
                    if error.reason in ("lost", "newer", "corrupt"):
                        kept = "this machine's copy is kept as it is (`unbraid doctor --repair`"
                        lost = self._loss(f"{error.detail}: {kept} brings it back)")
                        self.problem = lost if error.reason == "lost" else error
                        return
                    # What hinders the copy itself, such as a full disk; whether the journal
                    # answers, others ask.
                    self.hindrance = error if error.address != self._journal.address else None
                    self.log.signal.change()
                except LogError:
                    self.connected = False
                except Exception as error:
                    problem = f"cannot be copied here ({type(error).__name__}: {error})"
                    self.problem = LogUnusable(self._journal.address, "io", problem)
                    raise
                self.restarts += 1
                await asyncio.sleep(FOLD_RETRY_SECONDS)
        finally:
            self.connected = False
            self._unlock()

    async def _follow(self) -> None:
        await self._verify()
        if self._outdated:
            await self.log.writer.submit(_clear, self.log.appender)
            self._applied, self._outdated = 0, False
        with suppress(OSError):
            os.utime(self.path)  # it is brought up to date
        self.connected = True
        async with aclosing(self._journal.follow(self._applied)) as feed:
            async for batch in feed:
                await self.fold(batch)
                # Only now: a feed that breaks continues after what was applied, not what was
                # received.
                self._applied, self.hindrance = batch[-1].seq, None
                self.log.signal.change()

    async def _verify(self) -> None:
        info = await self._journal.info()
        progress = await self.progress()
        if progress is None:
            query = "INSERT OR IGNORE INTO journal_place VALUES (1, ?, 0)"
            await self.log.writer.submit(execute, query, info.created)
            return
        if progress.created != info.created:
            raise self._loss("was made anew")
        if info.last_seq < progress.seq:
            # A node that was cut off may answer with an old number for a while: only one that stays
            # is a loss.
            now = time.monotonic()
            self._shorter_since = self._shorter_since or now
            if now - self._shorter_since > NATS_LOST_SECONDS:
                raise self._loss("has fewer records than were acknowledged")
            raise FeedBroken(f"{self._journal.address} is behind the copy")
        self._shorter_since = None
        query = "SELECT 1 FROM journal_heads WHERE NOT forgotten LIMIT 1"
        has_runs = await self.log.readers.read(execute, query)
        if info.is_empty and has_runs:
            raise self._loss("was emptied")
        query = "SELECT seq, id FROM journal_recent ORDER BY seq DESC LIMIT ?"
        for seq, known in await self.log.readers.read(execute, query, RECENT_LOOKED_FOR):
            found = await self._journal.record_id(seq)
            if found is not None:
                if found != known:
                    raise self._loss("has another record where one was acknowledged")
                return

    def _loss(self, problem: str) -> LogUnusable:
        return LogUnusable(self._journal.address, "lost", problem)

    async def _locked(self) -> None:
        while self._lock is None:
            await asyncio.sleep(FOLD_LOCK_RETRY_SECONDS)
            self._lock = self._try_lock()

    def _try_lock(self) -> IO[bytes] | None:
        self._lock_path.touch(mode=0o600)
        return locked_file(self._lock_path)

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def _idle_seconds(path: Path) -> float:
    times = [file.stat().st_mtime for file in (path, Path(f"{path}-wal")) if file.exists()]
    return max(0.0, time.time() - max(times)) if times else 0.0


def _first_problem(connection: sqlite3.Connection) -> str:
    found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    # SQLite does not look at what is in its rows; who cannot decode it raises.
    for (summary,) in connection.execute("SELECT summary FROM runs"):
        _summary(summary)
    for (data,) in connection.execute("SELECT data FROM events"):
        decode_event(data)
    for _ in connection.execute("SELECT text FROM said"):
        pass
    return found


def _create(connection: sqlite3.Connection) -> None:
    for statement in _TABLES:
        connection.execute(statement)


def _progress(connection: sqlite3.Connection) -> CopyProgress | None:
    row = connection.execute("SELECT created, seq FROM journal_place").fetchone()
    return None if row is None else CopyProgress(*row)


def _head(connection: sqlite3.Connection, run: str) -> RunHead:
    head = connection.execute(
        "SELECT seq, forgotten FROM journal_heads WHERE run = ?", (run,)
    ).fetchone()
    return RunHead(
        summary=summary_of(connection, run) or RunSummary(run),
        offsets=offsets_of(connection, run),
        chunk_offsets=chunk_offsets(connection, run),
        seq=0 if head is None else head[0],
        forgotten=head is not None and bool(head[1]),
    )


def _clear(connection: sqlite3.Connection, appender: Appender) -> None:
    clear(connection)
    for table in ("journal_heads", "journal_recent", "journal_skipped"):
        connection.execute(f"DELETE FROM {table}")
    connection.execute("UPDATE journal_place SET seq = 0")
    appender.forget()


def _fold(
    connection: sqlite3.Connection, appender: Appender, batch: Sequence[StoredRecord], address: str
) -> None:
    current = _progress(connection)
    # Another process may have folded some of it: the copy itself says how far it is.
    new = [stored for stored in batch if current is None or stored.seq > current.seq]
    if not new:
        return
    heads: dict[str, tuple[int, bool]] = {}
    # All of them first: one of a newer unbraid must not leave the others half applied.
    readable = [_readable(stored, address) for stored in new]
    skipped: list[SkippedRecord] = []
    for stored, (record, lines, problem) in zip(new, readable, strict=True):
        try:
            if record is not None:
                _apply(connection, appender, stored, record=record, lines=lines)
        except LogConflict as error:
            # It was never acknowledged as continuing its run: every copy skips it alike.
            problem = str(error)
        if problem:
            skipped.append(SkippedRecord(stored.seq, stored.run, problem))
        # Also of one that is skipped: the next append to its run has to come after it.
        heads[stored.run] = (stored.seq, record is not None and record.kind == "forget")
    connection.executemany(
        "INSERT OR REPLACE INTO journal_heads VALUES (?, ?, ?)",
        [(run, seq, forgotten) for run, (seq, forgotten) in heads.items()],
    )
    recent = [(stored.seq, stored.id) for stored in new[-REMEMBERED_TOGETHER:]]
    _remember(connection, "journal_recent", recent)
    _remember(connection, "journal_skipped", skipped)
    connection.execute("UPDATE journal_place SET seq = ?", (new[-1].seq,))


def _remember(
    connection: sqlite3.Connection, table: str, rows: Sequence[tuple[int | str, ...]]
) -> None:
    if rows:
        values = ", ".join("?" * len(rows[0]))
        insert = f"INSERT OR REPLACE INTO {table} VALUES ({values})"
        connection.executemany(insert, rows[-REMEMBERED:])
        connection.execute(
            f"""DELETE FROM {table} WHERE seq NOT IN
            (SELECT seq FROM {table} ORDER BY seq DESC LIMIT ?)""",
            (REMEMBERED,),
        )


def _readable(
    stored: StoredRecord, address: str
) -> tuple[JournalRecord | None, Sequence[Line], str]:
    """Returns a record and its events if it can be applied; otherwise why it cannot."""
    try:
        record = decoded(stored, address)
        if record.kind == "cut" and _summary(record.summary).run != stored.run:
            return None, (), "a summary of another run"
        if len(record.events) > MAX_EVENTS:
            return None, (), "more events than there are cursors for"
        return record, lines_of(record, address), ""
    except (InvalidRecord, *BAD_JSON) as error:
        return None, (), f"not a record ({error})"


def _apply(
    connection: sqlite3.Connection,
    appender: Appender,
    stored: StoredRecord,
    *,
    record: JournalRecord,
    lines: Sequence[Line],
) -> None:
    if record.kind == "append":
        appender.append(
            connection,
            stored.run,
            lines,
            offsets=record.offsets,
            # Only where they begin: the bytes are in the journal.
            chunks=[chunk._replace(data=b"") for chunk in record.chunks],
            first_cursor=stored.seq * CURSOR_STEP,
        )
        return
    if record.kind == "cut":
        replace_by_summary(connection, _summary(record.summary), record.offsets)
    else:
        forget_run(connection, stored.run, even_live=True)
    appender.forget()
