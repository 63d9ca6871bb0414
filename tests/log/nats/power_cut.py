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
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.log.nats.trial import Trial, trial

INSIDE = "--inside"
NODES, DISK_BYTES = 3, 512 << 20
WRITERS, VIEWERS, PAUSE_SECONDS = 20, 20, 0.01
# The file system must not commit its journal by itself meanwhile; the default is every 5 s.
MOUNT_OPTIONS = "loop,commit=600"


class NodeDisk:
    """A file system in a file, mounted where a node keeps its data."""

    def __init__(self, folder: Path, mount: Path) -> None:
        self.mount, self._folder, self._copies = mount, folder, 0
        mount.mkdir(parents=True)
        image = self._image()
        with image.open("wb") as file:
            file.truncate(DISK_BYTES)
        _run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", str(image))
        self.attach()
        # What a file system writes when it is new is not part of the trial.
        os.sync()

    def _image(self) -> Path:
        return self._folder / f"{self.mount.name}-{self._copies}.img"

    def attach(self) -> None:
        """Mounts the file."""
        _run("mount", "-o", MOUNT_OPTIONS, str(self._image()), str(self.mount))

    def detach(self) -> None:
        """Unmounts the file, as soon as nobody uses it."""
        _run("umount", "--lazy", str(self.mount))

    def copy(self) -> None:
        """Copies what has been written to the disk."""
        before = self._image()
        self._copies += 1
        _run("cp", "--sparse=always", str(before), str(self._image()))

    def swap(self) -> None:
        """Goes on with the copy."""
        _run("umount", str(self.mount))
        self.attach()


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


async def main(cuts: int = 3, sync: str = "always") -> None:
    """The whole trial, with what came of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        disks = [NodeDisk(folder, folder / "nodes" / f"n{number}") for number in range(NODES)]
        try:
            async with trial(folder, sync=sync) as made:
                await made.begin(WRITERS, VIEWERS, PAUSE_SECONDS)
                await made.progress(100)
                for number in range(cuts):
                    seconds = await cut_power(made, disks)
                    await made.progress(100)
                    print(
                        f"power cut {number + 1}: written again after {seconds:.1f} s", flush=True
                    )
                for log in made.logs:
                    assert (await log.replication()).problem is None
                lengths = await made.finish()
        finally:
            for disk in disks:
                disk.detach()
    print(f"{sum(lengths)} events of {len(lengths)} runs acknowledged: 0 lost, 0 twice")


def _run(*command: str) -> None:
    subprocess.run(command, check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == [INSIDE]:
        cuts, *more = sys.argv[2:] or ["3"]
        asyncio.run(main(int(cuts), *more))
    elif os.geteuid() or not all(map(shutil.which, ("unshare", "mkfs.ext4", "mount"))):
        sys.exit("a power cut needs root, mkfs.ext4 and mount")
    else:
        # With mounts of its own, which are gone with it.
        command = ["unshare", "--mount", sys.executable, "-m", "tests.log.nats.power_cut", INSIDE]
        sys.exit(subprocess.run([*command, *sys.argv[1:]]).returncode)
