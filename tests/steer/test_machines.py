"""A run on one machine, steered from another that shares its log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest

from tests.access import TOKEN, client_at
from tests.nats_servers import NatsCluster
from tests.polling import until
from tests.steer.steered_run import SteeredRun, append_request
from unbraid.agents.control_port import (
    AnswerDetails,
    Controller,
    SteeringRequest,
    UnknownRequest,
)
from unbraid.errors import CallerError
from unbraid.log import opened_log
from unbraid.log.nats import machine_requests
from unbraid.serve import ServeConfig, Token, hash_token, serving
from unbraid.steer.controllers import Controllers, OtherProcesses, channels_of
from unbraid.steer.permissions import answer_request, answerable_requests
from unbraid.testing.sample_runs import sample_run

pytestmark = pytest.mark.xdist_group("nats")


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsCluster]:
    with NatsCluster(tmp_path_factory.mktemp("nats")) as cluster:
        yield cluster


async def found(controllers: Controllers) -> Controller:
    return (await until(controllers.everywhere, lambda held: "r" in held))["r"]


async def test_a_run_is_steered_from_another_machine(
    node: NatsCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = "unbraid_reader"
    async with AsyncExitStack() as stack:
        one = await stack.enter_async_context(opened_log(node.url("S", tmp_path / "one.db")))
        two = await stack.enter_async_context(opened_log(node.url("S", tmp_path / "two.db")))
        await one.append("r", sample_run(["x"])[:3])
        await append_request(one, "r")
        await two.settle()
        fake = SteeredRun("r", refused=["cancel"], log=one)
        owner = Controllers()
        elsewhere = Controllers(OtherProcesses(*channels_of(two, tmp_path)))
        assert await elsewhere.everywhere() == {}
        answering = await stack.enter_async_context(AsyncExitStack())
        await answering.enter_async_context(owner.answering(*channels_of(one)))
        owner.register("r", fake)

        # However busy this machine is, who was found is waited for.
        monkeypatch.setattr(machine_requests, "MACHINE_REQUEST_KNOWN_SECONDS", 30)
        controller = await found(elsewhere)
        assert controller.verbs() == fake.verbs()
        await elsewhere.steer("r", "message", "go on")
        await elsewhere.steer("r", "stop", stream_id=2)
        with pytest.raises(CallerError, match="it cannot cancel"):
            await elsewhere.steer("r", "cancel")
        waiting = (await answerable_requests(two, elsewhere)).requests
        assert [request.request_id for request in waiting] == ["q1"]
        await answer_request(two, elsewhere, "q1", "allow", details=AnswerDetails(by="me"))
        assert fake.asked == [
            ("message", "go on"), ("stop", 2), ("answer", "q1", "allow", None),
        ]  # fmt: skip
        assert fake.by == "me"
        # Who says on one machine that they answer is known on all.
        assert owner.attendance.seconds == 0
        await elsewhere.attend("me", 30)
        assert owner.attendance.seconds > 0
        await two.settle()
        with pytest.raises(UnknownRequest):
            await answer_request(two, elsewhere, "q1", "allow")

        # The same over HTTP, by who may.
        reading = Token("reader", hash_token(reader), frozenset(("read",)), created=1)
        config = ServeConfig(port=0, tokens=(TOKEN, reading))
        server = await stack.enter_async_context(serving(config, two, controllers=elsewhere))
        path = f"{server.url}/v1/runs/r/interrupt"
        async with client_at(server.url) as client:
            may_not = {"authorization": f"Bearer {reader}"}
            assert (await client.post(path, headers=may_not)).status_code == 403
            assert fake.asked[-1] != ("interrupt",)
            assert (await client.post(path)).status_code == 202
            assert fake.asked[-1] == ("interrupt",)
            control = httpx.URL(f"{server.url}/v1/runs/r/control")
            assert (await client.get(control)).json()["verbs"] == fake.verbs()

            metrics = (await client.get("/metrics")).text
            for line in ("unbraid_log_behind 0.0", "unbraid_log_reachable 1.0"):
                assert line in metrics.splitlines()
            for name in ("appends", "conflicts", "retries", "lease_changes"):
                assert f"\nunbraid_log_{name} " in metrics

            # It is gone: known at once, and an error, not a silence.
            await answering.aclose()
            monkeypatch.setattr(machine_requests, "MACHINE_REQUEST_KNOWN_SECONDS", 0.1)
            with pytest.raises(CallerError, match="run r was not reached"):
                await controller.carry_out(SteeringRequest("interrupt"))
            assert (await client.post(path)).status_code == 409

        # It is there and says nothing: that takes a while, and is an error, too.
        monkeypatch.setattr(machine_requests, "MACHINE_REQUEST_TIMEOUT_SECONDS", 0.2)

        async def silent(question: bytes) -> bytes:
            if b'"runs"' in question:
                return b'[{"run":"r","verbs":["interrupt"]}]'
            raise TimeoutError

        requests = two.machine_requests()
        assert requests is not None
        await stack.enter_async_context(requests.answering(silent))
        stopped = await found(elsewhere)
        with pytest.raises(CallerError, match="no answer within"):
            await stopped.carry_out(SteeringRequest("interrupt"))
