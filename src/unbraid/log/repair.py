"""Repairs a shared log: brings back what it has lost, from this machine's copy or a backup."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from unbraid.errors import CallerError
from unbraid.log.engines import opened_log
from unbraid.log.replicated.log import ReplicatedLog
from unbraid.log.replicated.restoration import RestoredRuns, restored_runs

_SUFFIXES = ("", "-wal", "-shm")


class LogRepair(Struct):
    """What was restored, and from which file, which stays; nothing if nothing was lost."""

    source: Path | None = None
    restored: RestoredRuns | None = None


async def repair_log(
    url: str | None, env: Mapping[str, str] = os.environ, *, source: Path | None = None
) -> LogRepair:
    """Restores a shared log from a file; without one, from this machine's copy, if that has what
    the log has lost. The copy is put aside then, and made anew. Raises CallerError if the log is
    not a shared one.
    """
    async with opened_log(url, env) as log:
        if not isinstance(log, ReplicatedLog):
            raise CallerError("only a log that machines share can be repaired: give --log nats://…")
        is_lost, copy = (await log.looked_for_loss()), log.copy_path
    if is_lost:
        kept = _put_aside(copy)
        source = source or kept
    if source is None:
        return LogRepair()
    async with opened_log(url, env) as log:
        assert isinstance(log, ReplicatedLog)
        return LogRepair(source, await restored_runs(source, log))


def _put_aside(copy: Path) -> Path:
    kept = copy.with_name(f"{copy.name}.lost-{time.strftime('%Y%m%d-%H%M%S')}")
    for suffix in _SUFFIXES:
        part = copy.with_name(f"{copy.name}{suffix}")
        if part.exists():
            part.rename(f"{kept}{suffix}")
    return kept
