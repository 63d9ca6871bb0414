"""Where agents said it."""

from __future__ import annotations

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from unbraid.errors import CallerError
from unbraid.log.names import RUN_PATTERN, checked_run
from unbraid.log.port import Found, SearchableLog
from unbraid.serve import parameters
from unbraid.serve.operations import Operation, Parameter, json_answer
from unbraid.serve.problems import Problem
from unbraid.serve.routes.shared import TEXT, limit_of
from unbraid.serve.services import services_of

MAX_FOUND = 200


class Places(Struct):
    """What was found, best first."""

    places: list[Found]


async def search(request: Request) -> Response:
    """Search what agents said, thought, were told and called."""
    query = parameters.text(request, "q")
    if not query:
        raise CallerError("q: what to search for")
    run = parameters.text(request, "run")
    limit = parameters.number(request, "limit", at_most=MAX_FOUND)
    log = services_of(request).log
    if not isinstance(log, SearchableLog):
        raise Problem(501, "this log cannot search")
    found = await log.search(
        query, run=None if run is None else checked_run(run), limit=20 if limit is None else limit
    )
    return json_answer(Places(found))


OPERATIONS = (
    Operation(
        "GET",
        "/v1/search",
        search,
        "Places where agents said it",
        Places,
        parameters=(
            Parameter("q", {**TEXT, "minLength": 1}, 'Words, or "a phrase".', required=True),
            Parameter("run", {"type": "string", "pattern": RUN_PATTERN}, "Only in this run."),
            limit_of(MAX_FOUND),
        ),
        problems=(400, 501),
    ),
)
