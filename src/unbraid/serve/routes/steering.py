"""Steering runs that other machines send here."""

from __future__ import annotations

import asyncio
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from unbraid.read.names import RUN_PATTERN, checked_run
from unbraid.record.ingest import NotItsRun
from unbraid.serve import parameters
from unbraid.serve.access.guard import caller_of
from unbraid.serve.operations import Operation, Parameter, json_answer
from unbraid.serve.services import services_of
from unbraid.steer.servers import SteeringOrders, SteeringReport
from unbraid.system.tasks import end_task

PROCESS = Parameter(
    "process",
    {"type": "string", "pattern": RUN_PATTERN},
    "A name that the process has chosen for itself.",
    where="path",
    required=True,
)


async def steering(request: Request) -> Response:
    """Take in what can be asked of runs that a process sends here, and what came of its orders;
    answers with new ones as soon as there are some.
    """
    services, caller = services_of(request), caller_of(request.scope)
    assert caller is not None
    name = checked_run(str(request.path_params["process"]))
    limit = services.config.limits.json_bytes
    report = await parameters.json_of(request, SteeringReport, at_most=limit)
    known = []
    for about in report.runs:
        summary = await services.store.run(checked_run(about.run))
        if summary is None:
            continue  # none of its events has arrived yet
        if summary.machine != caller.machine and not caller.may("admin"):
            raise NotItsRun(f"permission denied: {caller.machine} did not begin run {about.run}")
        if not summary.over:
            known.append(about)
    report.runs = known
    work = services.sending_machines.report(caller.machine, name, report)
    reporting, leaving = asyncio.create_task(work), asyncio.create_task(_left(request))
    try:
        # A process whose token is revoked while it waits gets no more orders.
        with services.keys.while_valid(caller, partial(_end, leaving)):
            await asyncio.wait((reporting, leaving), return_when=asyncio.FIRST_COMPLETED)
        if leaving.done() and not reporting.done():
            return Response(status_code=204)  # to nobody
        return json_answer(await reporting)
    finally:
        await end_task(reporting)
        await end_task(leaving)


def _end(task: asyncio.Task[None]) -> None:
    task.cancel()


async def _left(request: Request) -> None:
    """Waits until the caller has hung up."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


OPERATIONS = (
    Operation(
        "POST",
        "/v1/steering/{process}",
        endpoint=steering,
        summary="Steering requests for a process that sends its runs here (long poll)",
        answer=SteeringOrders,
        parameters=(PROCESS,),
        body=SteeringReport,
        problems=(400, 403, 413, 415),
        scope="ingest",
    ),
)
