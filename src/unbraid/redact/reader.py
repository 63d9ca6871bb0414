"""Redacts a log on its way out, for every face: it may have been written unredacted.

An agent that printed in small parts has left a secret in many events. So a run's events are
redacted in their order, and an event of which it is undecided whether it belongs to a secret waits,
with all of its run that follows it, until its stream says more. That is soon, but a stream may
stall in the middle of a word: what has waited for `REDACTION_HOLD_SECONDS` is given out, with that
word redacted.

A reader that begins in the middle of a run gets the same as one that has read all of it: the text
that came before in a block is looked up when the block continues.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Collection
from math import inf
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from unbraid.fleet.title import TITLE_CHARS
from unbraid.log.entry import Entry
from unbraid.log.port import (
    READ_LIMIT,
    Feed,
    Found,
    LogReader,
    WholeLogReader,
)
from unbraid.log.summary import RunSummary
from unbraid.redact.events import SAID
from unbraid.redact.feed import FeedRedactor, RunRedactor, batches_with_deadlines, redact_entry
from unbraid.redact.matches import redact_results
from unbraid.redact.secrets import redact, redact_words
from unbraid.timings import REDACTION_HOLD_SECONDS

LOOK_AHEAD = 100
# So many more results are searched for than are asked for: some are not shown.
SEARCH_MORE = 50

S = TypeVar("S", bound=Struct)


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
        if types and SAID.isdisjoint(types):
            found = await self._log.read(run, since, limit, stream_id=stream_id, types=types)
            return [redact_entry(entry) for entry in found]
        # Of all types: what ends a block decides whether it has a secret.
        redactor, shown = RunRedactor(self._log, run, since), list[Entry]()
        # More than is asked for: what follows the last of them may have to decide it.
        size = max(limit, READ_LIMIT if types else LOOK_AHEAD)
        while len(shown) < limit:
            entries = await self._log.read(run, since, size, stream_id=stream_id)
            decided = await _decided(redactor, entries)
            if entries:
                since = entries[-1].seq
            else:
                # The run's end is an event of another stream.
                over = await self._log.read(run, since, 1, types=("done",))
                decided = redactor.finish() if over else redactor.expire(inf)
            shown += [entry for entry in decided if not types or entry.type in types]
            if not entries:
                break
        return shown[:limit]

    async def follow(self, run: str, since: int = 0) -> AsyncIterator[list[Entry]]:
        """Yields the events of a run after `since`, then those to come; ends after `done`. An empty
        batch says that more has come, which waits.
        """
        redactor = RunRedactor(self._log, run, since, live=True)
        async for batch in batches_with_deadlines(self._log.follow(run, since), redactor):
            shown = await redactor.take(batch) if batch else redactor.expire(time.monotonic())
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
        return await redact_results(self, results, query, limit=limit)


class RedactedLog:
    """A log as it may be shown, of which all runs can be read at once."""

    hold_seconds = REDACTION_HOLD_SECONDS

    def __init__(self, log: WholeLogReader) -> None:
        self._log, self._reader = log, RedactedReader(log)

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
        return await self._reader.read(run, since, limit, stream_id=stream_id, types=types)

    def follow(self, run: str, since: int = 0) -> AsyncIterator[list[Entry]]:
        """Yields the events of a run after `since`, then those to come; ends after `done`."""
        return self._reader.follow(run, since)

    async def bounds(self) -> tuple[int, int]:
        """Returns the cursors of the oldest event that the log still has and of the newest that it
        ever had.
        """
        return await self._reader.bounds()

    async def run(self, run: str) -> RunSummary | None:
        """Returns one run's summary."""
        return await self._reader.run(run)

    async def runs(
        self,
        *,
        status: str | None = None,
        matching: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunSummary]:
        """Returns runs, last started first."""
        return await self._reader.runs(status=status, matching=matching, limit=limit, before=before)

    async def search(self, query: str, *, run: str | None = None, limit: int = 20) -> list[Found]:
        """Returns where an agent said all words of `query`, best first."""
        return await self._reader.search(query, run=run, limit=limit)

    async def read_all(self, since: int = 0, limit: int = READ_LIMIT) -> list[Entry]:
        """Returns up to `limit` events of all runs after the cursor `since`, in order. What may be
        the beginning of a secret at the end of the log is redacted like one.
        """
        redactor, shown = FeedRedactor(self._log), list[Entry]()
        while len(shown) < limit:
            entries = await self._log.read_all(since, limit)
            if entries:
                since = entries[-1].cursor
                await _decided(redactor, entries)
            else:
                redactor.expire(inf)
            shown += redactor.ordered()
            if not entries:
                break
        return shown[:limit]

    async def read_decided(self, run: str, since: int = 0) -> list[Entry]:
        """Returns events of a run after the seq `since`, in order, up to the first that waits."""
        redactor, shown = RunRedactor(self._log, run, since), list[Entry]()
        while not shown and (entries := await self._log.read(run, since)):
            since = entries[-1].seq
            shown = await _decided(redactor, entries)
        return shown

    async def read_all_decided(self, since: int = 0) -> list[Entry]:
        """Returns events of all runs after the cursor `since`, in order, up to the first that
        waits.
        """
        redactor, shown = FeedRedactor(self._log), list[Entry]()
        while not shown and (entries := await self._log.read_all(since)):
            since = entries[-1].cursor
            await _decided(redactor, entries)
            shown = redactor.ordered()
        return shown

    async def follow_all(self, since: int | None = None) -> AsyncIterator[list[Entry]]:
        """Yields the events of all runs after the cursor `since` (None: from now on), then those to
        come.
        """
        async for _, ordered in self.feed(since):
            if ordered:
                yield ordered

    async def feed(self, since: int | None = None) -> AsyncIterator[Feed]:
        """Yields the same, and each event also as soon as its own run allows."""
        redactor = FeedRedactor(self._log, live=True)
        async for batch in batches_with_deadlines(self._log.follow_all(since), redactor):
            entries = await redactor.take(batch) if batch else redactor.expire(time.monotonic())
            yield Feed(entries, redactor.ordered())


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


async def _decided(redactor: RunRedactor | FeedRedactor, entries: list[Entry]) -> list[Entry]:
    """Returns what is decided of events that were read. What waits is timed by the log itself, or a
    stream that stalled would make of every read one to the end.
    """
    decided = await redactor.take(entries)
    return decided + redactor.expire(entries[-1].ts / 1000) if entries else decided
