"""Attack: a token is used for a route that its scope does not allow, with every method there is.

The table is written by hand: what a caller needs for each route. A route that is added without a
line here fails, and so does one whose check was forgotten.
"""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from tests.attacks.test_token_scopes import bearer
from tests.serve.conftest import Start
from unbraid.log import SqliteLog
from unbraid.serve import Server, new_token
from unbraid.serve.access import SCOPES
from unbraid.serve.routes import OPERATIONS
from unbraid.testing.log_contract import sample_run

Clients = Callable[..., httpx.AsyncClient]

ANYONE, NOBODY = "anyone", "nobody"
NEEDED = {
    "GET /v1/runs": "read",
    "GET /v1/runs/{run}": "read",
    "GET /v1/runs/{run}/tree": "read",
    "GET /v1/runs/{run}/agents": "read",
    "GET /v1/runs/{run}/streams/{stream_id}": "read",
    "GET /v1/runs/{run}/usage": "read",
    "GET /v1/runs/{run}/events": "read",
    "GET /v1/runs/{run}/export": "read",
    "GET /v1/runs/{run}/ag-ui": "read",
    "GET /v1/runs/{run}/control": "read",
    "GET /v1/events": "read",
    "GET /v1/search": "read",
    "GET /v1/costs": "read",
    "GET /v1/control": "read",
    "GET /v1/permissions": "read",
    "GET /v1/alerts": "read",
    "GET /metrics": "read",
    "GET /openapi.json": "read",
    "POST /v1/ingest": "ingest",
    "POST /v1/ingest/{run}": "ingest",
    "POST /v1/steering/{process}": "ingest",
    "POST /v1/runs/{run}/message": "control",
    "POST /v1/runs/{run}/interrupt": "control",
    "POST /v1/runs/{run}/cancel": "control",
    "POST /v1/runs/{run}/streams/{stream_id}/stop": "control",
    "POST /v1/permissions/{request_id}": "control",
    "POST /v1/attendance": "control",
    "POST /v1/orchestrate": "orchestrate",
    "POST /v1/ag-ui": "orchestrate",
    "GET /healthz": ANYONE,
    "GET /readyz": ANYONE,
    "GET /login": ANYONE,
    "POST /login": ANYONE,
    "POST /logout": ANYONE,
}
# Who may do what needs this.
ALLOWED = {
    ANYONE: {*SCOPES, NOBODY},
    "read": {"read", "control", "orchestrate", "admin"},
    "ingest": {"ingest", "admin"},
    "control": {"control", "orchestrate", "admin"},
    "orchestrate": {"orchestrate", "admin"},
}
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
WORD = "zanzibar"


def test_the_table_has_every_route() -> None:
    assert {f"{op.method} {op.path}" for op in OPERATIONS} == set(NEEDED)


@pytest.mark.parametrize("who", [*SCOPES, NOBODY])
async def test_every_route_with_every_method(
    start: Start, client_of: Clients, log: SqliteLog, who: str
) -> None:
    secrets = {scope: new_token(f"{scope}-token", [scope]) for scope in SCOPES}
    server: Server = await start(tokens=tuple(token for _, token in secrets.values()))
    await log.append("local", sample_run([WORD]))
    headers = {} if who == NOBODY else bearer(secrets[who][0])  # type: ignore[index]
    client = client_of(server, headers=headers)
    refused = 401 if who == NOBODY else 403
    for route in sorted({route.partition(" ")[2] for route in NEEDED}):
        path = route.format(run="local", stream_id=0, request_id="q1", process="p1")
        for method in METHODS:
            # What is refused is refused before anything else is looked at, its form above all.
            needed = NEEDED.get(f"{'GET' if method == 'HEAD' else method} {route}")
            async with client.stream(method, path, content=b"?") as answer:
                status = answer.status_code
                body = b"" if status == 200 else await answer.aread()
            if needed is None:
                # Nothing is there: as for a page that does not exist.
                assert status in (refused, 404, 405), (who, method, path, status)
                assert WORD.encode() not in body
            elif who in ALLOWED[needed]:
                assert needed == ANYONE or status not in (401, 403), (who, method, path, status)
            else:
                assert status == refused, (who, method, path, status)
                assert WORD.encode() not in body
