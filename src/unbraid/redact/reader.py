"""Redacts a log on its way out, for every face: it may have been written unredacted.

An agent that printed in small parts has left a secret in many events. So a run's events are
redacted in their order, and an event of which it is undecided whether it belongs to a secret waits,
with all of its run that follows it, until its stream says more. That is soon, but a stream may
stall in the middle of a word: what has waited for `REDACTION_HOLD_SECONDS` is given out, with that
word redacted.

A reader that begins in the middle of a run gets the same as one that has read all of it: the text
that came before in a block is looked up when the block continues. To viewers who read and then
follow, events that wait are not written yet: what they do not find comes to them through
`RedactedLog.feed`.

Searches look at what is shown, not at what is stored. A search that answers whether a guess is in a
text gives the text away, one guess after the other, though every answer is redacted. So what was
found in stored text counts only if it is in the redacted text, too; and the order of the results,
and what is cut out around them, follow from the redacted text alone.
"""

from __future__ import annotations

import asyncio
import re
import time
from bisect import bisect_left
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import aclosing
from itertools import takewhile
from math import inf
from operator import attrgetter
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from unbraid.agents.port import SearchHit
from unbraid.fold.query import CUT, Query
from unbraid.fold.title import TITLE_CHARS
from unbraid.log.entry import Entry
from unbraid.log.fold import RankedResult, SearchBlocks, best_first
from unbraid.log.port import (
    READ_LIMIT,
    Feed,
    Found,
    LogReader,
    WholeLogReader,
    run_pages,
)
from unbraid.log.summary import RunSummary
from unbraid.read.dialects import Delta
from unbraid.redact.lines import TEXTS, WITHIN_BLOCKS, EventDeltas, LineFormats, LineRedactor
from unbraid.redact.secrets import redact, redact_words
from unbraid.system.tasks import with_pauses

# A model pauses for longer in the middle of a word only when something is wrong with it.
REDACTION_HOLD_SECONDS = 3.0

LOOK_AHEAD = 100
# So many more results are searched for than are asked for: some are not shown.
SEARCH_MORE = 50
# The first word after a cut, and long ones that follow it: they may be the rest of a secret.
_REST = re.compile(rf"\A{CUT}\S*(?:\s+\S{{12,}})*")
# Of the block in which something was found, so many events are read at once, and so many times.
BLOCK_EVENTS = 500
BLOCK_READS = 40
# No secret has more text than this before the part that is shown next.
LOOK_UP_BYTES = 16 << 10
# Runs whose state is kept; what is dropped is looked up again.
MAX_RUNS = 1024

# As much is redacted at once on the event loop: about a millisecond.
SLICE_BYTES = 64 << 10

S = TypeVar("S", bound=Struct)
T = TypeVar("T")

_cursor = attrgetter("cursor")
_EVENTS = EventDeltas()
_FORMATS = LineFormats([_EVENTS])


class RunRedactor:
    """Events of one run in, in their order after the seq `since`; the same events redacted out.

    What waits is timed by the moment it came, if it comes `live`, else by the time of its event.
    """

    def __init__(self, log: LogReader, run: str, since: int, *, live: bool = False) -> None:
        self._log, self._run, self._live = log, run, live
        self._lines = LineRedactor(_FORMATS)
        self._held: deque[tuple[Entry, float]] = deque()
        # Streams whose text so far is known. From its beginning on, a run has no others.
        self._known: set[int] | None = None if since <= 0 else set()

    @property
    def held(self) -> Entry | None:
        """The first event that waits."""
        return self._held[0][0] if self._held else None

    @property
    def deadline(self) -> float | None:
        """When it has waited long enough."""
        return self._held[0][1] + REDACTION_HOLD_SECONDS if self._held else None

    async def push(self, entries: list[Entry]) -> list[Entry]:
        """Adds the next events. Returns as many of the events so far as are decided."""
        if self._known is not None:
            for entry in entries:
                if entry.stream_id not in self._known and entry.type not in WITHIN_BLOCKS:
                    self._known.add(entry.stream_id)
                    if entry.type in TEXTS:
                        await self._skip_text_before(entry)
        now = time.monotonic() if self._live else 0.0
        self._held += [(entry, now if self._live else entry.ts / 1000) for entry in entries]
        return self._shown(await off_loop(self._redacted, [entry.data for entry in entries]))

    def expire(self, now: float) -> list[Entry]:
        """Returns what has waited long enough, with all that waits behind it."""
        if self.deadline is None or now < self.deadline:
            return []
        return self._shown(self._lines.pop(expired=True))

    def finish(self) -> list[Entry]:
        """Returns what waits, when nothing more will come."""
        return self._shown(self._lines.pop(last=True))

    def _redacted(self, data: list[bytes]) -> list[bytes]:
        self._lines.push(data)
        return self._lines.pop(expired=self._lines.full)

    def _shown(self, decided: list[bytes]) -> list[Entry]:
        shown: list[Entry] = []
        for data in decided:
            entry, _ = self._held.popleft()
            shown.append(entry if data == entry.data else replace(entry, data=data))
        return shown

    async def _skip_text_before(self, entry: Entry) -> None:
        """Reads what the stream said before an event, as far as it may be of the same secret."""
        span = READ_LIMIT
        while not await self._skip_text_from(max(0, entry.seq - 1 - span), entry):
            span *= 8

    async def _skip_text_from(self, start: int, entry: Entry) -> bool:
        """Returns whether that was all of the text that may belong to the same secret."""
        lines, size, whole = list[bytes](), 0, start == 0
        block: str | int | None = None
        async for page in run_pages(self._log, self._run, start, stream_id=entry.stream_id):
            for each in page:
                if each.seq >= entry.seq or each.type in WITHIN_BLOCKS:
                    continue
                read = _EVENTS.delta(each.data)
                name = read.block if isinstance(read, Delta) else None
                if name is None or name != block:
                    whole = whole or block is not None or name is None
                    lines, size, block = [], 0, name
                if isinstance(read, Delta):
                    lines.append(each.data)
                    size += len(read.text)
            if page[-1].seq >= entry.seq:
                break
        if whole or size >= LOOK_UP_BYTES:
            self._lines.skip(lines)
            return True
        return False


class FeedRedactor:
    """Events of all runs in, in the order of the log; the same events redacted out.

    `push` returns each as soon as its own run allows, `ordered` those in the order of the log.
    """

    def __init__(self, log: LogReader, since: float = 0, *, live: bool = False) -> None:
        self._log, self._live = log, live
        self._cursor = since  # of the last event that it was given
        self._runs: dict[str, RunRedactor] = {}
        self._waiting: dict[str, RunRedactor] = {}
        self._ready: list[Entry] = []

    @property
    def deadline(self) -> float | None:
        """When the first that waits has waited long enough."""
        found = (each.deadline for each in self._waiting.values())
        return min((at for at in found if at is not None), default=None)

    async def push(self, batch: list[Entry]) -> list[Entry]:
        """Adds the next events. Returns as many of those so far as are decided, in order within
        each run.
        """
        by_run: dict[str, list[Entry]] = {}
        for entry in batch:
            by_run.setdefault(entry.run, []).append(entry)
        decided: list[Entry] = []
        for run, entries in by_run.items():
            redactor = self._redactor(run, entries[0].seq - 1)
            decided += await redactor.push(entries)
            self._keep(run, redactor, over=entries[-1].type == "done")
        self._ready += decided
        self._cursor = batch[-1].cursor
        return decided

    def has_released(self, entry: Entry) -> bool:
        """Returns whether an event was given out, or came before all of them."""
        waiting = self._waiting.get(entry.run)
        held = None if waiting is None else waiting.held
        return entry.cursor <= self._cursor and (held is None or entry.seq < held.seq)

    def has_ordered(self, entry: Entry) -> bool:
        """Returns whether an event, and all before it in the log, were given out."""
        return entry.cursor <= self._cursor and entry.cursor < self._first_held()

    def expire(self, now: float) -> list[Entry]:
        """Returns what has waited long enough."""
        decided: list[Entry] = []
        for run, redactor in list(self._waiting.items()):
            decided += redactor.expire(now)
            self._keep(run, redactor)
        self._ready += decided
        return decided

    def ordered(self) -> list[Entry]:
        """Returns what was given out and has no event before it that still waits."""
        self._ready.sort(key=_cursor)
        count = bisect_left(self._ready, self._first_held(), key=_cursor)
        ordered, self._ready = self._ready[:count], self._ready[count:]
        return ordered

    def _first_held(self) -> float:
        held = (each.held for each in self._waiting.values())
        return min((entry.cursor for entry in held if entry is not None), default=inf)

    def _redactor(self, run: str, since: int) -> RunRedactor:
        found = self._runs.pop(run, None)
        return found or RunRedactor(self._log, run, since, live=self._live)

    def _keep(self, run: str, redactor: RunRedactor, *, over: bool = False) -> None:
        if redactor.held is None:
            self._waiting.pop(run, None)
        else:
            self._waiting[run] = redactor
        self._runs.pop(run, None)
        if not over:
            # The first is the one that was used longest ago.
            self._runs[run] = redactor
            if len(self._runs) > MAX_RUNS:
                oldest = next((name for name in self._runs if name not in self._waiting), None)
                if oldest is not None:
                    del self._runs[oldest]


class RedactedReader:
    """A log as it may be shown."""

    def __init__(self, log: LogReader) -> None:
        self._log = log

    async def read(
        self,
        run: str,
        since: int = 0,
        limit: int = READ_LIMIT,
        *,
        stream_id: int | None = None,
        types: Collection[str] = (),
    ) -> list[Entry]:
        """Returns up to `limit` events of a run after the seq `since`, in order. What may be the
        beginning of a secret at the end of the log is redacted like one.
        """
        if types and TEXTS.isdisjoint(types):
            found = await self._log.read(run, since, limit, stream_id=stream_id, types=types)
            data = await off_loop(_redact_each, [entry.data for entry in found])
            return [
                entry if each == entry.data else replace(entry, data=each)
                for entry, each in zip(found, data, strict=True)
            ]
        # Of all types: what ends a block decides whether it has a secret.
        redactor, shown = RunRedactor(self._log, run, since), list[Entry]()
        # More than is asked for: what follows the last of them may have to decide it.
        size = max(limit, READ_LIMIT if types else LOOK_AHEAD)
        pages = run_pages(self._log, run, since, stream_id=stream_id, page_size=size)
        async for decided in _decided(redactor, pages):
            shown += (entry for entry in decided if not types or entry.type in types)
            if len(shown) >= limit:
                return shown[:limit]
        # The run's end is an event of another stream.
        summary = await self._log.run(run)
        over = summary is not None and summary.over
        decided = redactor.finish() if over else redactor.expire(inf)
        return [*shown, *(entry for entry in decided if not types or entry.type in types)][:limit]

    async def follow(self, run: str, since: int = 0) -> AsyncIterator[list[Entry]]:
        """Yields the events of a run after `since`, then those to come; ends after `done`. An empty
        batch says that more has come, which waits.
        """
        redactor = RunRedactor(self._log, run, since, live=True)
        async for batch in _with_deadlines(self._log.follow(run, since), redactor):
            shown = await redactor.push(batch) if batch else redactor.expire(time.monotonic())
            if shown:
                yield shown
            if batch and redactor.held:
                yield []

    async def bounds(self) -> tuple[int, int]:
        """Returns the cursors of the oldest event that the log still has and of the newest that it
        ever had.
        """
        return await self._log.bounds()

    async def run(self, run: str) -> RunSummary | None:
        """Returns one run's summary."""
        found = await self._log.run(run)
        return None if found is None else redact_summary(found)

    async def runs(
        self,
        *,
        status: str | None = None,
        matching: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunSummary]:
        """Returns runs, last started first; `before` is the `page` of the last one seen."""
        found: list[RunSummary] = []
        while len(found) < limit:
            listed = await self._log.runs(
                status=status, matching=matching, limit=limit, before=before
            )
            shown = (redact_summary(run) for run in listed)
            # Not what is stored: a filter that tells whether a guess is in a key gives it away.
            found += (run for run in shown if matching is None or matching.lower() in run.words)
            if len(listed) < limit or matching is None:
                break
            before = listed[-1].page
        return found[:limit]

    async def search(self, query: str, *, run: str | None = None, limit: int = 20) -> list[Found]:
        """Returns where agents said all words of `query`, best first."""
        results = await self._log.search(query, run=run, limit=limit + SEARCH_MORE)
        return await _redact_results(self, results, query, limit=limit)


class RedactedLog(RedactedReader, WholeLogReader):
    """A log as it may be shown, of which all runs can be read at once."""

    def __init__(self, log: WholeLogReader) -> None:
        super().__init__(log)
        self._whole = log
        # Before the feed begins, nothing waits.
        self._fed = FeedRedactor(log, inf, live=True)

    async def read_decided(self, run: str, since: int = 0) -> list[Entry]:
        """Returns events of a run after the seq `since`, in order, up to the first that waits."""
        redactor = RunRedactor(self._log, run, since)
        async for decided in _decided(redactor, run_pages(self._log, run, since)):
            if decided:
                return decided
        return []

    async def read_all(self, since: int = 0, limit: int = READ_LIMIT) -> list[Entry]:
        """Returns up to `limit` events of all runs after the cursor `since`, in order. What may be
        the beginning of a secret at the end of the log is redacted like one.
        """
        redactor, shown = FeedRedactor(self._log), list[Entry]()
        async for _ in _decided(redactor, self._pages(since, limit)):
            shown += redactor.ordered()
            if len(shown) >= limit:
                return shown[:limit]
        redactor.expire(inf)
        return [*shown, *redactor.ordered()][:limit]

    async def follow_all(self, since: int | None = None) -> AsyncIterator[list[Entry]]:
        """Yields the events of all runs after the cursor `since` (None: from now on), then those to
        come.
        """
        async for _, ordered in self._feed(FeedRedactor(self._log, since or 0, live=True), since):
            if ordered:
                yield ordered

    def feed(self, since: int | None = None) -> AsyncIterator[Feed]:
        """Yields the events of all runs after the cursor `since` (None: from now on), then those to
        come: each as soon as its own run allows, and in the order of the log. To its viewers,
        events that still wait are not written yet.
        """
        self._fed = FeedRedactor(self._log, since or 0, live=True)
        return self._feed(self._fed, since)

    def fed(self, entries: list[Entry], *, ordered: bool = False) -> list[Entry]:
        """Returns the first of some events that were read: those that the feed has given out."""
        was_fed = self._fed.has_ordered if ordered else self._fed.has_released
        return list(takewhile(was_fed, entries))

    async def _feed(self, redactor: FeedRedactor, since: int | None) -> AsyncIterator[Feed]:
        async for batch in _with_deadlines(self._whole.follow_all(since), redactor):
            entries = await redactor.push(batch) if batch else redactor.expire(time.monotonic())
            yield Feed(entries, redactor.ordered())

    async def _pages(self, since: int, limit: int) -> AsyncIterator[list[Entry]]:
        while page := await self._whole.read_all(since, limit):
            yield page
            since = page[-1].cursor


def redact_summary(run: RunSummary) -> RunSummary:
    """Returns a run as it may be listed."""
    title = None if run.title is None else redact_title(run.title)
    folder = None if run.cwd is None else redact_words(run.cwd, cut=False)
    return replace(run, title=title, cwd=folder, source=redact_words(run.source, cut=False))


def redact_title(title: str) -> str:
    """Returns the first words of a prompt; where they may have been cut within a secret, fewer of
    them.
    """
    return redact_words(title, cut=len(title) >= TITLE_CHARS)


def redact_struct(value: S) -> S:
    """Returns anything that is shown as JSON with its secrets redacted."""
    return msgspec.json.decode(redact(msgspec.json.encode(value)), type=type(value))


async def _decided(
    redactor: RunRedactor | FeedRedactor, pages: AsyncIterator[list[Entry]]
) -> AsyncIterator[list[Entry]]:
    """Yields what is decided of events that are read page by page. What waits is timed by the log
    itself, or a stream that stalled would make of every read one to the end.
    """
    async for page in pages:
        decided = await redactor.push(page)
        yield decided + redactor.expire(page[-1].ts / 1000)


async def off_loop(act: Callable[[list[bytes]], T], data: list[bytes]) -> T:
    """Does what takes long with much data in a thread: others must not wait for it."""
    if sum(map(len, data)) <= SLICE_BYTES:
        return act(data)
    return await asyncio.to_thread(act, data)


async def _with_deadlines(
    batches: AsyncIterator[list[Entry]], redactor: RunRedactor | FeedRedactor
) -> AsyncIterator[list[Entry]]:
    """Yields the batches as they come, and an empty one whenever something has waited long
    enough.
    """

    def seconds() -> float | None:
        until = redactor.deadline
        return None if until is None else max(0.0, until - time.monotonic())

    async with aclosing(with_pauses(batches, seconds)) as coming:
        async for batch in coming:
            if batch or batch is None:
                yield batch or []


def _redact_each(data: list[bytes]) -> list[bytes]:
    return [redact(each) for each in data]


# --- searches ---


def redact_snippet(snippet: str) -> str:
    """Returns an excerpt without what may be the rest or the beginning of a secret."""
    words = _REST.sub(CUT, snippet)
    return redact_words(words.removesuffix(CUT), cut=words.endswith(CUT))


def redact_hits(hits: Iterable[SearchHit], query: str) -> list[SearchHit]:
    """Returns the hits of another server, redacted: those whose excerpt shows all that was searched
    for. Nothing else is known of the text around it.
    """
    wanted = Query(query)
    redacted = [replace(hit, snippet=redact_snippet(hit.snippet)) for hit in hits]
    return [hit for hit in redacted if wanted.match(hit.snippet) is not None]


async def _redact_results(
    shown: LogReader, results: Iterable[Found], query: str, *, limit: int
) -> list[Found]:
    """Returns the search results whose text, as it is `shown`, has all that was searched for."""
    wanted, found = Query(query), list[RankedResult]()
    for result in results:
        match = wanted.match(await _block(shown, result))
        if match is not None:
            found.append(RankedResult(match.rank, replace(result, snippet=match.snippet)))
    return best_first(found, limit)


async def _block(shown: LogReader, result: Found) -> str:
    """Returns the redacted text of the block in which something was found."""
    blocks, since = SearchBlocks(), result.seq - 1
    for _ in range(BLOCK_READS):
        entries = await shown.read(result.run, since, BLOCK_EVENTS, stream_id=result.stream_id)
        for entry in entries:
            for block in blocks.feed(entry.event):
                if block.seq == result.seq:
                    return block.text
        if not entries:
            break
        since = entries[-1].seq
    return next((block.text for block in blocks.close() if block.seq == result.seq), "")
