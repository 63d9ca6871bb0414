"""Runs: lists of them, views of one, what was said and spent in them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict
from starlette.requests import Request
from starlette.responses import Response

from unbraid.agents.port import SearchHit
from unbraid.errors import CallerError
from unbraid.events import FleetEvent, FleetTokenUsage, StreamStart
from unbraid.fold.conversation import Item, StreamConversation
from unbraid.fold.status import FILTERS, WaitingFor
from unbraid.fold.tree import Tree
from unbraid.fold.usage import Usage
from unbraid.log.port import Found, every_run, run_pages
from unbraid.log.summary import Activity, RunSummary
from unbraid.read.names import checked_run
from unbraid.record.sessions.all_runs import end_open_agents
from unbraid.record.sessions.costs import (
    KEYS,
    CostRow,
    CostTotal,
    SpentRun,
    costs,
    since_ms,
    with_logged,
)
from unbraid.send.export import FORMATS, MEDIA_TYPES, RunFile
from unbraid.serve.operations import (
    NUMBER,
    RUN_ID,
    TEXT,
    Parameter,
    choice_of,
    existing_run,
    json_answer,
    limit_of,
    number_of,
    operation,
    stream_of,
    text_of,
)
from unbraid.serve.problems import Problem
from unbraid.serve.services import CopyState, Services, services_of
from unbraid.system.prices.loader import load_prices

MAX_RUNS = 500


class Run(Struct):
    """A run as it is sent over HTTP."""

    run: str
    source: str
    session_id: str | None
    title: str | None
    cwd: str | None
    machine: str | None
    user: str | None
    status: str
    waiting: WaitingFor | None
    agents: int
    started: int
    updated: int
    usage: Usage
    activity: Activity
    first_seq: int
    last_seq: int


class IndexProgress(Struct):
    """How many of the sessions on this machine have been looked at, of how many."""

    listed: int
    total: int


class Runs(Struct, omit_defaults=True):
    """A page of runs; `before` asks for the next page. A run whose `last_seq` is 0 is a stored
    session that is not in the log: it is imported when anything of it is asked for. `copy` says how
    complete this is if the log is one that machines share.
    """

    runs: list[Run]
    before: str | None
    indexed: IndexProgress | None = None
    copy: CopyState | None = None


class Stream(Struct):
    """One stream's conversation."""

    run: str
    stream_id: int
    items: list[Item]


class ModelUsage(Struct):
    """What one model was used for."""

    model: str | None
    messages: int
    usage: Usage


class RunUsage(Struct):
    """What a run has used, in all and by model."""

    run: str
    usage: Usage
    models: list[ModelUsage]


def run_json(summary: RunSummary) -> Run:
    """Returns a summary without what is only for the log itself."""
    return Run(*(getattr(summary, name) for name in Run.__struct_fields__))


FORMAT = Parameter(
    "format", {"type": "string", "enum": list(FORMATS), "default": "html"}, "The kind of file."
)
STREAM = Parameter("stream", NUMBER, "Only this stream; 0 is the main agent.")
STATUS = Parameter(
    "status",
    {"type": "string", "enum": list(FILTERS)},
    "Only these; `live` are those that work or wait.",
)
QUERY = Parameter("q", TEXT, "Only runs with this in their title, folder, session, source or id.")
BEFORE = Parameter("before", TEXT, "The `before` value of the previous page.")


@operation(
    "GET /v1/runs",
    "Runs, last started first",
    answer=Runs,
    parameters=(STATUS, QUERY, limit_of(MAX_RUNS), BEFORE),
)
async def list_runs(request: Request) -> Response:
    """Answers with the runs, last started first."""
    limit = number_of(request, "limit", at_most=MAX_RUNS)
    limit = 50 if limit is None else limit
    services = services_of(request)
    found = await services.all_runs.runs(
        status=choice_of(request, "status", tuple(FILTERS)),
        matching=text_of(request, "q") or None,
        limit=limit,
        before=text_of(request, "before"),
    )
    stored = services.stored_sessions
    indexed = None if stored is None else IndexProgress(stored.listed, stored.total)
    more = found[-1].page if found and len(found) == limit else None
    listed = [run_json(summary) for summary in found]
    return json_answer(Runs(listed, more, indexed, copy=await services.health.copy()))


@operation("GET /v1/runs/{run}", "One run", answer=Run)
async def one_run(request: Request) -> Response:
    """Answers with one run."""
    return json_answer(run_json(await existing_run(request)))


@operation("GET /v1/runs/{run}/tree", "The tree of agents", answer=dict[str, Any])
async def tree(request: Request) -> Response:
    """Answers with the tree of agents."""
    summary = await existing_run(request)
    picture = await _tree(request, summary)
    root = picture.to_json() if 0 in picture.nodes else None
    return json_answer({"run": summary.run, "status": summary.status, "root": root})


@operation("GET /v1/runs/{run}/agents", "The agents, flat", answer=dict[str, Any])
async def agents(request: Request) -> Response:
    """Answers with the agents of a run, in order of appearance."""
    summary = await existing_run(request)
    picture = await _tree(request, summary)
    return json_answer({"run": summary.run, "agents": list(picture.nodes.values())})


async def _tree(request: Request, summary: RunSummary) -> Tree:
    picture = Tree()
    async for events in _events(request, summary.run):
        picture.apply(events)
    if summary.over:
        end_open_agents(picture, summary.status)
    return picture


@operation("GET /v1/runs/{run}/streams/{stream_id}", "One agent's conversation", answer=Stream)
async def stream(request: Request) -> Response:
    """Answers with what one agent was asked, said and did."""
    stream_id, summary = stream_of(request), await existing_run(request)
    children: dict[str, int] = {}
    async for events in _events(request, summary.run, types=["stream_start"]):
        for event in events:
            if isinstance(event, StreamStart) and event.tool_use_id:
                children[event.tool_use_id] = event.stream_id
    conversation = StreamConversation(children=children)
    async for events in _events(request, summary.run, stream_id=stream_id):
        conversation.feed(events)
    if conversation.last_seq == 0:
        raise Problem(404, f"run {summary.run} has no stream {stream_id}")
    return json_answer(Stream(summary.run, stream_id, conversation.items))


@operation("GET /v1/runs/{run}/usage", "Tokens and cost", answer=RunUsage)
async def usage(request: Request) -> Response:
    """Answers with tokens and cost."""
    summary = await existing_run(request)
    models: dict[str | None, ModelUsage] = {}
    async for events in _events(request, summary.run, types=["token_usage"]):
        for event in events:
            if isinstance(event, FleetTokenUsage):
                used = models.setdefault(event.model, ModelUsage(event.model, 0, Usage()))
                used.messages += 1
                used.usage.add(event)
    return json_answer(RunUsage(summary.run, summary.usage, list(models.values())))


async def _events(request: Request, run: str, **which: Any) -> AsyncIterator[list[FleetEvent]]:
    async for page in run_pages(services_of(request).log, run, **which):
        yield [entry.event for entry in page]


# A file to save. Where a browser shows it all the same, nothing in it may act as this site.
_HEADERS = {"content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'"}
_SUFFIXES = {"html": "html", "markdown": "md", "json": "json"}


@operation(
    "GET /v1/runs/{run}/export",
    "A run as one file",
    answer=str,
    media="text/html",
    parameters=(FORMAT, STREAM),
)
async def export_run(request: Request) -> Response:
    """Answers with a run, or one stream of it, as a file, with its costs."""
    form = choice_of(request, "format", FORMATS) or "html"
    stream_id = number_of(request, "stream")
    summary = await existing_run(request)
    made = RunFile(summary.run, form, stream=stream_id)
    async for page in run_pages(services_of(request).log, summary.run):
        made.apply([entry.event for entry in page])
    try:
        export = made.export()
    except CallerError as error:
        raise Problem(404, str(error)) from None
    data = await asyncio.to_thread(made.content, export)
    name = summary.run if stream_id is None else f"{summary.run}-{stream_id}"
    file = {"content-disposition": f'attachment; filename="{name}.{_SUFFIXES[form]}"'}
    return Response(data, media_type=MEDIA_TYPES[form], headers=_HEADERS | file)


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


@operation(
    "GET /v1/search",
    "Search what agents said",
    answer=SearchResults,
    parameters=(
        Parameter(
            "q", {**TEXT, "minLength": 1}, 'Words, or parts of words, or "a phrase".', required=True
        ),
        Parameter("run", RUN_ID, "Only in this run."),
        limit_of(MAX_FOUND),
    ),
)
async def search(request: Request) -> Response:
    """Searches what agents said, thought, were asked and called."""
    query = text_of(request, "q")
    if not query:
        raise CallerError("q: what to search for")
    run = text_of(request, "run")
    limit = number_of(request, "limit", at_most=MAX_FOUND)
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


class CostLine(CostRow):
    """One line: what was used and what it costs. `unpriced_tokens` are not in the cost."""

    unpriced_tokens: int = 0


class UnpricedModel(Struct):
    """A model without a price, and the tokens that are not in the cost."""

    model: str
    tokens: int


class CostTable(Struct):
    """What was spent, in lines, and in all. `no_price` are the models without a price."""

    by: str
    rows: list[CostLine]
    total: CostTotal
    no_price: list[UnpricedModel]


@operation(
    "GET /v1/costs",
    "Costs by day, model, folder and more",
    answer=CostTable,
    parameters=(
        Parameter("by", {"type": "string", "enum": list(KEYS)}, "What to group by."),
        Parameter("since", TEXT, "Only costs since then: 7d, 12h, or a date."),
    ),
)
async def spent(request: Request) -> Response:
    """Sums up what agents have used, each message once."""
    by = text_of(request, "by") or "day"
    since = since_ms(text_of(request, "since"), time.time())
    if by not in KEYS:
        raise CallerError(f"by: one of {', '.join(KEYS)}")
    services = services_of(request)
    stored: list[SpentRun] = []
    if services.stored_sessions is not None:
        stored = await services.stored_sessions.spent(since=since)
    logged = [run async for run in every_run(services.log)]
    runs = await with_logged(stored, services.log, logged, prices=load_prices().prices)
    found = costs(runs, by, since=since)
    lines = [
        CostLine(**asdict(row), unpriced_tokens=found.spent[row.key].unpriced_tokens)
        for row in found.rows
    ]
    if services.config.redact:
        from unbraid.redact.reader import redact_title

        for line in lines:
            line.key = redact_title(line.key)
    no_price = [UnpricedModel(model, tokens) for model, tokens in found.unpriced.items()]
    return json_answer(CostTable(by, lines, found.total, no_price=no_price))


OPERATIONS = (list_runs, one_run, tree, agents, stream, usage, export_run, search, spent)
