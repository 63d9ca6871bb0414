"""Runs and pictures of them over HTTP."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from msgspec import Raw

from unbraid.events import FleetToolResult, FleetToolUse
from unbraid.log import SqliteLog
from unbraid.testing.log_contract import sample_run


async def test_lists_runs_in_pages(client: httpx.AsyncClient, log: SqliteLog) -> None:
    for number in range(5):
        await log.append(f"r{number}", sample_run(["a"], ts=1000 * number + 1))
    page = (await client.get("/v1/runs?limit=3")).json()
    assert [run["run"] for run in page["runs"]] == ["r4", "r3", "r2"]
    rest = (await client.get("/v1/runs", params={"before": page["before"]})).json()
    assert [run["run"] for run in rest["runs"]] == ["r1", "r0"]
    assert rest["before"] is None
    assert (await client.get("/v1/runs?status=live")).json()["runs"] == []
    assert len((await client.get("/v1/runs?status=done&q=say+it")).json()["runs"]) == 5


async def test_describes_one_run(client: httpx.AsyncClient, log: SqliteLog) -> None:
    await log.append("r", sample_run(["a"]))
    run = (await client.get("/v1/runs/r")).json()
    usage = {
        "input_tokens": 7,
        "output_tokens": 5,
        "cache_read_tokens": 3,
        "cache_creation_tokens": 1,
        "cost_usd": 0.5,
        "estimated_usd": None,
        "unpriced_tokens": 0,
    }
    assert run == {
        "run": "r",
        "source": "agent",
        "session_id": "s",
        "title": "Say it all",
        "cwd": "/w",
        "machine": None,
        "user": None,
        "status": "done",
        "waiting": None,
        "agents": 1,
        "started": 1000,
        "updated": 1004,
        "usage": usage,
        "activity": {"span_ms": 125, "counts": [6]},
        "first_seq": 1,
        "last_seq": 6,
    }
    output = (await client.get("/v1/runs/r/usage")).json()
    assert output["usage"] == usage
    assert output["models"] == [
        {"model": "x", "messages": 1, "usage": {**usage, "cost_usd": None, "unpriced_tokens": 16}},
    ]


async def test_draws_the_tree_and_lists_the_agents(
    client: httpx.AsyncClient, log: SqliteLog
) -> None:
    await log.append("r", sample_run(["a"]))
    tree = (await client.get("/v1/runs/r/tree")).json()
    assert (tree["root"]["agent"], tree["root"]["status"]) == ("main", "done")
    agents = (await client.get("/v1/runs/r/agents")).json()["agents"]
    assert [agent["stream_id"] for agent in agents] == [0]


async def test_shows_a_conversation_in_whole_blocks(
    client: httpx.AsyncClient, log: SqliteLog
) -> None:
    events = sample_run(["Hel", "lo"])[:4]
    place: dict[str, Any] = {"ts": 9, "stream_id": 0, "depth": 0, "agent": "main"}
    call = FleetToolUse(
        seq=5, tool_use_id="t", tool="Bash", input_json=Raw(b'{"command":"ls"}'), **place
    )
    result = FleetToolResult(seq=6, tool_use_id="t", ok=True, content_json=Raw(b'"a.txt"'), **place)
    await log.append("r", [*events, call, result])
    items = (await client.get("/v1/runs/r/streams/0")).json()["items"]
    assert [item["kind"] for item in items] == ["prompt", "text", "tool"]
    assert items[1]["text"] == "Hello"
    assert items[2]["input"] == {"command": "ls"}
    assert (items[2]["result"], items[2]["ok"]) == ("a.txt", True)
    assert (await client.get("/v1/runs/r/streams/7")).status_code == 404


async def test_searches(client: httpx.AsyncClient, log: SqliteLog) -> None:
    await log.append("r", sample_run(["a nee", "dle"]))
    places = (await client.get("/v1/search", params={"q": "needle"})).json()["places"]
    assert [(place["run"], place["seq"], place["kind"]) for place in places] == [("r", 3, "text")]
    assert (await client.get("/v1/search?q=needle&run=other")).json() == {"places": []}
    assert (await client.get("/v1/search")).status_code == 400


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1/runs/none", 404, "not_found"),
        ("GET", "/v1/runs/none/tree", 404, "not_found"),
        ("GET", "/v1/runs/none/events", 404, "not_found"),
        ("GET", "/v1/nothing", 404, "not_found"),
        ("POST", "/v1/nothing", 404, "not_found"),
        ("POST", "/v1/runs", 405, "method_not_allowed"),
        ("GET", "/v1/ingest/r", 405, "method_not_allowed"),
        ("GET", "/v1/runs?limit=x", 400, "bad_request"),
        ("GET", "/v1/runs?limit=9999", 400, "bad_request"),
        ("GET", "/v1/runs?status=odd", 400, "bad_request"),
        ("GET", "/v1/runs?before=odd", 400, "bad_request"),
        ("GET", "/v1/runs/none/streams/x", 400, "bad_request"),
        ("POST", "/v1/ingest/r", 400, "bad_request"),
    ],
)
async def test_one_shape_for_every_error(
    client: httpx.AsyncClient, method: str, path: str, status: int, code: str
) -> None:
    answer = await client.request(method, path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/json"
    error = answer.json()["error"]
    assert error["code"] == code
    assert error["message"]


async def test_health_is_real(client: httpx.AsyncClient, log: SqliteLog) -> None:
    assert (await client.get("/healthz")).json() == {"status": "ok"}
    await log.close()
    answer = await client.get("/healthz")
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "unavailable"
    assert "/" not in answer.json()["error"]["message"]


async def test_metrics(client: httpx.AsyncClient, log: SqliteLog) -> None:
    await log.append("r", sample_run(["a"])[:3])
    await client.get("/v1/runs")
    text = (await client.get("/metrics")).text
    assert "unbraid_runs_live 1.0" in text
    assert 'unbraid_runs{status="working"} 1.0' in text
    assert 'unbraid_runs{status="waiting"} 0.0' in text
    assert 'route="/v1/runs",status="200"' in text
    assert "unbraid_viewers 0.0" in text
    assert "unbraid_event_lag_seconds_bucket" in text
