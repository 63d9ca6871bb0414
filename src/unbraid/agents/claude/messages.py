"""What agents say, in Claude Code's lines of any dialect."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Raw, Struct

from unbraid.agents.claude.prompts import Told
from unbraid.agents.claude.records import Block
from unbraid.events import (
    EMPTY_OBJECT,
    Error,
    RelayEvent,
    Retracted,
    TextDelta,
    ThinkingDelta,
    TokenUsage,
    ToolUse,
    Unrecognized,
)
from unbraid.translate.blocks import (
    STDOUT,
    TRANSCRIPT,
    Dialect,
    Fresh,
    MessageState,
    digest_of,
)
from unbraid.translate.contexts import Call, Context
from unbraid.translate.lifecycle import SPAWNING_TOOLS, spawn_input
from unbraid.translate.seen import FULL, RECENT, forget_oldest, newly
from unbraid.wire.record import Record, read_as, sound

# How far a message's usage can be trusted: not at all while it is a line of stdout that tells it.
NEARLY_FINAL, FINAL, SENT = 1, 2, 3


class Said(Told):
    """Turns assistant and streaming lines into events."""

    def __init__(self) -> None:
        super().__init__()
        self.agents.before_end = lambda context, out: self._usage_due(context, None, out)
        self.dialects = (Dialect(), Dialect(one_block=True))  # stdout's, the transcripts'
        self._made_ids = 0
        self._chained = False  # whether transcripts tell which line comes after which

    def _assistant(self, record: Record, out: list[RelayEvent]) -> None:
        # The hottest path there is: it pays to look things up once, and to call little.
        message = record.message
        if message is None:
            return self._unknown(record, out)
        context = self._direct.get(record.parent_tool_use_id)
        if context is None or record.is_sidechain or record.agent_id_stdout != context.agent_id:
            context = self._who(record, out)
            if context is None:
                return None
        content = message.content
        if not isinstance(content, list):
            content = [Block(type="text", text=content)] if content else []
        source = self.source
        message_id = message.id
        if message_id:
            state = context.messages.get(message_id) or self._begin(context, message_id, content)
        else:
            context, state = self._unnamed(record, context, content)
        if message.usage is not None and source + source >= state.usage_rank:
            state.usage = message.usage
            if source == TRANSCRIPT:
                state.usage_rank = FINAL
            if context.usage_due is not state:
                state.model = message.model
                self._usage_due(context, state, out)
        dialect = self.dialects[source]
        uuid = record.uuid
        # The next block, and nothing else: alone, or all the others were known byte by byte.
        skipped = record.skipped
        just_next = len(content) == 1 and (dialect.one_block or skipped == len(state.said[source]))
        if just_next:
            block = content[0]
            digest = digest_of(block)
            key = hash((uuid, skipped, digest))
        else:
            digests = [digest_of(block) for block in content]
            key = hash((uuid, skipped, *digests))
        if source == TRANSCRIPT:
            if self._written_again(record, context, state, content):
                return None
            context.turn_to(state, TRANSCRIPT)
        if uuid is not None:
            seen = self.seen  # as `newly` does it
            if key in seen:
                state.repeat(content, source, dialect)
                return None
            seen[key] = None
            if len(seen) > FULL:
                forget_oldest(seen, RECENT)
            state.uuid = uuid
        if self._unfilled:
            self._fill(context, state, content, out)
        if context.latest[source] is not state:
            if context.parent is not None and message_id:
                self._learn(self._by_message, message_id, context, out)
            self._give_up(context, state, out)
            context.turn_to(state, STDOUT)
        fresh: Sequence[Fresh]
        if just_next:
            if block.type == "text":
                context.last_text = block.text or ""
            new = state.next(block, digest, source)
            if new is None:
                return None
            if not dialect.one_block:
                state.growing = new
            fresh = (new,)
        else:
            if content and content[-1].type == "text":
                context.last_text = content[-1].text or ""
            fresh = state.absorb(content, digests, source, dialect, skipped)
        for block, index, delta in fresh:
            kind = block.type
            if kind == "text":
                if message.model == "<synthetic>" and delta.startswith("API Error"):
                    out.append(Error(context.id, self.ts, delta, "api_error"))
                else:
                    out.append(TextDelta(context.id, self.ts, state.id, index, delta))
            elif kind == "thinking":
                out.append(ThinkingDelta(context.id, self.ts, state.id, index, delta))
            elif kind == "tool_use" or kind.endswith("_tool_use"):
                if not dialect.one_block and block.input == EMPTY_OBJECT and block is content[-1]:
                    self._unfilled[block.id or ""] = (context, state, block, index)
                elif uuid is not None or newly(self.seen, hash((state.id, block.id))):
                    self._tool_use(context, state, block, index, out)
            elif kind.endswith("tool_result"):
                self._tool_result(context, record, block, out)
            else:
                place = next(i for i, each in enumerate(content) if each is block)
                raw = _raw_block(record, place)
                out.append(Unrecognized(context.id, self.ts, raw))
        return None

    def _written_again(
        self, record: Record, context: Context, state: MessageState, content: list[Block]
    ) -> bool:
        """Whether a transcript repeats itself: early versions of 1.0 write the whole conversation
        down again at every turn, under new uuids, as a chain of lines of its own.
        """
        before = record.parent_uuid
        begins = before is None and self._chained
        self._chained = self._chained or before is not None
        if not (begins or before == context.again is not None or state.past):
            return False
        said = state.said[TRANSCRIPT]
        if not all(digest_of(block) in said for block in content):
            return False
        context.again = record.uuid
        return True

    def _fill(
        self, context: Context, state: MessageState, content: list[Block], out: list[RelayEvent]
    ) -> None:
        """Tell calls that have their input now, or will not get any."""
        grown = {block.id: block for block in content}
        for call_id, (whose, message, block, index) in list(self._unfilled.items()):
            if whose is not context:
                continue
            now = grown.get(call_id)
            if (
                message is state
                and now is not None
                and now is content[-1]
                and now.input == EMPTY_OBJECT
            ):
                continue
            del self._unfilled[call_id]
            self._tool_use(whose, message, now or block, index, out)

    def _fill_all(self, out: list[RelayEvent]) -> None:
        """Tell all calls that still wait for their input, as they are: their turn is over."""
        while self._unfilled:
            self._tool_use(*self._unfilled.pop(next(iter(self._unfilled))), out)

    def _unnamed(
        self, record: Record, context: Context, content: list[Block]
    ) -> tuple[Context, MessageState]:
        """A message without an id: the known one that this one extends, else a new one."""
        known = record.parent_tool_use_id is not None or record.session_id is not None
        best: tuple[Context, MessageState] | None = None
        digests = [digest_of(block) for block in content]
        candidates = [context] if known else [context, *self.contexts.everyone()]
        for candidate in candidates:
            for state in reversed(candidate.messages.values()):
                said = state.said[self.source]
                if state.closed or not said:
                    continue
                if len(said) > 1 and said[0] not in digests[:1]:
                    continue  # most do not even begin alike
                if state.extends(content, digests, self.source, record.skipped) and (
                    best is None or len(said) > len(best[1].said[self.source])
                ):
                    best = (candidate, state)
        if best is not None:
            return best
        calls = {hash(b.id) for b in content if b.id is not None}
        if calls:
            # A snapshot again that adds nothing: its tool calls are known.
            for candidate in candidates:
                for state in candidate.messages.values():
                    said = state.said[self.source]
                    if calls.issubset(said) and len(content) <= len(said):
                        self.dialects[self.source].cumulative = True
                        return candidate, state
        if not known:
            context = self._guess()
        self._made_ids += 1
        return context, context.message(f"message-{self._made_ids}")

    def _guess(self) -> Context:
        """Whose new message is this, where lines name nobody?

        While sub-agents run the main agent waits for them. So it is one of theirs: the first
        that has not spoken yet, else one whose last calls have all been answered.
        """
        running = [c for c in self.contexts.by_call.values() if c.spawned and not c.ended]
        running = [c for c in running if not c.background]
        for context in running:
            if not context.messages:
                return context
        for context in running:
            if not any(call.context is context for call in self.agents.calls.values()):
                return context
        return running[-1] if running else self.contexts.root

    def _tool_use(
        self,
        context: Context,
        state: MessageState,
        block: Block,
        index: int,
        out: list[RelayEvent],
    ) -> None:
        call_id = block.id or ""
        tool = block.name or ""
        call = self.agents.calls[call_id] = Call(context, state, tool, self.ts)
        out.append(ToolUse(context.id, self.ts, state.id, index, call_id, tool, block.input))
        if tool in SPAWNING_TOOLS and call_id:
            given = spawn_input(bytes(block.input))
            if given.prompt is not None or given.resume is not None:
                call.spawns = self.agents.call_spawns(call_id, context, given, out)
        if self._held:
            self._retry(out)

    # --- streaming ---

    def _stream_event(self, record: Record, out: list[RelayEvent]) -> None:
        event = record.event
        if event is None:
            return self._unknown(record, out)
        context = self._who(record, out)
        if context is None:
            return None
        kind = event.type
        fresh = None
        if kind == "message_start":
            if event.message is not None and event.message.id:
                state = context.message(event.message.id)
                self._give_up(context, state, out)
                context.live = state
                context.turn_to(state, STDOUT)
                state.usage = state.usage or event.message.usage
                state.model = state.model or event.message.model
                if context.usage_due is not state:
                    self._usage_due(context, state, out)
            return None
        current = context.live
        if current is None:
            return None
        if kind == "content_block_delta" and event.delta is not None:
            words = event.delta.text if event.delta.thinking is None else event.delta.thinking
            if words:
                fresh = current.stream_delta(event.index, words)
        elif kind == "content_block_start" and event.content_block is not None:
            block = event.content_block
            if block.type in ("text", "thinking"):
                current.stream_start(event.index, block.type)
                if block.words:
                    fresh = current.stream_delta(event.index, block.words)
        elif kind == "content_block_stop":
            fresh = current.stream_stop(event.index)
        elif kind == "message_delta" and event.usage is not None:
            usage = current.usage
            if usage is not None and current.usage_rank < FINAL:
                current.usage_rank = NEARLY_FINAL
                usage.output_tokens = event.usage.output_tokens or usage.output_tokens
        if fresh is not None and fresh[2]:
            block, index, delta = fresh
            event_type = TextDelta if block.type == "text" else ThinkingDelta
            out.append(event_type(context.id, self.ts, current.id, index, delta))
        return None

    def _begin(self, context: Context, message_id: str, content: list[Block]) -> MessageState:
        """A message not seen before, unless it says again what a cut-off one was saying."""
        live = context.live
        if live is not None and live.streaming and content:
            # A transcript that goes on without ever having told the message knows it was dropped.
            dropped = self.source == STDOUT or not live.said[TRANSCRIPT]
            words = live.cut_off() if dropped else ""
            if words and content[0].words.startswith(words):
                context.messages[message_id] = live
                return live
        return context.message(message_id)

    def _give_up(self, context: Context, following: MessageState, out: list[RelayEvent]) -> None:
        """The next message begins: one that was cut off in its middle has been withdrawn."""
        live = context.live
        if live is None or live is following or not live.streaming:
            return
        if live.cut_off():
            out.append(Retracted(context.id, self.ts, [live.id]))
        live.stream_over()

    # --- what it costs ---

    def _usage_due(
        self, context: Context, following: MessageState | None, out: list[RelayEvent]
    ) -> None:
        """Tell what the message before has cost: its numbers are final when the next one begins.

        Lines repeat a message's usage. Of one source the last counts; the transcript's are final,
        those of `message_delta` nearly, stdout's lines not.
        """
        state = context.usage_due
        context.usage_due = following
        if state is None or state.usage_rank == SENT or state.usage is None:
            return
        state.usage_rank = SENT
        usage = state.usage
        if state.model == "<synthetic>":
            return
        out.append(
            TokenUsage(
                context.id,
                self.ts,
                state.id,
                state.model,
                usage.input_tokens or 0,
                usage.output_tokens or 0,
                usage.cache_read_input_tokens or 0,
                usage.cache_creation_input_tokens or 0,
            )
        )


class RawContent(Struct):
    """A message's blocks, unread."""

    content: list[Raw] = msgspec.field(default_factory=list)


class RawBlocks(Struct):
    """A line's blocks, unread."""

    message: RawContent | None = None


def _raw_block(record: Record, place: int) -> Raw:
    """A block as it came, with every field it has."""
    message = read_as(RawBlocks, record.raw).message
    if message is not None and place < len(message.content):
        return sound(bytes(message.content[place]))
    return sound(record.raw)
