"""Which agent a record belongs to: one context per agent, known by its spawning call, its agent id,
or both.

A context is found by whatever id a line carries. Ids are learned from different lines at different
times, and joined: the spawning call (`parent_tool_use_id` on stdout), the agent id (transcripts),
a line's `uuid` or a message's id that both have in common, the prompt where a layout has no id.
"""

from __future__ import annotations

from msgspec import Struct

from unbraid.read.blocks import TRANSCRIPT, MessageState
from unbraid.read.seen import forget_oldest

# How many messages of an agent may still be repeated by another source that lags behind.
RECENT_MESSAGES = 256


class Context:
    """One agent's conversation."""

    __slots__ = (
        "again",
        "agent_id",
        "asked_after",
        "background",
        "call",
        "calls",
        "description",
        "ended",
        "ending",
        "ends_with_text",
        "failure",
        "id",
        "interrupted",
        "last_text",
        "latest",
        "live",
        "messages",
        "meta",
        "model",
        "parent",
        "prompt",
        "session_id",
        "spawned",
        "subagent_type",
        "usage_due",
    )

    def __init__(self, context_id: str, parent: Context | None) -> None:
        self.id = context_id
        self.parent = parent
        self.agent_id: str | None = None
        self.call: str | None = None  # the call of the present invocation
        self.calls: set[str] = set()
        self.prompt: str | None = None
        self.subagent_type: str | None = None
        self.description: str | None = None
        self.model: str | None = None
        self.session_id: str | None = None
        self.background: bool | None = None
        self.spawned = parent is None
        self.ended = False
        self.ending: tuple[bool, str, str | None] | None = None
        self.interrupted = False
        self.failure: str | None = None  # the latest error that was printed in place of an answer
        self.asked_after: object = None  # what it had said when it was asked the last time
        self.messages: dict[str, MessageState] = {}
        self.latest: list[MessageState | None] = [None, None]  # where each source is now
        self.again: str | None = None  # the latest line that its transcript has only repeated
        self.live: MessageState | None = None  # the one that is streaming on stdout
        self.usage_due: MessageState | None = None
        self.last_text = ""
        self.ends_with_text = True  # whether the last block that it has said is text, not a call
        self.meta: object = None

    @property
    def has_failed(self) -> bool:
        """Whether the last that it said is an error in place of an answer."""
        return self.failure is not None and self.failure == self.last_text

    @property
    def said_last(self) -> object:
        """Something that differs when it has said more."""
        return [None if state is None else state.id for state in self.latest], self.last_text

    def note_question(self) -> None:
        """Notes that it was asked something."""
        self.asked_after = self.said_last

    @property
    def has_answered(self) -> bool:
        """Whether it has said anything since it was asked the last time."""
        return any(self.latest) and bool(self.last_text) and self.asked_after != self.said_last

    def turn_to(self, state: MessageState, source: int) -> None:
        """Notes that a source has come to another message: a transcript has the one before
        whole.
        """
        before = self.latest[source]
        if source == TRANSCRIPT and before is not None and before is not state:
            before.past = True
        self.latest[source] = state

    def message(self, message_id: str) -> MessageState:
        """Returns the state of one of this agent's messages."""
        state = self.messages.get(message_id)
        if state is None:
            state = self.messages[message_id] = MessageState(message_id)
            if len(self.messages) > 2 * RECENT_MESSAGES:
                forget_oldest(self.messages, RECENT_MESSAGES)
        return state


class OpenCall(Struct, gc=False):
    """A tool call that has not been answered yet; nothing that it holds leads back to it."""

    context: Context
    message: MessageState
    tool: str
    ts: int
    spawns: Context | None = None


class Contexts:
    """All agents of a run, by every id they are known under."""

    def __init__(self) -> None:
        self.root = Context("", None)
        self.by_call: dict[str, Context] = {}
        self.by_agent: dict[str, Context] = {}
        self._count = 0

    def everyone(self) -> list[Context]:
        """Returns every sub-agent's context, once, in order of appearance."""
        return list(dict.fromkeys([*self.by_call.values(), *self.by_agent.values()]))

    def add(self, context_id: str, parent: Context, call: str | None) -> Context:
        """Adds a sub-agent of `parent`, spawned by `call`, and returns it."""
        # An empty id would be the main agent's.
        self._count += 1
        context = Context(context_id or f"agent-{self._count}", parent)
        context.call = call
        if call is not None:
            context.calls.add(call)
            self.by_call.setdefault(call, context)
        return context

    def bind(self, context: Context, agent_id: str) -> None:
        """Notes that this context is the agent with this id."""
        context.agent_id = agent_id
        self.by_agent[agent_id] = context

    def awaiting(self, prompt: str) -> list[Context]:
        """Returns the spawned agents with this prompt whose ids are not known yet."""
        return [c for c in self.by_call.values() if c.agent_id is None and c.prompt == prompt]
