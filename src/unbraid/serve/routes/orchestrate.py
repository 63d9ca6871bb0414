"""A fleet of our own, over our API and over the AG-UI protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from unbraid.agents.agent_spec import Limits
from unbraid.errors import CallerError
from unbraid.log.port import run_pages
from unbraid.read.names import RUN_PATTERN
from unbraid.serve.hub.viewer import Form
from unbraid.serve.operations import (
    NUMBER,
    Parameter,
    choice_of,
    existing_run,
    json_answer,
    json_of,
    operation,
    since_of,
)
from unbraid.serve.problems import Problem
from unbraid.serve.routes.events import LAST_EVENT_ID, AnyEvent, encoding_of, form_of
from unbraid.serve.services import Services, services_of
from unbraid.serve.stream import EventStream

if TYPE_CHECKING:
    from unbraid.send.ag_ui import AgUiRun
    from unbraid.serve.ag_ui_viewer import AgUiViewer

MAX_KEY_CHARS = 200


class OrchestrationRequest(Struct, forbid_unknown_fields=True):
    """What the master is asked. `continues` names a run whose master continues with it."""

    prompt: Annotated[str, Meta(min_length=1)]
    continues: Annotated[str, Meta(pattern=RUN_PATTERN)] | None = None
    limits: Limits | None = None


class BegunRun(Struct):
    """The run that was begun."""

    run: str


REPLAY = Parameter(
    "replay",
    {"type": "string", "enum": ["true", "false"]},
    "Every event from the beginning, instead of a snapshot of all messages so far.",
)
KEY = {"type": "string", "minLength": 1, "maxLength": MAX_KEY_CHARS}


@operation(
    "POST /v1/orchestrate",
    "Ask a fleet, and follow its run",
    answer=AnyEvent,
    media=Form.SSE.value,
    parameters=(
        Parameter("Idempotency-Key", KEY, "The same key gives the same run.", where="header"),
        LAST_EVENT_ID,
    ),
    body=OrchestrationRequest,
    scope="orchestrate",
    problems=(202, 409, 501),
)
async def orchestrate(request: Request) -> ASGIApp:
    """Begin a run, or find the one that the same `Idempotency-Key` has begun, and follow it. The
    run goes on without its viewers. With `Accept: application/json`, only its name.
    """
    services = services_of(request)
    if services.orchestrator is None:
        raise Problem(501, "this server does not orchestrate")
    asked = await json_of(request, OrchestrationRequest)
    run = await services.orchestrator.start(
        asked.prompt, key=_key(request), continues=asked.continues, limits=asked.limits
    )
    headers = {"location": f"/v1/runs/{run}", "x-unbraid-run": run}
    if request.headers.get("accept", "").startswith("application/json"):
        answer = json_answer(BegunRun(run), 202)
        answer.headers.update(headers)
        return answer
    form = form_of(request)
    watching = services.hub.watch(run, since_of(request) or 0, form=form)
    return EventStream(watching, form, encoding_of(request), headers=headers, keys=services.keys)


def _key(request: Request) -> str | None:
    key = request.headers.get("idempotency-key")
    if key is not None and not 0 < len(key) <= MAX_KEY_CHARS:
        raise CallerError(f"Idempotency-Key: 1 to {MAX_KEY_CHARS} characters")
    return key


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


@operation(
    "GET /v1/runs/{run}/ag-ui",
    "A run as AG-UI events, so far and then live",
    answer=AgUiEvent,
    media=Form.SSE.value,
    parameters=(
        REPLAY,
        Parameter("since", NUMBER, "The last id already seen."),
        LAST_EVENT_ID,
    ),
    problems=(204, 501),
)
async def ag_ui_run(request: Request) -> ASGIApp:
    """Answers with a run as AG-UI events: all messages so far in one snapshot, then live. With
    `replay`, every event from the beginning; with `since`, those after it.
    """
    _required()
    since = since_of(request)
    whole = choice_of(request, "replay", ("true", "false")) == "true"
    summary = await existing_run(request)
    if since is not None and summary.over and since >= summary.last_seq:
        return Response(status_code=204)
    services = services_of(request)
    return _stream(request, _viewing(services, summary.run, since, whole=whole))


@operation(
    "POST /v1/ag-ui",
    "Ask a fleet over AG-UI, and follow its run",
    answer=AgUiEvent,
    media=Form.SSE.value,
    body=AgUiInput,
    scope="orchestrate",
    problems=(404, 409, 501),
)
async def ag_ui_ask(request: Request) -> ASGIApp:
    """Ask a fleet over AG-UI, and follow its run: the latest message of the user is its prompt. The
    next request of the same thread goes to the same master. Where an agent asks for permission, the
    answer ends with an interrupt; a request that resumes it goes on from there.
    """
    _required()
    services = services_of(request)
    if services.orchestrator is None:
        raise Problem(501, "this server does not orchestrate")
    asked = await json_of(request, AgUiInput)
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


OPERATIONS = (
    orchestrate,
    ag_ui_run,
    ag_ui_ask,
)
