"""Repairs a shared log: brings back what it has lost, from this machine's copy or a backup; and a
copy that is damaged.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from unbraid.errors import CallerError
from unbraid.log.engines import opened_log
from unbraid.log.port import Log
from unbraid.log.replicated.log import ReplicatedLog
from unbraid.log.replicated.restoration import RestoredRuns, restored_runs
from unbraid.log.sqlite.connection import DamagedCopy

_SUFFIXES = ("", "-wal", "-shm")


class LogRepair(Struct):
    """What was restored, and from which file, which stays; nothing if nothing was lost. And where
    the copy of this machine is now if it was damaged.
    """

    source: Path | None = None
    restored: RestoredRuns | None = None
    damaged: Path | None = None


async def repair_log(
    url: str | None, env: Mapping[str, str] = os.environ, *, source: Path | None = None
) -> LogRepair:
    """Restores a shared log from a file; without one, from this machine's copy, if that has what
    the log has lost. The copy is then set aside and built again; a damaged copy is, too. Returns
    what was done. Raises CallerError if the log is not a shared one.
    """
    damaged, lost = None, None
    try:
        async with opened_log(url, env) as log:
            shared = _shared(log)
            await shared.check_copy()
            lost = shared.copy_path if await shared.looked_for_loss() else None
    except DamagedCopy as error:
        damaged = _put_aside(error.path, "damaged")
    if lost is not None:
        kept = _put_aside(lost, "lost")
        source = source or kept
    if source is None and damaged is None:
        return LogRepair()
    async with opened_log(url, env) as log:
        restored = None if source is None else await restored_runs(source, _shared(log))
    return LogRepair(source, restored, damaged)


def _shared(log: Log) -> ReplicatedLog:
    if not isinstance(log, ReplicatedLog):
        raise CallerError("only a log that machines share can be repaired: give --log nats://…")
    return log


def _put_aside(copy: Path, why: str) -> Path:
    kept = copy.with_name(f"{copy.name}.{why}-{time.strftime('%Y%m%d-%H%M%S')}")
    for suffix in _SUFFIXES:
        part = copy.with_name(f"{copy.name}{suffix}")
        if part.exists():
            part.rename(f"{kept}{suffix}")
    return kept
