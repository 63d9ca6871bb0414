"""A server that is asked to end does so in good order."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from tests.access import client_at
from tests.serve.sse import events_of
from tests.serve.test_crash import launched, lines_of
from unbraid.log import SqliteLog
from unbraid.serve import ServeConfig, run_server
from unbraid.testing.log_contract import PATIENCE_SECONDS, sample_run


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_in_good_order(tmp_path: Path, number: signal.Signals) -> None:
    path = tmp_path / "log.db"
    async with asyncio.timeout(PATIENCE_SECONDS), launched(path) as (launcher, port):
        assert launcher.stdin is not None
        assert launcher.stdout is not None
        launcher.stdin.write(b"go\n")
        output = {(await launcher.stdout.readline()).strip() for _ in range(2)}
        pid = int((output - {b"ready"}).pop())
        base = f"http://127.0.0.1:{port}"
        async with client_at(base) as client:
            data = lines_of(1)[:5000]
            answer = await client.post("/v1/ingest/r?source=out&offset=0", content=data)
            assert answer.json() == {"offset": len(data)}
            seen: list[dict[str, str]] = []
            async with client.stream("GET", "/v1/runs/r/events") as stream:
                async for event in events_of(stream):
                    if not seen:
                        os.kill(pid, number)
                    seen.append(event)
        # The launcher waits for its child, then for another line: it is there again when that has
        # ended.
        launcher.stdin.write_eof()
        assert await launcher.wait() == 0
    assert seen[-1]["event"] == "cut"
    assert seen[-1]["id"] == seen[-2]["id"]
    log = await SqliteLog.open(path)
    entries = await log.read("r")
    assert [event["id"] for event in seen[1:-1]] == [str(entry.seq) for entry in entries][
        : len(seen) - 2
    ]
    assert await log.offsets("r") == {"out": len(data)}
    await log.close()


async def test_retention_runs_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    log = await SqliteLog.open(path)
    await log.append("old", sample_run(["a"]))
    await log.append("live", sample_run(["a"])[:2])
    stop = asyncio.Event()
    config = ServeConfig(port=0, keep_days=30)
    served = await SqliteLog.open(path)
    serving = asyncio.create_task(run_server(config, served, until=stop))
    async with asyncio.timeout(PATIENCE_SECONDS):
        while await log.read("old"):
            assert not serving.done()
    assert len(await log.read("live")) == 2
    stop.set()
    await serving
    await served.close()
    await log.close()
