"""Runs from other machines: bytes of their sources, or the events that they have stored."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from itertools import islice
from typing import Annotated

import msgspec
from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from unbraid.errors import CallerError, LogError, UnbraidError
from unbraid.log.port import LogConflict
from unbraid.read.names import SOURCE_PATTERN
from unbraid.read.record import LATEST_MS
from unbraid.record.ingest import RunPart
from unbraid.serve.guard import caller_of
from unbraid.serve.operations import (
    MAX_NUMBER,
    NUMBER,
    Parameter,
    body_of,
    choice_of,
    json_answer,
    number_of,
    operation,
    run_of,
    text_of,
)
from unbraid.serve.problems import as_problem
from unbraid.serve.services import services_of

# More than our own senders put into one request; what is held of it grows with these.
MAX_PARTS = 1000
MAX_PART_EVENTS = 20_000


class Acknowledged(Struct):
    """The next offset wanted; everything before it is durable."""

    offset: int


SOURCE = {"type": "string", "pattern": SOURCE_PATTERN}


@operation(
    "POST /v1/ingest/{run}",
    "Bytes of a source, by their offset in it",
    answer=Acknowledged,
    parameters=(
        Parameter("source", SOURCE, "The source's name.", required=True),
        Parameter("offset", NUMBER, "Where these bytes begin.", required=True),
        Parameter("at", NUMBER, "When they were written (milliseconds since 1970); else: now."),
        Parameter("end", {"type": "string", "enum": ["0", "1"]}, "1: no more will come."),
    ),
    body=bytes,
    body_media="application/octet-stream",
    scope="ingest",
    problems=(409,),
)
async def ingest(request: Request) -> Response:
    """Take in bytes of a source that begin at `offset`; `end=1` says that no more will come."""
    services, started = services_of(request), time.perf_counter()
    run = run_of(request)
    source, offset = text_of(request, "source"), number_of(request, "offset")
    if not source or offset is None:
        raise CallerError("source and offset are both required")
    end = choice_of(request, "end", ("0", "1")) == "1"
    data = await body_of(request, at_most=services.config.limits.body_bytes)
    arrived_ms = number_of(request, "at", at_most=LATEST_MS - 1)
    now = int(time.time() * 1000) if arrived_ms is None else arrived_ms
    caller = caller_of(request.scope)
    assert caller is not None
    wanted = await services.ingest.feed(
        run,
        source=source,
        offset=offset,
        data=data,
        now=now,
        end=end,
        machine=caller.machine,
        any_run=caller.may("admin"),
    )
    services.metrics.ingest.observe(time.perf_counter() - started)
    return json_answer(Acknowledged(wanted))


class RunPartHead(Struct):
    """What stands before the events of one run: they follow the event `after`, and are as many as
    `count`.
    """

    run: str
    after: Annotated[int, Meta(ge=0, le=MAX_NUMBER)]
    count: Annotated[int, Meta(ge=0, le=MAX_PART_EVENTS)]
    user: str | None = None


class RunReceived(Struct, omit_defaults=True):
    """What became of one run's events: it is durable up to `seq`. If it `waits`, the rest is to be
    sent again, when more follows or after a second. With a `problem`, nothing was taken; one that
    is `passing` is worth another try.
    """

    run: str
    seq: int | None = None
    waits: bool = False
    problem: str | None = None
    passing: bool = False


class RunsReceived(Struct):
    """What became of each run."""

    runs: list[RunReceived]


@operation(
    "POST /v1/ingest",
    "Events of runs that another machine has stored",
    answer=RunsReceived,
    body=bytes,
    body_media="application/octet-stream",
    scope="ingest",
)
async def ingest_events(request: Request) -> Response:
    """Take in events of any number of runs; what is refused of one does not concern the others."""
    services, started = services_of(request), time.perf_counter()
    body = await body_of(request, at_most=services.config.limits.events_bytes, may_be_packed=True)
    caller = caller_of(request.scope)
    assert caller is not None
    answers: list[RunReceived] = []
    for part in _run_parts(body):
        try:
            received = await services.event_ingest.feed(
                part, machine=caller.machine, any_run=caller.may("admin")
            )
            answers.append(RunReceived(part.run, received.seq, received.waits))
        except UnbraidError as error:
            passing = isinstance(error, LogError) and not isinstance(error, LogConflict)
            message = as_problem(error).message
            answers.append(RunReceived(part.run, problem=message, passing=passing))
        # Others get a turn after each run.
        await asyncio.sleep(0)
    services.metrics.ingest.observe(time.perf_counter() - started)
    return json_answer(RunsReceived(answers))


def _run_parts(body: bytes) -> Iterator[RunPart]:
    lines = _lines(body)
    for number, line in enumerate(iter(lambda: next(lines, b""), b""), 1):
        if number > MAX_PARTS:
            raise CallerError(f"at most {MAX_PARTS} runs in a request")
        try:
            head = msgspec.json.decode(line, type=RunPartHead)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise CallerError(f"run {number} of this request has no head: {error}") from error
        events = list(islice(lines, head.count))
        if len(events) < head.count:
            raise CallerError("the body ends before the events that it announces")
        yield RunPart(head.run, head.after, events, user=head.user)


def _lines(body: bytes) -> Iterator[bytes]:
    """Yields lines one by one: all at once, 80 MB of line ends would be gigabytes of lines."""
    begin = 0
    while begin <= len(body):
        end = body.find(b"\n", begin)
        end = len(body) if end < 0 else end
        yield body[begin:end]
        begin = end + 1


OPERATIONS = (
    ingest,
    ingest_events,
)
