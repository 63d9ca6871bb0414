"""Disks of their own for nodes: file systems in files, which only root can mount."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

INSIDE = "--inside"
NODES, DISK_BYTES = 3, 512 << 20
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
        options = "lazy_itable_init=0,lazy_journal_init=0"
        _run("mkfs.ext4", "-q", "-m", "0", "-E", options, str(image))
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

    def fill(self, left_bytes: int) -> None:
        """Takes all the space but this."""
        space = os.statvfs(self.mount)
        free = space.f_bavail * space.f_frsize
        with self._filler().open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(free - left_bytes, 1))

    def free(self) -> None:
        """Gives the space back."""
        self._filler().unlink(missing_ok=True)

    def _filler(self) -> Path:
        return self.mount / "filler"


@contextmanager
def node_disks(folder: Path) -> Iterator[list[NodeDisk]]:
    """Gives each node of a trial in this folder a disk, for as long as the block runs."""
    disks: list[NodeDisk] = []
    try:
        for number in range(NODES):
            disks += [NodeDisk(folder, folder / "nodes" / f"n{number}")]
        yield disks
    finally:
        for disk in disks:
            disk.detach()


def run_with_mounts(module: str, main: Callable[..., Coroutine[Any, Any, None]]) -> None:
    """Runs a trial with mounts of its own, which are gone with it, given the words of its command
    line.
    """
    import asyncio

    if sys.argv[1:2] == [INSIDE]:
        asyncio.run(main(*sys.argv[2:]))
    elif os.geteuid() or not all(map(shutil.which, ("unshare", "mkfs.ext4", "mount"))):
        sys.exit("disks of their own need root, mkfs.ext4 and mount")
    else:
        command = ["unshare", "--mount", sys.executable, "-m", module, INSIDE]
        sys.exit(subprocess.run([*command, *sys.argv[1:]]).returncode)


def _run(*command: str) -> None:
    subprocess.run(command, check=True)
