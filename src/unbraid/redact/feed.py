"""Events of one run, or of all runs, redacted as they come in their order."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import deque
from collections.abc import AsyncIterator
from contextlib import aclosing
from operator import attrgetter
from typing import Protocol

from msgspec.structs import replace

from unbraid.agents.port import Delta
from unbraid.log.entry import Entry
from unbraid.log.port import READ_LIMIT, LogReader, run_pages
from unbraid.redact.events import ASIDES, SAID, EventDeltas
from unbraid.redact.lines import LineFormats, LineRedactor
from unbraid.redact.secrets import redact
from unbraid.system.pauses import with_pauses
from unbraid.timings import REDACTION_HOLD_SECONDS

# No secret has more text than this before the part that is shown next.
LOOK_UP_BYTES = 16 << 10
# Runs whose state is kept; what is dropped is looked up again.
MAX_RUNS = 1024

_cursor = attrgetter("cursor")
_EVENTS = EventDeltas()
_FORMATS = LineFormats.of([_EVENTS])


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

    async def take(self, entries: list[Entry]) -> list[Entry]:
        """Takes more events. Returns as many of the events so far as are decided."""
        if self._known is not None:
            for entry in entries:
                if entry.stream_id not in self._known and entry.type not in ASIDES:
                    self._known.add(entry.stream_id)
                    if entry.type in SAID:
                        await self._look_up(entry)
        now = time.monotonic() if self._live else 0.0
        self._lines.push([entry.data for entry in entries])
        self._held += [(entry, now if self._live else entry.ts / 1000) for entry in entries]
        return self._decided(expired=self._lines.full)

    def expire(self, now: float) -> list[Entry]:
        """Returns what has waited long enough, with all that waits behind it."""
        if self.deadline is None or now < self.deadline:
            return []
        return self._decided(expired=True)

    def finish(self) -> list[Entry]:
        """Returns what waits, when nothing more will come."""
        return self._decided(expired=False, last=True)

    def _decided(self, *, expired: bool, last: bool = False) -> list[Entry]:
        shown: list[Entry] = []
        for data in self._lines.pop(last=last, expired=expired):
            entry, _ = self._held.popleft()
            shown.append(entry if data == entry.data else replace(entry, data=data))
        return shown

    async def _look_up(self, entry: Entry) -> None:
        """Looks up what the stream said before an event, as far as it may belong to the same
        secret.
        """
        span = READ_LIMIT
        while not await self._looked_up(entry, max(0, entry.seq - 1 - span)):
            span *= 8

    async def _looked_up(self, entry: Entry, start: int) -> bool:
        said, size, whole = list[bytes](), 0, start == 0
        block: str | int | None = None
        async for page in run_pages(self._log, self._run, start, stream_id=entry.stream_id):
            for each in page:
                if each.seq >= entry.seq or each.type in ASIDES:
                    continue
                read = _EVENTS.read(each.data)
                name = read.block if isinstance(read, Delta) else None
                if name is None or name != block:
                    whole = whole or block is not None or name is None
                    said, size, block = [], 0, name
                if isinstance(read, Delta):
                    said.append(each.data)
                    size += len(read.text)
            if page[-1].seq >= entry.seq:
                break
        if whole or size >= LOOK_UP_BYTES:
            self._lines.skip(said)
            return True
        return False


class FeedRedactor:
    """Events of all runs in, in the order of the log; the same events redacted out.

    `take` gives each as soon as its own run allows, `ordered` in the order of the log.
    """

    def __init__(self, log: LogReader, *, live: bool = False) -> None:
        self._log, self._live = log, live
        self._runs: dict[str, RunRedactor] = {}
        self._waiting: dict[str, RunRedactor] = {}
        self._ready: list[Entry] = []

    @property
    def deadline(self) -> float | None:
        """When the first that waits has waited long enough."""
        found = (each.deadline for each in self._waiting.values())
        return min((at for at in found if at is not None), default=None)

    async def take(self, batch: list[Entry]) -> list[Entry]:
        """Takes more events. Returns as many of the events so far as are decided, in order within
        each run.
        """
        by_run: dict[str, list[Entry]] = {}
        for entry in batch:
            by_run.setdefault(entry.run, []).append(entry)
        decided: list[Entry] = []
        for run, entries in by_run.items():
            redactor = self._redactor(run, entries[0].seq - 1)
            decided += await redactor.take(entries)
            self._keep(run, redactor, over=entries[-1].type == "done")
        self._ready += decided
        return decided

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
        held = [each.held.cursor for each in self._waiting.values() if each.held is not None]
        self._ready.sort(key=_cursor)
        count = bisect_left(self._ready, min(held), key=_cursor) if held else len(self._ready)
        ordered, self._ready = self._ready[:count], self._ready[count:]
        return ordered

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


class _Deadline(Protocol):
    @property
    def deadline(self) -> float | None: ...


async def batches_with_deadlines(
    batches: AsyncIterator[list[Entry]], redactor: _Deadline
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


def redact_entry(entry: Entry) -> Entry:
    """Returns an event without the secrets that it has in one piece."""
    data = redact(entry.data)
    return entry if data == entry.data else replace(entry, data=data)
