"""What was spent."""

from __future__ import annotations

import time

from msgspec import Struct
from msgspec.structs import asdict
from starlette.requests import Request
from starlette.responses import Response

from unbraid.errors import CallerError
from unbraid.log.port import every_run
from unbraid.record.sessions.costs import (
    KEYS,
    CostRow,
    CostTotal,
    SpentRun,
    costs,
    since_ms,
    with_logged,
)
from unbraid.serve import parameters
from unbraid.serve.operations import Operation, Parameter, json_answer
from unbraid.serve.routes.run_parameters import TEXT
from unbraid.serve.services import services_of
from unbraid.system.prices.loader import load_prices


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


async def spent(request: Request) -> Response:
    """Sums up what agents have used, each message once."""
    by = parameters.text(request, "by") or "day"
    since = since_ms(parameters.text(request, "since"), time.time())
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


OPERATIONS = (
    Operation(
        "GET",
        "/v1/costs",
        endpoint=spent,
        summary="Costs by day, model, folder and more",
        answer=CostTable,
        parameters=(
            Parameter("by", {"type": "string", "enum": list(KEYS)}, "What to group by."),
            Parameter("since", TEXT, "Only costs since then: 7d, 12h, or a date."),
        ),
        problems=(400,),
    ),
)
