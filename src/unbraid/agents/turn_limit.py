"""How much an agent may say in one turn (more than any model can, less than memory holds), and how
long one that was interrupted may take to end.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from unbraid.errors import BackendError
from unbraid.events import RelayEvent, TextDelta, ThinkingDelta
from unbraid.timings import AGENT_INTERRUPT_TIMEOUT_SECONDS

MAX_TURN_CHARS = 32 << 20


class TurnLimit:
    """Counts the characters of one turn, because its blocks are joined in memory."""

    def __init__(self, backend: str, max_chars: int = MAX_TURN_CHARS) -> None:
        self._backend, self._max_chars = backend, max_chars
        self._chars = 0

    def count(self, event: RelayEvent) -> None:
        """Raises BackendError where a turn does not come to an end by itself."""
        if isinstance(event, TextDelta | ThinkingDelta):
            self._chars += len(event.delta)
            if self._chars > self._max_chars:
                problem = f"has said more than {self._max_chars} characters in one turn"
                raise BackendError(self._backend, problem, "ask for a shorter answer")


@asynccontextmanager
async def interrupted_turn_timeout(backend: str) -> AsyncIterator[None]:
    """Limits the wait for the end of a turn that was interrupted. Raises BackendError if it takes
    longer.
    """
    try:
        async with asyncio.timeout(AGENT_INTERRUPT_TIMEOUT_SECONDS):
            yield
    except TimeoutError:
        problem = f"still busy {AGENT_INTERRUPT_TIMEOUT_SECONDS:g} s after it was interrupted"
        raise BackendError(backend, problem, "open a new conversation") from None
