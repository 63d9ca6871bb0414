"""What an append makes of a run, the same for every engine.

An engine gives the state of the run and the events to a `RunFold`, and stores what that returns
together with the new summary, the offsets and the raw bytes, all in one transaction. It decides
nothing about events itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from unbraid.errors import CallerError
from unbraid.events import Done, FleetEvent, FleetRetracted
from unbraid.log.entry import one_line
from unbraid.log.port import LogConflict
from unbraid.log.search_blocks import IndexedBlock, SearchBlocks
from unbraid.log.summary import RunSummary
from unbraid.read.names import checked_run, checked_source

Line = tuple[FleetEvent, bytes]

INT64 = 2**63
# Others get a turn after each of these.
ENCODED_AT_ONCE = 512


async def checked_append(
    run: str, events: Sequence[FleetEvent], offsets: Mapping[str, int] | None
) -> tuple[list[Line], dict[str, int]]:
    """Returns an append's events with their lines, and its offsets. Raises CallerError if a name is
    not valid, or a number does not fit a log.
    """
    checked_run(run)
    checked = {checked_source(name): at for name, at in offsets.items()} if offsets else {}
    lines: list[Line] = []
    for begin in range(0, len(events), ENCODED_AT_ONCE):
        if begin:
            await asyncio.sleep(0)
        for event in events[begin : begin + ENCODED_AT_ONCE]:
            if event.seq >= INT64 or event.ts >= INT64 or event.stream_id >= INT64:
                raise CallerError("a number of an event does not fit 64 bits")
            lines.append((event, one_line(event)))
    return lines, checked


def admit(
    summary: RunSummary, lines: Sequence[Line], stored: Callable[[int, int], dict[int, bytes]]
) -> Sequence[Line]:
    """Returns the lines that continue the run; LogConflict if any neither continues nor repeats it.

    `stored(first, last)` gives what the log has in a range. What retention has cut cannot be
    compared any more and counts as a repeat.
    """
    expected = summary.last_seq + 1
    repeats = [line for line in lines if line[0].seq < expected]
    fresh = lines if not repeats else [line for line in lines if line[0].seq >= expected]
    if repeats:
        known = stored(repeats[0][0].seq, summary.last_seq)
        for event, data in repeats:
            if event.seq < 1 or known.get(event.seq, data) != data:
                problem = "another event is there" if event.seq >= 1 else "seq starts at 1"
                raise LogConflict(summary.run, event.seq, expected, problem=problem)
    over = summary.over
    for event, _ in fresh:
        if over:
            raise LogConflict(summary.run, event.seq, expected, problem="the run is over")
        if event.seq != expected:
            raise LogConflict(summary.run, event.seq, expected, problem="out of order")
        over = type(event) is Done
        expected += 1
    return fresh


class RunChanges(NamedTuple):
    """What an append changes of a run: the events that are new; of an engine with a search index,
    also the blocks that they complete, and which messages they withdraw.
    """

    lines: Sequence[Line]
    blocks: list[IndexedBlock]
    retractions: list[FleetRetracted]


class RunFold:
    """A run as its events so far have made it: its summary and, with `indexed`, the blocks of text
    that are not complete yet.
    """

    __slots__ = ("_blocks", "summary")

    def __init__(self, summary: RunSummary, *, indexed: bool = False) -> None:
        self.summary = summary
        self._blocks = SearchBlocks() if indexed else None

    def restore(self, events: Iterable[FleetEvent]) -> None:
        """Reads the events from `open_from` on again: the summary knows them already, and blocks
        that they complete were stored before.
        """
        if self._blocks is not None:
            for event in events:
                self._blocks.feed(event)
            self._blocks.last_seq = self.summary.last_seq

    @property
    def open_from(self) -> int:
        """The first event that `restore` needs."""
        return 1 if self._blocks is None else self._blocks.open_from

    def append(
        self, lines: Sequence[Line], stored: Callable[[int, int], dict[int, bytes]]
    ) -> RunChanges:
        """Applies what is new, and returns it. Raises LogConflict before anything has changed;
        `stored` is as for `admit`.
        """
        fresh = admit(self.summary, lines, stored)
        summary, blocks = self.summary, self._blocks
        changes = RunChanges(fresh, [], [])
        for event, data in fresh:
            summary.fold(event, len(data))
            if blocks is not None:
                changes.blocks.extend(blocks.feed(event))
                if type(event) is FleetRetracted:
                    changes.retractions.append(event)
        return changes
