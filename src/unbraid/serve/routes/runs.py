"""Runs, and views of one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from unbraid.events import FleetEvent, FleetTokenUsage, StreamStart
from unbraid.fold.conversation import Item, StreamConversation
from unbraid.fold.status import FILTERS, WaitingFor
from unbraid.fold.tree import Tree
from unbraid.fold.usage import Usage
from unbraid.log.port import run_pages
from unbraid.log.summary import Activity, RunSummary
from unbraid.record.sessions.all_runs import end_open_agents
from unbraid.serve import parameters
from unbraid.serve.log_health import CopyState
from unbraid.serve.operations import Operation, Parameter, json_answer
from unbraid.serve.problems import Problem
from unbraid.serve.routes.run_parameters import RUN, STREAM_ID, TEXT, existing_run, limit_of
from unbraid.serve.services import services_of

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


async def list_runs(request: Request) -> Response:
    """Answers with the runs, last started first."""
    limit = parameters.number(request, "limit", at_most=MAX_RUNS)
    limit = 50 if limit is None else limit
    services = services_of(request)
    found = await services.all_runs.runs(
        status=parameters.choice(request, "status", tuple(FILTERS)),
        matching=parameters.text(request, "q") or None,
        limit=limit,
        before=parameters.text(request, "before"),
    )
    stored = services.stored_sessions
    indexed = None if stored is None else IndexProgress(stored.listed, stored.total)
    more = found[-1].page if found and len(found) == limit else None
    listed = [run_json(summary) for summary in found]
    return json_answer(Runs(listed, more, indexed, copy=await services.health.copy()))


async def one_run(request: Request) -> Response:
    """Answers with one run."""
    return json_answer(run_json(await existing_run(request)))


async def tree(request: Request) -> Response:
    """Answers with the tree of agents."""
    summary = await existing_run(request)
    picture = await _tree(request, summary)
    root = picture.to_json() if 0 in picture.nodes else None
    return json_answer({"run": summary.run, "status": summary.status, "root": root})


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


async def stream(request: Request) -> Response:
    """Answers with what one agent was asked, said and did."""
    stream_id, summary = parameters.stream_of(request), await existing_run(request)
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


STATUS = Parameter(
    "status",
    {"type": "string", "enum": list(FILTERS)},
    "Only these; `live` are those that work or wait.",
)
QUERY = Parameter("q", TEXT, "Only runs with this in their title, folder, session, source or id.")
BEFORE = Parameter("before", TEXT, "The `before` value of the previous page.")

OPERATIONS = (
    Operation(
        "GET",
        "/v1/runs",
        endpoint=list_runs,
        summary="Runs, last started first",
        answer=Runs,
        parameters=(STATUS, QUERY, limit_of(MAX_RUNS), BEFORE),
    ),
    Operation(
        "GET",
        "/v1/runs/{run}",
        endpoint=one_run,
        summary="One run",
        answer=Run,
        parameters=(RUN,),
        problems=(400, 404),
    ),
    Operation(
        "GET",
        "/v1/runs/{run}/tree",
        endpoint=tree,
        summary="The tree of agents",
        answer=dict[str, Any],
        parameters=(RUN,),
        problems=(400, 404),
    ),
    Operation(
        "GET",
        "/v1/runs/{run}/agents",
        endpoint=agents,
        summary="The agents, flat",
        answer=dict[str, Any],
        parameters=(RUN,),
        problems=(400, 404),
    ),
    Operation(
        "GET",
        "/v1/runs/{run}/streams/{stream_id}",
        endpoint=stream,
        summary="One agent's conversation",
        answer=Stream,
        parameters=(RUN, STREAM_ID),
        problems=(400, 404),
    ),
    Operation(
        "GET",
        "/v1/runs/{run}/usage",
        endpoint=usage,
        summary="Tokens and cost",
        answer=RunUsage,
        parameters=(RUN,),
        problems=(400, 404),
    ),
)
