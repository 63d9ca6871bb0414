"""Prevents the master from answering before its sub-agents have answered.

A turn's prose is held until it is clear what the turn is. If it delegates, one line names the
agents, and the prose is dropped. If it can no longer delegate, because its opening is over, because
it was never allowed to, or because it has ended, the held text is released and the rest passes at
once. A turn either answers or delegates, never both. What is held is shown to live viewers as a
draft.
"""

from __future__ import annotations

from collections.abc import Iterable

from unbraid.events import TextDelta

DELEGATING = "→ delegating: "
MAX_LABEL_CHARS = 200


class Gate:
    """One turn's gate. `opening_chars` of prose may stand before a command; None: no command may
    come at all.
    """

    def __init__(self, opening_chars: int | None) -> None:
        self.open = opening_chars is None
        self._opening_chars = opening_chars or 0
        self._held: list[TextDelta] = []

    def text(self, event: TextDelta, *, prose_chars: int, delegating: bool) -> list[TextDelta]:
        """Adds more text, and what kind of turn it is so far; returns what may pass now."""
        if self.open:
            return [event]
        self._held.append(event)
        if delegating or prose_chars <= self._opening_chars:
            return []
        return self.release()

    def release(self) -> list[TextDelta]:
        """Returns everything that was held: the turn does not delegate."""
        self.open = True
        held, self._held = self._held, []
        return held

    def delegate(self, labels: Iterable[str]) -> TextDelta:
        """Returns the one line that replaces the prose of a turn that delegates."""
        last = self._held[-1] if self._held else TextDelta()
        self._held = []
        names = " ".join(", ".join(labels).split())
        short = names if len(names) <= MAX_LABEL_CHARS else names[: MAX_LABEL_CHARS - 1] + "…"
        return TextDelta(
            last.context,
            last.ts,
            message_id=last.message_id,
            block=last.block,
            delta=f"{DELEGATING}{short}\n",
        )
