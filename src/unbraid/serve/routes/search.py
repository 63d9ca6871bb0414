"""Where agents said it."""

from __future__ import annotations

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from unbraid.agents.port import SearchHit
from unbraid.errors import CallerError
from unbraid.log.port import Found, SearchableLog
from unbraid.serve import parameters
from unbraid.serve.operations import Operation, Parameter, json_answer
from unbraid.serve.problems import Problem
from unbraid.serve.routes.shared import TEXT, known_run, limit_of
from unbraid.serve.services import services_of
from unbraid.wire.names import RUN_PATTERN, checked_run

MAX_FOUND = 200


class Places(Struct, omit_defaults=True):
    """What was found in the log, best first; then, in `history`, what was found in sessions that
    are not in the log, newest first. Those have no numbers yet: search again in their `run`, which
    opens it.
    """

    places: list[Found]
    history: list[SearchHit] = []


async def search(request: Request) -> Response:
    """Searches what agents said, thought, were asked and called."""
    query = parameters.text(request, "q")
    if not query:
        raise CallerError("q: what to search for")
    run = parameters.text(request, "run")
    limit = parameters.number(request, "limit", at_most=MAX_FOUND)
    limit = 20 if limit is None else limit
    services = services_of(request)
    if not isinstance(services.log, SearchableLog):
        raise Problem(501, "this log cannot search")
    if run is not None:
        await known_run(services, checked_run(run))
    places = await services.log.search(query, run=run, limit=limit)
    history: list[SearchHit] = []
    if services.history is not None and run is None and len(places) < limit:
        history = await services.history.search(query, limit=limit - len(places))
    if services.config.redact:
        from unbraid.redact.matches import redact_hits

        history = redact_hits(history, query)
    return json_answer(Places(places, history))


OPERATIONS = (
    Operation(
        "GET",
        "/v1/search",
        endpoint=search,
        summary="Places where agents said it",
        answer=Places,
        parameters=(
            Parameter("q", {**TEXT, "minLength": 1}, 'Words, or "a phrase".', required=True),
            Parameter("run", {"type": "string", "pattern": RUN_PATTERN}, "Only in this run."),
            limit_of(MAX_FOUND),
        ),
        problems=(400, 501),
    ),
)
