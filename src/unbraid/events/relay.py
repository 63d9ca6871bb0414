"""Relay events: what one agent newly said.

A relay event names its `context`, the conversation it belongs to: `""` is the main agent, any other
value one of its sub-agents.
"""

from __future__ import annotations

from typing import Any

from msgspec import Raw, field

from unbraid.events.parts import (
    EMPTY_OBJECT,
    EMPTY_STRING,
    Typed,
    WithContent,
    WithInput,
    turn_reason,
)


class RelayEvent(Typed, tag_field="type", gc=False):
    """What one agent newly said; `ts` is the source's own time in milliseconds, 0 if unknown."""

    context: str = ""
    ts: int = 0


class SessionMeta(RelayEvent, tag="session_meta"):
    """Facts about an agent: its session, model, folder and title; for a sub-agent also its id.
    Dollars and tokens are its CLI's account of the session so far, with all of its agents.
    """

    session_id: str | None = None
    model: str | None = None
    tools: list[str] | None = None
    cwd: str | None = None
    version: str | None = None
    agent_id: str | None = None
    title: str | None = None
    cost_usd: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_creation_tokens: int | None = None


class Prompt(RelayEvent, tag="prompt"):
    """A prompt that the agent was given, by a person or by the agent above it."""

    text: str = ""


class TextDelta(RelayEvent, tag="text_delta", gc=False):
    """New text. The deltas of one (context, message_id, block), joined, are the block."""

    message_id: str = ""
    block: int = 0
    delta: str = ""


class ThinkingDelta(RelayEvent, tag="thinking_delta", gc=False):
    """New thinking, joined like text."""

    message_id: str = ""
    block: int = 0
    delta: str = ""


class ToolUse(RelayEvent, WithInput, tag="tool_use", gc=False):
    """A tool call, once, when its input is complete."""

    message_id: str = ""
    block: int = 0
    tool_use_id: str = ""
    tool: str = ""
    input_json: Raw = field(default=EMPTY_OBJECT, name="input")


class ToolResult(RelayEvent, WithContent, tag="tool_result", gc=False):
    """What a tool call gave: `content` as plain text, every other part in `parts`."""

    tool_use_id: str = ""
    ok: bool = True
    content_json: Raw = field(default=EMPTY_STRING, name="content")
    parts: list[Any] | None = None
    tool: str | None = None
    duration_ms: int | None = None


class SubAgentSpawned(RelayEvent, tag="sub_agent_spawned"):
    """An agent was started (or, with `resumes`, asked again) by the call `parent_tool_id`."""

    parent_context: str = ""
    agent_id: str | None = None
    session_id: str | None = None
    prompt: str | None = None
    subagent_type: str | None = None
    parent_tool_id: str | None = None
    description: str | None = None
    model: str | None = None
    background: bool | None = None
    resumes: bool = False


class SubAgentEnded(RelayEvent, tag="sub_agent_ended"):
    """An agent's invocation is over; `reason` says how, `content` is its answer where known."""

    agent_id: str | None = None
    parent_tool_id: str | None = None
    ok: bool = True
    reason: str = "completed"
    content: str | None = None


class Progress(RelayEvent, tag="progress"):
    """How far a sub-agent has come, as its CLI reports it."""

    tool_uses: int | None = None
    total_tokens: int | None = None
    duration_ms: int | None = None
    last_tool: str | None = None


class TokenUsage(RelayEvent, tag="token_usage", gc=False):
    """What one model message cost; once a message, final unless it is `estimated`."""

    message_id: str = ""
    model: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_creation_tokens: int = 0
    cost_usd: float | None = None
    cache_1h_tokens: int = 0
    estimated: bool = False


class TurnComplete(RelayEvent, tag="turn_complete"):
    """A turn is over. Not the end: more turns, and background agents, may follow. `reason`:
    completed, failed or interrupted; `subtype` is the CLI's own word for it.
    """

    ok: bool = True
    subtype: str = ""
    result: str | None = None
    duration_ms: int | None = None
    num_turns: int | None = None
    cost_usd: float | None = None
    totals: TokenUsage | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        self.reason = self.reason or turn_reason(self.subtype, ok=self.ok)


class PermissionAsked(RelayEvent, WithInput, tag="permission_asked"):
    """An agent waits for permission to use a tool. The other fields are those of
    `FleetPermissionAsked`.
    """

    request_id: str = ""
    tool: str = ""
    tool_use_id: str | None = None
    input_json: Raw = field(default=EMPTY_OBJECT, name="input")
    always: list[str] = field(default_factory=list)
    can_edit: bool = False
    also_in_terminal: bool = False
    held_until: int | None = None


class PermissionReplied(RelayEvent, tag="permission_replied"):
    """The answer to a permission request."""

    request_id: str = ""
    behavior: str = ""
    by: str | None = None
    where: str | None = None
    message: str | None = None


class Retracted(RelayEvent, tag="retracted"):
    """Messages that the agent's own CLI has withdrawn."""

    message_ids: list[str] = field(default_factory=list)


class Compacted(RelayEvent, tag="compacted"):
    """An agent's context was replaced by a summary of it: on whose initiative (`manual`, `auto`),
    and how many tokens it had before and after, as far as its CLI says so.
    """

    trigger: str | None = None
    before_tokens: int | None = None
    after_tokens: int | None = None


class Error(RelayEvent, tag="error"):
    """Something failed, as the source reports it."""

    message: str = ""
    code: str | None = None


class Unrecognized(RelayEvent, tag="unrecognized"):
    """A record or block we have no name for, passed through as it came. `count`: it stands for so
    many records, itself and those that came after it.
    """

    raw: Raw = EMPTY_OBJECT
    count: int | None = None


class Malformed(RelayEvent, tag="malformed"):
    """Bytes that are no record: the start of them, why, and their offset in the source. `count`: it
    stands for so many of them, of which these are the first; the last is at `last_offset`.
    """

    raw: str = ""
    reason: str = ""
    offset: int = 0
    count: int | None = None
    last_offset: int | None = None


RELAY_EVENTS: tuple[type[RelayEvent], ...] = tuple(RelayEvent.__subclasses__())
