"""Runs over the AG-UI protocol: to look at, and to ask for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from unbraid.errors import CallerError
from unbraid.log.port import run_pages
from unbraid.serve import parameters
from unbraid.serve.hub.frames import Form
from unbraid.serve.operations import Operation, Parameter
from unbraid.serve.problems import Problem
from unbraid.serve.routes.events import LAST_EVENT_ID, encoding_of
from unbraid.serve.routes.run_parameters import NUMBER, RUN, existing_run
from unbraid.serve.services import Services, services_of
from unbraid.serve.stream import EventStream

if TYPE_CHECKING:
    from unbraid.send.ag_ui import AgUiRun
    from unbraid.serve.ag_ui_viewer import AgUiViewer

ALLOWED, DENIED = "allow", "deny"


class AgUiEvent(Struct):
    """An event of AG-UI; what else it has depends on its type."""

    type: str


class AgUiResume(Struct, rename="camel"):
    """An answer to an interrupt."""

    interrupt_id: str
    status: str
    payload: Any = None


class AgUiMessage(Struct):
    """A message of the conversation, as far as it matters here."""

    id: str
    role: str
    content: Any = None


class AgUiInput(Struct, rename="camel"):
    """AG-UI's `RunAgentInput`, as far as it matters here."""

    thread_id: str
    run_id: str
    messages: list[AgUiMessage]
    resume: list[AgUiResume] | None = None


async def ag_ui_run(request: Request) -> ASGIApp:
    """Answers with a run as AG-UI events: all messages so far in one snapshot, then live. With
    `replay`, every event from the beginning; with `since`, those after it.
    """
    _required()
    since = parameters.since_of(request)
    whole = parameters.choice(request, "replay", ("true", "false")) == "true"
    summary = await existing_run(request)
    if since is not None and summary.over and since >= summary.last_seq:
        return Response(status_code=204)
    services = services_of(request)
    return _stream(request, _viewing(services, summary.run, since, whole=whole))


async def ag_ui_ask(request: Request) -> ASGIApp:
    """Ask a fleet over AG-UI, and follow its run: the latest message of the user is its prompt. The
    next request of the same thread goes to the same master. Where an agent asks for permission, the
    answer ends with an interrupt; a request that resumes it goes on from there.
    """
    _required()
    services = services_of(request)
    if services.orchestrator is None:
        raise Problem(501, "this server does not orchestrate")
    asked = await parameters.json_of(request, AgUiInput, at_most=services.config.limits.json_bytes)
    if asked.resume:
        return _stream(request, await _resumed(services, asked))
    run = await _begun(services, asked)
    services.threads.put(asked.thread_id, run)
    return _stream(request, _asking(services, run, asked))


def _required() -> None:
    if find_spec("ag_ui") is None:
        raise Problem(501, "this server does not speak AG-UI: pip install 'unbraid[ag-ui]'")


def _stream(request: Request, watching: AbstractAsyncContextManager[AgUiViewer]) -> EventStream:
    keys = services_of(request).keys
    return EventStream(watching, Form.SSE, encoding_of(request), keys=keys)


@asynccontextmanager
async def _viewing(
    services: Services, name: str, since: int | None, *, whole: bool
) -> AsyncIterator[AgUiViewer]:
    from unbraid.send.ag_ui import AgUiRun
    from unbraid.serve.ag_ui_viewer import fold, watching

    run, place = AgUiRun(name), 0 if whole and since is None else since
    if place is None:
        summary = await services.log.run(name)
        place = 0 if summary is None else summary.last_seq
    ts, messages = await fold(services.log, name, run, until=place)
    async with watching(services, name, run, since=place) as viewer:
        if since is None and place:
            viewer.begin(run.so_far(messages.snapshot(ts), ts), place)
        yield viewer


@asynccontextmanager
async def _asking(services: Services, name: str, asked: AgUiInput) -> AsyncIterator[AgUiViewer]:
    from unbraid.send.ag_ui import AgUiRun
    from unbraid.serve.ag_ui_viewer import watching

    run = AgUiRun(name, thread_id=asked.thread_id, run_id=asked.run_id, prompted=True)
    async with watching(services, name, run, since=0, stops=True) as viewer:
        yield viewer


async def _begun(services: Services, asked: AgUiInput) -> str:
    """Begins the run of a request, or finds the one that the same request has begun."""
    assert services.orchestrator is not None
    key = f"ag-ui {len(asked.thread_id)} {asked.thread_id} {asked.run_id}"
    earlier = services.threads.get(asked.thread_id)
    if earlier is not None and services.orchestrator.lives(earlier):
        return await services.orchestrator.start(_prompt(asked), key=key, continues=earlier)
    # There is no master yet, or it is gone, and with it what was said to it.
    return await services.orchestrator.start(_conversation(asked), key=key)


async def _resumed(services: Services, asked: AgUiInput) -> AbstractAsyncContextManager[AgUiViewer]:
    """Answers the requests that a run waits for, and continues where it was interrupted."""
    from unbraid.send.ag_ui import AgUiRun
    from unbraid.serve.ag_ui_viewer import watching

    name = services.threads.get(asked.thread_id)
    summary = None if name is None else await services.log.run(name)
    if name is None or summary is None:
        raise Problem(404, "thread not found")
    run = AgUiRun(name, thread_id=asked.thread_id, prompted=True)
    wanted = [entry.interrupt_id for entry in asked.resume or ()]
    place = await _interrupted_at(services, name, run, wanted=wanted)
    answers = [(entry.interrupt_id, *_answer(entry)) for entry in asked.resume or ()]
    # Only of this run: another one may wait for the same id, because some agents number their
    # requests.
    for request_id, behavior, message in answers:
        await services.controllers.steer(
            name, "answer", message, request_id=request_id, behavior=behavior
        )
    run.resume(asked.run_id)
    return watching(services, name, run, since=place, stops=True)


async def _interrupted_at(services: Services, name: str, run: AgUiRun, wanted: list[str]) -> int:
    """Applies a run's events up to where it waits for all of these answers; returns that seq."""
    async for page in run_pages(services.log, name):
        for entry in page:
            run.apply(entry.event)
            if run.interrupted and all(map(run.waits_for, wanted)):
                return entry.seq
    raise Problem(409, "this thread is not waiting for these answers")


def _answer(entry: AgUiResume) -> tuple[str, str | None]:
    payload = entry.payload if isinstance(entry.payload, dict) else {}
    if entry.status == "cancelled":
        return DENIED, None
    behavior, message = payload.get("behavior"), payload.get("message")
    if behavior not in (ALLOWED, DENIED):
        raise CallerError(f"resume: payload.behavior is {ALLOWED} or {DENIED}")
    return behavior, message if isinstance(message, str) else None


def _prompt(asked: AgUiInput) -> str:
    texts = [_text(each.content) for each in asked.messages if each.role == "user"]
    if not texts or not texts[-1].strip():
        raise CallerError("messages: the latest one of the user has no text")
    return texts[-1]


def _conversation(asked: AgUiInput) -> str:
    """Returns the prompt, with what was said before it, if anything was."""
    said = [(each.role, _text(each.content)) for each in asked.messages]
    said = [(role, text) for role, text in said if role in ("user", "assistant") and text.strip()]
    prompt = _prompt(asked)
    if len(said) <= 1:
        return prompt
    before = "\n\n".join(f"{role}: {text}" for role, text in said[:-1])
    return f"What was said before:\n\n{before}\n\nAnswer this now:\n\n{prompt}"


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


REPLAY = Parameter(
    "replay",
    {"type": "string", "enum": ["true", "false"]},
    "Every event from the beginning, instead of a snapshot of all messages so far.",
)

OPERATIONS = (
    Operation(
        "GET",
        "/v1/runs/{run}/ag-ui",
        endpoint=ag_ui_run,
        summary="A run as AG-UI events, so far and then live",
        answer=AgUiEvent,
        media=Form.SSE.value,
        parameters=(
            RUN,
            REPLAY,
            Parameter("since", NUMBER, "The last id already seen."),
            LAST_EVENT_ID,
        ),
        problems=(204, 400, 404, 501),
    ),
    Operation(
        "POST",
        "/v1/ag-ui",
        endpoint=ag_ui_ask,
        summary="Ask a fleet over AG-UI, and follow its run",
        answer=AgUiEvent,
        media=Form.SSE.value,
        body=AgUiInput,
        problems=(400, 404, 409, 413, 415, 501),
        scope="orchestrate",
    ),
)
