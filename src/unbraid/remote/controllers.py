"""The runs that can be controlled through another unbraid server."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import Struct

from unbraid.agents.control_port import AnswerDetails, Controller, PermissionRequest
from unbraid.errors import CallerError
from unbraid.remote.client import RemoteError, RemoteServer


class _Control(Struct):
    run: str
    verbs: list[str]


class _Steerable(Struct):
    runs: list[_Control]


class _Waiting(Struct):
    permissions: list[PermissionRequest]


class RemoteControllers:
    """The runs that can be controlled through the server."""

    def __init__(self, server: RemoteServer) -> None:
        self._server = server

    async def controllers(self) -> dict[str, Controller]:
        """Returns the controllers of the runs that can be controlled now, by run."""
        held = await self._server.get("/v1/control", _Steerable)
        waiting = (await self._server.get("/v1/permissions", _Waiting)).permissions
        return {
            run.run: RemoteController(self._server, run, [w for w in waiting if w.run == run.run])
            for run in held.runs
        }

    async def attend(self, who: str, seconds: float) -> None:
        """Lets the server know that somebody answers here for so long."""
        await self._server.post("/v1/attendance", {"seconds": seconds})


class RemoteController:
    """Controls one run through the server."""

    def __init__(
        self, server: RemoteServer, about: _Control, waiting: list[PermissionRequest]
    ) -> None:
        self._server, self._about, self._waiting = server, about, waiting

    def verbs(self) -> list[str]:
        """Returns what the server lets us do with the run."""
        return self._about.verbs

    def pending(self) -> list[PermissionRequest]:
        """Returns the permission requests that were open when the server was asked."""
        return self._waiting

    async def message(self, text: str) -> None:
        """Send a message to the main agent."""
        await self._post(f"/v1/runs/{self._about.run}/message", {"text": text})

    async def message_agent(self, stream_id: int, text: str) -> None:
        """Send a message to one agent."""
        body = {"text": text, "stream_id": stream_id}
        await self._post(f"/v1/runs/{self._about.run}/message", body)

    async def interrupt(self) -> None:
        """Interrupt the main agent; the run goes on."""
        await self._post(f"/v1/runs/{self._about.run}/interrupt")

    async def cancel(self) -> None:
        """End the run."""
        await self._post(f"/v1/runs/{self._about.run}/cancel")

    async def stop(self, stream_id: int) -> None:
        """End one sub-agent."""
        await self._post(f"/v1/runs/{self._about.run}/streams/{stream_id}/stop")

    async def answer(
        self,
        request_id: str,
        behavior: str,
        message: str | None,
        details: AnswerDetails | None = None,
    ) -> None:
        """Answer a permission request."""
        more = {} if details is None else msgspec.to_builtins(details)
        decision = {"behavior": behavior, "message": message, "run": self._about.run, **more}
        # Who it is, the server knows by the token.
        decision.pop("by", None)
        # The id is the agent's word: it must not lead to another route.
        await self._post(f"/v1/permissions/{quote(request_id, safe='')}", decision)

    async def _post(self, path: str, body: dict[str, Any] | None = None) -> None:
        try:
            await self._server.post(path, body)
        except RemoteError as error:
            raise CallerError(error.problem) from None
