"""Folders that others write to: when to look at what.

They are watched by inotify where that works. A slow look at everything runs beside it, for what
inotify cannot see (network file systems) or has dropped.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import NamedTuple

from watchfiles._rust_notify import RustNotify

from unbraid.timings import STORE_APPEARING_POLL_SECONDS

# The backend of `watchfiles` looks at its queue in steps. Where words arrive it has to look often;
# where nothing happens, looking often would cost more than all the rest together.
#
# This is the one place that uses a private module of another project. The public
# `watchfiles.awatch` takes its `step` once: with 2 ms it costs 0.9 % of a core while nothing
# happens, with 30 ms a change is reported after 60 ms. Here it is 0.15 % and 4 ms. Starting it
# again with another step would lose the changes in between.
NOTIFY_BUSY_SECONDS = 2.0
NOTIFY_BUSY_STEP_MS = 2
NOTIFY_IDLE_STEP_MS = 30
# Changes of one moment are one wake-up.
NOTIFY_GATHER_MS = 8
# A wake-up without a change, so that the waiting task can also look at the clock.
NOTIFY_PULSE_MS = 1000


async def reported_changes(folders: Sequence[Path]) -> AsyncGenerator[list[Path], None]:
    """Yields paths that have changed, and an empty list about once a second. Raises OSError where
    that does not work.
    """
    stop, changed = threading.Event(), 0.0
    with RustNotify([str(folder) for folder in folders], False, False, 300, True, True) as watcher:
        try:
            while True:
                busy = time.monotonic() - changed < NOTIFY_BUSY_SECONDS
                step = NOTIFY_BUSY_STEP_MS if busy else NOTIFY_IDLE_STEP_MS
                found = await asyncio.to_thread(
                    watcher.watch, max(NOTIFY_GATHER_MS, step), step, NOTIFY_PULSE_MS, stop
                )
                if not isinstance(found, set):
                    yield []
                    continue
                changed = time.monotonic()
                yield [Path(name) for _, name in found]
        finally:
            stop.set()


# The system reports changes of files; it may lose one when very many come at once.
FOLDER_RESCAN_SECONDS = 300.0
# Where the system cannot report changes, the files are looked at.
FOLDER_POLL_SECONDS = 2.0
# inotify watches a new folder moments after it has reported it: so it is looked at again.
NEW_FOLDER_SETTLE_SECONDS = 0.3


class FolderLook(NamedTuple):
    """The paths that have changed below some folders; `everywhere`: there may be more."""

    folders: list[Path]
    paths: list[Path]
    everywhere: bool


async def folder_changes(
    find: Callable[[], list[Path]], *, inotify: bool, warn: Callable[[str], None]
) -> AsyncGenerator[FolderLook, None]:
    """Yields what to look at below the folders that are found, which may come and go; about once a
    second nothing.
    """
    looked = time.monotonic()
    while True:
        folders = find()
        if not inotify or not folders:
            await asyncio.sleep(min(STORE_APPEARING_POLL_SECONDS, FOLDER_POLL_SECONDS))
            if not inotify and time.monotonic() - looked >= FOLDER_POLL_SECONDS:
                looked = time.monotonic()
                yield FolderLook(folders, [], everywhere=True)
            continue
        # What happened before inotify had begun to watch, it does not report.
        missed = True
        new_folders = NewFolders()
        try:
            async with aclosing(reported_changes(folders)) as changes:
                async for paths in changes:
                    everywhere = missed or time.monotonic() - looked >= FOLDER_RESCAN_SECONDS
                    if everywhere:
                        looked, missed = time.monotonic(), False
                    unreported = await new_folders.files(paths)
                    yield FolderLook(folders, paths + unreported, everywhere)
                    if find() != folders:
                        break
        except (OSError, RuntimeError) as error:
            warn(f"inotify does not work here ({error}): looking every few seconds")
            inotify = False


class NewFolders:
    """Finds files that were written in a new folder before inotify watched it, of which it reports
    nothing: at once, and again when it surely does.
    """

    def __init__(self) -> None:
        self._due: dict[Path, float] = {}

    async def files(self, changed: Iterable[Path]) -> list[Path]:
        """Returns the files below the folders among these paths, and below those that were among
        earlier ones and are to be looked at again.
        """
        now = time.monotonic()
        new = [path for path in changed if path.is_dir()]
        again = [path for path, due in self._due.items() if due <= now]
        for path in again:
            del self._due[path]
        self._due.update(dict.fromkeys(new, now + NEW_FOLDER_SETTLE_SECONDS))
        return await asyncio.to_thread(_files_below, {*new, *again}) if new or again else []


def _files_below(folders: Iterable[Path]) -> list[Path]:
    walked = (found for folder in folders for found in os.walk(folder))
    return [Path(folder, name) for folder, _, names in walked for name in names]
