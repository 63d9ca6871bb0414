"""The runs that a command can steer: those of this machine, or of all machines that share its log.

On one machine, the processes are asked at their sockets, so that a run can be steered even if the
log cannot be used. On a shared log, its own connection also reaches the other machines.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from unbraid.agents.control_port import AnswerDetails, PermissionRequest
from unbraid.control import sockets
from unbraid.control.controllers import Controllers
from unbraid.control.machines import steered_elsewhere
from unbraid.control.sockets import SteeringRequest
from unbraid.errors import CallerError
from unbraid.log.engines import configured_log, engine_of, opened_log
from unbraid.system.home import data_folder


class ReachableRuns(Protocol):
    """Runs of other processes, to steer."""

    async def steer(self, run: str, request: SteeringRequest) -> None:
        """Has a request carried out by the process that has the run."""
        ...

    async def waiting(self) -> list[PermissionRequest]:
        """Returns the permission requests that wait in any run."""
        ...

    async def answer(
        self, request_id: str, behavior: str, *, message: str | None, details: AnswerDetails
    ) -> None:
        """Answers a permission request, whichever run it is of."""
        ...

    async def attend(self, who: str, seconds: float) -> None:
        """Lets all of them know that somebody answers here for so long; for 0 seconds, no
        longer.
        """
        ...


@asynccontextmanager
async def reachable_runs(env: Mapping[str, str] = os.environ) -> AsyncIterator[ReachableRuns]:
    """Yields the runs that can be reached from here."""
    home = data_folder(env)
    if not engine_of(configured_log(env)).shared:
        yield LocalRuns(home)
        return
    async with opened_log(env=env) as log:
        yield SharedRuns(Controllers(steered_elsewhere(home, log)))


class LocalRuns:
    """The runs of this machine, reached at the sockets of their processes."""

    def __init__(self, home: Path) -> None:
        self._home = home

    async def steer(self, run: str, request: SteeringRequest) -> None:
        """Has a request carried out by the process that has the run."""
        await sockets.send_request(self._home, run, request)

    async def waiting(self) -> list[PermissionRequest]:
        """Returns the permission requests that wait in any run."""
        found = await sockets.steerable_processes(self._home)
        return [request for _, about in found for request in about.pending]

    async def answer(
        self, request_id: str, behavior: str, *, message: str | None, details: AnswerDetails
    ) -> None:
        """Answers a permission request, whichever run it is of."""
        await sockets.answer(
            self._home, request_id, behavior=behavior, message=message, details=details
        )

    async def attend(self, who: str, seconds: float) -> None:
        """Lets all processes that hold requests know that somebody answers here for so long."""
        await sockets.attend(self._home, who, seconds)


class SharedRuns:
    """The runs of all machines that share a log."""

    def __init__(self, controllers: Controllers) -> None:
        self._controllers = controllers

    async def steer(self, run: str, request: SteeringRequest) -> None:
        """Has a request carried out by the process that has the run."""
        reply = await sockets.carry_out(run, await self._controllers.find(run), request)
        if reply.error is not None:
            raise CallerError(reply.error)

    async def waiting(self) -> list[PermissionRequest]:
        """Returns the permission requests that wait in any run."""
        return await self._controllers.waiting()

    async def answer(
        self, request_id: str, behavior: str, *, message: str | None, details: AnswerDetails
    ) -> None:
        """Answers a permission request, whichever run it is of."""
        await self._controllers.answer(request_id, behavior, message, details=details)

    async def attend(self, who: str, seconds: float) -> None:
        """Lets all machines know that somebody answers here for so long."""
        await self._controllers.attend(who, seconds)
