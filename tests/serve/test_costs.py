"""`GET /v1/costs`: the log's runs, each message once."""

from __future__ import annotations

import httpx

from unbraid.log import SqliteLog
from unbraid.testing.log_contract import sample_run


async def test_sums_up_what_was_spent(client: httpx.AsyncClient, log: SqliteLog) -> None:
    await log.append("r1", sample_run(["a"]))
    await log.append("r2", sample_run(["b"])[:4])
    table = (await client.get("/v1/costs", params={"by": "run"})).json()
    rows = {row["key"]: row for row in table["rows"]}
    assert (rows["r1"]["input_tokens"], rows["r1"]["cost_usd"]) == (7, 0.5)
    assert table["total"]["input_tokens"] == sum(row["input_tokens"] for row in rows.values())
    runs = (await client.get("/v1/runs")).json()["runs"]
    assert table["total"]["output_tokens"] == sum(run["usage"]["output_tokens"] for run in runs)
    assert (await client.get("/v1/costs", params={"since": "1d"})).json()["rows"] == []


async def test_refuses_what_it_does_not_know(client: httpx.AsyncClient) -> None:
    assert (await client.get("/v1/costs", params={"by": "moon"})).status_code == 400
    assert (await client.get("/v1/costs", params={"since": "soon"})).status_code == 400
