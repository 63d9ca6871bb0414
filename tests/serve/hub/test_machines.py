"""A viewer that goes on at another server of a shared log, whose copy is behind."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.access import TOKEN, client_at
from tests.log.nats.held_back import hold_back
from tests.nats_servers import NatsCluster
from tests.serve.sse import events_of
from unbraid.log import opened_log
from unbraid.serve import ServeConfig, serving
from unbraid.testing.sample_runs import sample_run

pytestmark = pytest.mark.xdist_group("nats")
CONFIG = ServeConfig(port=0, tokens=(TOKEN,))


@pytest.mark.parametrize("path", ["/v1/runs/r/events", "/v1/events"])
async def test_nothing_is_shown_twice_and_nothing_is_missed(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events, seen, last = sample_run([str(number) for number in range(20)]), list[str](), ""
    with NatsCluster(tmp_path / "nats") as node:
        async with AsyncExitStack() as stack:
            logs = [
                await stack.enter_async_context(opened_log(node.url("S", tmp_path / f"{name}.db")))
                for name in ("one", "two")
            ]
            await logs[0].append("r", events[:4])
            await logs[1].settle()
            waited = hold_back(logs[1], monkeypatch)
            await logs[0].append("r", events[4:])
            for log, count in ((logs[0], 12), (logs[1], len(events))):
                server = await stack.enter_async_context(serving(CONFIG, log))
                headers = {"last-event-id": last} if last else {}
                async with (
                    client_at(server.url) as client,
                    client.stream("GET", path, headers=headers, params={"since": 0}) as answer,
                ):
                    async for event in events_of(answer):
                        if "id" in event:
                            last = event["id"]
                            seen.append(event["data"])
                            if len(seen) == count:
                                break
            assert waited.is_set()
            assert len(seen) == len(set(seen)) == len(events)
