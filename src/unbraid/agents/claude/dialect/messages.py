"""Assistant records: what agents say, and which of it is new."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Raw, Struct, field

from unbraid.agents.claude.dialect.attribution import Attribution
from unbraid.agents.claude.dialect.stream_events import StreamedMessages
from unbraid.agents.claude.dialect.tools import ToolCalls
from unbraid.agents.claude.dialect.unnamed_messages import UnnamedMessages
from unbraid.agents.claude.dialect.usage import SENT, UsageReports
from unbraid.agents.claude.records import ClaudeRecord
from unbraid.agents.claude.transcript import SYNTHETIC
from unbraid.events import (
    EMPTY_OBJECT,
    Error,
    RelayEvent,
    TextDelta,
    ThinkingDelta,
    Unrecognized,
)
from unbraid.read.blocks import (
    STDOUT,
    TRANSCRIPT,
    Block,
    Fresh,
    MessageState,
    Repetition,
    digest_of,
)
from unbraid.read.clock import Clock
from unbraid.read.contexts import Context
from unbraid.read.record import read_as, sound
from unbraid.read.seen import FULL, RECENT, forget_oldest, newly


class Messages:
    """Turns assistant records into events.

    `repetitions` is what has been learned about how stdout and the transcripts repeat themselves.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        attribution: Attribution,
        unnamed: UnnamedMessages,
        streamed: StreamedMessages,
        tools: ToolCalls,
        usage: UsageReports,
        repetitions: tuple[Repetition, Repetition],
        seen: dict[int, None],
    ) -> None:
        self._clock = clock
        self._attribution = attribution
        self._direct = attribution.direct
        self._unnamed = unnamed
        self._streamed = streamed
        self._tools = tools
        self._unfilled = tools.unfilled
        self._usage = usage
        self._stdout, self._transcripts = repetitions
        self._seen = seen
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
            source, repetition = STDOUT, self._stdout
        message_id = message.id
        if message_id:
            state = context.messages.get(message_id) or self._streamed.message(
                context, message_id, content, source
            )
        else:
            context, state = self._unnamed.find(
                record, context, content, source=source, repetition=repetition
            )
        if message.usage is not None and state.usage_rank != SENT:
            if is_transcript or context.usage_due is not state:
                self._usage.take(record, message, context, state, out)
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
                    self._attribution.learn_message(message_id, context, out)
                if context.live is not None:
                    self._streamed.give_up(context, state, out)
                context.turn_to(state, STDOUT)
            if just_next:
                context.ends_with_text = block.type == "text"
                if context.ends_with_text:
                    context.last_text = block.text or ""
                new = state.next(block, digest, source)
                if new is not None:
                    if not repetition.one_block:
                        state.growing = new
                    fresh = (new,)
            else:
                if content:
                    context.ends_with_text = content[-1].type == "text"
                    if context.ends_with_text:
                        context.last_text = content[-1].text or ""
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
            self._unknown = record, _raw_blocks(record, content)
        return self._unknown[1][id(block)]

    def _written_again(
        self, record: ClaudeRecord, context: Context, state: MessageState, content: list[Block]
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
        context.turn_to(state, TRANSCRIPT)
        return False


class RawContent(Struct):
    """A message's blocks, unread."""

    content: list[Raw] = field(default_factory=list)


class RawBlocks(Struct):
    """A record's blocks, unread."""

    message: RawContent | None = None


def _raw_blocks(record: ClaudeRecord, content: list[Block]) -> dict[int, Raw]:
    """Returns blocks as they came, with every field they have, by the identity of the
    blocks.
    """
    message = read_as(RawBlocks, record.raw).message
    raw = [] if message is None else message.content
    return {
        id(block): sound(bytes(raw[place]) if place < len(raw) else record.raw)
        for place, block in enumerate(content)
    }
