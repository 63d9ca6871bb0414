"""What an orchestrator asks of a backend.

A conversation is one fresh instance of one agent; siblings share nothing. What it says comes as
relay events: the agent itself speaks in context `""`, sub-agents that it spawns by its own means
in contexts of their own, announced and ended by `sub_agent_spawned` and `sub_agent_ended`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager
from typing import Protocol, runtime_checkable

from unbraid.events import RelayEvent
from unbraid.orchestrate.agents import Agent


class Conversation(Protocol):
    """One instance of one agent. Messages come one after the other.

    One that a CLI keeps as a session others can see names it in an attribute `session`.
    """

    def say(self, message: str) -> AsyncGenerator[RelayEvent, None]:
        """One turn: what the agent newly says, as it says it; `turn_complete` is last.

        Text comes in the smallest pieces that the backend has, never as a whole if it streams.
        `token_usage` comes once a model message. Closing the generator early, or cancelling the
        task that reads it, stops the turn. A turn that the agent's side could not finish raises
        BackendError; a turn that ended badly by the model's own doing is a `turn_complete` that is
        not ok.
        """
        ...


@runtime_checkable
class Asking(Protocol):
    """A conversation whose agent asks for leave (`permission_asked`) and waits for the answer."""

    async def answer(self, request_id: str, behavior: str, message: str | None) -> None:
        """`behavior` is allow or deny. The turn tells of it: `permission_replied`."""
        ...


class Backend(Protocol):
    """Opens conversations."""

    def open(self, agent: Agent) -> AbstractAsyncContextManager[Conversation]:
        """A fresh instance of an agent. Leaving the context ends its process or session, always.

        Raises BackendError when the instance cannot be had.
        """
        ...

    async def close(self) -> None:
        """End whatever all conversations share, such as a server. Called once, last."""
        ...
