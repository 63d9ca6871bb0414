"""Steering a run over HTTP."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from tests.serve.conftest import Start
from tests.steer.steered_run import SteeredRun, append_request
from unbraid.log import SqliteLog
from unbraid.steer.controllers import Controllers
from unbraid.testing.log_contract import sample_run


@pytest.fixture
async def steered() -> SteeredRun:
    return SteeredRun("r", verbs=["message", "cancel", "answer"], refused=[("stop", 0)])


@pytest.fixture
async def client(
    start: Start,
    client_of: Callable[..., httpx.AsyncClient],
    steered: SteeredRun,
    log: SqliteLog,
) -> httpx.AsyncClient:
    controllers = Controllers()
    controllers.register("r", steered)
    await log.append("r", sample_run(["a"])[:3])
    await append_request(log, "r")
    await log.append("foreign", sample_run(["a"])[:3])
    return client_of(await start(controllers=controllers))


async def test_steers_a_run(client: httpx.AsyncClient, steered: SteeredRun) -> None:
    for path, body in (
        ("message", {"text": "go on"}),
        ("interrupt", None),
        ("streams/3/stop", None),
        ("cancel", None),
    ):
        answer = await client.post(f"/v1/runs/r/{path}", json=body)
        assert answer.status_code == 202
        assert answer.json() == {"accepted": True}
    assert steered.asked == [("message", "go on"), ("interrupt",), ("stop", 3), ("cancel",)]
    assert (await client.post("/v1/runs/r/streams/0/stop")).status_code == 400


async def test_lists_what_can_be_asked_of_a_run(client: httpx.AsyncClient) -> None:
    for run, verbs in (("r", ["message", "cancel", "answer"]), ("foreign", [])):
        answer = (await client.get(f"/v1/runs/{run}/control")).json()
        assert (answer["run"], answer["verbs"]) == (run, verbs)
        # Whoever cannot be steered is told why.
        assert bool(answer["reason"]) == (not verbs)
    assert (await client.get("/v1/runs/none/control")).status_code == 404
    (listed,) = (await client.get("/v1/control")).json()["runs"]
    assert (listed["run"], listed["verbs"]) == ("r", ["message", "cancel", "answer"])


async def test_answers_permissions(client: httpx.AsyncClient, steered: SteeredRun) -> None:
    waiting = (await client.get("/v1/permissions")).json()["permissions"]
    assert [(request["request_id"], request["tool"]) for request in waiting] == [("q1", "Bash")]
    answer = await client.post("/v1/permissions/q1", json={"behavior": "deny", "message": "no"})
    assert answer.json() == {"request_id": "q1", "behavior": "deny"}
    assert steered.asked == [("answer", "q1", "deny", "no")]
    unknown = await client.post("/v1/permissions/q2", json={"behavior": "allow"})
    assert unknown.status_code == 404


async def test_refuses_what_it_cannot_do(client: httpx.AsyncClient, steered: SteeredRun) -> None:
    assert (await client.post("/v1/runs/none/cancel")).status_code == 404
    assert (await client.post("/v1/runs/foreign/cancel")).status_code == 409
    for body in (b"", b"{", b"[]", b'{"text": 1}', b'{"text": "a", "odd": 1}'):
        answer = await client.post(
            "/v1/runs/r/message", content=body, headers={"content-type": "application/json"}
        )
        assert answer.status_code == 400
    form = await client.post("/v1/runs/r/message", data={"text": "a"})
    assert form.status_code == 415
    odd = await client.post("/v1/permissions/q1", json={"behavior": "perhaps"})
    assert odd.status_code == 400
    assert steered.asked == []
