"""Permission requests that wait for an answer."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from unbraid.agents.control_port import PermissionRequest
from unbraid.serve import parameters
from unbraid.serve.operations import Operation, Parameter, json_answer
from unbraid.serve.services import services_of


class Waiting(Struct):
    """The requests that wait."""

    permissions: list[PermissionRequest]


class Decision(Struct, forbid_unknown_fields=True):
    """An answer, with a word to the agent if it is no."""

    behavior: Literal["allow", "deny"]
    message: str | None = None


class Decided(Struct):
    """It was passed on."""

    request_id: str
    behavior: str


async def waiting(request: Request) -> Response:
    """Answers with the pending permission requests of all runs."""
    return json_answer(Waiting(await services_of(request).controllers.waiting()))


async def decide(request: Request) -> Response:
    """Answer one."""
    services, request_id = services_of(request), parameters.request_id_of(request)
    limits = services.config.limits
    decision = await parameters.json_of(request, Decision, at_most=limits.json_bytes)
    await services.controllers.answer(request_id, decision.behavior, decision.message)
    return json_answer(Decided(request_id, decision.behavior))


ID = {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$"}

OPERATIONS = (
    Operation(
        "GET",
        "/v1/permissions",
        endpoint=waiting,
        summary="Requests that wait for an answer",
        answer=Waiting,
        problems=(),
    ),
    Operation(
        "POST",
        "/v1/permissions/{request_id}",
        endpoint=decide,
        summary="Answer a request",
        answer=Decided,
        parameters=(Parameter("request_id", ID, "The request's id.", where="path", required=True),),
        body=Decision,
        problems=(400, 404, 409, 413, 415),
        scope="control",
    ),
)
