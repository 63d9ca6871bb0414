"""Steering live runs: messages, answers to permission requests, runs that other machines send here;
and alerts about them.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field
from starlette.requests import Request
from starlette.responses import Response

from unbraid.agents.control_port import AnswerDetails
from unbraid.read.names import checked_run
from unbraid.record.ingest import NotItsRun
from unbraid.send.senders import PageAlert
from unbraid.serve.guard import caller_of
from unbraid.serve.operations import (
    NUMBER,
    Parameter,
    existing_run,
    json_answer,
    json_of,
    names_request,
    number_of,
    operation,
    request_id_of,
    stream_of,
)
from unbraid.serve.services import services_of
from unbraid.steer.controllers import NotControlled
from unbraid.steer.hints import steering_hint
from unbraid.steer.permissions import PermissionRequest, answer_request, answerable_requests
from unbraid.steer.servers import SteeringOrders, SteeringReport
from unbraid.system.home import user_name
from unbraid.system.tasks import end_task
from unbraid.timings import ATTENDANCE_LONGEST_SECONDS


class Message(Struct, forbid_unknown_fields=True):
    """A message to the main agent, or to the agent of a stream where that can be."""

    text: str
    stream_id: Annotated[int, Meta(ge=0)] = 0


class AcceptedRequest(Struct):
    """It was passed on; what comes of it will be in the events."""

    accepted: bool = True


class ControlOptions(Struct):
    """What can be asked of a run; nothing, if this server cannot steer it. If it takes no messages:
    the `reason`, and the `command` to use for one that does.
    """

    run: str
    verbs: list[str]
    reason: str | None = None
    command: str | None = None


class SteerableRuns(Struct):
    """The runs that can be steered now."""

    runs: list[ControlOptions]


_order = partial(operation, answer=AcceptedRequest, status=202, scope="control", problems=(409,))


@operation("GET /v1/control", "Runs that can be steered", answer=SteerableRuns)
async def steerable(request: Request) -> Response:
    """Answers with the runs that can be steered, and what can be asked of each."""
    held = await services_of(request).controllers.everywhere()
    return json_answer(
        SteerableRuns([ControlOptions(run, each.verbs()) for run, each in held.items()])
    )


@operation("GET /v1/runs/{run}/control", "What can be asked of a run", answer=ControlOptions)
async def control(request: Request) -> Response:
    """Answers with what can be asked of a run."""
    summary = await existing_run(request)
    try:
        verbs = (await services_of(request).controllers.find(summary.run)).verbs()
    except NotControlled:
        verbs = []
    hint = steering_hint(summary, verbs)
    if hint is None:
        return json_answer(ControlOptions(summary.run, verbs))
    return json_answer(ControlOptions(summary.run, verbs, hint.reason, command=hint.command))


@_order("POST /v1/runs/{run}/message", "Send the main agent a message", body=Message)
async def message(request: Request) -> Response:
    """Sends an agent a message."""
    sent = await json_of(request, Message)
    return await _steered(request, "message", sent.text, sent.stream_id)


@_order("POST /v1/runs/{run}/interrupt", "Interrupt the main agent")
async def interrupt(request: Request) -> Response:
    """Interrupt the main agent; the run goes on."""
    return await _steered(request, "interrupt")


@_order("POST /v1/runs/{run}/cancel", "End the run")
async def cancel(request: Request) -> Response:
    """End the run."""
    return await _steered(request, "cancel")


@_order("POST /v1/runs/{run}/streams/{stream_id}/stop", "End one sub-agent")
async def stop(request: Request) -> Response:
    """End one sub-agent."""
    return await _steered(request, "stop", stream_id=stream_of(request))


async def _steered(
    request: Request, verb: str, text: str | None = None, stream_id: int = 0
) -> Response:
    """Has a request carried out on the run of the path."""
    summary = await existing_run(request)
    await services_of(request).controllers.steer(summary.run, verb, text, stream_id=stream_id)
    return json_answer(AcceptedRequest(), 202)


@operation(
    "POST /v1/steering/{process}",
    "Steering requests for a process that sends its runs here (long poll)",
    answer=SteeringOrders,
    body=SteeringReport,
    scope="ingest",
    problems=(403,),
)
async def steering(request: Request) -> Response:
    """Take in what can be asked of runs that a process sends here, and what came of its orders;
    answers with new ones as soon as there are some.
    """
    services, caller = services_of(request), caller_of(request.scope)
    assert caller is not None
    name = checked_run(str(request.path_params["process"]))
    report = await json_of(request, SteeringReport)
    known = []
    for about in report.runs:
        summary = await services.store.run(checked_run(about.run))
        if summary is None:
            continue  # none of its events has arrived yet
        if summary.machine != caller.machine and not caller.may("admin"):
            raise NotItsRun(f"permission denied: {caller.machine} did not begin run {about.run}")
        if not summary.over:
            known.append(about)
    report.runs = known
    work = services.sending_machines.report(caller.machine, name, report)
    reporting, leaving = asyncio.create_task(work), asyncio.create_task(_left(request))
    try:
        # A process whose token is revoked while it waits gets no more orders.
        with services.keys.while_valid(caller, partial(_end, leaving)):
            await asyncio.wait((reporting, leaving), return_when=asyncio.FIRST_COMPLETED)
        if leaving.done() and not reporting.done():
            return Response(status_code=204)  # to nobody
        return json_answer(await reporting)
    finally:
        await end_task(reporting)
        await end_task(leaving)


def _end(task: asyncio.Task[None]) -> None:
    task.cancel()


async def _left(request: Request) -> None:
    """Waits until the caller has hung up."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


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


@operation("GET /v1/permissions", "Pending permission requests", answer=PendingRequests)
async def waiting(request: Request) -> Response:
    """Answers with the pending permission requests of all runs."""
    services = services_of(request)
    found = await answerable_requests(services.log, services.controllers)
    # Agents name their requests; under another name, one could not be answered.
    named = [each for each in found.requests if names_request(each.request_id)]
    attended_seconds = services.controllers.attendance.seconds
    return json_answer(PendingRequests(named, attended_seconds, found.unlisted))


@operation(
    "POST /v1/attendance",
    "Declare that you answer permission requests",
    answer=AttendanceTime,
    body=AttendanceTime,
    scope="control",
)
async def attend(request: Request) -> Response:
    """Notes that the caller answers permission requests for a while."""
    services = services_of(request)
    said = await json_of(request, AttendanceTime)
    await services.controllers.attend(f"{answerer_of(request)} over HTTP", said.seconds)
    return json_answer(AttendanceTime(services.controllers.attendance.seconds))


@operation(
    "POST /v1/permissions/{request_id}",
    "Answer a request",
    answer=AnsweredRequest,
    body=Decision,
    scope="control",
    problems=(404, 409),
)
async def decide(request: Request) -> Response:
    """Answer one."""
    services, request_id = services_of(request), request_id_of(request)
    decision = await json_of(request, Decision)
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


class NewAlerts(Struct):
    """What is new, and the number to ask with next time. A request without one gets only that."""

    last: int
    alerts: list[PageAlert]


@operation(
    "GET /v1/alerts",
    "Alerts since the last time",
    answer=NewAlerts,
    parameters=(Parameter("after", NUMBER, "`last` of the answer before."),),
)
async def alerts(request: Request) -> Response:
    """Answers with the alerts that came after one."""
    after, kept = number_of(request, "after"), services_of(request).alerts
    return json_answer(NewAlerts(kept.last, [] if after is None else kept.after(after)))


OPERATIONS = (
    steerable,
    control,
    message,
    interrupt,
    cancel,
    stop,
    steering,
    waiting,
    attend,
    decide,
    alerts,
)
