"""How the orchestrator runs an agent."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from unbraid.agents.agent_spec import AgentSpec
from unbraid.events import RelayEvent


class AgentConversation(Protocol):
    """One fresh instance of one agent, which shares nothing with others. Messages come one after
    the other. The agent's own events have context `""`, sub-agents that it spawns by its own means
    in contexts of their own.

    If a program stores the conversation as a session that others can see, the attribute `session`
    has the session's id. If the agent asks for permission and waits for the answer, the method
    `answer(request_id, behavior, message)` gives it: `behavior` is allow or deny, and the turn
    reports it (`permission_replied`).
    """

    def say(self, message: str) -> AsyncGenerator[RelayEvent, None]:
        """Runs one turn, and yields what the agent newly says, as it says it; `turn_complete` is
        last.

        Text comes in the smallest deltas that the backend has, never as a whole if it streams.
        `token_usage` comes once a model message. Closing the generator early, or cancelling the
        task that reads it, stops the turn. A turn that the agent's side could not finish raises
        BackendError; a turn that ended badly by the model's own doing is a `turn_complete` that is
        not ok.
        """
        ...


class Backend(Protocol):
    """Opens conversations."""

    def open(self, agent: AgentSpec) -> AbstractAsyncContextManager[AgentConversation]:
        """Opens a fresh instance of an agent. Leaving the context always ends its process or
        session.

        Raises BackendError when the instance cannot be started.
        """
        ...

    async def close(self) -> None:
        """Ends whatever all conversations share, such as a server. Called once, last."""
        ...
