"""Messages as they are streamed: `stream_event` records, each with one event of the model's API."""

from __future__ import annotations

from unbraid.agents.claude.dialect.attribution import Attribution
from unbraid.agents.claude.dialect.usage import FINAL, NEARLY_FINAL, UsageReports
from unbraid.agents.claude.records import ApiEvent, ClaudeRecord
from unbraid.events import RelayEvent, Retracted, TextDelta, ThinkingDelta, Unrecognized
from unbraid.read.blocks import GROWING, STDOUT, TRANSCRIPT, Block, Fresh, MessageState
from unbraid.read.clock import Clock
from unbraid.read.contexts import Context
from unbraid.read.record import sound


class StreamedMessages:
    """Turns `stream_event` records into events."""

    def __init__(self, *, clock: Clock, attribution: Attribution, usage: UsageReports) -> None:
        self._clock = clock
        self._attribution = attribution
        self._usage = usage

    def event(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles a `stream_event` record."""
        event = record.event
        if event is None:
            out.append(Unrecognized("", self._clock.ts, sound(record.raw)))
            return
        context = self._attribution.context_of(record, out)
        if context is None:
            return
        kind = event.type
        current = context.live
        if kind == "message_start":
            self._begun(context, event, out)
            return
        if current is None:
            return
        fresh = None
        if kind == "content_block_delta":  # most of them
            delta = event.delta
            if delta is not None:
                words = delta.text if delta.thinking is None else delta.thinking
                if words:
                    fresh = current.stream_delta(event.index, words)
        else:
            fresh = _new_in(current, event)
        if fresh is not None and fresh[2]:
            block, index, new = fresh
            event_type = TextDelta if block.type == "text" else ThinkingDelta
            # By position, because there are so many, and it is quicker.
            out.append(event_type(context.id, self._clock.ts, current.id, index, new))

    def _begun(self, context: Context, event: ApiEvent, out: list[RelayEvent]) -> None:
        message = event.message
        if message is None or not message.id:
            return
        state = context.message(message.id)
        self.give_up(context, state, out)
        context.live = state
        context.turn_to(state, STDOUT)
        state.usage = state.usage or message.usage
        state.model = state.model or message.model
        if context.usage_due is not state:
            self._usage.turn_to(context, state, out)

    def message(
        self, context: Context, message_id: str, content: list[Block], source: int
    ) -> MessageState:
        """Returns the state of a message that was not seen before: a new one, or that of a cut-off
        message whose text it says again.
        """
        live = context.live
        if live is not None and live.streaming and content:
            # A transcript that continues without the message shows that the message was dropped.
            dropped = source == STDOUT or not live.said[TRANSCRIPT]
            words = live.cut_off() if dropped else ""
            if words and content[0].words.startswith(words):
                context.messages[message_id] = live
                return live
        return context.message(message_id)

    def give_up(self, context: Context, following: MessageState, out: list[RelayEvent]) -> None:
        """Retracts a message that was cut off in its middle, because the next one begins."""
        live = context.live
        if live is None or live is following or not live.streaming:
            return
        if live.cut_off():
            out.append(Retracted(context.id, self._clock.ts, [live.id]))
        live.stream_over()


def _new_in(current: MessageState, event: ApiEvent) -> Fresh | None:
    """Returns what an event other than a delta adds to the message that is being streamed."""
    kind = event.type
    if kind == "content_block_start" and event.content_block is not None:
        block = event.content_block
        if block.type in GROWING:
            current.stream_start(event.index, block.type)
            if block.words:
                return current.stream_delta(event.index, block.words)
    elif kind == "content_block_stop":
        return current.stream_stop(event.index)
    elif kind == "message_delta" and event.usage is not None:
        usage = current.usage
        if usage is not None and current.usage_rank < FINAL:
            current.usage_rank = NEARLY_FINAL
            current.complete = True
            usage.output_tokens = event.usage.output_tokens or usage.output_tokens
    return None
