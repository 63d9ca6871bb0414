"""The runs that other processes of ours have on this machine, to steer them from a server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from unbraid.agents.control_port import AnswerDetails, Controller, PermissionRequest
from unbraid.control.sockets import (
    SteeringReply,
    SteeringRequest,
    attend,
    note_elsewhere,
    send_request,
    steerable_processes,
)
from unbraid.errors import CallerError
from unbraid.translate.notes import RunNote


class OtherProcesses:
    """The processes that listen in our folder."""

    def __init__(self, home: Path) -> None:
        self._home = home

    async def controllers(self) -> dict[str, Controller]:
        """Returns the controllers of their runs, as they are now."""
        found = [reply for _, reply in await steerable_processes(self._home)]
        return {reply.run: self._controller(reply) for reply in found if reply.run}

    def _controller(self, about: SteeringReply) -> ForwardingController:
        async def steer(request: SteeringRequest) -> None:
            try:
                await send_request(self._home, about.run, request)
            except OSError as error:
                raise CallerError(f"run {about.run} can no longer be reached: {error}") from None

        return ForwardingController(about, steer)

    async def attend(self, who: str, seconds: float) -> None:
        """Informs all of them that a person answers here for so long."""
        await attend(self._home, who, seconds)

    async def note(self, run: str, note: RunNote) -> bool:
        """Lets the one of them that records a run put a note into its log. Returns whether one
        does.
        """
        return await note_elsewhere(self._home, run, note)


class ForwardingController:
    """Steers a run of another process, as it was when it was last asked."""

    def __init__(
        self, about: SteeringReply, steer: Callable[[SteeringRequest], Awaitable[None]]
    ) -> None:
        self._about, self._steer = about, steer

    def verbs(self) -> list[str]:
        """Returns what could be asked of its agent."""
        return self._about.verbs

    def pending(self) -> list[PermissionRequest]:
        """Returns the permission requests that waited."""
        return self._about.pending

    async def message(self, text: str) -> None:
        """Send the main agent a further message."""
        await self._steer(SteeringRequest("message", text))

    async def message_agent(self, stream_id: int, text: str) -> None:
        """Sends one agent of the run a message."""
        await self._steer(SteeringRequest("message", text, stream_id=stream_id))

    async def interrupt(self) -> None:
        """Interrupt the main agent."""
        await self._steer(SteeringRequest("interrupt"))

    async def stop_everyone(self) -> None:
        """Stops what every agent does now."""
        await self._steer(SteeringRequest("halt"))

    async def cancel(self) -> None:
        """Ends the run."""
        await self._steer(SteeringRequest("cancel"))

    async def stop(self, stream_id: int) -> None:
        """Ends one sub-agent."""
        await self._steer(SteeringRequest("stop", stream_id=stream_id))

    async def answer(
        self,
        request_id: str,
        behavior: str,
        message: str | None,
        details: AnswerDetails | None = None,
    ) -> None:
        """Answers a permission request."""
        await self._steer(
            SteeringRequest(
                "answer", message, request_id=request_id, behavior=behavior, details=details
            )
        )
