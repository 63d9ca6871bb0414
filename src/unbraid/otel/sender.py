"""Sends the runs of a log as traces, each span when it has ended.

The cursor is stored behind what has arrived. So while a collector is away, this waits and the log
keeps what is to be sent; after a restart it continues from there. A span may begin long before the
cursor: then the run is read again from its beginning, and the spans that were complete before the
cursor are left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence

from unbraid.errors import LogError
from unbraid.log.entry import Entry
from unbraid.log.port import WholeLogReader, run_pages
from unbraid.otel.exporter import MAX_BYTES, MAX_SPANS, OtlpExporter, TracedSpan, size_of
from unbraid.otel.state import SentCursor, TraceParents
from unbraid.prices.loader import load_prices
from unbraid.timings import OTLP_RETRY_MAX_SECONDS, OTLP_RETRY_SECONDS
from unbraid.traces import RunTrace, TraceIdentity, TraceParent

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
