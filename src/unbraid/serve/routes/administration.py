"""For operators of the server: health, metrics, the API description, and signing in."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from unbraid.log.port import every_run
from unbraid.serve.guard import (
    address_of,
    cookie_name,
    cookie_of,
    is_secure,
    prefers_page,
    sign_in_page,
)
from unbraid.serve.operations import (
    FORM,
    Parameter,
    form_of,
    json_answer,
    operation,
    text_of,
)
from unbraid.serve.problems import Problem
from unbraid.serve.services import Services, services_of
from unbraid.timings import SIGN_IN_SESSION_SECONDS

MAX_FORM_BYTES = 4096
# With so many records missing, a copy shows the past; a few are always on their way.
MANY_RECORDS = 1000


class Health(Struct):
    """The log can take an event now."""

    status: str = "ok"


class Readiness(Struct):
    """The log can take an event now, and can be shown from here; of a log that machines share, this
    one's copy is so many records `behind`.
    """

    status: str = "ok"
    behind: int = 0


class SignIn(Struct, forbid_unknown_fields=True):
    """What the page for signing in sends."""

    token: str


@operation("GET /healthz", "Whether the log answers", answer=Health, scope=None, problems=(503,))
async def health(request: Request) -> Response:
    """Whether the log could append now; 503 if not."""
    await services_of(request).health.check()
    return json_answer(Health())


@operation(
    "GET /readyz",
    "Whether the log answers, and this server has all of it",
    answer=Readiness,
    scope=None,
    problems=(503,),
)
async def readiness(request: Request) -> Response:
    """Whether viewers should be sent here: not while this machine's copy is far behind."""
    behind = await services_of(request).health.behind()
    if behind > MANY_RECORDS:
        raise Problem(503, f"this server is catching up: it lacks {behind} records of the log")
    return json_answer(Readiness(behind=behind))


@operation("GET /metrics", "Prometheus metrics", answer=str, media="text/plain")
async def metrics(request: Request) -> Response:
    """Numbers for Prometheus."""
    services = services_of(request)
    await services.metrics.watch_log(services.store)
    live = [run async for run in every_run(services.log, status="live")]
    await services.metrics.spending.settle(lambda run: _kind_of(services, run))
    return Response(
        services.metrics.text(live), media_type="text/plain; version=0.0.4; charset=utf-8"
    )


async def _kind_of(services: Services, run: str) -> str:
    summary = await services.log.run(run)
    return "" if summary is None else summary.source


@operation("GET /openapi.json", "This description", answer=dict[str, Any])
async def openapi(request: Request) -> Response:
    """This description."""
    from unbraid.serve.openapi import document
    from unbraid.serve.routes import OPERATIONS

    return json_answer(document(OPERATIONS))


@operation(
    "GET /login",
    "A one-time link: sets a cookie and redirects to the page",
    parameters=(Parameter("code", {"type": "string"}, "The link's code.", required=True),),
    status=303,
    scope=None,
    problems=(403, 429),
)
async def login(request: Request) -> Response:
    """Turn a one-time code into a cookie, and the address into one without a secret."""
    code = text_of(request, "code")
    if code is None:
        return _refused(request, 401, "a token is required")
    if request.method == "HEAD":
        # Programs that look where a link leads must not use it up.
        return Response(status_code=200)
    redeem = services_of(request).keys.redeem
    # A code cannot be guessed, so a valid one is accepted even if others try codes from the same
    # address.
    secret = redeem(code) or _tried(request, redeem, code)
    if secret is None:
        return _refused(request, 403, "this link has already been used, or has expired")
    return _signed_in(request, secret)


@operation(
    "POST /login",
    "Sign in with a token: sets a cookie and redirects to the page",
    status=303,
    body=SignIn,
    body_media=FORM,
    scope=None,
    problems=(429,),
)
async def sign_in(request: Request) -> Response:
    """Turn a token into a cookie."""
    given = await form_of(request, SignIn, at_most=MAX_FORM_BYTES)
    secret = _tried(request, services_of(request).keys.sign_in, given.token.strip())
    if secret is None:
        return _refused(request, 401, "unknown or revoked token")
    return _signed_in(request, secret)


@operation("POST /logout", "Sign out: the cookie becomes invalid", status=303, scope=None)
async def sign_out(request: Request) -> Response:
    """End the session of this browser: its cookie becomes invalid."""
    secret = cookie_of(request.headers, request.scope)
    if secret is not None:
        services_of(request).keys.sign_out(secret)
    answer = RedirectResponse("/", 303)
    answer.delete_cookie(
        cookie_name(request.scope), httponly=True, samesite="strict", secure=is_secure(request)
    )
    return answer


def _tried(request: Request, check: Callable[[str], str | None], secret: str) -> str | None:
    throttle, address = services_of(request).throttle, address_of(request)
    if seconds := throttle.wait_seconds(address):
        raise Problem(429, "too many attempts: try again later", retry_after=math.ceil(seconds))
    found = check(secret)
    if found is None:
        throttle.failed(address)
    else:
        throttle.succeeded(address)
    return found


def _signed_in(request: Request, secret: str) -> Response:
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        cookie_name(request.scope),
        secret,
        max_age=SIGN_IN_SESSION_SECONDS,
        httponly=True,
        samesite="strict",
        secure=is_secure(request),
    )
    return answer


def _refused(request: Request, status: int, message: str) -> Response:
    if prefers_page(request.headers.get("accept", "")):
        return sign_in_page(status, f"{message[0].upper()}{message[1:]}.")
    raise Problem(status, message)


OPERATIONS = (
    health,
    readiness,
    metrics,
    openapi,
    login,
    sign_in,
    sign_out,
)
