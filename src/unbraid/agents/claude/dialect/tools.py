"""Tool calls and their results, in Claude Code's records."""

from __future__ import annotations

import struct

import msgspec
from msgspec import Raw, Struct

from unbraid.agents.claude.dialect.attribution import Attribution
from unbraid.agents.claude.dialect.permissions import Permissions
from unbraid.agents.claude.dialect.spawns import Spawns
from unbraid.agents.claude.records import (
    OTHER_SPAWNING_TOOLS,
    SPAWNING_TOOLS,
    ClaudeRecord,
    SpawnInput,
    SpawnResult,
)
from unbraid.events import (
    EMPTY_OBJECT,
    RelayEvent,
    TextDelta,
    ThinkingDelta,
    ToolResult,
    ToolUse,
)
from unbraid.events.parts import decoded
from unbraid.read.blocks import Block, MessageState
from unbraid.read.clock import Clock
from unbraid.read.content import extract_content, split_content
from unbraid.read.contexts import Context, OpenCall
from unbraid.read.lifecycle import Agents
from unbraid.read.record import MISSING, read_as
from unbraid.read.seen import newly

ANSWERED = hash("answered")
QUOTE = (ord('"'),)
_first_byte = struct.Struct("B").unpack_from


class ToolUseResult(Struct):
    """The copy of a tool's result beside the message, in both spellings."""

    stdout: Raw = msgspec.field(default=MISSING, name="tool_use_result")
    transcript: Raw = msgspec.field(default=MISSING, name="toolUseResult")


class ToolCalls:
    """Reports each call once, when its input is complete, and each result once.

    `unfilled` has the calls whose input is still empty, in a dialect where blocks grow in place,
    and the messages with an undecided text. If it is empty, nothing waits.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        agents: Agents,
        spawns: Spawns,
        attribution: Attribution,
        permissions: Permissions,
        seen: dict[int, None],
    ) -> None:
        self._clock = clock
        self._agents = agents
        self._spawns = spawns
        self._attribution = attribution
        self._permissions = permissions
        self._seen = seen
        self.unfilled: dict[str, tuple[Context, MessageState, Block, int]] = {}

    def use(
        self,
        context: Context,
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
                call.spawns = self._spawns.call_made(call_id, context, given, out)
        if self._permissions.uncalled is not None and call.spawns is None:
            self._permissions.called(call_id, context, tool, out)
        if self._attribution.held:
            self._attribution.retry(out)

    def result(
        self, context: Context, record: ClaudeRecord, block: Block, out: list[RelayEvent]
    ) -> None:
        """Reports the result of a tool call."""
        call_id = block.tool_use_id or ""
        if call_id in self.unfilled:
            self.use(*self.unfilled.pop(call_id), out)
        call = self._agents.calls.pop(call_id, None)
        answered = newly(self._seen, hash(call_id) ^ ANSWERED)
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
        if self._permissions.requests:
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
            self._spawns.call_answered(call_id, call, given, text=handed, ok=ok, out=out)
            self._attribution.retry(out)

    # --- calls whose input grows ---

    def fill(
        self, context: Context, state: MessageState, content: list[Block], out: list[RelayEvent]
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

    def _settle(self, context: Context, state: MessageState, out: list[RelayEvent]) -> None:
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
