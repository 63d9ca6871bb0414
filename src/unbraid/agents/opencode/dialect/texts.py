"""Text and reasoning parts: the same part comes empty, as deltas, whole, and from the database."""

from __future__ import annotations

from unbraid.agents.opencode.records import Part
from unbraid.events import RelayEvent, TextDelta, ThinkingDelta
from unbraid.read.clock import Clock
from unbraid.read.contexts import Context
from unbraid.read.seen import forget_oldest

RECENT_PARTS = 1 << 15


class TextPart:
    """How much of a text part has been said."""

    __slots__ = ("block", "kind", "length", "parts", "whole")

    def __init__(self, kind: type[TextDelta] | type[ThinkingDelta], block: int) -> None:
        self.kind = kind
        self.block = block
        self.length = 0
        self.parts: list[str] | None = []
        self.whole = 0  # the digest of the whole text, once it is known


class Texts:
    """Turns text parts and deltas into events."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._texts: dict[str, TextPart] = {}  # by part
        self._blocks: dict[str, int] = {}  # by message: how many blocks it has
        self._saying: dict[str, TextPart] = {}  # by context: its latest text

    def next_block(self, message_id: str) -> int:
        """Returns the index of a message's next block."""
        index = self._blocks.get(message_id, 0)
        self._blocks[message_id] = index + 1
        forget_oldest(self._blocks, RECENT_PARTS)
        return index

    def latest(self, context: Context) -> str:
        """Returns an agent's latest text, as far as it is known."""
        saying = self._saying.get(context.id)
        if saying is not None and saying.parts is not None:
            return "".join(saying.parts)
        return context.last_text

    def part(self, context: Context, part: Part, out: list[RelayEvent]) -> None:
        """Takes a text part as it is now."""
        text = part.text or ""
        state = self._state(part)
        if state.parts is None:
            if state.whole == hash(text) or len(text) <= state.length:
                return
            delta = text[state.length :]
        else:
            said = "".join(state.parts)
            if text.startswith(said):
                delta = text[len(said) :]
            elif said.startswith(text):
                delta = ""  # the CLI trims a text when it is over
            else:
                state.block = self.next_block(part.message_id)
                delta = text
        self._say(context, part.message_id, state, delta=delta, out=out)
        if part.time is not None and part.time.end is not None:
            if part.type == "text":
                context.last_text = text
            state.parts = None
            state.whole = hash(text)
            state.length = max(state.length, len(text))

    def delta(
        self,
        context: Context,
        *,
        message_id: str,
        part_id: str,
        delta: str,
        out: list[RelayEvent],
    ) -> None:
        """Takes more of a text part."""
        state = self._texts.get(part_id)
        # A part whose beginning was missed is reported when it comes whole.
        if state is not None and state.parts is not None:
            self._say(context, message_id, state, delta=delta, out=out)

    def _state(self, part: Part) -> TextPart:
        state = self._texts.get(part.id)
        if state is None:
            kind = TextDelta if part.type == "text" else ThinkingDelta
            state = self._texts[part.id] = TextPart(kind, self.next_block(part.message_id))
            forget_oldest(self._texts, RECENT_PARTS)
        return state

    def _say(
        self,
        context: Context,
        message_id: str,
        state: TextPart,
        *,
        delta: str,
        out: list[RelayEvent],
    ) -> None:
        if not delta:
            return
        state.length += len(delta)
        if state.parts is not None:
            state.parts.append(delta)
        # By position, because there are so many, and it is quicker.
        out.append(state.kind(context.id, self._clock.ts, message_id, state.block, delta))
        if state.kind is TextDelta:
            self._saying[context.id] = state
            context.last_text = delta
