"""Masks the secrets of a log that was written without masks, as it is shown.

An agent that printed bit by bit has left a secret in many events. So a run's events are masked in
their order, and one of which it is not decided yet whether it belongs to a secret is shown when
more has come. That is soon: its stream says something else, or ends.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Collection
from itertools import groupby
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from unbraid.log.entry import Entry
from unbraid.log.port import READ_LIMIT, Found, LogReader, SearchableLog
from unbraid.log.query import CUT
from unbraid.log.summary import TITLE_CHARS, RunSummary
from unbraid.redact.lines import SecretMask
from unbraid.redact.secrets import mask, masked_words

# What came before the first event that is shown: no secret is cut into more bits than these.
BEFORE_EVENTS = 1000

_LOG = "log"
# The first word after a cut, and long ones that follow it: they may be the rest of a secret.
_REST = re.compile(rf"\A{CUT}\S*(?:\s+\S{{12,}})*")

S = TypeVar("S", bound=Struct)


class ShownMask:
    """One run's events in, in their order, the same events masked out; `changed` notes those that
    are not as they were, by their seq.
    """

    def __init__(self, changed: dict[int, bytes] | None = None) -> None:
        self._mask, self._changed = SecretMask(), {} if changed is None else changed
        self._held: list[Entry] = []

    @property
    def waits(self) -> bool:
        """Whether something is not decided."""
        return bool(self._held)

    def seen(self, entries: list[Entry]) -> None:
        """What comes before the first event that is shown."""
        self._mask.seen(_LOG, _lines(entries))

    def take(self, entries: list[Entry]) -> list[Entry]:
        """As many of the events so far as are decided."""
        held = self._held + entries
        over = any(entry.type == "done" for entry in entries)
        decided = self._mask.lines(_LOG, _lines(held), end=over).split(b"\n")[:-1]
        self._held = held[len(decided) :]
        shown: list[Entry] = []
        for entry, line in zip(held, decided, strict=False):
            if line != entry.data:
                self._changed[entry.seq] = line
                entry = replace(entry, data=line)
            shown.append(entry)
        return shown


async def masked_batches(
    log: LogReader, batches: AsyncIterator[list[Entry]]
) -> AsyncIterator[list[Entry]]:
    """Followed events of any runs of a log, masked."""
    masks: dict[str, ShownMask] = {}
    async for batch in batches:
        shown: list[Entry] = []
        for run, some in groupby(batch, lambda entry: entry.run):
            entries = list(some)
            if run not in masks:
                masks[run] = await _begun(log, run, entries[0].seq - 1)
            shown += masks[run].take(entries)
            if entries[-1].type == "done":
                del masks[run]
        if shown:
            yield shown


class MaskedLog:
    """A log as it may be shown. Of a run, only what was followed can be read."""

    def __init__(self, log: LogReader) -> None:
        self._log = log
        self._changed: dict[str, dict[int, bytes]] = {}
        self._reached: dict[str, int] = {}

    async def follow(self, run: str, since: int = 0) -> AsyncIterator[list[Entry]]:
        """The events of a run after `since`, then those to come; ends after `done`. An empty batch
        tells that more has come, which has to wait.
        """
        masking = await _begun(self._log, run, since, self._changed.setdefault(run, {}))
        async for batch in self._log.follow(run, since):
            if shown := masking.take(batch):
                self._reached[run] = max(self._reached.get(run, 0), shown[-1].seq)
                yield shown
            if masking.waits:
                yield []

    async def read(
        self,
        run: str,
        since: int = 0,
        limit: int = READ_LIMIT,
        *,
        stream_id: int | None = None,
        types: Collection[str] = (),
    ) -> list[Entry]:
        """Up to `limit` events of a run after the seq `since`, in order."""
        entries = await self._log.read(run, since, limit, stream_id=stream_id, types=types)
        changed, reached = self._changed.get(run, {}), self._reached.get(run, 0)
        return [
            replace(entry, data=changed[entry.seq]) if entry.seq in changed else entry
            for entry in entries
            if entry.seq <= reached
        ]

    async def bounds(self) -> tuple[int, int]:
        """The cursors of the first event that the log still has and of the last it ever had."""
        return await self._log.bounds()

    async def run(self, run: str) -> RunSummary | None:
        """One run's summary."""
        found = await self._log.run(run)
        return None if found is None else masked_summary(found)

    async def runs(
        self,
        *,
        status: str | None = None,
        matching: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunSummary]:
        """Runs, last started first; `before` is the `page` of the last one seen."""
        found = await self._log.runs(status=status, matching=matching, limit=limit, before=before)
        return [masked_summary(run) for run in found]

    async def search(self, query: str, *, run: str | None = None, limit: int = 20) -> list[Found]:
        """Places where an agent said all words of `query`, best first."""
        if not isinstance(self._log, SearchableLog):
            return []
        found = await self._log.search(query, run=run, limit=limit)
        return [replace(place, snippet=masked_snippet(place.snippet)) for place in found]


def masked_snippet(snippet: str) -> str:
    """Words out of a text, without what may be the rest or the beginning of a secret."""
    words = _REST.sub(CUT, snippet)
    return masked_words(words.removesuffix(CUT), cut=words.endswith(CUT))


def masked_summary(run: RunSummary) -> RunSummary:
    """A run as it may be listed."""
    if run.title is None:
        return run
    return replace(run, title=masked_words(run.title, cut=len(run.title) >= TITLE_CHARS))


def masked_struct(value: S) -> S:
    """Anything that is told as JSON, with its secrets masked."""
    return msgspec.json.decode(mask(msgspec.json.encode(value)), type=type(value))


async def _begun(
    log: LogReader, run: str, last: int, changed: dict[int, bytes] | None = None
) -> ShownMask:
    """A mask for what comes after an event."""
    made = ShownMask(changed)
    if last > 0:
        before = await log.read(run, max(0, last - BEFORE_EVENTS), min(last, BEFORE_EVENTS))
        made.seen(before)
    return made


def _lines(entries: list[Entry]) -> bytes:
    return b"".join(entry.data + b"\n" for entry in entries)
