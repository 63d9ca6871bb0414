"""Fleet events: the entries of a run's log, and what goes over the wire.

A fleet event names its `stream_id`, one invocation of one agent.
"""

from __future__ import annotations

from typing import Any

from msgspec import Raw, field

from unbraid.events.parts import Typed, WithContent, WithInput, turn_reason


# Nothing that an event holds leads back to it: the collector need not look at them.
class FleetEvent(Typed, tag_field="type", kw_only=True, omit_defaults=True, gc=False):
    """One entry of a run's log."""

    seq: int
    ts: int
    stream_id: int
    depth: int
    agent: str


class RequestReceived(FleetEvent, tag="request_received", kw_only=True):
    """First of a run. `machine` is the machine that sent the run here (the name of its token) or
    wrote it to a shared log; `user` is the user who ran it there.
    """

    source: str
    prompt: str | None = None
    cwd: str | None = None
    session_id: str | None = None
    machine: str | None = None
    user: str | None = None


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
    """The agent was given a further prompt."""

    text: str


class Text(FleetEvent, tag="text", kw_only=True, gc=False):
    """New text of one block."""

    delta: str
    message_id: str
    block: int


class Thinking(FleetEvent, tag="thinking", kw_only=True, gc=False):
    """New thinking of one block."""

    delta: str
    message_id: str
    block: int


class FleetToolUse(FleetEvent, WithInput, tag="tool_use", kw_only=True):
    """A call begins."""

    tool_use_id: str
    tool: str
    input_json: Raw = field(name="input")
    message_id: str | None = None


class FleetToolResult(FleetEvent, WithContent, tag="tool_result", kw_only=True):
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
    """What one model message cost; once a message, final.

    `cost_usd` is what the agent's CLI has reported; where it has not, `estimated_usd` is computed
    from prices, if the model has one. `cache_1h_tokens` are those of `cache_creation_tokens` that
    are kept for an hour. `estimated`: the counts are the best that is known, not final.
    """

    message_id: str
    model: str | None
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_creation_tokens: int
    cost_usd: float | None = None
    estimated_usd: float | None = None
    cache_1h_tokens: int = 0
    estimated: bool = False


class FleetProgress(FleetEvent, tag="progress", kw_only=True):
    """How far an agent has come."""

    tool_uses: int | None = None
    total_tokens: int | None = None
    duration_ms: int | None = None
    last_tool: str | None = None


class FleetPermissionAsked(FleetEvent, WithInput, tag="permission_asked", kw_only=True):
    """An agent waits for permission to use a tool.

    `always` are the CLI's own offers to allow it from now on; `can_edit`: the tool can be given
    another input. `also_in_terminal`: it is asked there too, and the first answer counts.
    `held_until` is when the request is given back to the CLI if it was not answered, in
    milliseconds since 1970; None if it waits without a limit.
    """

    request_id: str
    tool: str
    input_json: Raw = field(name="input")
    tool_use_id: str | None = None
    always: list[str] = field(default_factory=list)
    can_edit: bool = False
    also_in_terminal: bool = False
    held_until: int | None = None


class FleetPermissionReplied(FleetEvent, tag="permission_replied", kw_only=True):
    """A permission request was answered: by whom, where (`page`, `top`, `command line`, or
    another's name for it), and with which word to the agent, as far as that is known.
    """

    request_id: str
    behavior: str
    by: str | None = None
    where: str | None = None
    message: str | None = None


class SubAgentResponse(FleetEvent, tag="sub_agent_response", kw_only=True):
    """The child's answer as its parent gets it."""

    content: str


class FleetTurnComplete(FleetEvent, tag="turn_complete", kw_only=True):
    """A turn of the root is over. `reason`: completed, failed or interrupted; `subtype` is its
    CLI's own word for it. Dollars and tokens are its CLI's account of the whole tree of agents so
    far, where it gives one.
    """

    ok: bool
    subtype: str
    reason: str = ""
    result: str | None = None
    duration_ms: int | None = None
    num_turns: int | None = None
    cost_usd: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_creation_tokens: int | None = None

    def __post_init__(self) -> None:
        self.reason = self.reason or turn_reason(self.subtype, ok=self.ok)


class FleetSessionMeta(FleetEvent, tag="session_meta", kw_only=True):
    """Facts about a stream's session, when they become known or change. Dollars and tokens are its
    CLI's account of the session so far, with all of its agents.
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


class FleetRetracted(FleetEvent, tag="retracted", kw_only=True):
    """Messages withdrawn by the agent's CLI."""

    message_ids: list[str]


class FleetCompacted(FleetEvent, tag="compacted", kw_only=True):
    """The agent's context was replaced by a summary of it: on whose initiative (`manual`, `auto`),
    and how many tokens it had before and after, as far as its CLI says so.
    """

    trigger: str | None = None
    before_tokens: int | None = None
    after_tokens: int | None = None


class StreamEnd(FleetEvent, tag="stream_end", kw_only=True):
    """Close the slot. `reason`: completed, failed, cancelled, interrupted or orphaned."""

    ok: bool
    reason: str


class FleetError(FleetEvent, tag="error", kw_only=True):
    """Something failed."""

    message: str
    code: str | None = None


class FleetUnrecognized(FleetEvent, tag="unrecognized", kw_only=True):
    """A record we have no name for, as it came. Where a source has a great many, `count`: this one
    stands for so many, itself and those that came after it.
    """

    raw: Raw
    count: int | None = None


class FleetMalformed(FleetEvent, tag="malformed", kw_only=True):
    """Bytes that are no record. Where a source has a great many, `count`: this one stands for so
    many, of which it is the first; the last is at `last_offset`.
    """

    raw: str
    reason: str
    offset: int
    count: int | None = None
    last_offset: int | None = None


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
    estimated_usd: float | None = None
    unpriced_tokens: int = 0


class Gap(Typed, tag="gap", kw_only=True):
    """To one viewer only: its cursor is older than the log keeps."""

    first: int = field(name="from")
    last: int = field(name="to")


class Draft(Typed, tag="draft", kw_only=True):
    """To live viewers only, never logged: the master's text before the gate has opened."""

    stream_id: int
    depth: int
    agent: str
    delta: str


FLEET_EVENTS: tuple[type[FleetEvent], ...] = tuple(FleetEvent.__subclasses__())
