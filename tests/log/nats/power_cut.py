"""A power cut of all nodes at once: what they had not synced to their disks is gone.

    python -m tests.log.nats.power_cut [CUTS [SYNC_INTERVAL]]

Needs root, because each node gets a disk of its own: a file system in a file. Killing a process
loses nothing that it has written, because the kernel keeps it; so the nodes are killed, and go on
with copies of the files behind their disks, taken before the kernel wrote anything more to them.
Nothing that was acknowledged may be lost. With a `SYNC_INTERVAL` of two minutes (`2m`), which is
the default of nats-server, it is.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from tests.log.nats.node_disks import NodeDisk, node_disks, run_with_mounts
from tests.log.nats.trial import Trial, trial

WRITERS, VIEWERS, PAUSE_SECONDS = 20, 20, 0.01


async def cut_power(made: Trial, disks: list[NodeDisk]) -> float:
    """Cuts the power of all nodes, and starts them again; returns how long nobody could write."""
    nodes = made.cluster.nodes
    for node in nodes:
        assert node.process is not None
        node.process.kill()
    for node in nodes:
        await asyncio.to_thread(node.kill)
    # All copies before the first unmounting, which writes everything.
    for disk in disks:
        await asyncio.to_thread(disk.copy)
    for disk in disks:
        await asyncio.to_thread(disk.swap)
    return await made.start_all()


async def main(cuts: str = "3", sync: str = "always") -> None:
    """The whole trial, with what came of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with node_disks(folder) as disks:
            async with trial(folder, sync=sync) as made:
                await made.begin(WRITERS, VIEWERS, PAUSE_SECONDS)
                await made.progress(100)
                for number in range(int(cuts)):
                    seconds = await cut_power(made, disks)
                    await made.progress(100)
                    print(
                        f"power cut {number + 1}: written again after {seconds:.1f} s", flush=True
                    )
                for log in made.logs:
                    assert (await log.replication()).problem is None
                lengths = await made.finish()
    print(f"{sum(lengths)} events of {len(lengths)} runs acknowledged: 0 lost, 0 twice")


if __name__ == "__main__":
    run_with_mounts("tests.log.nats.power_cut", main)
