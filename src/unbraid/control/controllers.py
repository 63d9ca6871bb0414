"""Runs that can be steered, by this process or through another of ours, and the permission
requests that wait in them.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from unbraid.agents.attendance import Attendance
from unbraid.agents.control_port import AnswerDetails, Controller, PermissionRequest
from unbraid.errors import CallerError


class Steered(Protocol):
    """Runs that something other than this process steers."""

    async def controllers(self) -> dict[str, Controller]:
        """Returns the controllers there are now, by run."""
        ...


@runtime_checkable
class Attended(Protocol):
    """Runs elsewhere whose requests are held only while somebody answers."""

    async def attend(self, who: str, seconds: float) -> None:
        """Lets them know that somebody answers here for so long; for 0 seconds, no longer."""
        ...


class NotControlled(CallerError):
    """The run is not steered by this process."""


class UnknownRequest(CallerError):
    """No such permission request waits."""


class Controllers:
    """The controllers of the runs of this process, and of those that live elsewhere."""

    def __init__(self, elsewhere: Steered | None = None) -> None:
        self._by_run: dict[str, Controller] = {}
        self._elsewhere = elsewhere
        self.attendance = Attendance()

    async def attend(self, who: str, seconds: float) -> None:
        """Notes that somebody answers permission requests here, for so long: until then, those are
        held that show nothing in a terminal while they are. For 0 seconds: no longer.
        """
        self.attendance.attend(who, seconds)
        if isinstance(self._elsewhere, Attended):
            await self._elsewhere.attend(who, seconds)

    def register(self, run: str, controller: Controller) -> None:
        """Adds a run that can be steered."""
        self._by_run[run] = controller

    def unregister(self, run: str) -> None:
        """Removes a run that is over."""
        self._by_run.pop(run, None)

    def own(self) -> dict[str, Controller]:
        """Returns the controllers of the runs of this process, by run."""
        return dict(self._by_run)

    def of(self, run: str) -> Controller:
        """Returns the controller of a run, or NotControlled."""
        if run not in self._by_run:
            raise NotControlled(f"run {run} is not steered by this server")
        return self._by_run[run]

    async def find(self, run: str) -> Controller:
        """Returns the controller of a run, wherever it lives, or NotControlled."""
        if run not in self._by_run and (found := (await self._others()).get(run)) is not None:
            return found
        return self.of(run)

    async def everywhere(self) -> dict[str, Controller]:
        """Returns all controllers there are, by run."""
        return {**await self._others(), **self._by_run}

    def pending(self) -> list[PermissionRequest]:
        """Returns the permission requests that wait in the runs of this process."""
        return [request for held in self._by_run.values() for request in held.pending()]

    async def waiting(self) -> list[PermissionRequest]:
        """Returns the permission requests that wait in any run."""
        others = (await self._others()).values()
        return [*self.pending(), *(request for held in others for request in held.pending())]

    async def answer(
        self,
        request_id: str,
        behavior: str,
        message: str | None,
        details: AnswerDetails | None = None,
    ) -> None:
        """Answer a request, whichever run it is of."""
        for controller in [*self._by_run.values(), *(await self._others()).values()]:
            if any(request.request_id == request_id for request in controller.pending()):
                await controller.answer(request_id, behavior, message, details)
                return
        raise UnknownRequest(f"no pending permission request {request_id}")

    async def _others(self) -> dict[str, Controller]:
        if self._elsewhere is None:
            return {}
        found = await self._elsewhere.controllers()
        return {run: held for run, held in found.items() if run not in self._by_run}
