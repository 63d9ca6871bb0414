"""A followed log with its pauses: a printer of half lines must know when to wait no longer, and
when its output is no longer read.
"""

from __future__ import annotations

import select
from collections.abc import AsyncIterator
from contextlib import aclosing

from unbraid.log.entry import Entry
from unbraid.log.port import Log
from unbraid.system.tasks import with_pauses

# After this long without news, `tail` checks if its output is still read, and what it has missed.
FOLLOW_PAUSE_SECONDS = 1.0


async def batches_with_pauses(
    batches: AsyncIterator[list[Entry]],
    log: Log,
    seconds: float = FOLLOW_PAUSE_SECONDS,
) -> AsyncIterator[list[Entry]]:
    """Yields the batches as they come, and an empty one whenever nothing has come for a while; ends
    when our standard output is no longer read. If the `log` was deleted or replaced meanwhile, that
    is raised.
    """
    reported = True
    async with aclosing(with_pauses(batches, lambda: seconds)) as coming:
        async for batch in coming:
            if batch:
                reported = False
                yield batch
            elif batch is None:
                if _nobody_reads():
                    return
                if (error := log.replaced()) is not None:
                    raise error
                if not reported:
                    reported = True
                    yield []


def _nobody_reads() -> bool:
    """Returns whether our standard output is a pipe whose reader is gone."""
    watched = select.poll()
    watched.register(1, 0)
    return any(event & select.POLLERR for _, event in watched.poll(0))
