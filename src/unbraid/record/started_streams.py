"""Which stream may begin next in a run whose events another machine sends.

Every reader follows streams from parent to child. A stream that is its own parent would lead it in
circles without end, and one that begins twice at each level doubles its way with every level: one
machine could stop the server, and everyone's page. So what a log promises of streams is checked
before it is taken in: they are numbered in the order in which they begin, and whatever one refers
to has begun before.
"""

from __future__ import annotations

from collections.abc import Sequence

from unbraid.errors import CallerError
from unbraid.events import FleetEvent, StreamStart
from unbraid.log.port import LogReader, run_pages
from unbraid.read.seen import forget_oldest

MAX_HELD_RUNS = 1000


class StartedStreams:
    """The streams that have begun, by run: the depth of each, and the event up to which the log was
    read for them.
    """

    def __init__(self, log: LogReader) -> None:
        self._log = log
        self._held: dict[str, tuple[int, list[int]]] = {}

    async def check(self, run: str, last: int, events: Sequence[FleetEvent]) -> None:
        """Raises CallerError if one of the events after the `last` that the log has starts a stream
        that cannot begin there.
        """
        starts = [each for each in events if isinstance(each, StreamStart) and each.seq > last]
        if not starts:
            return
        depths = list(await self._depths(run, last))
        for start in starts:
            if not _may_begin(start, depths):
                raise CallerError(f"event {start.seq}: a stream that cannot begin here")
            depths.append(start.depth)

    async def _depths(self, run: str, last: int) -> list[int]:
        seq, depths = self._held.pop(run, (0, []))
        if seq > last:  # the run was deleted, and has begun anew
            seq, depths = 0, []
        async for page in run_pages(self._log, run, seq, types=("stream_start",)):
            depths += [each.event.depth for each in page if each.seq <= last]
            seq = page[-1].seq
            if seq > last:
                break
        self._held[run] = (min(seq, last), depths)
        forget_oldest(self._held, MAX_HELD_RUNS)
        return depths


def _may_begin(start: StreamStart, depths: Sequence[int]) -> bool:
    parent, resumed = start.parent_stream_id, start.resumes
    if parent is None:
        placed = start.depth == 0 and (start.stream_id == 0 or resumed is not None)
    else:
        placed = 0 <= parent < len(depths) and start.depth == depths[parent] + 1
    known = resumed is None or 0 <= resumed < len(depths)
    return placed and known and start.stream_id == len(depths)
