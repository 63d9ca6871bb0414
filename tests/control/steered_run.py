"""A run that can be steered, and notes what it is asked."""

from __future__ import annotations

from collections.abc import Collection

from unbraid.agents.control_port import VERBS, AnswerDetails, PermissionRequest
from unbraid.errors import CallerError


class SteeredRun:
    """One permission request, `q1`, waits for an answer. What is `refused`, by its verb or as a
    whole, raises CallerError.
    """

    def __init__(
        self,
        run: str,
        *,
        verbs: Collection[str] = VERBS,
        refused: Collection[str | tuple[object, ...]] = (),
    ) -> None:
        self.run, self._verbs, self._refused = run, verbs, refused
        self.asked: list[tuple[object, ...]] = []
        self.by: str | None = None  # who gave the last answer
        self.waits = [PermissionRequest(run, "q1", "Bash", {"command": "ls"})]

    def verbs(self) -> list[str]:
        return list(self._verbs)

    def pending(self) -> list[PermissionRequest]:
        return self.waits

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
        self.waits[:] = [each for each in self.waits if each.request_id != request_id]
        self.by = None if details is None else details.by

    def _take(self, verb: str, *given: object) -> None:
        if verb in self._refused or (verb, *given) in self._refused:
            raise CallerError(f"it cannot {verb}")
        self.asked.append((verb, *given))
