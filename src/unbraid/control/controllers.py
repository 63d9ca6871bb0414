"""Runs that can be steered, by this process or through another of ours, and the permission
requests that wait in them.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from unbraid.agents.attendance import Attendance
from unbraid.agents.control_port import (
    AnswerDetails,
    Controller,
    PermissionRequest,
    UnknownRequest,
)
from unbraid.errors import CallerError
from unbraid.translate.notes import RunNote


class OtherRuns(Protocol):
    """Runs that something other than this process steers."""

    async def controllers(self) -> dict[str, Controller]:
        """Returns the controllers there are now, by run."""
        ...


@runtime_checkable
class AttendedRuns(Protocol):
    """Runs elsewhere whose requests are held only while a person answers."""

    async def attend(self, who: str, seconds: float) -> None:
        """Informs them that a person answers here for so many seconds; 0 means no longer."""
        ...


@runtime_checkable
class RunNotes(Protocol):
    """Something that records runs, and can put notes into their logs."""

    async def note(self, run: str, note: RunNote) -> bool:
        """Puts a note into the log of a run; returns whether it is recorded there."""
        ...


class NotControlled(CallerError):
    """The run is not steered by this process."""


class Controllers:
    """The controllers of the runs of this process, and of those that live elsewhere."""

    def __init__(self, elsewhere: OtherRuns | None = None) -> None:
        self._by_run: dict[str, Controller] = {}
        self._elsewhere = elsewhere
        self._recording: list[RunNotes] = []
        self.attendance = Attendance()

    async def attend(self, who: str, seconds: float) -> None:
        """Notes that a person answers permission requests here, for so long. Until then, requests
        are held, too, that are not shown in a terminal meanwhile. For 0 seconds: no longer.
        """
        self.attendance.attend(who, seconds)
        if isinstance(self._elsewhere, AttendedRuns):
            await self._elsewhere.attend(who, seconds)

    def add_recording(self, notes: RunNotes) -> None:
        """Notes what records runs in this process."""
        self._recording.append(notes)

    async def note(self, run: str, note: RunNote) -> bool:
        """Puts a note into the log of a run, whichever process of ours records it; returns whether
        one does.
        """
        others = self._elsewhere
        return await self.note_here(run, note) or (
            isinstance(others, RunNotes) and await others.note(run, note)
        )

    async def note_here(self, run: str, note: RunNote) -> bool:
        """Puts a note into the log of a run, if this process records it. Returns whether it
        does.
        """
        for recording in self._recording:
            if await recording.note(run, note):
                return True
        return False

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
        *,
        run: str | None = None,
    ) -> None:
        """Answers a request, of any run or of the `run` that is given."""
        asking = [
            controller
            for of, controller in (await self.everywhere()).items()
            if run in (None, of)
            and any(request.request_id == request_id for request in controller.pending())
        ]
        if not asking:
            raise UnknownRequest(request_id)
        if len(asking) > 1:
            # Runs of other machines name their requests as they like: who allows one of theirs must
            # not have allowed something else.
            raise NotControlled(f"several runs have a request {request_id}: name the run, too")
        await asking[0].answer(request_id, behavior, message, details=details)

    async def _others(self) -> dict[str, Controller]:
        if self._elsewhere is None:
            return {}
        found = await self._elsewhere.controllers()
        return {run: held for run, held in found.items() if run not in self._by_run}
