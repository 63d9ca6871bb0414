"""Sends the runs of a log as traces, each span when it has ended: a whole log while it is watched
or served, or one run while it is recorded. Whatever happens to the collector, that work continues.

The cursor is stored behind what has arrived. So while a collector is away, this waits and the log
keeps what is to be sent; after a restart it continues from there. A span may begin long before the
cursor: then the run is read again from its beginning, and the spans that were complete before the
cursor are left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Struct

from unbraid.errors import LogError, UnbraidError
from unbraid.log.entry import Entry
from unbraid.log.port import Log, WholeLogReader, run_pages
from unbraid.otel.exporter import (
    MAX_BYTES,
    MAX_SPANS,
    Collector,
    OtlpExporter,
    TracedSpan,
    problem_with,
    size_of,
)
from unbraid.prices.loader import load_prices
from unbraid.system.atomic_file import write_atomically
from unbraid.system.home import make_private_folder
from unbraid.system.locks import locked_file
from unbraid.system.tasks import cancel_task
from unbraid.timings import (
    OTLP_LINGER_SECONDS,
    OTLP_RETRY_MAX_SECONDS,
    OTLP_RETRY_SECONDS,
    OTLP_TURN_SECONDS,
)
from unbraid.traces import RunTrace, TraceIdentity, TraceParent

FOLDER = "otel"
PARENTS = "parents"


class _Sent(Struct):
    cursor: int


class SentCursor:
    """The cursor up to which one log has arrived at one collector."""

    def __init__(self, home: Path, log: str, collector: str) -> None:
        self._folder = home / FOLDER
        # A digest: addresses may have passwords in them.
        digest = sha256(f"{log}\n{collector}".encode()).hexdigest()[:32]
        self._path = self._folder / f"{digest}.json"
        self._lock: IO[bytes] | None = None

    def acquire(self) -> bool:
        """Locks the cursor. Returns False if another process sends from it. Raises LogError."""
        if self._lock is not None:
            return True
        try:
            make_private_folder(self._folder)
            self._lock = locked_file(self._path.with_suffix(".lock"))
        except OSError as error:
            raise LogError(f"{self._folder}: {error.strerror}") from error
        return self._lock is not None

    @property
    def is_held(self) -> bool:
        """Whether this process has the lock."""
        return self._lock is not None

    def release(self) -> None:
        """Unlocks the cursor."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def load(self) -> int | None:
        """Returns the cursor; None if nothing has ever been sent."""
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=_Sent).cursor
        except (OSError, msgspec.MsgspecError):
            return None

    def store(self, cursor: int) -> None:
        """Stores the cursor. Raises LogError."""
        # It is stored with every batch: to wait for the disk would hold up what is being sent.
        _write(self._path, msgspec.json.encode(_Sent(cursor)), durable=False)


class TraceParents:
    """The spans of others that runs are part of, so that a later process sends such a run to the
    same trace.
    """

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER / PARENTS

    def get(self, run: str) -> TraceParent | None:
        """Returns the parent of a run."""
        try:
            return TraceParent.parse(self._path(run).read_text("ascii"))
        except (OSError, ValueError):
            return None

    def put(self, run: str, parent: TraceParent) -> None:
        """Stores the parent of a run; one that is stored already stays. Raises LogError."""
        if self.get(run) is None:
            _write(self._path(run), str(parent).encode())

    def _path(self, run: str) -> Path:
        return self._folder / sha256(run.encode()).hexdigest()[:32]


def _write(path: Path, data: bytes, *, durable: bool = True) -> None:
    try:
        write_atomically(path, data, durable=durable, private_folder=True)
    except OSError as error:
        raise LogError(f"{path}: {error.strerror}") from error


# Runs that have not ended and whose traces are held; any other is read again when it continues.
MAX_OPEN_RUNS = 200


class CollectorAway(LogError):
    """A collector has not accepted what was sent."""


class TraceSender:
    """Sends runs of one log to one collector. With `content`, what agents said is sent, too: then
    the log has to be one that redacts.

    `parent` is the span that runs belong to of which nothing else is known. `away` is True while
    the collector does not answer.
    """

    def __init__(
        self,
        log: WholeLogReader,
        exporter: OtlpExporter,
        parents: TraceParents,
        *,
        warn: Callable[[str], None],
        content: bool = False,
        parent: TraceParent | None = None,
    ) -> None:
        self._log, self._exporter, self._parents = log, exporter, parents
        self._warn, self._content, self._parent = warn, content, parent
        self._prices = load_prices().prices
        self._traces: dict[str, RunTrace] = {}
        self.away = self._is_first = False
        self.sent = 0
        self._cursor = 0
        self._moved = asyncio.Event()

    async def send_run(self, run: str) -> bool:
        """Sends all that a run has now; returns whether it is over. Raises CollectorAway."""
        trace = self._begin(run)
        async for page in run_pages(self._log, run):
            await self._send([s for entry in page for s in self._spans(trace, entry)])
        return trace.over

    async def follow_run(self, run: str) -> None:
        """Sends a run while it grows, to its end; waits while the collector cannot be reached."""
        trace = self._begin(run)
        async for batch in self._log.follow(run):
            await self._deliver([s for entry in batch for s in self._spans(trace, entry)])

    async def send_new(self, cursor: SentCursor, *, whole: bool = False) -> None:
        """Sends what the log has behind a cursor (with `whole`: everything). Raises
        CollectorAway.
        """
        since = 0 if whole else await self._start(cursor) or 0
        while entries := await self._log.read_all(since):
            await self._send(await self._ended(entries, whole=False))
            since = entries[-1].cursor
            cursor.store(since)

    async def begin(self, cursor: SentCursor) -> None:
        """Determines where `follow_new` begins: at the cursor; if nothing was ever sent, with what
        the log gets from now on, and with the whole of each run that continues then.
        """
        since = await self._start(cursor)
        self._is_first = since is None
        if since is None:
            since = (await self._log.bounds())[1]
            cursor.store(since)
        self._move(since)

    async def follow_new(self, cursor: SentCursor) -> None:
        """Sends what the log has from there on, and all that it gets."""
        async for batch in self._log.follow_all(self._cursor):
            await self._deliver(await self._ended(batch, whole=self._is_first))
            cursor.store(batch[-1].cursor)
            self._move(batch[-1].cursor)

    async def reached(self, cursor: int) -> None:
        """Waits until everything up to a cursor has arrived."""
        while self._cursor < cursor:
            self._moved.clear()
            await self._moved.wait()

    def _move(self, cursor: int) -> None:
        self._cursor = cursor
        self._moved.set()

    async def _start(self, cursor: SentCursor) -> int | None:
        stored, (_, last) = cursor.load(), await self._log.bounds()
        # Another log stands in its place.
        return None if stored is not None and stored > last else stored

    async def _ended(self, entries: Sequence[Entry], *, whole: bool) -> list[TracedSpan]:
        spans: list[TracedSpan] = []
        for entry in entries:
            trace = self._traces.get(entry.run)
            if trace is None:
                trace = self._traces[entry.run] = self._begin(entry.run)
                earlier = [s async for s in self._earlier(trace, entry)]
                spans += earlier if whole else []
            spans += self._spans(trace, entry)
            if trace.over:
                del self._traces[entry.run]
        while len(self._traces) > MAX_OPEN_RUNS:
            del self._traces[next(iter(self._traces))]
        return spans

    async def _earlier(self, trace: RunTrace, until: Entry) -> AsyncIterator[TracedSpan]:
        since = 0
        while since + 1 < until.seq:
            entries = await self._log.read(until.run, since)
            before = [entry for entry in entries if entry.seq < until.seq]
            if not before:
                return
            for entry in before:
                for span in self._spans(trace, entry):
                    yield span
            since = before[-1].seq

    def _begin(self, run: str) -> RunTrace:
        parent = self._parents.get(run) or self._parent
        if self._parent is not None:
            self._parents.put(run, self._parent)
        ids = TraceIdentity(run, parent)
        return RunTrace(ids, provider=self._prices.provider, content=self._content)

    @staticmethod
    def _spans(trace: RunTrace, entry: Entry) -> list[TracedSpan]:
        return [TracedSpan(trace.ids, span) for span in trace.apply(entry.event)]

    async def _deliver(self, spans: Sequence[TracedSpan]) -> None:
        """Sends spans, however long the collector is away."""
        pause = OTLP_RETRY_SECONDS
        for batch in batches(spans):
            while True:
                try:
                    await self._send(batch)
                    break
                except CollectorAway as error:
                    if not self.away:
                        self._warn(f"{error}; they will be sent when it is back")
                    self.away = True
                await asyncio.sleep(pause)
                pause = min(2 * pause, OTLP_RETRY_MAX_SECONDS)
            if self.away:
                self.away = False
                self._warn("the collector is back")

    async def _send(self, spans: Sequence[TracedSpan]) -> None:
        for batch in batches(spans):
            outcome = await asyncio.to_thread(self._exporter.send, batch)
            if outcome.problem is None:
                self.sent += len(batch)
            elif not outcome.refused:
                raise CollectorAway(f"the collector does not accept traces: {outcome.problem}")
            elif len(batch) > 1:
                # One that is too large, or not to its liking, must not hold up the others.
                middle = len(batch) // 2
                await self._send(batch[:middle])
                await self._send(batch[middle:])
            else:
                (one,) = batch
                self._warn(
                    f"the collector has refused a span of run {one.ids.run} "
                    f"({one.span.name}): {outcome.problem}"
                )


def batches(spans: Sequence[TracedSpan]) -> Iterator[list[TracedSpan]]:
    """Yields spans in the sizes that one request may have."""
    batch, size = list[TracedSpan](), 0
    for each in spans:
        own = size_of(each.span)
        if batch and (len(batch) >= MAX_SPANS or size + own > MAX_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(each)
        size += own
    if batch:
        yield batch


Warn = Callable[[str], None]


class Traces:
    """What is needed to send a log's runs to a collector. `log_name` says which log it is."""

    def __init__(
        self,
        collector: Collector,
        home: Path,
        log_name: str,
        *,
        warn: Warn,
        content: bool = False,
        parent: TraceParent | None = None,
    ) -> None:
        self.cursor = SentCursor(home, log_name, collector.url)
        self.parents = TraceParents(home)
        self.parent = parent
        self._collector, self._warn, self._content = collector, warn, content

    def exporter(self) -> OtlpExporter:
        """Returns what sends to the collector. Takes a moment: it is imported now."""
        return OtlpExporter(self._collector.url)

    def sender(self, log: WholeLogReader, exporter: OtlpExporter) -> TraceSender:
        """Returns what sends the runs of a log."""
        if self._content:
            # Imported here, because compiling the patterns takes time that only redaction needs.
            from unbraid.redact.reader import RedactedLog

            log = RedactedLog(log)
        return TraceSender(
            log,
            exporter,
            self.parents,
            warn=self._warn,
            content=self._content,
            parent=self.parent,
        )

    @asynccontextmanager
    async def following(self, log: Log) -> AsyncIterator[None]:
        """Sends what the log gets while the block runs, and the rest of it at the end."""
        exporter = await asyncio.to_thread(self.exporter)
        sender = self.sender(log, exporter)
        # Before the block: what it appends is to be sent.
        if self.cursor.acquire():
            await sender.begin(self.cursor)
        task = asyncio.create_task(self._follow(sender))
        try:
            yield
        finally:
            if self.cursor.is_held and not task.done() and not sender.away:
                with suppress(TimeoutError):
                    async with asyncio.timeout(OTLP_LINGER_SECONDS):
                        await sender.reached((await log.bounds())[1])
            # A request that is being tried again, in another thread, ends by this.
            exporter.close()
            await cancel_task(task)
            self.cursor.release()

    async def _follow(self, sender: TraceSender) -> None:
        try:
            if not self.cursor.is_held:
                await self._turn()
                await sender.begin(self.cursor)
            await sender.follow_new(self.cursor)
        except UnbraidError as error:
            self._warn(f"traces are not sent: {error}")

    async def _turn(self) -> None:
        """Waits until no other process sends this log to this collector."""
        while True:
            if self.cursor.acquire():
                return
            await asyncio.sleep(OTLP_TURN_SECONDS)


class LaunchedTrace:
    """The trace of the run that this process records."""

    def __init__(self, traces: Traces, *, warn: Warn) -> None:
        self._traces, self._warn = traces, warn
        self._task: asyncio.Task[None] | None = None
        self._exporter: OtlpExporter | None = None
        self._sender: TraceSender | None = None
        self._run = ""

    def environment(self, run: str | None) -> dict[str, str]:
        """Returns what the agent's process is to find in its environment: below which span it
        works. Without a name for its run, that is the one of our own environment.
        """
        if run is None:
            return {}
        parent = self._traces.parents.get(run) or self._traces.parent
        return {"TRACEPARENT": str(TraceIdentity(run, parent).root)}

    def begin(self, log: Log, run: str) -> None:
        """Begins to send a run, now that it has a name."""
        self._run = run
        self._task = asyncio.create_task(self._send(log, run))

    async def finish(self) -> None:
        """Waits a little at the end of the run for the last spans to arrive, if anyone listens."""
        if self._task is None:
            return
        away = self._sender is not None and self._sender.away
        _, waiting = await asyncio.wait([self._task], timeout=0 if away else OTLP_LINGER_SECONDS)
        if self._exporter is not None:
            self._exporter.close()
        if waiting:
            await cancel_task(self._task)
            self._warn(
                f"the trace of this run has not fully arrived; `unbraid otel {self._run}` sends it"
            )

    async def _send(self, log: Log, run: str) -> None:
        try:
            if self._traces.parent is not None:
                self._traces.parents.put(run, self._traces.parent)
            if not self._traces.cursor.acquire():
                return  # a process that watches sends all of this log, this run included
            self._traces.cursor.release()
            self._exporter = await asyncio.to_thread(self._traces.exporter)
            self._sender = self._traces.sender(log, self._exporter)
            await self._sender.follow_run(run)
        except UnbraidError as error:
            self._warn(f"the trace of this run is not sent: {error}")


def usable(collector: Collector | None, env: Mapping[str, str], warn: Warn) -> Collector | None:
    """Returns a collector if anything can be sent to it from here. Raises CallerError if not and a
    person has named it; if it was only in the environment, a warning will do.
    """
    problem = None if collector is None else problem_with(collector, env)
    if collector is None or problem is None:
        return collector
    if collector.asked:
        from unbraid.errors import CallerError

        raise CallerError(problem)
    warn(f"traces are not sent: {problem}")
    return None
