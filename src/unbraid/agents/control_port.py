"""How a live run is steered: the same for every agent kind and every caller."""

from __future__ import annotations

from typing import Any, Protocol

from msgspec import Struct

VERBS = ("message", "interrupt", "cancel", "stop", "answer")


class PermissionRequest(Struct):
    """An agent waits for someone to allow a tool."""

    run: str
    request_id: str
    tool: str
    input: Any
    stream_id: int = 0
    agent: str = ""
    ts: int = 0


class Controller(Protocol):
    """One live run that can be steered. What its agent cannot do is a CallerError."""

    async def message(self, text: str) -> None:
        """Send the root agent a further message."""
        ...

    async def interrupt(self) -> None:
        """Stop what the root agent does now; the run goes on."""
        ...

    async def cancel(self) -> None:
        """End the run."""
        ...

    async def stop(self, stream_id: int) -> None:
        """End one sub-agent."""
        ...

    def verbs(self) -> list[str]:
        """Returns what can be asked of its agent now: some of VERBS."""
        ...

    def pending(self) -> list[PermissionRequest]:
        """Returns the permission requests that wait for an answer."""
        ...

    async def answer(self, request_id: str, behavior: str, message: str | None) -> None:
        """Answer one: `behavior` is allow or deny."""
        ...
