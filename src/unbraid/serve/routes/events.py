"""Events as they happen: SSE, or JSON lines if they are asked for."""

from __future__ import annotations

from typing import Any, Union

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from unbraid.events.schema import STREAMED, described
from unbraid.log.port import READ_LIMIT
from unbraid.serve.hub.viewer import Form
from unbraid.serve.operations import (
    EVENT_TYPES,
    NUMBER,
    Parameter,
    existing_run,
    number_of,
    operation,
    since_of,
    types_of,
)
from unbraid.serve.services import services_of
from unbraid.serve.stream import EventStream, encoding_for

# What each `data:` or each line is.
AnyEvent: Any = Union[tuple(map(described, STREAMED))]  # noqa: UP007


TYPES = Parameter(
    "types",
    {
        "type": "array",
        "items": {"type": "string", "enum": sorted(EVENT_TYPES)},
        "maxItems": 40,
    },
    "Only events of these types (`done` always comes).",
)
LIMIT = Parameter(
    "limit",
    {"type": "integer", "minimum": 0, "maximum": READ_LIMIT},
    "The most events, of those that are there, without waiting for more.",
)
LAST_EVENT_ID = Parameter(
    "Last-Event-ID", NUMBER, "The last id seen; wins over `since`.", where="header"
)


@operation(
    "GET /v1/runs/{run}/events",
    "A run's events, replayed and then live",
    answer=AnyEvent,
    media=Form.SSE.value,
    parameters=(
        Parameter("since", NUMBER, "The last seq already seen."),
        Parameter("stream", NUMBER, "Only events of this stream."),
        TYPES,
        LIMIT,
        LAST_EVENT_ID,
    ),
    problems=(204, 404),
)
async def run_events(request: Request) -> ASGIApp:
    """Answers with a run's events after `since`; ends after `done`, or with `limit` at once."""
    since = since_of(request) or 0
    stream_id, types = number_of(request, "stream"), types_of(request)
    limit = number_of(request, "limit", at_most=READ_LIMIT)
    summary = await existing_run(request)
    if summary.over and since >= summary.last_seq:
        # What makes an EventSource stop coming back.
        return Response(status_code=204)
    form, hub = form_of(request), services_of(request).hub
    if limit is not None:
        page = await hub.page(
            summary.run, since, limit, form=form, stream_id=stream_id, types=types
        )
        return Response(page, media_type=form.value, headers={"vary": "accept"})
    watching = hub.watch(summary.run, since, form=form, stream_id=stream_id, types=types)
    return EventStream(watching, form, encoding_of(request), keys=services_of(request).keys)


@operation(
    "GET /v1/events",
    "The events of all runs, replayed and then live",
    answer=AnyEvent,
    media=Form.SSE.value,
    parameters=(
        Parameter("since", NUMBER, "The last cursor already seen; without it, from now on."),
        TYPES,
        LAST_EVENT_ID,
    ),
)
async def all_events(request: Request) -> ASGIApp:
    """Answers with the events of all runs, from after a cursor, or from now on."""
    form, types = form_of(request), types_of(request)
    services = services_of(request)
    watching = services.hub.watch_all(since_of(request), form=form, types=types)
    return EventStream(watching, form, encoding_of(request), keys=services.keys)


def form_of(request: Request) -> Form:
    """Returns how a viewer wants its events."""
    return Form.NDJSON if Form.NDJSON.value in request.headers.get("accept", "") else Form.SSE


def encoding_of(request: Request) -> str | None:
    """Returns how a viewer wants them packed."""
    return encoding_for(request.headers.get("accept-encoding", ""))


OPERATIONS = (run_events, all_events)
