"""What agents say: assistant records, whole messages or blocks of them, and `stream_event` records,
each with one event of the model's API.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Raw

from unbraid.agents.claude.dialect.attribution import Attribution
from unbraid.agents.claude.dialect.calls import ToolCalls
from unbraid.agents.claude.dialect.contexts import (
    GROWING,
    STDOUT,
    TRANSCRIPT,
    ClaudeAgents,
    ClaudeContext,
    Fresh,
    MessageState,
    Repetition,
    digest_of,
)
from unbraid.agents.claude.dialect.unnamed_messages import UnnamedMessages
from unbraid.agents.claude.dialect.usage import FINAL, NEARLY_FINAL, SENT, UsageReports
from unbraid.agents.claude.records import ApiEvent, Block, ClaudeRecord, UnreadMessage
from unbraid.agents.claude.transcript import SYNTHETIC
from unbraid.events import (
    EMPTY_OBJECT,
    Error,
    RelayEvent,
    Retracted,
    TextDelta,
    ThinkingDelta,
    Unrecognized,
)
from unbraid.read.record import read_as, sound
from unbraid.read.seen import FULL, RECENT, forget_oldest, newly


class Messages:
    """Turns assistant records and streamed events into what is new of them.

    `stdout` is what has been learned about how stdout repeats itself.
    """

    def __init__(
        self,
        agents: ClaudeAgents,
        attribution: Attribution,
        unnamed: UnnamedMessages,
        tools: ToolCalls,
        usage: UsageReports,
    ) -> None:
        self._clock = agents.clock
        self._seen = agents.seen
        self._attribution = attribution
        self._direct = attribution.direct
        self._unnamed = unnamed
        self._tools = tools
        self._unfilled = tools.unfilled
        self._usage = usage
        self.stdout, self._transcripts = Repetition(), Repetition(one_block=True)
        self._unknown: tuple[ClaudeRecord | None, dict[int, Raw]] = None, {}
        self._chained = False  # whether transcripts say which record comes after which

    def assistant(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles an assistant record."""
        # The hottest path there is: it pays to look things up once, and to call little.
        message = record.message
        if message is None:
            out.append(Unrecognized("", self._clock.ts, sound(record.raw)))
            return
        # As `context_of` begins; only what that would go on to look at is left to it.
        context = self._direct.get(record.parent_tool_use_id)
        if context is None or record.is_sidechain or record.agent_id_stdout != context.agent_id:
            context = self._attribution.context_of(record, out)
            if context is None:
                return
        content = message.content
        if not isinstance(content, list):
            content = [Block(type="text", text=content)] if content else []
        is_transcript = record.is_sidechain is not None
        if is_transcript:
            source, repetition = TRANSCRIPT, self._transcripts
        else:
            source, repetition = STDOUT, self.stdout
        message_id = message.id
        if message_id:
            known = context.messages.get(message_id)
            if known is None and context.live is not None:
                known = self._cut_off(context.live, content, source)
                if known is not None:
                    context.messages[message_id] = known
            state = known or context.message(message_id)
        else:
            context, state = self._unnamed.find(
                record, context, content, source=source, repetition=repetition
            )
        if message.usage is not None and state.usage_rank != SENT:
            if is_transcript or context.usage_due is not state:
                self._usage.read(record, message, context, state, out)
            elif not state.usage_rank:
                state.usage = message.usage
        uuid = record.uuid
        # The next block, and nothing else: alone, or all the others were known byte by byte.
        skipped = record.skipped
        just_next = len(content) == 1 and (
            repetition.one_block or skipped == len(state.said[source])
        )
        if just_next:
            block = content[0]
            digest = digest_of(block)
            key = hash((uuid, skipped, digest))
        else:
            digests = [digest_of(block) for block in content]
            key = hash((uuid, skipped, *digests))
        seen = self._seen
        fresh: Sequence[Fresh] = ()
        if is_transcript and self._written_again(record, context, state, content):
            pass
        elif uuid is not None and key in seen:
            state.repeat(content, source, repetition)
        else:
            if uuid is not None:  # as `newly` does it
                seen[key] = None
                if len(seen) > FULL:
                    forget_oldest(seen, RECENT)
                state.uuid = uuid
            if self._unfilled:
                self._tools.fill(context, state, content, out)
            if context.latest[source] is not state:
                if context.parent is not None and message_id:
                    self._attribution.learn(message_id, context, out)
                if context.live is not None:
                    self._give_up(context, state, out)
                context.latest[STDOUT] = state
            if content:
                block = content[-1]
                context.ends_with_text = block.type == "text"
                if context.ends_with_text:
                    context.last_text = block.text or ""
            if just_next:
                new = state.next(block, digest, source)
                if new is not None:
                    if not repetition.one_block:
                        state.growing = new
                    fresh = (new,)
            else:
                fresh = state.absorb(content, digests, source, repetition, skipped)
                if not fresh and state.undecided is not None:
                    self._unfilled[state.id] = (context, state, state.undecided, 0)
        ts = self._clock.ts
        # Events by position, because there are so many, and it is quicker.
        for block, index, delta in fresh:
            kind = block.type
            if kind == "text":
                if message.model == SYNTHETIC and delta.startswith("API Error"):
                    context.failure = context.last_text
                    out.append(Error(context.id, ts, delta, code="api_error"))
                else:
                    out.append(TextDelta(context.id, ts, state.id, index, delta))
            elif kind == "thinking":
                out.append(ThinkingDelta(context.id, ts, state.id, index, delta))
            elif kind == "tool_use" or kind.endswith("_tool_use"):
                if (
                    not repetition.one_block
                    and block.input == EMPTY_OBJECT
                    and block is content[-1]
                ):
                    self._unfilled[block.id or ""] = (context, state, block, index)
                elif uuid is not None or newly(seen, hash((state.id, block.id))):
                    self._tools.use(context, state, block, index, out)
            elif kind.endswith("tool_result"):
                self._tools.result(context, record, block, out)
            else:
                out.append(Unrecognized(context.id, ts, self._raw_block(record, content, block)))
        if is_transcript and message.stop_reason is not None and context.usage_due is state:
            # The model has ended it: a transcript's usage is final, and nothing else may follow.
            self._usage.turn_to(context, None, out)

    def _raw_block(self, record: ClaudeRecord, content: list[Block], block: Block) -> Raw:
        """Returns a block as it came, with every field it has."""
        if self._unknown[0] is not record:
            # All at once: a message may have thousands of unknown blocks.
            raw = [bytes(each) for each in read_as(UnreadMessage, record.raw).message.content]
            raw += [record.raw] * (len(content) - len(raw))
            blocks = zip(content, raw, strict=False)
            self._unknown = record, {id(each): sound(text) for each, text in blocks}
        return self._unknown[1][id(block)]

    def _written_again(
        self,
        record: ClaudeRecord,
        context: ClaudeContext,
        state: MessageState,
        content: list[Block],
    ) -> bool:
        """Returns whether a transcript repeats itself: early versions of 1.0 write the whole
        conversation down again at every turn, under new uuids, as a chain of records of its own. If
        not, the transcript has come to this message.
        """
        before = record.parent_uuid
        begins = before is None and self._chained
        self._chained = self._chained or before is not None
        if begins or before == context.again is not None or state.past:
            said = state.said[TRANSCRIPT]
            if all(digest_of(block) in said for block in content):
                context.again = record.uuid
                return True
        latest = context.latest[TRANSCRIPT]
        if latest is not None and latest is not state:
            latest.past = True  # it has that one whole
        context.latest[TRANSCRIPT] = state
        return False

    # --- streamed messages ---

    def stream_event(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
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

    def _begun(self, context: ClaudeContext, event: ApiEvent, out: list[RelayEvent]) -> None:
        message = event.message
        if message is None or not message.id:
            return
        state = context.message(message.id)
        self._give_up(context, state, out)
        context.live = state
        context.latest[STDOUT] = state
        state.usage = state.usage or message.usage
        state.model = state.model or message.model
        if context.usage_due is not state:
            self._usage.turn_to(context, state, out)

    def _cut_off(
        self, live: MessageState, content: list[Block], source: int
    ) -> MessageState | None:
        """Returns the message that streams, if it was cut off and a new message says its text
        again.
        """
        if live.streaming and content:
            # A transcript that continues without the message shows that the message was dropped.
            dropped = source == STDOUT or not live.said[TRANSCRIPT]
            words = live.cut_off() if dropped else ""
            if words and content[0].words.startswith(words):
                return live
        return None

    def _give_up(
        self, context: ClaudeContext, following: MessageState, out: list[RelayEvent]
    ) -> None:
        """Retracts a message that was cut off in its middle, because the next one begins."""
        live = context.live
        if live is None or live is following or not live.streaming:
            return
        if live.cut_off():
            out.append(Retracted(context.id, self._clock.ts, [live.id]))
        live.streaming = None


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
