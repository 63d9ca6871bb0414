"""The log's interface: small enough for a distributed engine to keep.

What every backend promises:

- **Written before shown.** `append` returns once its events, source offsets and raw bytes are
  durable, all of them or none. No reader sees them earlier.
- **In order, once.** Within a run `seq` counts 1, 2, 3…; appending what is there already changes
  nothing, and anything that is neither there nor next is a `LogConflict`.
- **Over all runs** each event also has a `cursor`, growing with the order of commits, with holes
  allowed.
- **Nothing needs two runs at once.** No transaction spans runs, no query joins them, so a run can
  live in a partition of its own. On NATS JetStream an append is one message on the run's subject
  with an expected last sequence, and the cursor follows from the stream's sequence.

What only some engines need or do better than others is a method of `Log` with a default that is
true for all others: a caller asks every log in the same way.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import AbstractAsyncContextManager
from functools import partial
from operator import attrgetter
from typing import NamedTuple, Protocol

from msgspec import Struct

from unbraid.errors import CallerError, LogError
from unbraid.events import FleetEvent
from unbraid.log.entry import Entry
from unbraid.log.leases import Leases
from unbraid.log.summary import RunSummary
from unbraid.read.chunk import Chunk

READ_LIMIT = 1000


class LogConflict(LogError):
    """An append that does not continue its run: `seq` is the offender, `expected` the next one
    wanted.
    """

    def __init__(self, run: str, seq: int, expected: int, problem: str) -> None:
        super().__init__(f"run {run}, event {seq}: {problem} (next wanted: {expected})")
        self.run, self.seq, self.expected, self.problem = run, seq, expected, problem


class LogUnusable(LogError):
    """The log cannot be used as it is; `reason` is one of newer, corrupt, full, locked, closed,
    io; and of one on other machines away, behind, refused or lost. `advice` says what helps, if
    that is known.
    """

    def __init__(self, address: str, reason: str, detail: str, *, advice: str = "") -> None:
        super().__init__(f"{address}: {detail}; {advice}" if advice else f"{address}: {detail}")
        self.address, self.reason, self.detail, self.advice = address, reason, detail, advice


def unknown_address(url: str) -> CallerError:
    """Returns the error for an address that no log can have."""
    # A mistyped address of a shared log may have a name and password in it.
    secret, _, address = url.rpartition("@")
    shown = f"{secret.partition('://')[0]}://{address}" if "://" in secret else address
    return CallerError(
        f"cannot open a log at {shown!r}: give the path of a file, sqlite:///path or memory:,"
        " or nats://host"
    )


class Appended(Struct, frozen=True, gc=False):
    """The answer to an append: how many events were new, and the run's last `seq` now."""

    added: int
    last_seq: int


class Found(Struct, frozen=True):
    """A search result: where an agent said it; `seq` is that of the event with which it began."""

    run: str
    stream_id: int
    seq: int
    kind: str
    ts: int
    snippet: str


class Replication(Struct, frozen=True):
    """How far a machine's copy of a shared log is: the last record that it has `applied`, and the
    `last` that there is, None if no node can be asked. `problem` says what hinders it; if records
    were `lost` there, the copy may be the last that has them.
    """

    reachable: bool
    applied: int
    last: int | None
    problem: str | None = None
    lost: bool = False

    @property
    def behind(self) -> int | None:
        """How many records the copy lacks, as far as is known."""
        return None if self.last is None else self.last - self.applied


class LogFinding(Struct, frozen=True):
    """One thing about a log on other machines: whether it is well, and what to change."""

    about: str
    ok: bool
    found: str
    advice: str | None = None


class LogSize(NamedTuple):
    """What a log takes on the disk: all of it, without what is free inside, and the part of that
    which grows and shrinks with the events in the log.
    """

    total: int
    used: int
    content: int


class Signal:
    """Wakes any number of waiters on one event loop when something has changed."""

    def __init__(self) -> None:
        self.version = 0
        self._waiting: set[asyncio.Future[None]] = set()
        # Set while at least one task waits for a change.
        self.has_waiters = asyncio.Event()

    def change(self) -> None:
        """Wakes all tasks that wait."""
        self.version += 1
        waiting, self._waiting = self._waiting, set()
        self.has_waiters.clear()
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def changed(self, version: int) -> None:
        """Waits until the version is no longer `version`."""
        while self.version == version:
            future = asyncio.get_running_loop().create_future()
            self._waiting.add(future)
            self.has_waiters.set()
            try:
                await future
            finally:
                self._waiting.discard(future)
                if not self._waiting:
                    self.has_waiters.clear()


class LogReader(Protocol):
    """The part of a log that readers need, wherever the log is."""

    @abstractmethod
    async def read(
        self,
        run: str,
        since: int = 0,
        limit: int = READ_LIMIT,
        *,
        stream_id: int | None = None,
        types: Collection[str] = (),
    ) -> list[Entry]:
        """Returns up to `limit` events of a run after the seq `since`, in order."""

    @abstractmethod
    def follow(self, run: str, since: int = 0) -> AsyncIterator[list[Entry]]:
        """Yields the events of a run after `since`, then those to come; ends after `done`."""

    @abstractmethod
    async def bounds(self) -> tuple[int, int]:
        """Returns the cursors of the oldest event that the log still has and of the newest that it
        ever had.
        """

    @abstractmethod
    async def run(self, run: str) -> RunSummary | None:
        """Returns one run's summary."""

    @abstractmethod
    async def runs(
        self,
        *,
        status: str | None = None,
        matching: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunSummary]:
        """Returns runs, last started first; `before` is the `page` of the last one seen."""

    @abstractmethod
    async def search(self, query: str, *, run: str | None = None, limit: int = 20) -> list[Found]:
        """Returns where agents said all words of `query` ("a phrase" in quotes), best
        first.
        """


class Feed(NamedTuple):
    """Events of all runs: each as soon as its own run allows, and in the order of the log."""

    entries: list[Entry]
    ordered: list[Entry]


class WholeLogReader(LogReader, Protocol):
    """A reader of all runs at once, in the order of their cursors."""

    @abstractmethod
    async def read_all(self, since: int = 0, limit: int = READ_LIMIT) -> list[Entry]:
        """Returns up to `limit` events of all runs after the cursor `since`, in order."""

    @abstractmethod
    def follow_all(self, since: int | None = None) -> AsyncIterator[list[Entry]]:
        """Yields the events of all runs after the cursor `since` (None: from now on), then those to
        come.
        """

    async def feed(self, since: int | None = None) -> AsyncIterator[Feed]:
        """Yields the same in two orders, for a log in which the events of one run may have to wait
        and hold up no other run.
        """
        async for batch in self.follow_all(since):
            yield Feed(batch, batch)

    def fed(self, entries: list[Entry], *, ordered: bool = False) -> list[Entry]:
        """Returns the first of some events that were read: those that do not have to wait for the
        feed, in the order of the log if they are `ordered`.
        """
        return entries


class MachineRequests(Protocol):
    """Questions and answers between the processes that share a log. Nothing of them is stored."""

    @abstractmethod
    async def ask_all(self, question: bytes) -> dict[str, bytes]:
        """Returns the answers of all processes, by address."""

    @abstractmethod
    async def ask(self, address: str, question: bytes) -> bytes:
        """Returns what one answers. Raises CallerError if it is gone, or says nothing."""

    @abstractmethod
    def answering(
        self, answer: Callable[[bytes], Awaitable[bytes]]
    ) -> AbstractAsyncContextManager[None]:
        """Answers questions while the block runs, those to all and those to this process."""


class Log(WholeLogReader, ABC):
    """A durable, ordered log of runs. An engine is a subclass. It changes its `signal` whenever
    there is more to read.
    """

    # Whether many machines write to it, and each reads from a copy of its own.
    shared = False

    def __init__(self, signal: Signal | None = None) -> None:
        self.signal = signal or Signal()

    @classmethod
    @abstractmethod
    async def open_url(cls, url: str, env: Mapping[str, str], *, even_away: bool = False) -> Log:
        """Opens the log at a URL of this engine's scheme. With `even_away`, one that other machines
        have is opened although it cannot be reached yet. Raises CallerError if the URL is wrong,
        LogError if there is no such log or it cannot be used.
        """

    @abstractmethod
    async def append(
        self,
        run: str,
        events: Sequence[FleetEvent],
        *,
        offsets: Mapping[str, int] | None = None,
        chunks: Sequence[Chunk] = (),
    ) -> Appended:
        """Commits events, the sources' offsets and their raw bytes together. An offset never goes
        back.
        """

    @abstractmethod
    async def offsets(self, run: str) -> dict[str, int]:
        """Returns each source's offset: how many of its bytes the log answers for."""

    @abstractmethod
    def chunk_pages(self, run: str) -> AsyncIterator[list[Chunk]]:
        """Yields the chunks of a run that is not over, in the order in which they came, with their
        times, a bounded number of bytes at a time.

        Fed again, they rebuild the translator after a restart, in the state it had.
        """

    @abstractmethod
    def leases(self) -> Leases:
        """Returns leases on the runs of this log, all of them for this process to acquire."""

    @abstractmethod
    async def size(self) -> LogSize:
        """Returns what the log takes on the disk of this machine."""

    @abstractmethod
    async def cut(self, runs: Sequence[str]) -> list[str]:
        """Takes away the events of those of these runs that are over, in order. Returns the runs
        that had any. Their summaries stay. Other writers are let in between.
        """

    @abstractmethod
    async def forget(self, run: str) -> None:
        """Takes away a run that is over, summary and all."""

    @abstractmethod
    async def check(self) -> None:
        """Raises LogError unless the log could append now."""

    @abstractmethod
    async def close(self) -> None:
        """Commits what was accepted, and closes the log."""

    def follow(self, run: str, since: int = 0) -> AsyncIterator[list[Entry]]:
        async def has_ended(seq: int) -> bool:
            summary = await self.run(run)
            return summary is not None and summary.over and seq >= summary.last_seq

        return self._follow(partial(self.read, run), since, attrgetter("seq"), has_ended)

    def follow_all(self, since: int | None = None) -> AsyncIterator[list[Entry]]:
        return self._follow(self.read_all, since, attrgetter("cursor"))

    async def _follow(
        self,
        read: Callable[[int], Awaitable[list[Entry]]],
        since: int | None,
        position: Callable[[Entry], int],
        has_ended: Callable[[int], Awaitable[bool]] | None = None,
    ) -> AsyncIterator[list[Entry]]:
        """Yields what `read` gives after `since`, batch by batch, until nothing more can come.

        Where it finds nothing new, it waits for the signal's next change *since before it read*. An
        append that lands between the read and the wait has moved the signal on already, so the wait
        returns at once: there is no moment in which an event can slip by, and no queue that could
        overflow.
        """
        if since is None:
            since = (await self.bounds())[1]
        while True:
            version = self.signal.version
            batch = await read(since)
            if batch:
                yield batch
                since = position(batch[-1])
            elif has_ended is not None and await has_ended(since):
                return
            else:
                await self.signal.changed(version)

    async def retain(
        self, *, newer_than_ms: int | None = None, max_bytes: int | None = None
    ) -> list[str]:
        """Takes away the events of runs that are over: those last touched before a time, then the
        oldest until the rest fits. Returns these runs. Their summaries stay; a live run is never
        cut.
        """
        # Chosen once, however long the deleting takes: what is added meanwhile costs no older run.
        runs = [summary async for summary in every_run(self)]
        held = sum(each.bytes for each in runs)
        chosen = runs_to_cut(
            runs,
            newer_than_ms=newer_than_ms,
            is_too_large=lambda freed: max_bytes is not None and held - freed > max_bytes,
        )
        return await self.cut([each.run for each in chosen])

    async def run_names(self, prefix: str = "") -> list[str]:
        """Returns the names of the runs that `runs` lists and that begin with `prefix`, in their
        order.
        """
        names = [summary.run async for summary in every_run(self)]
        return sorted(name for name in names if name.startswith(prefix))

    async def runs_of(self, session: str) -> list[RunSummary]:
        """Returns the runs that are named like a session or report its id, last started first."""
        return [
            summary
            async for summary in every_run(self)
            if session in (summary.run, summary.session_id)
        ]

    async def search(self, query: str, *, run: str | None = None, limit: int = 20) -> list[Found]:
        """Returns where agents said all words of `query`. Without an index, the events of all runs
        are read for it.
        """
        # It is built on this module.
        from unbraid.log.fold import search_by_reading

        return await search_by_reading(self, query, run=run, limit=limit)

    async def vacuum(self) -> None:
        """Gives back space that nothing uses, if the log does not do so by itself."""

    def replaced(self) -> LogUnusable | None:
        """Returns why nothing more can come from this log, if it was deleted or replaced while it
        was open and is no longer the one that others write.
        """
        return None

    async def settle(self) -> None:
        """Waits until what was acknowledged anywhere before this call can be read here: that takes
        time only on a log that machines share. Raises LogUnusable if it takes too long.
        """

    async def replication(self) -> Replication | None:
        """Returns how far this machine's copy of a shared log is; None without a copy."""
        return None

    async def checkup(self) -> list[LogFinding]:
        """Returns what is well with a shared log and what is not."""
        return []

    def counters(self) -> dict[str, int]:
        """Returns what has happened in this process so far; of a shared log appends, conflicts,
        retries, rescued, lease_changes, feed_restarts.
        """
        return {}

    async def dead_sessions(self) -> list[str]:
        """Returns the sessions whose leases were held by a process of any machine that died."""
        return []

    def machine_requests(self) -> MachineRequests | None:
        """Returns how the processes that share the log ask each other; None if nobody shares it."""
        return None


def runs_to_cut(
    runs: Iterable[RunSummary],
    *,
    newer_than_ms: int | None,
    is_too_large: Callable[[int], bool],
) -> list[RunSummary]:
    """Returns the runs that are over and were last changed before a time, then the oldest for as
    long as the log `is_too_large` without so many bytes of events.
    """
    chosen, freed = list[RunSummary](), 0
    for each in sorted(runs, key=lambda summary: (summary.updated, summary.run)):
        old = newer_than_ms is not None and each.updated < newer_than_ms
        if each.over and each.bytes and (old or is_too_large(freed)):
            chosen.append(each)
            freed += each.bytes
    return chosen


async def staleness(log: Log) -> str | None:
    """Returns a warning for readers of a log: this machine's copy of a shared one lacks something.
    None if it has all of it.
    """
    state = await log.replication()
    if state is None or state.behind == 0:
        return None
    lacks = "an unknown number of" if state.behind is None else f"{state.behind:,}"
    why = "it is catching up" if state.problem is None else state.problem
    return f"this machine's copy of the shared log lacks {lacks} records ({why})"


async def every_run(
    log: LogReader, *, status: str | None = None, page_size: int = READ_LIMIT
) -> AsyncIterator[RunSummary]:
    """Yields all runs of a log, or all of one status, last started first, read page by page. Raises
    LogError if a page does not come after the one before it: there would be no end.
    """
    last: RunSummary | None = None
    while page := await log.runs(
        status=status, limit=page_size, before=None if last is None else last.page
    ):
        before, last = last, page[-1]
        if before is not None and (last.started, last.run) >= (before.started, before.run):
            raise LogError(f"the list of runs does not go on after {before.page}")
        for summary in page:
            yield summary


async def run_pages(
    log: LogReader,
    run: str,
    since: int = 0,
    *,
    until: int | None = None,
    stream_id: int | None = None,
    types: Collection[str] = (),
    page_size: int = READ_LIMIT,
) -> AsyncIterator[list[Entry]]:
    """Yields all events of a run after the seq `since` that exist now, page by page; those up to
    the seq `until`, if it is given.
    """
    while until is None or since < until:
        page = await log.read(run, since, page_size, stream_id=stream_id, types=types)
        if until is not None:
            page = [entry for entry in page if entry.seq <= until]
        if not page:
            return
        yield page
        since = page[-1].seq
