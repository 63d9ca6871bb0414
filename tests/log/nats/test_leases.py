"""Leases over several machines: what a dead writer held goes to one other."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

import unbraid.log.nats.leases as module
from tests.nats_servers import NatsCluster
from tests.polling import until
from unbraid.log import opened_log
from unbraid.log.nats.leases import BucketEntry, HolderSightings, NatsLeases
from unbraid.record.runs import end_dead_run
from unbraid.testing.sample_runs import sample_run

pytestmark = pytest.mark.xdist_group("nats")

HOLDER = """
import asyncio, sys
import unbraid.log.nats.leases as module
from unbraid.log import open_log
module.LEASE_TTL_SECONDS, module.LEASE_RENEWAL_SECONDS = 4, 0.4

async def main():
    log = await open_log(sys.argv[1])
    leases = log.leases()
    assert await leases.acquire("r") and await leases.acquire("r.2")
    print("held", flush=True)
    while log.counters()["lease_changes"] == 2:
        await asyncio.sleep(0.1)
    print("lost" if not await leases.acquire("r") else "?", flush=True)
    await asyncio.sleep(100)

asyncio.run(main())
"""


@pytest.fixture(autouse=True)
def short_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEASE_TTL_SECONDS", 4)
    monkeypatch.setattr(module, "LEASE_RENEWAL_SECONDS", 0.4)


async def test_what_a_killed_process_held_goes_to_one_of_two(
    three_nodes: NatsCluster, stream: str, tmp_path: Path
) -> None:
    code = [sys.executable, "-c", HOLDER, three_nodes.url(stream, tmp_path / "dead.db")]
    async with (
        asyncio.timeout(60),
        opened_log(three_nodes.url(stream, tmp_path / "one.db")) as one,
        opened_log(three_nodes.url(stream, tmp_path / "two.db")) as two,
    ):
        first, second = one.leases(), two.leases()
        assert isinstance(first, NatsLeases) and isinstance(second, NatsLeases)
        process = await asyncio.create_subprocess_exec(*code, stdout=subprocess.PIPE)
        try:
            assert process.stdout is not None
            assert await process.stdout.readline() == b"held\n"
            # It is renewed: longer than it would live by itself, nobody else gets it.
            for _ in range(9):
                assert not await first.acquire("r")
                assert await second.abandoned() == []
                await asyncio.sleep(0.5)
        finally:
            process.kill()
            await process.wait()
        tries: list[NatsLeases] = []

        async def tried(leases: NatsLeases) -> bool:
            tries.append(leases)
            return await leases.acquire("r")

        tasks = {asyncio.create_task(until(partial(tried, each))): each for each in (first, second)}
        done, late = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        enough = len(tries) + 5
        await until(lambda: len(tries) >= enough)
        assert len(done) == 1 and not any(task.done() for task in late)
        winner = tasks[done.pop()]
        assert await second.abandoned() == await second.dead() == ["r.2"]
        # What it was recording is ended by one.
        await two.append("r.2", sample_run(["x"])[:3])
        assert [await end_dead_run(log, "r.2") for log in (one, two)] == [True, False]
        summary = await one.run("r.2")
        assert summary is not None
        assert summary.over
        # One that stops in good order leaves its runs to be continued.
        third = one.leases()
        assert await third.acquire("r.3")
        await third.close(ended=False)
        assert (await first.abandoned(), await first.dead()) == (["r.3"], [])
        await winner.release("r")
        await asyncio.wait(late)
        assert await first.acquire("r") != await second.acquire("r")


async def test_a_holder_that_was_away_too_long_learns_what_it_lost(
    one_node: NatsCluster, stream: str, tmp_path: Path
) -> None:
    code = [sys.executable, "-c", HOLDER, one_node.url(stream, tmp_path / "away.db")]
    async with (
        asyncio.timeout(60),
        opened_log(one_node.url(stream, tmp_path / "one.db")) as log,
    ):
        leases = log.leases()
        process = await asyncio.create_subprocess_exec(*code, stdout=subprocess.PIPE)
        try:
            assert process.stdout is not None
            assert await process.stdout.readline() == b"held\n"
            # As a laptop that sleeps.
            process.send_signal(signal.SIGSTOP)
            assert isinstance(leases, NatsLeases)
            await until(partial(leases.acquire, "r"))
            process.send_signal(signal.SIGCONT)
            assert await process.stdout.readline() == b"lost\n"
            assert not await leases.acquire("r.2")
        finally:
            process.kill()
            await process.wait()


def test_a_holder_whose_key_stays_as_it_is_is_gone_whatever_the_nodes_clocks_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    sightings, nobody = HolderSightings(), BucketEntry(0, b"")
    assert sightings.living({"a": BucketEntry(1, b"x"), "b": BucketEntry(2, b"x")}) == {"a", "b"}
    clock[0] += 3
    assert sightings.living({"a": BucketEntry(3, b"x"), "b": BucketEntry(2, b"x")}) == {"a", "b"}
    clock[0] += 3
    # One was written again; the other would live for another hour by a clock that was set back.
    assert sightings.living({"a": BucketEntry(3, b"x"), "b": BucketEntry(2, b"x")}) == {"a"}
    assert not sightings.lives("b", BucketEntry(2, b"x"))
    # It was only away.
    assert sightings.lives("b", BucketEntry(4, b"x"))
    assert not sightings.lives("a", nobody)
    assert sightings.living({}) == set()
