"""How a live run is steered: one request, the same for every agent kind and every caller, and what
a kind does with it.

Which permission requests wait is not asked here: that is in the log (`unbraid.fold.status`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import Struct, field

from unbraid.errors import CallerError
from unbraid.read.notes import RunNote
from unbraid.timings import ATTENDANCE_LONGEST_SECONDS

VERBS = ("message", "interrupt", "cancel", "stop", "answer")
GIVE_BACK = "give_back"


class UnknownRequest(CallerError):
    """No such permission request waits."""

    def __init__(self, request_id: str) -> None:
        super().__init__(f"no pending permission request {request_id}")
        self.request_id = request_id


class AnswerDetails(Struct, frozen=True, omit_defaults=True):
    """What belongs to an answer beside yes and no.

    `input` is what the tool is to be given instead, `always` the numbers of those offers that are
    taken, counted from 0, and `answers` what is answered to an agent's questions, by question. `by`
    and `where` say who has answered, for the log.
    """

    input: dict[str, Any] | None = None
    always: list[int] = field(default_factory=list)
    answers: dict[str, str] | None = None
    by: str | None = None
    where: str | None = None

    @property
    def is_plain(self) -> bool:
        """Whether it says no more than who has answered."""
        return self.input is None and not self.always and self.answers is None


class SteeringRequest(Struct, omit_defaults=True):
    """What is asked of a run, the same over every transport. `verb` is one of VERBS, or `halt`:
    stop what all agents do now. With `answer`, `text` is a word to the agent.

    A process of ours is asked `runs` (what can be asked of its runs), `attend` (a person, `text`,
    answers for so many `seconds`) and `note` (to put a note into the log of a run that it records).
    """

    verb: str
    text: str | None = None
    stream_id: int = 0
    request_id: str = ""
    behavior: str = ""
    details: AnswerDetails | None = None
    seconds: float = 0.0
    run: str = ""
    note: RunNote | None = None


class Controller:
    """One live run that can be steered. What its agent cannot do is a CallerError; a kind's own
    controller overrides what its agent can do.
    """

    def verbs(self) -> list[str]:
        """Returns what can be asked of its agent now: some of VERBS."""
        return ["cancel"]

    def can_answer(self, request_id: str) -> bool:
        """Returns whether a permission request that waits in the log can be answered here."""
        held = self.held_requests()
        return "answer" in self.verbs() and (held is None or request_id in held)

    def held_requests(self) -> list[str] | None:
        """Returns the requests that alone can be answered, by their ids, where others of the run
        may wait in its own terminal; None if all can that wait in the log.
        """
        return None

    async def message(self, text: str) -> None:
        """Sends the main agent a further message."""
        raise _deaf()

    async def message_agent(self, stream_id: int, text: str) -> None:
        """Sends one sub-agent a message."""
        raise CallerError("only the main agent of this run takes messages")

    async def interrupt(self) -> None:
        """Interrupts the main agent; the run continues."""
        raise _deaf()

    async def stop_everyone(self) -> None:
        """Stops what every agent does now; the run continues. Overridden where `interrupt` would
        leave other agents at work.
        """
        await self.interrupt()

    async def cancel(self) -> None:
        """Ends the run."""
        raise CallerError("this run cannot be ended from here")

    async def stop(self, stream_id: int) -> None:
        """Ends one sub-agent."""
        raise _deaf()

    async def answer(
        self,
        request_id: str,
        behavior: str,
        message: str | None,
        details: AnswerDetails | None = None,
    ) -> None:
        """Answers a permission request: `behavior` is allow or deny, or `give_back` for one that is
        held here and may be answered in its own terminal instead.
        """
        raise UnknownRequest(request_id)

    async def carry_out(self, request: SteeringRequest) -> None:
        """Carries out a request."""
        match request.verb:
            case "message" if request.stream_id:
                await self.message_agent(request.stream_id, request.text or "")
            case "message":
                await self.message(request.text or "")
            case "interrupt":
                await self.interrupt()
            case "cancel":
                await self.cancel()
            case "halt":
                await self.stop_everyone()
            case "stop":
                await self.stop(request.stream_id)
            case "answer":
                await self.answer(
                    request.request_id, request.behavior, request.text, details=request.details
                )
            case _:
                raise CallerError(f"unknown request: {request.verb}")

    # --- of a process that we started ---

    def printed(self, line: bytes) -> None:
        """Reads a line of its stdout, which may be a permission request."""

    def passed(self, data: bytes) -> None:
        """Reads lines that the person wrote to its stdin, which may answer a permission request."""

    def close(self) -> None:
        """Notes that the process is gone."""


def _deaf() -> CallerError:
    return CallerError("this run does not accept messages; its program can only be stopped")


async def halt(controller: Controller) -> str:
    """Stops what a run does now, with all of its agents, or ends it where that is not possible.
    Returns which: `interrupted` or `ended`.
    """
    if "interrupt" not in controller.verbs():
        await controller.carry_out(SteeringRequest("cancel"))
        return "ended"
    await controller.carry_out(SteeringRequest("halt"))
    return "interrupted"


async def require_agent_id(
    agent_of: Callable[[int], Awaitable[str | None]] | None, stream_id: int
) -> str:
    """Returns the id of the agent behind a stream, as `agent_of` knows it. Raises CallerError if it
    does not.
    """
    agent_id = None if agent_of is None else await agent_of(stream_id)
    if agent_id is None:
        raise CallerError(f"the id of stream {stream_id} is not known yet")
    return agent_id


def allows(behavior: str) -> bool:
    """Returns whether an answer to a permission request is allow, and not deny. Raises CallerError
    if it is neither.
    """
    if behavior not in ("allow", "deny"):
        raise CallerError(f"not a valid answer: {behavior}")
    return behavior == "allow"


def refuse_details(details: AnswerDetails | None) -> None:
    """Raises CallerError if an answer says more than yes or no, where that is not possible."""
    if details is not None and not details.is_plain:
        raise CallerError("this request can only be allowed unchanged, or denied")


class Attendance:
    """The people who answer here, and until when they have declared to do so.

    Some requests are shown in no terminal while a hook holds them. They are held only while a
    person has declared that they answer here. The declaration expires unless it is repeated; a
    page that was closed repeats nothing.
    """

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._changed = asyncio.Event()

    def attend(self, who: str, seconds: float) -> None:
        """Notes that `who` answers here for so many seconds; 0 means no longer."""
        now = time.monotonic()
        self._until = {name: until for name, until in self._until.items() if until > now}
        self._until.pop(who, None)
        if seconds > 0:
            self._until[who] = now + min(seconds, ATTENDANCE_LONGEST_SECONDS)
        self._changed.set()

    @property
    def seconds(self) -> float:
        """For how many seconds from now a person answers; 0 if no person does."""
        return max(0.0, max(self._until.values(), default=0.0) - time.monotonic())

    async def ended(self) -> None:
        """Waits until no person answers any more."""
        while (left := self.seconds) > 0:
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), left)
            except TimeoutError:
                continue
