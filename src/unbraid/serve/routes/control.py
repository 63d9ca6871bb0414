"""Steering a live run."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from unbraid.serve import parameters
from unbraid.serve.operations import Endpoint, Operation, Parameter, json_answer
from unbraid.serve.routes.run_parameters import RUN, STREAM_ID, existing_run
from unbraid.serve.services import services_of
from unbraid.steer.controllers import NotControlled
from unbraid.steer.hints import steering_hint


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


async def steerable(request: Request) -> Response:
    """Answers with the runs that can be steered, and what can be asked of each."""
    held = await services_of(request).controllers.everywhere()
    return json_answer(
        SteerableRuns([ControlOptions(run, each.verbs()) for run, each in held.items()])
    )


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


async def message(request: Request) -> Response:
    """Sends an agent a message."""
    limits = services_of(request).config.limits
    sent = await parameters.json_of(request, Message, at_most=limits.json_bytes)
    return await _steered(request, "message", sent.text, sent.stream_id)


async def interrupt(request: Request) -> Response:
    """Interrupt the main agent; the run goes on."""
    return await _steered(request, "interrupt")


async def cancel(request: Request) -> Response:
    """End the run."""
    return await _steered(request, "cancel")


async def stop(request: Request) -> Response:
    """End one sub-agent."""
    return await _steered(request, "stop", stream_id=parameters.stream_of(request))


async def _steered(
    request: Request, verb: str, text: str | None = None, stream_id: int = 0
) -> Response:
    """Has a request carried out on the run of the path."""
    summary = await existing_run(request)
    await services_of(request).controllers.steer(summary.run, verb, text, stream_id=stream_id)
    return json_answer(AcceptedRequest(), 202)


def _order(path: str, endpoint: Endpoint, summary: str, *parameters: Parameter) -> Operation:
    """Returns an operation that takes no body, and whose effect is seen in the events."""
    return Operation(
        method="POST",
        path=path,
        endpoint=endpoint,
        summary=summary,
        answer=AcceptedRequest,
        status=202,
        parameters=parameters,
        problems=(400, 404, 409),
        scope="control",
    )


OPERATIONS = (
    Operation(
        "GET",
        "/v1/control",
        endpoint=steerable,
        summary="Runs that can be steered",
        answer=SteerableRuns,
        problems=(),
    ),
    Operation(
        "GET",
        "/v1/runs/{run}/control",
        endpoint=control,
        summary="What can be asked of a run",
        answer=ControlOptions,
        parameters=(RUN,),
        problems=(400, 404),
    ),
    Operation(
        "POST",
        "/v1/runs/{run}/message",
        endpoint=message,
        summary="Send the main agent a message",
        answer=AcceptedRequest,
        status=202,
        parameters=(RUN,),
        body=Message,
        problems=(400, 404, 409, 413, 415),
        scope="control",
    ),
    _order("/v1/runs/{run}/interrupt", interrupt, "Interrupt the main agent", RUN),
    _order("/v1/runs/{run}/cancel", cancel, "End the run", RUN),
    _order("/v1/runs/{run}/streams/{stream_id}/stop", stop, "End one sub-agent", RUN, STREAM_ID),
)
