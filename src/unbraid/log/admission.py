"""Decides which events of an append are new: what a backend checks before it writes anything."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from unbraid.errors import CallerError
from unbraid.events import Done, FleetEvent
from unbraid.log.entry import one_line
from unbraid.log.port import LogConflict
from unbraid.log.summary import RunSummary
from unbraid.wire.names import checked_run, checked_source

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
