"""What agents are told, in Claude Code's lines of any dialect: prompts, and answers to calls."""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from unbraid.agents.claude.attribution import Speakers
from unbraid.agents.claude.records import (
    MISSING,
    Block,
    SpawnResult,
    Task,
    extract_content,
    split_content,
)
from unbraid.agents.claude.transcript import notification
from unbraid.events import (
    PermissionReplied,
    Prompt,
    RelayEvent,
    ToolResult,
    Unrecognized,
)
from unbraid.events.parts import decoded
from unbraid.translate.blocks import STDOUT, MessageState
from unbraid.translate.contexts import Context
from unbraid.translate.lifecycle import OTHER_SPAWNING_TOOLS
from unbraid.translate.seen import newly
from unbraid.wire.record import Record, read_as, sound

NOT_A_PROMPT = ("<system-reminder>", "<local-command-", "<command-", "<bash-", "Caveat: ")
ANSWERED = hash("answered")
QUOTE = ord('"')
INTERRUPTED = "[Request interrupted by user"


class Flags(Struct):
    """What marks a user line as something else than a person's words."""

    is_replay: bool | None = msgspec.field(default=None, name="isReplay")
    is_synthetic: bool | None = msgspec.field(default=None, name="isSynthetic")


class ToolUseResult(Struct):
    """The copy of a tool's result beside the message, in both spellings."""

    stdout: Raw = msgspec.field(default=Raw(b""), name="tool_use_result")
    transcript: Raw = msgspec.field(default=Raw(b""), name="toolUseResult")


class Told(Speakers):
    """Turns user lines into events."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[int, None] = {}
        self._asked: dict[str, str] = {}  # tool call: permission request
        # Calls whose input is still empty, in a dialect where blocks grow in place.
        self._unfilled: dict[str, tuple[Context, MessageState, Block, int]] = {}

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
        if isinstance(content, str):
            content = [Block(type="text", text=content)]
        for block in content or ():
            if block.tool_use_id is not None:
                self._tool_result(context, record, block, out)
            elif block.type == "text":
                # Results are told once for their call; words, once for their line.
                if uuid is not None:
                    if not newly(self.seen, hash(uuid)):
                        return None
                    if self.source == STDOUT and context.parent is not None:
                        self._learn(self._by_uuid, uuid, context, out)
                    uuid = None
                self._told(record, context, block.text or "", out)
        return None

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
        if call_id in self._unfilled:
            self._tool_use(*self._unfilled.pop(call_id), out)
        call = self.agents.calls.pop(call_id, None)
        answered = newly(self.seen, hash(call_id) ^ ANSWERED)
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
            told = (
                extract_content(_decoded(content))
                if given.content is None and parts is None
                else None
            )
            self.agents.call_answered(call_id, call, given, told, ok, out)
            self._retry(out)

    def _spawn_result(self, record: Record) -> SpawnResult:
        beside = read_as(ToolUseResult, record.raw)
        raw = bytes(beside.stdout) or bytes(beside.transcript)
        return read_as(SpawnResult, raw) if raw.startswith(b"{") else SpawnResult()

    def _task_over(self, task: Task, out: list[RelayEvent]) -> None:
        """A task has ended, as told by the CLI or in its parent's conversation."""
        raise NotImplementedError

    def _tool_use(
        self,
        context: Context,
        state: MessageState,
        block: Block,
        index: int,
        out: list[RelayEvent],
    ) -> None:
        """An agent calls a tool."""
        raise NotImplementedError

    def _unknown(self, record: Record, out: list[RelayEvent]) -> None:
        out.append(Unrecognized("", self.ts, sound(record.raw)))


def _decoded(raw: Raw) -> object:
    return decoded(bytes(raw)) if raw is not MISSING else None
