"""The agents of one run of Claude Code: what each has said, and which calls they wait for."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, field

from unbraid.agents.claude.dialect.blocks import MessageState
from unbraid.events import RelayEvent
from unbraid.read.clock import Clock
from unbraid.read.contexts import Agents, Context, Contexts
from unbraid.read.seen import forget_oldest

# How many messages of an agent may still be repeated by another source that lags behind.
RECENT_MESSAGES = 256


class ClaudeContext(Context, eq=False):
    """One agent's conversation, with its messages."""

    interrupted: bool = False
    failure: str | None = None  # the latest error that was printed in place of an answer
    asked_after: object = None  # what it had said when it was asked the last time
    messages: dict[str, MessageState] = field(default_factory=dict)
    # Where each source is now.
    latest: list[MessageState | None] = field(default_factory=lambda: [None, None])
    again: str | None = None  # the latest line that its transcript has only repeated
    live: MessageState | None = None  # the one that is streaming on stdout
    usage_due: MessageState | None = None
    ends_with_text: bool = True  # whether the last block that it has said is text, not a call

    @property
    def has_failed(self) -> bool:
        """Whether the last that it said is an error in place of an answer."""
        return self.failure is not None and self.failure == self.last_text

    @property
    def said_last(self) -> object:
        """Something that differs when it has said more."""
        return [None if state is None else state.id for state in self.latest], self.last_text

    @property
    def has_answered(self) -> bool:
        """Whether it has said anything since it was asked the last time."""
        return any(self.latest) and bool(self.last_text) and self.asked_after != self.said_last

    def message(self, message_id: str) -> MessageState:
        """Returns the state of one of this agent's messages."""
        state = self.messages.get(message_id)
        if state is None:
            state = self.messages[message_id] = MessageState(message_id, ([], []))
            if len(self.messages) > 2 * RECENT_MESSAGES:
                forget_oldest(self.messages, RECENT_MESSAGES)
        return state


class OpenCall(Struct, gc=False):
    """A tool call that has not been answered yet; nothing that it holds leads back to it."""

    context: ClaudeContext
    message: MessageState
    tool: str
    ts: int
    spawns: ClaudeContext | None = None


class ClaudeAgents(Agents[ClaudeContext]):
    """All agents of a run, the `calls` that have not been answered, by id, and what was `seen` of
    the run: uuids, with content where that matters, and calls.
    """

    def __init__(
        self, clock: Clock, before_end: Callable[[ClaudeContext, list[RelayEvent]], None]
    ) -> None:
        super().__init__(Contexts(ClaudeContext), clock, before_end)
        self.calls: dict[str, OpenCall] = {}
        self.seen: dict[int, None] = {}
