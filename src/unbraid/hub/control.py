"""Runs that this process can steer, and the requests for leave that wait in them."""

from __future__ import annotations

from typing import Any, Protocol

from msgspec import Struct

from unbraid.errors import CallerError


class Pending(Struct):
    """An agent that waits for leave to use a tool."""

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
        """Tell the root agent something more."""
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

    def pending(self) -> list[Pending]:
        """The requests that wait for an answer."""
        ...

    async def answer(self, request_id: str, behavior: str, message: str | None) -> None:
        """Answer one: `behavior` is allow or deny."""
        ...


class NotControlled(CallerError):
    """The run is not steered by this process."""


class UnknownRequest(CallerError):
    """No such request waits."""


class Controllers:
    """The controllers of the runs that live in this process."""

    def __init__(self) -> None:
        self._by_run: dict[str, Controller] = {}

    def register(self, run: str, controller: Controller) -> None:
        """A run that can be steered has begun."""
        self._by_run[run] = controller

    def unregister(self, run: str) -> None:
        """It is over."""
        self._by_run.pop(run, None)

    def of(self, run: str) -> Controller:
        """The controller of a run, or NotControlled."""
        if run not in self._by_run:
            raise NotControlled(f"run {run} is not steered by this server")
        return self._by_run[run]

    def pending(self) -> list[Pending]:
        """All requests that wait, in any run."""
        return [request for held in self._by_run.values() for request in held.pending()]

    async def answer(self, request_id: str, behavior: str, message: str | None) -> None:
        """Answer a request, whichever run it is of."""
        for controller in list(self._by_run.values()):
            if any(request.request_id == request_id for request in controller.pending()):
                await controller.answer(request_id, behavior, message)
                return
        raise UnknownRequest(f"no request {request_id} waits for an answer")
