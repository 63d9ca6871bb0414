"""How much an agent may say in one turn: more than any model can, less than memory holds."""

from __future__ import annotations

from unbraid.errors import BackendError
from unbraid.events import RelayEvent, TextDelta, ThinkingDelta

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
