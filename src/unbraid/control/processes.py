"""The runs that other processes of ours have on this machine, to steer them from a server."""

from __future__ import annotations

from pathlib import Path

from unbraid.agents.control_port import AnswerDetails, Controller, PermissionRequest
from unbraid.control.sockets import (
    SteeringReply,
    SteeringRequest,
    attend,
    send_request,
    steerable_processes,
)
from unbraid.errors import CallerError


class OtherProcesses:
    """The processes that listen in our folder."""

    def __init__(self, home: Path) -> None:
        self._home = home

    async def controllers(self) -> dict[str, Controller]:
        """Returns the controllers of their runs, as they are now."""
        found = [reply for _, reply in await steerable_processes(self._home)]
        return {reply.run: _ByProcess(self._home, reply) for reply in found if reply.run}

    async def attend(self, who: str, seconds: float) -> None:
        """Lets all of them know that somebody answers here for so long."""
        await attend(self._home, who, seconds)


class _ByProcess:
    def __init__(self, home: Path, about: SteeringReply) -> None:
        self._home, self._about = home, about

    def verbs(self) -> list[str]:
        return self._about.verbs

    def pending(self) -> list[PermissionRequest]:
        return self._about.pending

    async def message(self, text: str) -> None:
        await self._steer(SteeringRequest("message", text))

    async def message_agent(self, stream_id: int, text: str) -> None:
        await self._steer(SteeringRequest("message", text, stream_id=stream_id))

    async def interrupt(self) -> None:
        await self._steer(SteeringRequest("interrupt"))

    async def cancel(self) -> None:
        await self._steer(SteeringRequest("cancel"))

    async def stop(self, stream_id: int) -> None:
        await self._steer(SteeringRequest("stop", stream_id=stream_id))

    async def answer(
        self,
        request_id: str,
        behavior: str,
        message: str | None,
        details: AnswerDetails | None = None,
    ) -> None:
        await self._steer(
            SteeringRequest(
                "answer", message, request_id=request_id, behavior=behavior, details=details
            )
        )

    async def _steer(self, request: SteeringRequest) -> None:
        try:
            await send_request(self._home, self._about.run, request)
        except OSError as error:
            raise CallerError(f"run {self._about.run} can no longer be reached: {error}") from None
