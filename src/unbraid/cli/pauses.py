"""A followed log with its pauses: who prints half lines must know when to wait no longer, and who
prints for nobody, when to stop.
"""

from __future__ import annotations

import select
from collections.abc import AsyncIterator
from contextlib import aclosing

from unbraid.log.entry import Entry
from unbraid.log.port import LogReader, replaced
from unbraid.system.pauses import with_pauses
from unbraid.timings import FOLLOW_PAUSE_SECONDS


async def paused(
    batches: AsyncIterator[list[Entry]],
    log: LogReader,
    seconds: float = FOLLOW_PAUSE_SECONDS,
) -> AsyncIterator[list[Entry]]:
    """The batches as they come, and an empty one whenever nothing has come for a while; the end, if
    nobody reads our standard output any more. If the `log` was deleted or replaced meanwhile, that
    is raised.
    """
    told = True
    async with aclosing(with_pauses(batches, lambda: seconds)) as coming:
        async for batch in coming:
            if batch:
                told = False
                yield batch
            elif batch is None:
                if _nobody_reads():
                    return
                if (error := replaced(log)) is not None:
                    raise error
                if not told:
                    told = True
                    yield []


def _nobody_reads() -> bool:
    """Whether our standard output is a pipe whose reader is gone."""
    watched = select.poll()
    watched.register(1, 0)
    return any(event & select.POLLERR for _, event in watched.poll(0))
