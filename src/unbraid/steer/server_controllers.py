"""The runs that can be controlled through another unbraid server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import Struct

from unbraid.agents.control_port import Controller, SteeringRequest
from unbraid.errors import CallerError
from unbraid.log.remote.client import RemoteServer
from unbraid.log.remote.ingest import RemoteError
from unbraid.steer.controllers import OtherRuns
from unbraid.steer.permissions import OpenRequests, PermissionRequest


class _Control(Struct):
    run: str
    verbs: list[str]


class _Steerable(Struct):
    runs: list[_Control]


class _Waiting(Struct):
    permissions: list[PermissionRequest]
    unlisted: int = 0


class RemoteControllers(OtherRuns):
    """The runs that can be controlled through the server."""

    def __init__(self, server: RemoteServer) -> None:
        self._server = server

    async def controllers(self) -> Mapping[str, Controller]:
        """Returns the controllers of the runs that can be controlled now, by run."""
        held = await self._server.get("/v1/control", _Steerable)
        return {run.run: RemoteController(self._server, run) for run in held.runs}

    async def open_requests(self) -> OpenRequests:
        """Returns the permission requests that can be answered there."""
        waiting = await self._server.get("/v1/permissions", _Waiting)
        return OpenRequests(waiting.permissions, waiting.unlisted)

    async def attend(self, who: str, seconds: float) -> None:
        """Lets the server know that somebody answers here for so long."""
        await self._server.post("/v1/attendance", {"seconds": seconds})


class RemoteController(Controller):
    """Controls one run through the server."""

    def __init__(self, server: RemoteServer, about: _Control) -> None:
        self._server, self._about = server, about

    def verbs(self) -> list[str]:
        """Returns what the server lets us do with the run."""
        return self._about.verbs

    async def carry_out(self, request: SteeringRequest) -> None:
        """Has the server carry out a request."""
        path, body = f"/v1/runs/{self._about.run}/{request.verb}", None
        match request.verb:
            case "message":
                body = {"text": request.text, "stream_id": request.stream_id}
            case "stop":
                path = f"/v1/runs/{self._about.run}/streams/{request.stream_id}/stop"
            case "halt":
                path = f"/v1/runs/{self._about.run}/interrupt"
            case "answer":
                # The id is the agent's word: it must not lead to another route.
                path = f"/v1/permissions/{quote(request.request_id, safe='')}"
                body = _decision(self._about.run, request)
        try:
            await self._server.post(path, body)
        except RemoteError as error:
            raise CallerError(error.problem) from None


def _decision(run: str, request: SteeringRequest) -> dict[str, Any]:
    more = {} if request.details is None else msgspec.to_builtins(request.details)
    # Who it is, the server knows by the token.
    more.pop("by", None)
    return {"behavior": request.behavior, "message": request.text, "run": run, **more}
