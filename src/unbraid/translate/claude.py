"""Claude Code's lines to relay events: stdout and transcripts, in every dialect."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from msgspec import Raw, Struct

from unbraid.events import (
    EMPTY_OBJECT,
    Error,
    PermissionAsked,
    PermissionReplied,
    Progress,
    Prompt,
    RelayEvent,
    Retracted,
    SessionMeta,
    TextDelta,
    ThinkingDelta,
    TokenUsage,
    ToolResult,
    ToolUse,
    TurnComplete,
    Unrecognized,
    valid_utf8,
)
from unbraid.translate.agents import (
    OTHER_SPAWNING_TOOLS,
    REASONS,
    SPAWNING_TOOLS,
    Agents,
    spawn_input,
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
from unbraid.translate.seen import Seen, forget_oldest
from unbraid.wire.claude import (
    MISSING,
    Block,
    Control,
    Init,
    Result,
    SpawnResult,
    Task,
    TaskUsage,
    Trouble,
    parse_double_encoded,
    split_content,
)
from unbraid.wire.record import Record, milliseconds, read_as, sound
from unbraid.wire.transcript import AGENT_FACTS, AgentFacts, JournalEntry, notification

# Lines that keep the CLI's own books: they tell nothing that an agent said or did.
SILENT_TYPES = frozenset(
    """
    control_response keep_alive tool_progress rate_limit_event prompt_suggestion streamlined_text
    attachment queue-operation last-prompt atis-latch api-request api-request-blob
    api-request-shape tools-used cost-state file-history-snapshot summary ai-title custom-title
    agent-name mode permission-mode progress started launched
    """.split()
)
SILENT_SUBTYPES = frozenset(
    """
    background_tasks_changed status thinking_tokens hook_started hook_progress hook_response
    turn_duration stop_hook_summary local_command session_state_changed files_persisted
    """.split()
)
NOT_A_PROMPT = ("<system-reminder>", "<local-command-", "<command-", "<bash-", "Caveat: ")
ANSWERED = hash("answered")
QUOTE = ord('"')
INTERRUPTED = "[Request interrupted by user"
MAX_HELD_RECORDS = 100_000
RECENT_IDS = 4096


class Flags(Struct):
    """What marks a user line as something else than a person's words."""

    is_replay: bool | None = msgspec.field(default=None, name="isReplay")
    is_synthetic: bool | None = msgspec.field(default=None, name="isSynthetic")


class ToolUseResult(Struct):
    """The copy of a tool's result beside the message, in both spellings."""

    stdout: Raw = msgspec.field(default=Raw(b""), name="tool_use_result")
    transcript: Raw = msgspec.field(default=Raw(b""), name="toolUseResult")


class Claude:
    """The translator of Claude Code's lines."""

    def __init__(self) -> None:
        self.agents = Agents()
        self.agents.before_end = lambda context, out: self._usage_due(context, None, out)
        self.contexts = self.agents.contexts
        self.seen = Seen()
        self.dialects = (Dialect(), Dialect(one_block=True))  # stdout's, the transcripts'
        self.ts = 0
        self.source = STDOUT
        self.outcome: tuple[bool, str] | None = None
        self._held: dict[str, list[Record]] = {}  # agents whose spawning call is not known yet
        self._held_count = 0
        self._by_uuid: dict[str, Context] = {}
        self._by_message: dict[str, Context] = {}
        # Whose a line of stdout is that names nobody but its call, once that is settled.
        self._direct: dict[str | None, Context] = {None: self.contexts.root}
        self._chains: dict[str, str] = {}  # 1.0: the uuid of a sidechain's line: its first line's
        self._ids: list[MessageState] = []  # messages without ids, for dialects that have none
        self._made_ids = 0
        self._asked: dict[str, str] = {}  # tool call: permission request
        self._has_stdout = False
        self._second = ("", 0)
        self._handlers: dict[str, Callable[[Record, list[RelayEvent]], None]] = {
            "assistant": self._assistant,
            "user": self._user,
            "stream_event": self._stream_event,
            "system": self._system,
            "result": self._result,
            "control_request": self._control_request,
            "control_cancel_request": self._control_cancel,
            "error": self._error,
            AGENT_FACTS: self._agent_facts,
        }

    def translate(self, record: Record, out: list[RelayEvent]) -> None:
        """Append what is new in a record."""
        stamp = record.timestamp
        if stamp is not None:
            if type(stamp) is str and len(stamp) == 24:
                # Neighbouring lines share their second: parse that once.
                if stamp[:19] != self._second[0]:
                    self._second = (stamp[:19], milliseconds(stamp[:19] + "Z"))
                millis = stamp[20:23]
                self.ts = self._second[1] + (int(millis) if millis.isdecimal() else 0)
            else:
                self.ts = milliseconds(stamp) or self.ts
            self.agents.ts = self.ts
        self.source = STDOUT if record.is_sidechain is None else TRANSCRIPT
        handler = self._handlers.get(record.type)
        if handler is not None:
            handler(record, out)
        elif record.type not in SILENT_TYPES:
            self._unknown(record, out)

    def finish(self, out: list[RelayEvent]) -> None:
        """The sources are over: settle what was waiting, orphan what was running."""
        self.agents.settle_early(out)
        self._retry(out)
        for agent_id in list(self._held):
            self._release(agent_id, self._stray(agent_id), out)
        root = self.contexts.root
        everyone = self.contexts.everyone()
        for context in [root, *everyone]:
            self._usage_due(context, None, out)
        for context in reversed(everyone):
            if context.spawned and not context.ended:
                self.agents.end(context, *(context.ending or self._fate(context)), out=out)
        if self.outcome is None:
            ok, reason, _ = self._fate(root)
            self.outcome = (ok, reason)

    def _fate(self, context: Context) -> tuple[bool, str, str | None]:
        """How an agent that nobody saw ending has ended, by the last thing it did."""
        if context.interrupted:
            return False, "interrupted", None
        waits = any(call.context is context for call in self.agents.calls.values())
        spoke_last = context.current is not None and not waits and bool(context.last_text)
        if spoke_last and not self._has_stdout:
            return True, "completed", None
        return False, "orphaned", None

    # --- who ---

    def _who(self, record: Record, out: list[RelayEvent]) -> Context | None:
        """The agent a line belongs to, or None if it has to wait for that."""
        contexts = self.contexts
        call = record.parent_tool_use_id
        if call:
            context = contexts.by_call.get(call)
            if context is None and call in self.agents.early:
                self.agents.settle_early(out, call)
                context = contexts.by_call.get(call)
            if context is None:
                owner = self.agents.calls.get(call)
                parent = owner.context if owner is not None else contexts.root
                context = contexts.add(call, parent, call)
            if record.agent_id_stdout is not None and context.agent_id is None:
                self.agents.identify(context, record.agent_id_stdout, out)
                self._retry(out)
            self.agents.announce(context, out)
            self._direct[call] = context
            return context
        if not record.is_sidechain:
            if record.agent_id_stdout is not None:
                return contexts.by_agent.get(record.agent_id_stdout, contexts.root)
            return contexts.root
        agent_id = record.agent_id_transcript or self._chain(record)
        context = contexts.by_agent.get(agent_id)
        if context is None:
            if agent_id not in self._held:
                context = self._join(agent_id, record, out)
            if context is None:
                self._hold(agent_id, record, out)
                return None
        self.agents.announce(context, out)
        return context

    def _chain(self, record: Record) -> str:
        """1.0 writes sub-agents into the session's file, as chains of lines without an id."""
        uuid = record.uuid or ""
        first = self._chains.get(record.parent_uuid or "", uuid)
        self._chains[uuid] = first
        return f"sidechain:{first}"

    def _join(self, agent_id: str, record: Record, out: list[RelayEvent]) -> Context | None:
        """Find the context of an agent id by what its line has in common with known ones."""
        context = self._by_uuid.get(record.uuid or "")
        message = record.message
        if context is None and message is not None:
            if message.id is not None:
                context = self._by_message.get(message.id)
            prompt = _plain(message.content) if record.type == "user" else None
            if context is None:
                found = self.agents.from_facts(agent_id, prompt)
                if found is not None:
                    return found
            if context is None and prompt is not None and not self.agents.knows_call(agent_id):
                waiting = self.contexts.awaiting(prompt)
                if len(waiting) == 1:
                    context = waiting[0]
        if context is not None and context.agent_id is None:
            self.agents.identify(context, agent_id, out)
        elif context is not None:
            self.contexts.by_agent[agent_id] = context
        return context

    def _hold(self, agent_id: str, record: Record, out: list[RelayEvent]) -> None:
        self._held.setdefault(agent_id, []).append(record)
        self._held_count += 1
        if self._held_count > MAX_HELD_RECORDS:
            # Somebody writes and nobody spawned it: rather a stream of its own than no memory.
            self._release(agent_id, self._stray(agent_id), out)

    def _stray(self, agent_id: str) -> Context:
        """A context for an agent that no call is known to have spawned."""
        contexts = self.contexts
        first = self._held[agent_id][0]
        prompt = _plain(first.message.content) if first.message is not None else None
        same = contexts.awaiting(prompt) if prompt is not None else []
        context = same[0] if same else contexts.add(agent_id, contexts.root, None)
        facts = self.agents.facts.get(agent_id)
        if facts is not None:
            context.subagent_type = context.subagent_type or facts.agent_type
            context.description = context.description or facts.description
            context.call = context.call or facts.tool_use_id
        context.prompt = context.prompt or prompt
        contexts.bind(context, agent_id)
        return context

    def _retry(self, out: list[RelayEvent]) -> None:
        """Something was learned about ids: see who need not wait any longer."""
        if not self._held:
            return
        for agent_id in list(self._held):
            records = self._held.get(agent_id)
            if records is None:
                continue
            context = self.contexts.by_agent.get(agent_id)
            for record in records[:8]:
                context = context or self._join(agent_id, record, out)
            if context is not None:
                self._release(agent_id, context, out)

    def _release(self, agent_id: str, context: Context, out: list[RelayEvent]) -> None:
        records = self._held.pop(agent_id)
        self._held_count -= len(records)
        self.agents.announce(context, out)
        source, ts = self.source, self.ts
        for record in records:
            self.translate(record, out)
        self.source, self.ts = source, ts

    # --- what agents say ---

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
        if message.usage is not None and not state.usage_sent:
            if source + source >= state.usage_rank:
                state.usage = message.usage
                state.model = message.model
                state.usage_rank = source + source
            if context.usage_due is not state:
                self._usage_due(context, state, out)
        dialect = self.dialects[source]
        alone = len(content) == 1
        one_block = dialect.one_block and alone
        digests = [digest_of(content[0])] if alone else [digest_of(b) for b in content]
        uuid = record.uuid
        if uuid is not None:
            key = hash(uuid)
            for digest in digests:
                key ^= digest
            if not self.seen.add(key):
                state.repeat(content, digests, source, dialect)
                return None
            state.uuid = uuid
        if content and content[-1].type == "text":
            context.last_text = content[-1].text or ""
        if context.current is not state:
            if source == STDOUT:
                if context.parent is not None and message_id:
                    self._learn(self._by_message, message_id, context, out)
                self._give_up(context, state, out)
            context.current = state
        fresh: Sequence[Fresh]
        if one_block:
            new = state.next(content[0], digests[0], source)
            fresh = () if new is None else (new,)
        else:
            fresh = state.absorb(content, digests, source, dialect, record.skipped)
        for block, index, delta in fresh:
            kind = block.type
            if kind == "text":
                if message.model == "<synthetic>" and delta.startswith("API Error"):
                    out.append(Error(context.id, self.ts, delta, "api_error"))
                else:
                    out.append(TextDelta(context.id, self.ts, state.id, index, delta))
            elif kind == "thinking":
                out.append(ThinkingDelta(context.id, self.ts, state.id, index, delta))
            elif kind.endswith("tool_use"):
                if uuid is not None or self.seen.add(hash((state.id, block.id))):
                    self._tool_use(context, state, block, index, out)
            elif kind.endswith("tool_result"):
                self._tool_result(context, record, block, out)
            else:
                place = next(i for i, each in enumerate(content) if each is block)
                raw = _raw_block(record, place)
                out.append(Unrecognized(context.id, self.ts, raw))
        return None

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
        raw = block.input if block.input is not MISSING else EMPTY_OBJECT
        tool = block.name or ""
        call = self.agents.calls[call_id] = Call(context, state, tool, self.ts)
        out.append(ToolUse(context.id, self.ts, state.id, index, call_id, tool, raw))
        if tool in SPAWNING_TOOLS and call_id:
            given = spawn_input(bytes(raw))
            if given.prompt is not None or given.resume is not None:
                call.spawns = self.agents.call_spawns(call_id, context, given, out)
        if self._held:
            self._retry(out)

    # --- what agents are told ---

    def _user(self, record: Record, out: list[RelayEvent]) -> None:
        message = record.message
        if message is None:
            return self._unknown(record, out)
        context = self._direct.get(record.parent_tool_use_id)
        if context is None or record.is_sidechain or record.agent_id_stdout != context.agent_id:
            context = self._who(record, out)
            if context is None:
                return None
        content = message.content
        uuid = record.uuid
        if uuid is not None and not self.seen.add(hash(uuid)):
            return None
        if isinstance(content, str):
            content = [Block(type="text", text=content)]
        for block in content or ():
            if block.tool_use_id is not None:
                self._tool_result(context, record, block, out)
            elif block.type == "text":
                if uuid is not None and self.source == STDOUT and context.parent is not None:
                    self._learn(self._by_uuid, uuid, context, out)
                self._told(record, context, block.text or "", out)
        return None

    def _learn(
        self, ids: dict[str, Context], key: str, context: Context, out: list[RelayEvent]
    ) -> None:
        """Remember whose an id on stdout is: a transcript may have it in common."""
        ids[key] = context
        forget_oldest(ids, RECENT_IDS)
        if self._held:
            self._retry(out)

    def _told(self, record: Record, context: Context, text: str, out: list[RelayEvent]) -> None:
        if text.startswith(INTERRUPTED):
            context.interrupted = True
            return
        told = notification(text)
        if told is not None:
            self._notified(told, out)
            return
        if not text or record.is_meta or text.startswith(NOT_A_PROMPT):
            return
        if context.parent is not None:
            if context.prompt is None:
                context.prompt = text
            if text == context.prompt or text.endswith(context.prompt):
                return
        elif self.source == STDOUT:
            flags = read_as(Flags, record.raw)
            if flags.is_synthetic:
                return
        context.interrupted = False
        out.append(Prompt(context.id, self.ts, text))

    def _notified(self, told: dict[str, str], out: list[RelayEvent]) -> None:
        """A parent is told, in its conversation, that an agent has ended."""
        task = Task(
            task_id=told.get("task-id"),
            tool_use_id=told.get("tool-use-id"),
            status=told.get("status"),
            summary=told.get("result"),
        )
        self._task_over(task, out)

    def _tool_result(
        self, context: Context, record: Record, block: Block, out: list[RelayEvent]
    ) -> None:
        call_id = block.tool_use_id or ""
        call = self.agents.calls.pop(call_id, None)
        answered = self.seen.add(hash(call_id) ^ ANSWERED)
        tool = duration = None
        if call is not None:
            tool = call.tool
            call.message.closed = True
            if call.context.parent is not None or context.parent is None:
                context = call.context  # no id on the line: the call knows whose it is
            if call.ts and self.ts >= call.ts:
                duration = self.ts - call.ts
        elif not answered:
            return
        ok = not block.is_error
        content = block.content
        parts = None
        if content is MISSING or memoryview(content)[0] != QUOTE:
            text, parts = split_content(_decoded(content))
            content = Raw(msgspec.json.encode(text))
        request = self._asked.pop(call_id, None) if self._asked else None
        if request is not None:
            behavior = "allow" if ok else "deny"
            out.append(PermissionReplied(context.id, self.ts, request, behavior))
        out.append(ToolResult(context.id, self.ts, call_id, ok, content, parts, tool, duration))
        if (
            (call is not None and (call.spawns is not None or tool in OTHER_SPAWNING_TOOLS))
            or call_id in self.contexts.by_call
            or (call is None and b'gentId"' in record.raw)
        ):
            given = self._spawn_result(record)
            if given.content is None and parts is None:
                given.content = _decoded(content)
            self.agents.call_answered(call_id, call, given, ok, out)
            self._retry(out)

    def _spawn_result(self, record: Record) -> SpawnResult:
        beside = read_as(ToolUseResult, record.raw)
        raw = bytes(beside.stdout) or bytes(beside.transcript)
        return read_as(SpawnResult, raw) if raw.startswith(b"{") else SpawnResult()

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
                context.current = context.live = state
                if event.message.usage is not None and state.usage is None:
                    state.usage = event.message.usage
                    state.model = event.message.model
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
            if usage is not None and current.usage_rank < 2:
                current.usage_rank = 1
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
        if state is None or state.usage_sent or state.usage is None:
            return
        state.usage_sent = True
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

    def _result(self, record: Record, out: list[RelayEvent]) -> None:
        if record.agent_id_transcript is not None:  # a line of a workflow's journal
            entry = read_as(JournalEntry, record.raw)
            context = self.contexts.by_agent.get(entry.agent_id or "")
            if context is not None:
                answer = entry.result if isinstance(entry.result, str) else None
                self.agents.end(context, True, "completed", answer, out=out)
            return
        if record.uuid is not None and not self.seen.add(hash(record.uuid)):
            return
        self._settle_endings(None, out)
        given = read_as(Result, record.raw)
        root = self.contexts.root
        self._usage_due(root, None, out)
        ok = not given.is_error and not given.subtype.startswith("error")
        reason = "completed" if ok else "interrupted" if root.interrupted else "failed"
        root.interrupted = False
        self.outcome = (ok, reason)
        result = None if given.result is None else given.result
        if isinstance(result, str) and result == root.last_text:
            text: str | None = result  # a text that is itself JSON, not JSON inside JSON
        else:
            text = None if result is None else parse_double_encoded(result)
        totals = None
        if given.model_usage:
            totals = TokenUsage()
            for share in given.model_usage.values():
                totals.input_tokens += share.input_tokens
                totals.output_tokens += share.output_tokens
                totals.cache_read_tokens += share.cache_read_tokens
                totals.cache_creation_tokens += share.cache_creation_tokens
        out.append(
            TurnComplete(
                "",
                self.ts,
                ok,
                given.subtype,
                text,
                None if given.duration_ms is None else round(given.duration_ms),
                given.num_turns,
                given.total_cost_usd,
                totals,
            )
        )
        if root.live is not None:
            root.live.stream_over()
        for state in root.messages.values():
            state.closed = True

    # --- the CLI's own lines ---

    def _system(self, record: Record, out: list[RelayEvent]) -> None:
        subtype = record.subtype or ""
        if subtype.startswith("task_"):
            return self._task(record, subtype, out)
        if subtype == "init":
            self._has_stdout = True
            given = read_as(Init, record.raw)
            self.agents.session_id = record.session_id or self.agents.session_id
            meta = SessionMeta(
                "",
                self.ts,
                record.session_id,
                given.model,
                given.tools,
                given.cwd,
                given.claude_code_version,
            )
            facts = (meta.session_id, meta.model, meta.cwd, meta.version, meta.tools)
            if facts != self.contexts.root.meta:
                self.contexts.root.meta = facts
                out.append(meta)
            return None
        if subtype in ("api_retry", "api_error"):
            trouble = read_as(Trouble, record.raw)
            message = trouble.error if isinstance(trouble.error, str) else subtype
            out.append(Error("", self.ts, message, subtype))
        elif subtype == "model_refusal_fallback":
            trouble = read_as(Trouble, record.raw)
            uuids = set(trouble.retracted_message_uuids or ())
            ids = [
                state.id
                for context in [self.contexts.root, *self.contexts.everyone()]
                for state in context.messages.values()
                if state.uuid in uuids
            ]
            out.append(Retracted("", self.ts, ids))
        elif subtype not in SILENT_SUBTYPES:
            self._unknown(record, out)
        return None

    def _task(self, record: Record, subtype: str, out: list[RelayEvent]) -> None:
        if record.uuid is not None and not self.seen.add(hash(record.uuid)):
            return
        task = read_as(Task, record.raw)
        self._settle_endings(task.task_id if subtype == "task_notification" else None, out)
        if subtype == "task_started":
            self.agents.task_started(task, out)
            self._retry(out)
        elif subtype == "task_progress":
            usage = task.usage or TaskUsage()
            out += [
                Progress(
                    context.id,
                    self.ts,
                    usage.tool_uses,
                    usage.total_tokens,
                    usage.duration_ms,
                    task.last_tool_name,
                )
                for context in self.agents.of_task(task)
            ]
        elif subtype == "task_updated":
            status = task.patch.status if task.patch is not None else None
            if status in REASONS:
                for context in self.agents.of_task(task):
                    context.ending = (status == "completed", REASONS[status], None)
        elif subtype == "task_notification":
            self._task_over(task, out)
        else:
            self._unknown(record, out)

    def _task_over(self, task: Task, out: list[RelayEvent]) -> None:
        reason = REASONS.get(task.status or "", "failed")
        for context in self.agents.of_task(task):
            if task.tool_use_id is not None and task.tool_use_id != context.call:
                continue  # an earlier invocation of an agent that was asked again since
            ending = (reason == "completed", reason, task.summary)
            call = self.agents.calls.get(context.call or "")
            if call is not None:
                # The parent still waits for the call: its result will bring the answer.
                context.ending = ending
            else:
                self.agents.end(context, *ending, out=out)

    def _settle_endings(self, notified: str | None, out: list[RelayEvent]) -> None:
        """`task_updated` may be the only sign of an end; a notification right after is better."""
        for context in self.contexts.by_agent.values():
            if context.ending is None or context.ended or context.agent_id == notified:
                continue
            if self.agents.calls.get(context.call or "") is None:
                self.agents.end(context, *context.ending, out=out)

    def _agent_facts(self, record: Record, out: list[RelayEvent]) -> None:
        facts = read_as(AgentFacts, record.raw)
        if facts.agent_id:
            self.agents.facts.setdefault(facts.agent_id, facts)
            self._retry(out)

    def _control_request(self, record: Record, out: list[RelayEvent]) -> None:
        control = read_as(Control, record.raw)
        request = control.request
        if request is None or request.subtype != "can_use_tool":
            return
        call_id = request.tool_use_id
        if call_id is None:  # 1.0 does not say which call it is about
            open_calls = self.agents.calls.items()
            call_id = next((i for i, c in open_calls if c.tool == request.tool_name), None)
        call = self.agents.calls.get(call_id or "")
        context = call.context if call is not None else self.contexts.root
        if call_id is not None:
            self._asked[call_id] = control.request_id
        raw = request.input if request.input is not MISSING else EMPTY_OBJECT
        out.append(
            PermissionAsked(
                context.id,
                self.ts,
                control.request_id,
                request.tool_name,
                call_id,
                raw,
            )
        )

    def _control_cancel(self, record: Record, out: list[RelayEvent]) -> None:
        request_id = read_as(Control, record.raw).request_id
        for call_id, asked in list(self._asked.items()):
            if asked == request_id:
                del self._asked[call_id]
        out.append(PermissionReplied("", self.ts, request_id, "cancelled"))

    def _error(self, record: Record, out: list[RelayEvent]) -> None:
        trouble = read_as(Trouble, record.raw)
        told = trouble.error if trouble.error is not None else trouble.message
        message = told if isinstance(told, str) else msgspec.json.encode(told).decode()
        out.append(Error("", self.ts, message))

    def _unknown(self, record: Record, out: list[RelayEvent]) -> None:
        out.append(Unrecognized("", self.ts, sound(record.raw)))


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


def _decoded(raw: Raw) -> object:
    return msgspec.json.decode(valid_utf8(bytes(raw))) if raw is not MISSING else None


def _plain(content: list[Block] | str | None) -> str | None:
    if isinstance(content, str):
        return content
    if content and content[0].type == "text":
        return content[0].text
    return None
