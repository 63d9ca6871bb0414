"""The disks of all nodes are full at once, again and again, and get room again.

    python -m tests.log.nats.full_disk [TIMES [SYNC_INTERVAL]]

Needs root, because each node gets a disk of its own: a file system in a file. The nodes stop in
the midst of what they were writing, and are started again once there is room. Nothing that was
acknowledged may be lost, and a machine that joins right after the start says so until it has it.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from tests.log.nats.node_disks import NodeDisk, node_disks, run_with_mounts
from tests.log.nats.trial import STREAM, Trial, settled, trial
from tests.polling import until
from unbraid.log import Log, opened_log
from unbraid.log.replicated.log import ReplicatedLog

WRITERS, VIEWERS, PAUSE_SECONDS = 20, 20, 0.01
LEFT_BYTES = 1 << 20
QUIET_SECONDS = 5.0
FULL_SECONDS = 120.0


async def until_full(made: Trial) -> None:
    """Waits until nobody was acknowledged anything for a while."""
    before, since = -1, time.monotonic()
    async with asyncio.timeout(FULL_SECONDS):
        while time.monotonic() - since < QUIET_SECONDS:
            now = sum(writer.acknowledged for writer in made.writers)
            if now != before:
                before, since = now, time.monotonic()
            await asyncio.sleep(0.1)


async def fill_all(made: Trial, disks: list[NodeDisk], number: int) -> tuple[int, int]:
    """Fills all disks, and starts the nodes again with room; returns how many events had been
    acknowledged, and how many of them a new machine has at once, before it says that it has all.
    """
    chance = random.Random(number)
    for disk in disks:
        disk.fill(chance.randrange(LEFT_BYTES))
    await until_full(made)
    known = {writer.run: writer.acknowledged for writer in made.writers}
    for node in made.cluster.nodes:
        try:
            await asyncio.to_thread(node.stop if number % 2 else node.kill)
        except subprocess.TimeoutExpired:  # a node that cannot write may not come to its end
            await asyncio.to_thread(node.kill)
    for disk in disks:
        disk.free()
    for node in made.cluster.nodes:
        node.start()
    await until(lambda: made.cluster.leader(STREAM))
    async with opened_log(made.url(f"late{number}")) as late:
        assert isinstance(late, ReplicatedLog)
        behind = (await late.replication()).behind
        at_once = await lengths(late, known)
        if behind == 0:
            assert missing(known, at_once) == {}, "the copy says that it has all"
        await settled(late)
        assert missing(known, await lengths(late, known)) == {}, "acknowledged, and not there"
    return sum(known.values()), sum(at_once.values())


async def lengths(log: Log, runs: Iterable[str]) -> dict[str, int]:
    """Returns how many events each run has."""
    found = {run: await log.run(run) for run in runs}
    return {run: 0 if summary is None else summary.last_seq for run, summary in found.items()}


def missing(known: dict[str, int], found: dict[str, int]) -> dict[str, int]:
    """Returns how many events each run lacks."""
    return {run: count - found[run] for run, count in known.items() if found[run] < count}


async def main(times: str = "3", sync: str = "always") -> None:
    """The whole trial, with what came of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with node_disks(folder) as disks:
            async with trial(folder, sync=sync) as made:
                await made.begin(WRITERS, VIEWERS, PAUSE_SECONDS)
                for number in range(int(times)):
                    await made.progress(10)
                    known, at_once = await fill_all(made, disks, number)
                    print(
                        f"disks full {number + 1}: {known} events acknowledged, all there;"
                        f" a new machine read {at_once} before it had settled",
                        flush=True,
                    )
                    await made.progress(10)
                for log in made.logs:
                    assert (await log.replication()).problem is None
                whole = await made.finish()
    print(f"{sum(whole)} events of {len(whole)} runs acknowledged: 0 lost, 0 twice")


if __name__ == "__main__":
    run_with_mounts("tests.log.nats.full_disk", main)
