"""The two vocabularies: relay events (what one agent newly said) and fleet events (the wire).

A relay event names its `context`, the conversation it belongs to: `""` is the main agent, any other
value one of its sub-agents. A fleet event names its `stream_id`, one invocation of one agent.
Both encode to flat JSON objects whose `type` is the event's name.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any

import msgspec
from msgspec import Raw, Struct, field

EMPTY_OBJECT = Raw(b"{}")
EMPTY_STRING = Raw(b'""')


class _Typed(Struct, tag_field="type"):
    @property
    def type(self) -> str:
        """The event's name on the wire."""
        return str(self.__struct_config__.tag)


def valid_utf8(data: bytes) -> bytes:
    """JSON whose encoding is sound: bytes that were passed through unread may not be UTF-8."""
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError:
            return data.decode("utf-8", "replace").encode()
    return data


class _WithInput:
    """A tool call's input stays the bytes the agent printed until someone asks for it."""

    __slots__ = ()
    input_json: Raw

    @property
    def input(self) -> Any:
        """The call's arguments, decoded."""
        return msgspec.json.decode(valid_utf8(bytes(self.input_json)))


class _WithContent:
    """A tool's result stays JSON until someone asks for it: most are large, few are looked at."""

    __slots__ = ()
    content_json: Raw

    @property
    def content(self) -> str:
        """The result's text."""
        return msgspec.json.decode(valid_utf8(bytes(self.content_json)), type=str)


# --- relay events ---------------------------------------------------------------------------------


class RelayEvent(_Typed, tag_field="type", gc=False):
    """What one agent newly said; `ts` is the source's own time in milliseconds, 0 if unknown."""

    context: str = ""
    ts: int = 0


class SessionMeta(RelayEvent, tag="session_meta"):
    """Who is speaking: the session, its model and place; for a sub-agent also its id."""

    session_id: str | None = None
    model: str | None = None
    tools: list[str] | None = None
    cwd: str | None = None
    version: str | None = None
    agent_id: str | None = None


class Prompt(RelayEvent, tag="prompt"):
    """What the agent was told, by a person or by the agent above it."""

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


class ToolUse(RelayEvent, _WithInput, tag="tool_use", gc=False):
    """A tool call, once, when its input is complete."""

    message_id: str = ""
    block: int = 0
    tool_use_id: str = ""
    tool: str = ""
    input_json: Raw = field(default=EMPTY_OBJECT, name="input")


class ToolResult(RelayEvent, _WithContent, tag="tool_result", gc=False):
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
    """How far a sub-agent is, as its CLI tells."""

    tool_uses: int | None = None
    total_tokens: int | None = None
    duration_ms: int | None = None
    last_tool: str | None = None


class TokenUsage(RelayEvent, tag="token_usage", gc=False):
    """What one model message cost; once a message, final."""

    message_id: str = ""
    model: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_creation_tokens: int = 0
    cost_usd: float | None = None


class TurnComplete(RelayEvent, tag="turn_complete"):
    """A turn is over. Not the end: more turns, and background agents, may follow."""

    ok: bool = True
    subtype: str = ""
    result: str | None = None
    duration_ms: int | None = None
    num_turns: int | None = None
    cost_usd: float | None = None
    totals: TokenUsage | None = None


class PermissionAsked(RelayEvent, _WithInput, tag="permission_asked"):
    """An agent waits for leave to use a tool."""

    request_id: str = ""
    tool: str = ""
    tool_use_id: str | None = None
    input_json: Raw = field(default=EMPTY_OBJECT, name="input")


class PermissionReplied(RelayEvent, tag="permission_replied"):
    """The answer to a permission request."""

    request_id: str = ""
    behavior: str = ""
    by: str | None = None


class Retracted(RelayEvent, tag="retracted"):
    """Messages that the agent's own CLI has withdrawn."""

    message_ids: list[str] = field(default_factory=list)


class Error(RelayEvent, tag="error"):
    """Something failed, told by the source."""

    message: str = ""
    code: str | None = None


class Unrecognized(RelayEvent, tag="unrecognized"):
    """A record or block we have no name for, passed through as it came."""

    raw: Raw = EMPTY_OBJECT


class Malformed(RelayEvent, tag="malformed"):
    """Bytes that are no record: the start of them, why, and where in the source they lie."""

    raw: str = ""
    reason: str = ""
    offset: int = 0


# --- fleet events ---------------------------------------------------------------------------------


class FleetEvent(_Typed, tag_field="type", kw_only=True, omit_defaults=True):
    """One entry of a run's log."""

    seq: int
    ts: int
    stream_id: int
    depth: int
    agent: str


class RequestReceived(FleetEvent, tag="request_received", kw_only=True):
    """First of a run."""

    source: str
    prompt: str | None = None
    cwd: str | None = None
    session_id: str | None = None


class StreamStart(FleetEvent, tag="stream_start", kw_only=True):
    """Open a slot: one invocation of one agent begins."""

    parent_stream_id: int | None
    agent_id: str | None = None
    tool_use_id: str | None = None
    description: str | None = None
    prompt: str | None = None
    model: str | None = None
    background: bool | None = None
    resumes: int | None = None


class AgentStart(FleetEvent, tag="agent_start", kw_only=True):
    """The agent has begun to answer."""


class FleetPrompt(FleetEvent, tag="prompt", kw_only=True):
    """The agent was told something more."""

    text: str


class Text(FleetEvent, tag="text", kw_only=True):
    """New text of one block."""

    delta: str
    message_id: str
    block: int


class Thinking(FleetEvent, tag="thinking", kw_only=True):
    """New thinking of one block."""

    delta: str
    message_id: str
    block: int


class FleetToolUse(FleetEvent, _WithInput, tag="tool_use", kw_only=True):
    """A call begins."""

    tool_use_id: str
    tool: str
    input_json: Raw = field(name="input")
    message_id: str | None = None


class FleetToolResult(FleetEvent, _WithContent, tag="tool_result", kw_only=True):
    """A call has given its result."""

    tool_use_id: str
    ok: bool
    content_json: Raw = field(name="content")
    parts: list[Any] | None = None
    duration_ms: int | None = None


class ToolCall(FleetEvent, tag="tool_call", kw_only=True):
    """A command of the orchestrator has finished."""

    tool: str
    ok: bool


class FleetTokenUsage(FleetEvent, tag="token_usage", kw_only=True):
    """What one model message cost; once a message, final."""

    message_id: str
    model: str | None
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_creation_tokens: int
    cost_usd: float | None = None


class FleetProgress(FleetEvent, tag="progress", kw_only=True):
    """How far an agent is."""

    tool_uses: int | None = None
    total_tokens: int | None = None
    duration_ms: int | None = None
    last_tool: str | None = None


class FleetPermissionAsked(FleetEvent, _WithInput, tag="permission_asked", kw_only=True):
    """An agent waits for leave."""

    request_id: str
    tool: str
    input_json: Raw = field(name="input")
    tool_use_id: str | None = None


class FleetPermissionReplied(FleetEvent, tag="permission_replied", kw_only=True):
    """Leave was given or refused."""

    request_id: str
    behavior: str
    by: str | None = None


class SubAgentResponse(FleetEvent, tag="sub_agent_response", kw_only=True):
    """The child's answer as its parent gets it."""

    content: str


class FleetTurnComplete(FleetEvent, tag="turn_complete", kw_only=True):
    """A turn of the root is over."""

    ok: bool
    subtype: str
    result: str | None = None
    duration_ms: int | None = None
    num_turns: int | None = None
    cost_usd: float | None = None


class FleetSessionMeta(FleetEvent, tag="session_meta", kw_only=True):
    """Facts about a stream's session, when they become known or change."""

    session_id: str | None = None
    model: str | None = None
    tools: list[str] | None = None
    cwd: str | None = None
    version: str | None = None
    agent_id: str | None = None


class FleetRetracted(FleetEvent, tag="retracted", kw_only=True):
    """Messages withdrawn by the agent's CLI."""

    message_ids: list[str]


class StreamEnd(FleetEvent, tag="stream_end", kw_only=True):
    """Close the slot. `reason`: completed, failed, cancelled, interrupted or orphaned."""

    ok: bool
    reason: str


class FleetError(FleetEvent, tag="error", kw_only=True):
    """Something failed."""

    message: str
    code: str | None = None


class FleetUnrecognized(FleetEvent, tag="unrecognized", kw_only=True):
    """A record we have no name for, as it came."""

    raw: Raw


class FleetMalformed(FleetEvent, tag="malformed", kw_only=True):
    """Bytes that are no record."""

    raw: str
    reason: str
    offset: int


class Done(FleetEvent, tag="done", kw_only=True):
    """Last of a run, always, with totals over the whole fleet."""

    ok: bool
    streams: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_creation_tokens: int
    cost_usd: float | None = None
    duration_ms: int | None = None


class Gap(_Typed, tag="gap", kw_only=True):
    """To one viewer only: its cursor is older than the log keeps."""

    first: int = field(name="from")
    last: int = field(name="to")


class Draft(_Typed, tag="draft", kw_only=True):
    """To live viewers only, never logged: the master's text before the gate has opened."""

    stream_id: int
    depth: int
    agent: str
    delta: str


FLEET_EVENTS: tuple[type[FleetEvent], ...] = tuple(FleetEvent.__subclasses__())
RELAY_EVENTS: tuple[type[RelayEvent], ...] = tuple(RelayEvent.__subclasses__())

# Events that carry bytes of the source as they came.
PASSING_THROUGH = (_WithInput, _WithContent, Unrecognized, FleetUnrecognized)

_encoder = msgspec.json.Encoder()


_union: Any = reduce(or_, FLEET_EVENTS)
_decoder: msgspec.json.Decoder[FleetEvent] = msgspec.json.Decoder(_union)


def decode_event(data: bytes) -> FleetEvent:
    """One entry of a log, from its line of JSON."""
    return _decoder.decode(data)


def encode(event: RelayEvent | FleetEvent | Gap | Draft) -> bytes:
    """One event as one line of JSON, without the newline."""
    data = _encoder.encode(event)
    return valid_utf8(data) if isinstance(event, PASSING_THROUGH) else data
