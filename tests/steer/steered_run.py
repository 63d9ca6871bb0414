"""A run that can be steered, and notes what it is asked."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec
from msgspec import Raw

from unbraid.agents.control_port import VERBS, AnswerDetails, Controller
from unbraid.errors import CallerError
from unbraid.events import FleetPermissionAsked, FleetPermissionReplied
from unbraid.log.port import Log

MAIN: dict[str, Any] = {"ts": 1, "stream_id": 0, "depth": 0, "agent": "main"}


def asked(seq: int, request_id: str = "q1", command: str = "ls") -> FleetPermissionAsked:
    """The event of a permission request."""
    given = Raw(msgspec.json.encode({"command": command}))
    return FleetPermissionAsked(
        seq=seq, request_id=request_id, tool="Bash", input_json=given, **MAIN
    )


async def append_request(log: Log, run: str, request_id: str = "q1", command: str = "ls") -> None:
    """Lets a run of a log ask for permission."""
    summary = await log.run(run)
    assert summary is not None
    await log.append(run, [asked(summary.last_seq + 1, request_id, command)])


class SteeredRun(Controller):
    """A controller that notes what it is asked. What is `refused`, by its verb or as a whole,
    raises CallerError. With a `log`, it says there that a request was answered.
    """

    def __init__(
        self,
        run: str,
        *,
        verbs: Collection[str] = VERBS,
        refused: Collection[str | tuple[object, ...]] = (),
        log: Log | None = None,
    ) -> None:
        self.run, self._verbs, self._refused, self._log = run, verbs, refused, log
        self.asked: list[tuple[object, ...]] = []
        self.by: str | None = None  # who gave the last answer

    def verbs(self) -> list[str]:
        return list(self._verbs)

    async def message(self, text: str) -> None:
        self._take("message", text)

    async def interrupt(self) -> None:
        self._take("interrupt")

    async def cancel(self) -> None:
        self._take("cancel")

    async def stop(self, stream_id: int) -> None:
        self._take("stop", stream_id)

    async def answer(
        self,
        request_id: str,
        behavior: str,
        message: str | None,
        details: AnswerDetails | None = None,
    ) -> None:
        self._take("answer", request_id, behavior, message)
        self.by = None if details is None else details.by
        if self._log is not None:
            summary = await self._log.run(self.run)
            assert summary is not None
            replied = FleetPermissionReplied(
                seq=summary.last_seq + 1, request_id=request_id, behavior=behavior, **MAIN
            )
            await self._log.append(self.run, [replied])

    def _take(self, verb: str, *given: object) -> None:
        if verb in self._refused or (verb, *given) in self._refused:
            raise CallerError(f"it cannot {verb}")
        self.asked.append((verb, *given))
