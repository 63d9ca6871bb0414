"""Claude Code's messages: what stands inside a line, and the protocol's gotchas by name."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Raw, Struct

from unbraid.events import EMPTY_OBJECT

MISSING = Raw(b"")


class Usage(Struct, gc=False):
    """Token counts of one model message."""

    # In the order real lines have them, here and below: the decoder looks for the next field first.
    input_tokens: int | None = 0
    cache_creation_input_tokens: int | None = 0
    cache_read_input_tokens: int | None = 0
    output_tokens: int | None = 0


class Block(Struct, gc=False):
    """One content block of any type; what its type does not use stays at its default."""

    type: str = ""
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = EMPTY_OBJECT
    tool_use_id: str | None = None
    content: Raw = MISSING
    is_error: bool | None = None

    @property
    def words(self) -> str:
        """What a text or thinking block says; thinking sits in either field."""
        return (self.text if self.thinking is None else self.thinking) or ""


class Message(Struct, gc=False):
    """The `message` of an assistant or user line."""

    id: str | None = None
    model: str | None = None
    content: list[Block] | str | None = None
    usage: Usage | None = None


class Delta(Struct, gc=False):
    """The `delta` of a raw API event."""

    type: str = ""
    text: str | None = None
    thinking: str | None = None


class ApiEvent(Struct, gc=False):
    """A raw API event inside a `stream_event` line."""

    type: str = ""
    index: int = 0
    message: Message | None = None
    content_block: Block | None = None
    delta: Delta | None = None
    usage: Usage | None = None


# How the result of a call begins that has only started an agent. All there is to know it by where
# no `tool_use_result` stands beside it: in a sub-agent's own conversation.
LAUNCHED = "Async agent launched"

_FOREWORD = re.compile(r"\A<tools-used-before-summary>[^<]*</tools-used-before-summary>\s*")
_AFTERWORD = re.compile(r"\n?agentId: [\w-]+ \(use SendMessage[^\n]*(\n<usage>[^<]*</usage>)?\s*\Z")
_FRAME = re.compile(r"^\[Subagent hand-back\][^\n]*\n", re.MULTILINE)
_INDENT = re.compile(r"^  ", re.MULTILINE)


class SpawnResult(Struct):
    """What `tool_use_result` tells of a call that started an agent or a workflow."""

    status: str | None = None
    is_async: bool | None = msgspec.field(default=None, name="isAsync")
    agent_id: str | None = msgspec.field(default=None, name="agentId")
    resumed_agent_id: str | None = msgspec.field(default=None, name="resumedAgentId")
    prompt: str | None = None
    resolved_model: str | None = msgspec.field(default=None, name="resolvedModel")
    run_id: str | None = msgspec.field(default=None, name="runId")
    content: Any = None


class SpawnInput(Struct):
    """The arguments of a call that starts an agent, or asks one again."""

    prompt: str | None = None
    description: str | None = None
    subagent_type: str | None = None
    model: str | None = None
    run_in_background: bool | None = None
    resume: str | None = None


class Init(Struct):
    """`system/init`: comes at every turn."""

    model: str | None = None
    tools: list[str] | None = None
    cwd: str | None = None
    claude_code_version: str | None = None


class TaskUsage(Struct):
    """How far a task is."""

    total_tokens: int | None = None
    tool_uses: int | None = None
    duration_ms: int | None = None


class TaskPatch(Struct):
    """What `task_updated` changes."""

    status: str | None = None
    error: str | None = None


class Task(Struct):
    """`system/task_*`: the life of a sub-agent, a workflow or a background shell."""

    task_id: str | None = None
    tool_use_id: str | None = None
    parent_task_id: str | None = None
    task_type: str | None = None
    subagent_type: str | None = None
    description: str | None = None
    prompt: str | None = None
    is_backgrounded: bool | None = None
    status: str | None = None
    summary: str | None = None
    last_tool_name: str | None = None
    usage: TaskUsage | None = None
    patch: TaskPatch | None = None

    @property
    def is_agent(self) -> bool:
        """Whether this task is an agent, not a workflow or a shell."""
        if self.task_type is None:
            return self.subagent_type is not None
        return "agent" in self.task_type


class ModelUsage(Struct):
    """One model's share of a result's account."""

    input_tokens: int = msgspec.field(default=0, name="inputTokens")
    output_tokens: int = msgspec.field(default=0, name="outputTokens")
    cache_read_tokens: int = msgspec.field(default=0, name="cacheReadInputTokens")
    cache_creation_tokens: int = msgspec.field(default=0, name="cacheCreationInputTokens")


class Result(Struct):
    """A turn's end; `modelUsage` and `total_cost_usd` are cumulative over the whole tree."""

    subtype: str = ""
    is_error: bool | None = None
    result: Any = None
    duration_ms: float | None = None
    num_turns: int | None = None
    total_cost_usd: float | None = None
    model_usage: dict[str, ModelUsage] | None = msgspec.field(default=None, name="modelUsage")
    errors: list[Any] | None = None


class ControlRequest(Struct):
    """What the CLI asks of whoever drives it."""

    subtype: str = ""
    tool_name: str = ""
    tool_use_id: str | None = None
    input: Raw = EMPTY_OBJECT


class Control(Struct):
    """A `control_request` line."""

    request_id: str = ""
    request: ControlRequest | None = None


class Trouble(Struct):
    """The fields in which lines of several types tell what went wrong."""

    error: Any = None
    message: Any = None
    content: Any = None
    error_status: Any = None
    retracted_message_uuids: list[str] | None = None


def extract_content(content: Any) -> str:
    """A tool result's content as plain text, whichever of its shapes it comes in."""
    return split_content(content)[0]


def split_content(content: Any) -> tuple[str, list[Any] | None]:
    """A tool result's text, and every part of it that is not text."""
    if content is None:
        return "", None
    if isinstance(content, str):
        return content, None
    if not isinstance(content, list):
        content = [content]
    texts: list[str] = []
    parts: list[Any] = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif _is_text(part):
            texts.append(part["text"])
        elif part is not None:
            parts.append(part)
    return "\n".join(texts), parts or None


def handed_back(text: str) -> str:
    """What an agent answered, out of what its caller is told: without the list of tools before it,
    the id and the usage after it, and the frame that newer versions put every line of it in.
    """
    text = _AFTERWORD.sub("", text)
    frame = _FRAME.search(text)
    if frame is not None:
        return _INDENT.sub("", text[frame.end() :])
    return _FOREWORD.sub("", text)


def parse_double_encoded(result: Any) -> str:
    """The text of a `result`, which may be JSON inside JSON, or plain."""
    if not isinstance(result, str):
        return "" if result is None else msgspec.json.encode(result).decode()
    if result.startswith('"') and result.endswith('"'):
        try:
            return msgspec.json.decode(result, type=str)
        except msgspec.MsgspecError:
            return result
    return result


def fingerprint(block: Any) -> str:
    """A block's identity as dialects without ids have it: a tool call's id, or how it opens."""

    def get(name: str) -> Any:
        return block.get(name) if isinstance(block, dict) else getattr(block, name, None)

    kind = get("type") or "unknown"
    if kind == "tool_use":
        return f"tool_use:{get('id')}"
    if kind in ("text", "thinking"):
        thinking = get("thinking") if kind == "thinking" else None
        words = get("text") if thinking is None else thinking
        return f"{kind}:{(words if isinstance(words, str) else '')[:64]}"
    return f"{kind}:{get('tool_use_id') or 'unknown'}"


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and type(part.get("text")) is str
