"""How a live run is steered: the same for every agent kind and every caller."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct, field

from unbraid.errors import CallerError

VERBS = ("message", "interrupt", "cancel", "stop", "answer")
GIVE_BACK = "give_back"


class UnknownRequest(CallerError):
    """No such permission request waits."""

    def __init__(self, request_id: str) -> None:
        super().__init__(f"no pending permission request {request_id}")
        self.request_id = request_id


class PermissionRequest(Struct):
    """An agent waits for someone to allow a tool.

    `always` are the CLI's own offers to allow it from now on. `also_in_terminal`: it is asked there
    too, and the first answer counts. `held_until` is when the request is given back to the CLI if
    it was not answered, in milliseconds since 1970; None if it waits without a limit.
    """

    run: str
    request_id: str
    tool: str
    input: Any
    stream_id: int = 0
    agent: str = ""
    ts: int = 0
    always: list[str] = field(default_factory=list)
    can_edit: bool = False
    also_in_terminal: bool = False
    held_until: int | None = None


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


class Controller(Protocol):
    """One live run that can be steered. What its agent cannot do is a CallerError."""

    async def message(self, text: str) -> None:
        """Sends the main agent a further message."""
        ...

    async def interrupt(self) -> None:
        """Interrupts the main agent; the run continues."""
        ...

    async def cancel(self) -> None:
        """Ends the run."""
        ...

    async def stop(self, stream_id: int) -> None:
        """Ends one sub-agent."""
        ...

    def verbs(self) -> list[str]:
        """Returns what can be asked of its agent now: some of VERBS."""
        ...

    def pending(self) -> list[PermissionRequest]:
        """Returns the permission requests that wait for an answer."""
        ...

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
        ...


@runtime_checkable
class AgentMessageController(Protocol):
    """A controller that can send messages to sub-agents, too."""

    async def message_agent(self, stream_id: int, text: str) -> None:
        """Sends one agent of the run a message."""
        ...


@runtime_checkable
class FleetStopController(Protocol):
    """A controller whose `interrupt` would leave other agents at work."""

    async def stop_everyone(self) -> None:
        """Stops what every agent does now; the run continues."""
        ...


async def halt(controller: Controller) -> str:
    """Stops what a run does now, with all of its agents, or ends it where that is not possible.
    Returns which: `interrupted` or `ended`.
    """
    if "interrupt" not in controller.verbs():
        await controller.cancel()
        return "ended"
    if isinstance(controller, FleetStopController):
        await controller.stop_everyone()
    else:
        await controller.interrupt()
    return "interrupted"


async def send_message(controller: Controller, stream_id: int, text: str) -> None:
    """Sends an agent of a run a message. Raises CallerError if that is not possible."""
    if not stream_id:
        await controller.message(text)
    elif isinstance(controller, AgentMessageController):
        await controller.message_agent(stream_id, text)
    else:
        raise CallerError("only the main agent of this run takes messages")


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
