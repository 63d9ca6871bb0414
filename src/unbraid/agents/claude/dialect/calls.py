"""Tool calls, the permission requests for them, and their results.

A permission request comes as a `control_request`. A session's process also publishes that its
terminal asks, but not for what; a hook says for what. Either may come first, and both are one
request.
"""

from __future__ import annotations

import struct

import msgspec
from msgspec import Raw, Struct

from unbraid.agents.claude.dialect.attribution import Attribution
from unbraid.agents.claude.dialect.contexts import (
    ClaudeAgents,
    ClaudeContext,
    MessageState,
    OpenCall,
)
from unbraid.agents.claude.records import (
    OTHER_SPAWNING_TOOLS,
    SPAWNING_TOOLS,
    Block,
    ClaudeRecord,
    ControlRecord,
    SpawnInput,
    SpawnResult,
)
from unbraid.agents.claude.transcript import HookedPermission
from unbraid.events import (
    EMPTY_OBJECT,
    PermissionAsked,
    PermissionReplied,
    RelayEvent,
    TextDelta,
    ThinkingDelta,
    ToolResult,
    ToolUse,
)
from unbraid.events.parts import decoded
from unbraid.read.content import extract_content, split_content
from unbraid.read.record import MISSING, read_as
from unbraid.read.seen import newly

# What a process of Claude Code publishes and what its hooks say of one dialog are this close.
SAME_DIALOG_MS = 3000
# No person answers a dialog faster.
DIALOG_ANSWER_MS = 300

ANSWERED = hash("answered")
QUOTE = (ord('"'),)
_first_byte = struct.Struct("B").unpack_from


class ToolUseResult(Struct):
    """The copy of a tool's result beside the message, in both spellings."""

    stdout: Raw = msgspec.field(default=MISSING, name="tool_use_result")
    transcript: Raw = msgspec.field(default=MISSING, name="toolUseResult")


class _Request(Struct):
    """A permission request that is open; `asked_ms` is when a hook brought it, 0 if none did."""

    context_id: str
    call_id: str | None
    in_terminal: bool
    by_hook: bool
    asked_ms: int


class Permissions:
    """Which tool calls wait for a permission: `by_call` has their request ids."""

    def __init__(self, agents: ClaudeAgents) -> None:
        self._agents = agents
        self._clock = agents.clock
        self._open: dict[str, _Request] = {}
        self.by_call: dict[str, str] = {}
        self._answered_ms = 0  # when the request was made that was answered here last
        self.uncalled: str | None = None  # asked in a terminal, for a call that was not read yet

    def asked(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles a `control_request` record."""
        control = read_as(ControlRecord, record.raw)
        request = control.request
        if request is None or request.subtype != "can_use_tool":
            return
        call_id = request.tool_use_id
        if call_id is None:  # 1.0 does not say which call it is about
            open_calls = self._agents.calls.items()
            call_id = next((i for i, c in open_calls if c.tool == request.tool_name), None)
        call = self._agents.calls.get(call_id or "")
        context = call.context if call is not None else self._agents.contexts.root
        asked = self._ask(control.request_id, context, call_id, request.tool_name, out)
        asked.input_json, asked.can_edit = request.input, True

    def cancelled(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles a `control_cancel_request` record."""
        request_id = read_as(ControlRecord, record.raw).request_id
        self._unlink(request_id)
        self._reply("", request_id, "cancelled", out)

    def awaited(self, request_id: str, out: list[RelayEvent]) -> None:
        """Reports that a person is asked in the session's own terminal: for the oldest call that is
        open and starts no agent, as far as can be seen from outside.
        """
        # What is published may be read after the request was answered here.
        is_over = abs(self._clock.own - self._answered_ms) < SAME_DIALOG_MS
        if is_over or any(request.in_terminal for request in self._open.values()):
            return
        calls = self._agents.calls
        asking = [name for name, call in calls.items() if call.spawns is None]
        call_id = next((name for name in asking if name not in self.by_call), None)
        call = calls.get(call_id or "")
        context = call.context if call is not None else self._agents.contexts.root
        tool = call.tool if call is not None else ""
        self._ask(request_id, context, call_id, tool, out, in_terminal=True)
        if call_id is None:
            self.uncalled = request_id

    def called(
        self, call_id: str, context: ClaudeContext, tool: str, out: list[RelayEvent]
    ) -> None:
        """Assigns a request that was published without a call to this call, which starts no agent
        and was read after it.
        """
        request_id, self.uncalled = self.uncalled, None
        if request_id is not None:
            self._reply(self._open[request_id].context_id, request_id, "cancelled", out)
            self._ask(request_id, context, call_id, tool, out, in_terminal=True)

    def dismissed(self, out: list[RelayEvent]) -> None:
        """Reports that the requests in the terminal are answered. The call's result may show the
        answer later.
        """
        for request_id, request in list(self._open.items()):
            # What the process did before it asked may be read after the request.
            is_new = request.asked_ms and self._clock.own < request.asked_ms + DIALOG_ANSWER_MS
            if request.in_terminal and not is_new:
                self._forget(request_id)
                self._reply(request.context_id, request_id, "answered", out)

    def hooked(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles an `unbraid.permission` record: a request that a hook has brought, or its
        answer.
        """
        given = read_as(HookedPermission, record.raw)
        request_id = given.request_id
        request = self._open.get(request_id)
        if given.behavior is None:
            self._hook_asked(given, record.agent_id, out)
        elif request is not None and request.by_hook:
            self._answered_ms = request.asked_ms
            self._forget(request_id)
            reply = self._reply(request.context_id, request_id, given.behavior, out)
            reply.by, reply.where, reply.message = given.by, given.where, given.message

    def _hook_asked(
        self, given: HookedPermission, agent_id: str | None, out: list[RelayEvent]
    ) -> None:
        contexts = self._agents.contexts
        found = contexts.root if agent_id is None else contexts.by_agent.get(agent_id)
        context = found if found is not None and found.spawned else contexts.root
        if given.in_terminal:
            for request_id, request in list(self._open.items()):
                # Published before: now it is known for what.
                if request.in_terminal and not request.asked_ms:
                    self._forget(request_id)
                    self._reply(request.context_id, request_id, "cancelled", out)
        call_id = next(
            (
                name
                for name, call in self._agents.calls.items()
                if call.context is context and call.tool == given.tool and name not in self.by_call
            ),
            None,
        )
        asked = self._ask(
            given.request_id,
            context,
            call_id,
            given.tool,
            out,
            in_terminal=given.in_terminal,
            by_hook=True,
        )
        asked.input_json, asked.can_edit, asked.always = given.input, True, given.always
        asked.also_in_terminal, asked.held_until = given.in_terminal, given.held_until

    def answered(
        self, call_id: str, context: ClaudeContext, out: list[RelayEvent], *, ok: bool
    ) -> None:
        """Reports that a call's permission request was answered, because the call has its
        result.
        """
        request_id = self.by_call.get(call_id)
        if request_id is not None:
            self._forget(request_id)
            self._reply(context.id, request_id, "allow" if ok else "deny", out)

    def _ask(
        self,
        request_id: str,
        context: ClaudeContext,
        call_id: str | None,
        tool: str,
        out: list[RelayEvent],
        *,
        in_terminal: bool = False,
        by_hook: bool = False,
    ) -> PermissionAsked:
        known = self._open.get(request_id)
        linked = known.call_id if known is not None else None
        if call_id is not None:
            self._unlink(request_id)
            self._unlink(self.by_call.get(call_id, ""))
            self.by_call[call_id] = request_id
            linked = call_id
        if linked is not None or in_terminal or by_hook:
            asked_ms = self._clock.own if by_hook else 0
            self._open[request_id] = _Request(context.id, linked, in_terminal, by_hook, asked_ms)
        asked = PermissionAsked(
            context.id, self._clock.ts, request_id=request_id, tool=tool, tool_use_id=call_id
        )
        out.append(asked)
        return asked

    def _reply(
        self, context_id: str, request_id: str, behavior: str, out: list[RelayEvent]
    ) -> PermissionReplied:
        reply = PermissionReplied(context_id, self._clock.ts, request_id, behavior=behavior)
        out.append(reply)
        return reply

    def _forget(self, request_id: str) -> None:
        self._unlink(request_id)
        self._open.pop(request_id, None)
        self.uncalled = None if self.uncalled == request_id else self.uncalled

    def _unlink(self, request_id: str) -> None:
        """Makes a request one for no call; one that only its call could answer is over."""
        request = self._open.get(request_id)
        if request is not None and request.call_id is not None:
            del self.by_call[request.call_id]
            request.call_id = None
            if not (request.in_terminal or request.by_hook):
                del self._open[request_id]


class ToolCalls:
    """Reports each call once, when its input is complete, and each result once.

    `unfilled` has the calls whose input is still empty, in a dialect where blocks grow in place,
    and the messages with an undecided text. If it is empty, nothing waits.
    """

    def __init__(
        self, agents: ClaudeAgents, attribution: Attribution, permissions: Permissions
    ) -> None:
        self._agents = agents
        self._clock = agents.clock
        self._attribution = attribution
        self._permissions = permissions
        self.unfilled: dict[str, tuple[ClaudeContext, MessageState, Block, int]] = {}

    def use(
        self,
        context: ClaudeContext,
        state: MessageState,
        block: Block,
        index: int,
        out: list[RelayEvent],
    ) -> None:
        """Reports that an agent calls a tool."""
        call_id = block.id or ""
        tool = block.name or ""
        ts = self._clock.ts
        # By position, because there are so many, and it is quicker.
        call = self._agents.calls[call_id] = OpenCall(context, state, tool, ts)
        out.append(ToolUse(context.id, ts, state.id, index, call_id, tool, block.input))
        if tool in SPAWNING_TOOLS and call_id:
            given = read_as(SpawnInput, bytes(block.input))
            if given.prompt is not None or given.resume is not None:
                call.spawns = self._attribution.call_made(call_id, context, given, out)
        if self._permissions.uncalled is not None and call.spawns is None:
            self._permissions.called(call_id, context, tool, out)
        if self._attribution.held:
            self._attribution.retry(out)

    def result(
        self, context: ClaudeContext, record: ClaudeRecord, block: Block, out: list[RelayEvent]
    ) -> None:
        """Reports the result of a tool call."""
        call_id = block.tool_use_id or ""
        if call_id in self.unfilled:
            self.use(*self.unfilled.pop(call_id), out)
        call = self._agents.calls.pop(call_id, None)
        answered = newly(self._agents.seen, hash(call_id) ^ ANSWERED)
        ts = self._clock.ts
        tool = duration = None
        if call is not None:
            tool = call.tool
            call.message.closed = True
            if call.context.parent is not None or context.parent is None:
                context = call.context  # no id on the line: the call shows the agent
            if call.ts and ts >= call.ts:
                duration = ts - call.ts
        elif not answered:
            return
        ok = not block.is_error
        content = block.content
        parts = None
        if content is MISSING or _first_byte(content) != QUOTE:
            text, parts = split_content(_decoded(content))
            content = Raw(msgspec.json.encode(text))
        if self._permissions.by_call:
            self._permissions.answered(call_id, context, out, ok=ok)
        out.append(ToolResult(context.id, ts, call_id, ok, content, parts, tool, duration))
        if (
            (call is not None and (call.spawns is not None or tool in OTHER_SPAWNING_TOOLS))
            or call_id in self._agents.contexts.by_call
            or (call is None and b'gentId"' in record.raw)
        ):
            given = _spawn_result(record)
            whole = given.content is None and parts is None
            handed = extract_content(_decoded(content)) if whole else None
            self._attribution.call_answered(call_id, call, given, text=handed, ok=ok, out=out)
            self._attribution.retry(out)

    # --- calls whose input grows ---

    def fill(
        self,
        context: ClaudeContext,
        state: MessageState,
        content: list[Block],
        out: list[RelayEvent],
    ) -> None:
        """Reports an agent's calls that have their input now, or will not get any."""
        grown = {block.id: block for block in content}
        for call_id, (whose, message, block, index) in list(self.unfilled.items()):
            if whose is not context:
                continue
            if message.undecided is not None:
                del self.unfilled[call_id]
                if message is not state:
                    self._settle(whose, message, out)
                continue
            now = grown.get(call_id)
            if (
                message is state
                and now is not None
                and now is content[-1]
                and now.input == EMPTY_OBJECT
            ):
                continue
            del self.unfilled[call_id]
            self.use(whose, message, now or block, index, out)

    def fill_all(self, out: list[RelayEvent]) -> None:
        """Reports all calls that still wait for their input, as they are: their turn is over."""
        while self.unfilled:
            context, state, block, index = self.unfilled.pop(next(iter(self.unfilled)))
            if state.undecided is not None:
                self._settle(context, state, out)
            else:
                self.use(context, state, block, index, out)

    def _settle(self, context: ClaudeContext, state: MessageState, out: list[RelayEvent]) -> None:
        """Reports a text that might have been growth: its message is over."""
        new = state.settle()
        if new is not None:
            block, index, words = new
            event = TextDelta if block.type == "text" else ThinkingDelta
            out.append(event(context.id, self._clock.ts, state.id, index, words))


def _spawn_result(record: ClaudeRecord) -> SpawnResult:
    beside = read_as(ToolUseResult, record.raw)
    raw = bytes(beside.stdout) or bytes(beside.transcript)
    return read_as(SpawnResult, raw) if raw.startswith(b"{") else SpawnResult()


def _decoded(raw: Raw) -> object:
    return decoded(bytes(raw)) if raw is not MISSING else None
