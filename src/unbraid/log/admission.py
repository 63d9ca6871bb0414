"""Which events of an append are new; what a backend checks before it writes anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unbraid.events import FleetEvent
from unbraid.log.port import LogConflict
from unbraid.log.summary import RunSummary

Line = tuple[FleetEvent, bytes]


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
                raise LogConflict(summary.run, event.seq, expected, problem)
    over = summary.over
    for event, _ in fresh:
        if over:
            raise LogConflict(summary.run, event.seq, expected, "the run is over")
        if event.seq != expected:
            raise LogConflict(summary.run, event.seq, expected, "out of order")
        over = event.type == "done"
        expected += 1
    return fresh
