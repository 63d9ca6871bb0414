"""A fleet of our own."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.types import ASGIApp

from unbraid.agents.agent_spec import Limits
from unbraid.errors import CallerError
from unbraid.read.names import RUN_PATTERN
from unbraid.serve import parameters
from unbraid.serve.hub.frames import Form
from unbraid.serve.operations import Operation, Parameter, json_answer
from unbraid.serve.problems import Problem
from unbraid.serve.routes.events import LAST_EVENT_ID, AnyEvent, encoding_of, form_of
from unbraid.serve.services import services_of
from unbraid.serve.stream import EventStream

MAX_KEY_CHARS = 200


class OrchestrationRequest(Struct, forbid_unknown_fields=True):
    """What the master is asked. `continues` names a run whose master continues with it."""

    prompt: Annotated[str, Meta(min_length=1)]
    continues: Annotated[str, Meta(pattern=RUN_PATTERN)] | None = None
    limits: Limits | None = None


class BegunRun(Struct):
    """The run that was begun."""

    run: str


async def orchestrate(request: Request) -> ASGIApp:
    """Begin a run, or find the one that the same `Idempotency-Key` has begun, and follow it. The
    run goes on without its viewers. With `Accept: application/json`, only its name.
    """
    services = services_of(request)
    if services.orchestrator is None:
        raise Problem(501, "this server does not orchestrate")
    limits = services.config.limits
    asked = await parameters.json_of(request, OrchestrationRequest, at_most=limits.json_bytes)
    run = await services.orchestrator.start(
        asked.prompt, key=_key(request), continues=asked.continues, limits=asked.limits
    )
    headers = {"location": f"/v1/runs/{run}", "x-unbraid-run": run}
    if request.headers.get("accept", "").startswith("application/json"):
        answer = json_answer(BegunRun(run), 202)
        answer.headers.update(headers)
        return answer
    form = form_of(request)
    watching = services.hub.watch(run, parameters.since_of(request) or 0, form=form)
    return EventStream(watching, form, encoding_of(request), headers=headers, keys=services.keys)


def _key(request: Request) -> str | None:
    key = request.headers.get("idempotency-key")
    if key is not None and not 0 < len(key) <= MAX_KEY_CHARS:
        raise CallerError(f"Idempotency-Key: 1 to {MAX_KEY_CHARS} characters")
    return key


KEY = {"type": "string", "minLength": 1, "maxLength": MAX_KEY_CHARS}

OPERATIONS = (
    Operation(
        "POST",
        "/v1/orchestrate",
        endpoint=orchestrate,
        summary="Ask a fleet, and follow its run",
        answer=AnyEvent,
        media=Form.SSE.value,
        parameters=(
            Parameter("Idempotency-Key", KEY, "The same key gives the same run.", where="header"),
            LAST_EVENT_ID,
        ),
        body=OrchestrationRequest,
        problems=(202, 400, 409, 413, 415, 501),
        scope="orchestrate",
    ),
)
