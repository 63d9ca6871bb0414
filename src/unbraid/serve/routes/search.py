"""Where agents said it."""

from __future__ import annotations

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from unbraid.agents.port import SearchHit
from unbraid.errors import CallerError
from unbraid.events import StreamStart
from unbraid.log.port import Found
from unbraid.read.names import RUN_PATTERN, checked_run
from unbraid.serve import parameters
from unbraid.serve.operations import Operation, Parameter, json_answer
from unbraid.serve.routes.run_parameters import TEXT, limit_of
from unbraid.serve.services import Services, services_of

MAX_FOUND = 200


class FoundAgent(Struct):
    """An agent that something was found at: its type, and what it is there for."""

    stream_id: int
    agent: str
    description: str | None


class FoundRun(Struct):
    """A run that something was found in, with the agents that it was found at."""

    run: str
    title: str | None
    started: int
    agents: list[FoundAgent]


class SearchResults(Struct, omit_defaults=True):
    """What was found in the log, best first; then, in `history`, what was found in sessions that
    are not in the log, newest first. Those have no numbers yet: search again in their `run`, which
    opens it. `runs` says what all of these are called.
    """

    places: list[Found]
    history: list[SearchHit] = []
    runs: list[FoundRun] = []


async def search(request: Request) -> Response:
    """Searches what agents said, thought, were asked and called."""
    query = parameters.text(request, "q")
    if not query:
        raise CallerError("q: what to search for")
    run = parameters.text(request, "run")
    limit = parameters.number(request, "limit", at_most=MAX_FOUND)
    limit = 20 if limit is None else limit
    services = services_of(request)
    if run is not None:
        await services.all_runs.run(checked_run(run))
    places: list[Found] = []
    history: list[SearchHit] = []
    async for results in services.all_runs.search(query, run=run, limit=limit):
        places += (result for result in results if isinstance(result, Found))
        history += (result for result in results if isinstance(result, SearchHit))
    runs = [await _found_run(services, found) for found in _by_run(places, history).values()]
    return json_answer(SearchResults(places, history, runs))


def _by_run(places: list[Found], history: list[SearchHit]) -> dict[str, list[Found | SearchHit]]:
    runs: dict[str, list[Found | SearchHit]] = {}
    found: tuple[Found | SearchHit, ...] = (*places, *history)
    for place in found:
        runs.setdefault(place.run, []).append(place)
    return runs


async def _found_run(services: Services, found: list[Found | SearchHit]) -> FoundRun:
    """Returns what a run and its agents are called in which something was found."""
    run, agents = found[0].run, list[FoundAgent]()
    summary = await services.log.run(run)
    if summary is None:
        summary = next(iter(await services.all_runs.stored(matching=run, limit=1)), None)
    for stream_id in dict.fromkeys(each.stream_id for each in found if isinstance(each, Found)):
        started = ["stream_start"]
        for entry in await services.log.read(run, limit=1, stream_id=stream_id, types=started):
            event = entry.event
            if isinstance(event, StreamStart):
                agents.append(FoundAgent(stream_id, event.agent, event.description))
    if summary is None:
        return FoundRun(run, None, 0, agents=agents)
    return FoundRun(run, summary.title, summary.started, agents=agents)


OPERATIONS = (
    Operation(
        "GET",
        "/v1/search",
        endpoint=search,
        summary="Search what agents said",
        answer=SearchResults,
        parameters=(
            Parameter(
                "q",
                {**TEXT, "minLength": 1},
                'Words, or parts of words, or "a phrase".',
                required=True,
            ),
            Parameter("run", {"type": "string", "pattern": RUN_PATTERN}, "Only in this run."),
            limit_of(MAX_FOUND),
        ),
        problems=(400,),
    ),
)
