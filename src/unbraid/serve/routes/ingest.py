"""Bytes of a source, from another machine."""

from __future__ import annotations

import time

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from unbraid.errors import CallerError
from unbraid.serve import parameters
from unbraid.serve.access.guard import caller_of
from unbraid.serve.operations import Operation, Parameter, json_answer
from unbraid.serve.routes.shared import NUMBER, RUN
from unbraid.serve.services import services_of
from unbraid.wire.names import SOURCE_PATTERN


class Acknowledged(Struct):
    """The next offset wanted; everything before it is durable."""

    offset: int


async def ingest(request: Request) -> Response:
    """Take in bytes of a source that begin at `offset`; `end=1` says that no more will come."""
    services, started = services_of(request), time.perf_counter()
    run = parameters.run_of(request)
    source, offset = parameters.text(request, "source"), parameters.number(request, "offset")
    if not source or offset is None:
        raise CallerError("source and offset are both required")
    end = parameters.choice(request, "end", ("0", "1")) == "1"
    data = await parameters.body_of(request, at_most=services.config.limits.body_bytes)
    arrived_ms = parameters.number(request, "at")
    now = int(time.time() * 1000) if arrived_ms is None else arrived_ms
    caller = caller_of(request.scope)
    assert caller is not None
    wanted = await services.ingest.feed(
        run,
        source,
        offset,
        data,
        now=now,
        end=end,
        machine=caller.machine,
        any_run=caller.may("admin"),
    )
    services.metrics.ingest.observe(time.perf_counter() - started)
    return json_answer(Acknowledged(wanted))


SOURCE = {"type": "string", "pattern": SOURCE_PATTERN}

OPERATIONS = (
    Operation(
        "POST",
        "/v1/ingest/{run}",
        endpoint=ingest,
        summary="Bytes of a source, by their offset in it",
        answer=Acknowledged,
        parameters=(
            RUN,
            Parameter("source", SOURCE, "The source's name.", required=True),
            Parameter("offset", NUMBER, "Where these bytes begin.", required=True),
            Parameter("at", NUMBER, "When they were written (milliseconds since 1970); else: now."),
            Parameter("end", {"type": "string", "enum": ["0", "1"]}, "1: no more will come."),
        ),
        body=bytes,
        body_media="application/octet-stream",
        problems=(400, 409, 413, 415),
        scope="ingest",
    ),
)
