"""One JSON shape for every error: {"error": {"code", "message", …}}."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from unbraid.agents.control_port import UnknownRequest
from unbraid.errors import (
    CallerError,
    LogError,
    RequestConflict,
    TooManyRequests,
    UnbraidError,
)
from unbraid.log.port import LogConflict, LogUnusable
from unbraid.record.ingest import MissingBytes, NotItsRun, RunOver, TooManyRuns
from unbraid.serve.hub.fanout import TooManyViewers
from unbraid.steer.controllers import NotControlled

CODES = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "timeout",
    409: "conflict",
    413: "too_large",
    415: "unsupported_media_type",
    421: "wrong_host",
    429: "too_many_tries",
    431: "headers_too_large",
    500: "internal",
    501: "not_supported",
    503: "unavailable",
}


class Problem(UnbraidError):
    """An answer that is an error."""

    def __init__(self, status: int, message: str, **more: Any) -> None:
        super().__init__(message)
        self.status, self.message, self.more = status, message, more


def problem_response(
    status: int, message: str, headers: dict[str, str] | None = None, **more: Any
) -> Response:
    """Returns an error as an answer."""
    body = {"error": {"code": CODES.get(status, "error"), "message": message, **more}}
    content = msgspec.json.encode(body)
    return Response(content, status, headers, media_type="application/json")


def as_problem(error: Exception) -> Problem:
    """Returns an error as an answer, by blame: the caller's are 4xx, the log's 503, anything else
    is our bug.
    """
    match error:
        case Problem():
            return error
        case MissingBytes():
            return Problem(409, str(error), offset=error.wanted)
        case LogConflict():
            return Problem(409, str(error), expected=error.expected)
        case RunOver() | NotControlled() | RequestConflict():
            return Problem(409, str(error))
        case NotItsRun():
            return Problem(403, str(error))
        case UnknownRequest():
            return Problem(404, str(error))
        case TooManyViewers() | TooManyRuns() | TooManyRequests():
            return Problem(503, str(error))
        case CallerError():
            return Problem(400, str(error))
        case LogUnusable():
            # The place is a path of this machine, which must not be shown to others.
            advice = f" ({error.advice})" if error.advice else ""
            return Problem(503, f"the log cannot be used: {error.reason}{advice}")
        case LogError():
            return Problem(503, str(error))
    # No detail: it could hold anything.
    return Problem(500, "internal error")


async def on_error(_: Request, error: Exception) -> Response:
    """Returns the answer to our own errors and to everything unexpected, as Starlette's handler."""
    problem = as_problem(error)
    seconds = problem.more.get("retry_after", 1)
    headers = {"retry-after": str(seconds)} if problem.status in (429, 503) else None
    return problem_response(problem.status, problem.message, headers, **problem.more)


async def on_http_error(_: Request, error: Exception) -> Response:
    """Returns the answer to Starlette's own errors: no such route, no such method."""
    assert isinstance(error, HTTPException)
    headers = dict(error.headers) if error.headers else None
    return problem_response(error.status_code, error.detail, headers)
