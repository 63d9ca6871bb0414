"""What a source repeats too often, summed up.

Half a megabyte of lines that are no records would be a log of many megabytes, one event a line. So
of each source the first such lines are reported one by one, and the rest by a few summaries: after
the next hundred, the next two hundred, and so on, and at the end of the source. When one is due is
decided by the lines alone, never by how they were cut into chunks.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from unbraid.events import Malformed, RelayEvent, Unrecognized

# A newer version of an agent may print many records that we have no name for; malformed lines mean
# that the source is damaged, which a hundred of them show as well as a million.
REPORTED_ALONE: dict[type[RelayEvent], int] = {Malformed: 100, Unrecognized: 1000}
LIMITED = frozenset(REPORTED_ALONE)
FIRST_SUMMARY = 100


class _Sum:
    """The events of one type of one source."""

    __slots__ = ("alone", "count", "due", "first", "last")

    def __init__(self, alone: int) -> None:
        self.alone, self.count, self.due = alone, 0, FIRST_SUMMARY
        self.first: RelayEvent | None = None
        self.last: RelayEvent | None = None

    def take(self, event: RelayEvent) -> RelayEvent | None:
        """Returns what to report now that another event has come."""
        if self.alone:
            self.alone -= 1
            return event
        self.first, self.last, self.count = self.first or event, event, self.count + 1
        if self.count < self.due:
            return None
        self.due *= 2
        return self.rest()

    def rest(self) -> RelayEvent | None:
        """Returns the summary of what was not reported yet."""
        first, last, count = self.first, self.last, self.count
        self.first, self.last, self.count = None, None, 0
        if first is None or last is None or count == 1:
            return first
        summary = msgspec.structs.replace(first, ts=last.ts, count=count)
        if isinstance(summary, Malformed) and isinstance(last, Malformed):
            summary.last_offset = last.offset
            summary.reason = f"{count} malformed lines, the first: {summary.reason}"
        return summary


class Excess:
    """Limits what one source reports of records that cannot be read."""

    def __init__(self) -> None:
        self._sums = {kind: _Sum(alone) for kind, alone in REPORTED_ALONE.items()}

    def limited(self, events: Iterable[RelayEvent]) -> list[RelayEvent]:
        """Returns the events with summaries in place of those that are too many."""
        shown: list[RelayEvent] = []
        for event in events:
            found = self._sums.get(type(event))
            # What belongs to an agent's conversation stays where it was said.
            reported = event if found is None or event.context else found.take(event)
            if reported is not None:
                shown.append(reported)
        return shown

    def rest(self) -> list[RelayEvent]:
        """Returns the last summaries: the source is over."""
        return [rest for each in self._sums.values() if (rest := each.rest()) is not None]
