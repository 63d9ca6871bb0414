"""Permission requests that wait for an answer."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field
from starlette.requests import Request
from starlette.responses import Response

from unbraid.agents.control_port import AnswerDetails
from unbraid.serve import parameters
from unbraid.serve.access.guard import caller_of
from unbraid.serve.operations import Operation, Parameter, json_answer
from unbraid.serve.services import services_of
from unbraid.steer.permissions import PermissionRequest, answer_request, answerable_requests
from unbraid.system.home import user_name
from unbraid.timings import ATTENDANCE_LONGEST_SECONDS


class PendingRequests(Struct):
    """The requests that wait, and for how many seconds a person has declared to answer them. Of a
    run with too many open requests, some are `unlisted`: so many.
    """

    permissions: list[PermissionRequest]
    attended_seconds: float = 0.0
    unlisted: int = 0


class Decision(Struct, forbid_unknown_fields=True):
    """An answer: allow, deny with a word to the agent, or give back to the agent's own terminal.

    `input` is what the tool is to be given instead of what it asked for, `always` the numbers of
    the request's own offers that are taken, from 0 on, and `answers` what is answered to an agent's
    questions, by question. `where` says to the log where the answer was given. `run` is
    the run whose request is meant.
    """

    behavior: Literal["allow", "deny", "give_back"]
    message: str | None = None
    input: dict[str, Any] | None = None
    always: list[int] = field(default_factory=list)
    answers: dict[str, str] | None = None
    where: Annotated[str, Meta(max_length=40)] | None = None
    run: str | None = None


class AttendanceTime(Struct, forbid_unknown_fields=True):
    """For how long a person answers here, from now on; 0: no longer."""

    seconds: Annotated[float, Meta(ge=0, le=ATTENDANCE_LONGEST_SECONDS)]


class AnsweredRequest(Struct):
    """It was passed on."""

    request_id: str
    behavior: str


async def waiting(request: Request) -> Response:
    """Answers with the pending permission requests of all runs."""
    services = services_of(request)
    found = await answerable_requests(services.log, services.controllers)
    # Agents name their requests; under another name, one could not be answered.
    named = [each for each in found.requests if parameters.names_request(each.request_id)]
    attended_seconds = services.controllers.attendance.seconds
    return json_answer(PendingRequests(named, attended_seconds, found.unlisted))


async def attend(request: Request) -> Response:
    """Notes that the caller answers permission requests for a while."""
    services = services_of(request)
    said = await parameters.json_of(
        request, AttendanceTime, at_most=services.config.limits.json_bytes
    )
    await services.controllers.attend(f"{answerer_of(request)} over HTTP", said.seconds)
    return json_answer(AttendanceTime(services.controllers.attendance.seconds))


async def decide(request: Request) -> Response:
    """Answer one."""
    services, request_id = services_of(request), parameters.request_id_of(request)
    limits = services.config.limits
    decision = await parameters.json_of(request, Decision, at_most=limits.json_bytes)
    details = AnswerDetails(
        input=decision.input,
        always=decision.always,
        answers=decision.answers,
        by=answerer_of(request),
        where=decision.where or "HTTP",
    )
    await answer_request(
        services.log,
        services.controllers,
        request_id,
        decision.behavior,
        message=decision.message,
        details=details,
        run=decision.run,
    )
    return json_answer(AnsweredRequest(request_id, decision.behavior))


def answerer_of(request: Request) -> str:
    """Returns the person who answers: the name of a token, or the owner of the server."""
    caller = caller_of(request.scope)
    return (caller.machine if caller is not None else None) or user_name()


ID = {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$"}

OPERATIONS = (
    Operation(
        "GET",
        "/v1/permissions",
        endpoint=waiting,
        summary="Pending permission requests",
        answer=PendingRequests,
        problems=(),
    ),
    Operation(
        "POST",
        "/v1/attendance",
        endpoint=attend,
        summary="Declare that you answer permission requests",
        answer=AttendanceTime,
        body=AttendanceTime,
        problems=(400, 413, 415),
        scope="control",
    ),
    Operation(
        "POST",
        "/v1/permissions/{request_id}",
        endpoint=decide,
        summary="Answer a request",
        answer=AnsweredRequest,
        parameters=(Parameter("request_id", ID, "The request's id.", where="path", required=True),),
        body=Decision,
        problems=(400, 404, 409, 413, 415),
        scope="control",
    ),
)
