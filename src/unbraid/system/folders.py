"""Folders that others write to: when to look at what.

They are watched by inotify where that works. A slow look at everything runs beside it, for what
inotify cannot see (network file systems) or has dropped.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import NamedTuple

from unbraid.system import notify
from unbraid.timings import (
    FOLDER_APPEARING_POLL_SECONDS,
    FOLDER_POLL_SECONDS,
    FOLDER_RESCAN_SECONDS,
)


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
            await asyncio.sleep(min(FOLDER_APPEARING_POLL_SECONDS, FOLDER_POLL_SECONDS))
            if not inotify and time.monotonic() - looked >= FOLDER_POLL_SECONDS:
                looked = time.monotonic()
                yield FolderLook(folders, [], everywhere=True)
            continue
        # What happened before inotify had begun to watch, it does not report.
        missed = True
        try:
            async with aclosing(notify.changes(folders)) as changes:
                async for paths in changes:
                    everywhere = missed or time.monotonic() - looked >= FOLDER_RESCAN_SECONDS
                    if everywhere:
                        looked, missed = time.monotonic(), False
                    yield FolderLook(folders, paths, everywhere)
                    if find() != folders:
                        break
        except (OSError, RuntimeError) as error:
            warn(f"inotify does not work here ({error}): looking every few seconds")
            inotify = False
