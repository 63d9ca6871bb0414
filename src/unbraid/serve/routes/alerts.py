"""Alerts for pages that are open."""

from __future__ import annotations

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from unbraid.send.senders import PageAlert
from unbraid.serve import parameters
from unbraid.serve.operations import Operation, Parameter, json_answer
from unbraid.serve.routes.run_parameters import NUMBER
from unbraid.serve.services import services_of


class NewAlerts(Struct):
    """What is new, and the number to ask with next time. A request without one gets only that."""

    last: int
    alerts: list[PageAlert]


async def alerts(request: Request) -> Response:
    """Answers with the alerts that came after one."""
    after, kept = parameters.number(request, "after"), services_of(request).alerts
    return json_answer(NewAlerts(kept.last, [] if after is None else kept.after(after)))


OPERATIONS = (
    Operation(
        "GET",
        "/v1/alerts",
        endpoint=alerts,
        summary="Alerts since the last time",
        answer=NewAlerts,
        parameters=(Parameter("after", NUMBER, "`last` of the answer before."),),
        problems=(400,),
    ),
)
