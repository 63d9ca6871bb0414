"""For those who run the server: health, metrics, the description of it all, and the way in."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from unbraid.serve import auth
from unbraid.serve.operations import Operation, Parameter, json_answer
from unbraid.serve.parameters import text
from unbraid.serve.problems import Problem
from unbraid.serve.services import services_of

MAX_LIVE = 10_000


class Health(Struct):
    """The log can take an event now."""

    status: str = "ok"


async def health(request: Request) -> Response:
    """Whether the log could append now; 503 if not."""
    await services_of(request).log.check()
    return json_answer(Health())


async def metrics(request: Request) -> Response:
    """Numbers for Prometheus."""
    services = services_of(request)
    live = len(await services.log.runs(status="live", limit=MAX_LIVE))
    return Response(
        services.metrics.text(live), media_type="text/plain; version=0.0.4; charset=utf-8"
    )


async def openapi(request: Request) -> Response:
    """This description."""
    from unbraid.serve.openapi import document
    from unbraid.serve.routes import OPERATIONS

    return json_answer(document(OPERATIONS))


async def login(request: Request) -> Response:
    """Turn a one-time code into a cookie, and the address into one without a secret."""
    secret = services_of(request).keys.redeem(text(request, "code") or "")
    if secret is None:
        raise Problem(403, "this link has been used or is too old")
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        auth.COOKIE,
        secret,
        max_age=auth.SESSION_SECONDS,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return answer


OPERATIONS = (
    Operation("GET", "/healthz", health, "Whether the log answers", Health, problems=(503,)),
    Operation(
        "GET", "/metrics", metrics, "Prometheus metrics", str, media="text/plain", problems=()
    ),
    Operation("GET", "/openapi.json", openapi, "This description", dict[str, Any], problems=()),
    Operation(
        "GET",
        "/login",
        login,
        "A one-time link: sets a cookie and leads to the page",
        status=303,
        parameters=(Parameter("code", {"type": "string"}, "The link's code.", required=True),),
        problems=(400, 403),
    ),
)
