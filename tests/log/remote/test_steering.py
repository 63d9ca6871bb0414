"""A run that is sent to a server is steered from there, over the requests of its own machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

import unbraid.steer.servers as module
from tests.access import TOKEN, client_at
from tests.polling import until
from tests.steer.steered_run import SteeredRun, append_request
from unbraid.agents.control_port import SteeringRequest
from unbraid.errors import CallerError
from unbraid.log import SqliteLog
from unbraid.send.delivery import Destination, RunDelivery
from unbraid.serve import ServeConfig, Server, new_token, serving
from unbraid.steer.controllers import Controllers
from unbraid.steer.servers import SteeringLink
from unbraid.testing.sample_runs import sample_run

SECRET, LAPTOP = new_token("laptop", ["ingest"])
OTHER_SECRET, OTHER = new_token("other", ["ingest"])
CONFIG = ServeConfig(port=0, tokens=(TOKEN, LAPTOP, OTHER))
PATH = "/v1/runs/r"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    log = await SqliteLog.open(tmp_path / "server.db")
    async with serving(CONFIG, log) as started:
        yield started
    await log.close()


@pytest.fixture
async def client(server: Server) -> AsyncIterator[httpx.AsyncClient]:
    async with client_at(server.url) as made:
        yield made


async def sent(server: Server, tmp_path: Path, stack: AsyncExitStack) -> None:
    """Sends the beginning of a run, as `unbraid run --to` does."""
    log = await SqliteLog.open(tmp_path / "laptop.db")
    stack.push_async_callback(log.close)
    await log.append("r", sample_run(["x"])[:3])
    warnings: list[str] = []
    to = Destination(server.url, SECRET, home=tmp_path)
    delivery = RunDelivery(to, warnings.append, linger_seconds=30)
    delivery.begin(log, "log", "r")
    await delivery.finish()
    assert warnings == []


async def verbs(client: httpx.AsyncClient, wanted: Callable[[list[str]], bool]) -> list[str]:
    async def read() -> list[str]:
        answer = await client.get(f"{PATH}/control")
        return list(answer.json()["verbs"]) if answer.status_code == 200 else []

    return await until(read, wanted)


async def test_everything_that_can_be_asked_is_carried_out_there(
    server: Server, client: httpx.AsyncClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What waits there comes with the run's events; here, they are written at the server.
    store, controllers = server.services.store, Controllers()
    fake = SteeredRun("r", refused=["cancel"], log=store)
    async with AsyncExitStack() as stack:
        link = SteeringLink(server.url, SECRET, controllers)
        steering = await stack.enter_async_context(AsyncExitStack())
        await steering.enter_async_context(link.open())
        # Before its first event has arrived, nobody knows of it.
        controllers.register("r", fake)
        await sent(server, tmp_path, stack)
        assert await verbs(client, bool) == fake.verbs()
        assert (await client.post(f"{PATH}/message", json={"text": "go on"})).status_code == 202
        assert (await client.post(f"{PATH}/interrupt")).status_code == 202
        assert (await client.post(f"{PATH}/streams/2/stop")).status_code == 202
        refused = await client.post(f"{PATH}/cancel")
        assert refused.status_code == 400 and "it cannot cancel" in refused.text
        await append_request(store, "r")
        listed = (await client.get("/v1/permissions")).json()
        assert [each["request_id"] for each in listed["permissions"]] == ["q1"]
        answered = await client.post("/v1/permissions/q1", json={"behavior": "allow"})
        assert answered.status_code == 200
        assert fake.asked == [
            ("message", "go on"), ("interrupt",), ("stop", 2), ("answer", "q1", "allow", None),
        ]  # fmt: skip

        # What waits there later is known here, and what no longer waits is gone.
        async def waiting() -> list[str]:
            found = (await client.get("/v1/permissions")).json()["permissions"]
            return [each["request_id"] for each in found]

        assert await waiting() == []
        await append_request(store, "r", "q2")
        assert await waiting() == ["q2"]

        # The server asks its own people for the right, not the machine that sends.
        headers = {"authorization": f"Bearer {SECRET}"}
        answer = await client.post(f"{PATH}/interrupt", headers=headers)
        assert answer.status_code == 403

        # It is gone: what is asked meanwhile is an error, and then it is not steered any more. Not
        # before: one that only gets no processor for a moment is not gone.
        monkeypatch.setattr(module, "STEERING_GONE_SECONDS", 0.2)
        await steering.aclose()
        late = await client.post(f"{PATH}/interrupt")
        assert late.status_code in (400, 409) and "accepted" not in late.text
        assert await verbs(client, lambda found: not found) == []


async def test_nobody_steers_what_is_not_its_own(
    server: Server, client: httpx.AsyncClient, tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack:
        await sent(server, tmp_path, stack)
        report = {"runs": [{"run": "r", "verbs": ["message"]}]}
        for secret, body, code in (
            (OTHER_SECRET, report, 403),
            ("wrong", report, 401),
            (SECRET, {"runs": [{"run": "../r", "verbs": []}]}, 400),
            (SECRET, {"runs": 5}, 400),
        ):
            headers = {"authorization": f"Bearer {secret}"}
            answer = await client.post("/v1/steering/p", json=body, headers=headers)
            assert answer.status_code == code, answer.text
        assert await verbs(client, lambda found: True) == []


async def test_a_server_can_ask_no_more_than_a_run_can_do(
    server: Server, client: httpx.AsyncClient, tmp_path: Path
) -> None:
    controllers = Controllers()
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(SteeringLink(server.url, SECRET, controllers).open())
        controllers.register("r", SteeredRun("r"))
        await sent(server, tmp_path, stack)
        await verbs(client, bool)
        held = server.services.controllers.own()["r"]
        for verb in ("attend", "note", "runs"):
            with pytest.raises(CallerError, match=f"unknown request: {verb}"):
                await held.carry_out(SteeringRequest(verb, "server", seconds=60))
        assert controllers.attendance.seconds == 0


async def test_a_machine_cannot_report_what_waits(
    server: Server, client: httpx.AsyncClient, tmp_path: Path
) -> None:
    """Only the events of its runs say that."""
    async with AsyncExitStack() as stack:
        await sent(server, tmp_path, stack)
        pending = {"run": "another", "request_id": "q", "tool": "t", "input": {}}
        report = {"runs": [{"run": "r", "verbs": ["answer"], "pending": [pending]}]}
        headers = {"authorization": f"Bearer {SECRET}"}
        polling = asyncio.create_task(client.post("/v1/steering/p", json=report, headers=headers))
        assert await verbs(client, bool) == ["answer"]
        assert (await client.get("/v1/permissions")).json()["permissions"] == []
        polling.cancel()


async def test_an_order_that_is_lost_on_its_way_comes_again(
    server: Server, client: httpx.AsyncClient, tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack:
        await sent(server, tmp_path, stack)
        headers = {"authorization": f"Bearer {SECRET}"}
        report: dict[str, Any] = {"runs": [{"run": "r", "verbs": ["interrupt"]}]}
        path = "/v1/steering/p"
        polling = asyncio.create_task(client.post(path, json=report, headers=headers))
        await verbs(client, bool)
        asking = asyncio.create_task(client.post(f"{PATH}/interrupt"))
        first = (await polling).json()["orders"]
        again = (await client.post(path, json=report, headers=headers)).json()["orders"]
        assert first == again and first[0]["request"] == {"verb": "interrupt"}
        number = first[0]["number"]
        report |= {"seen": number, "answers": [{"number": number, "reply": {"run": "r"}}]}
        polling = asyncio.create_task(client.post(path, json=report, headers=headers))
        assert (await asking).status_code == 202
        polling.cancel()
