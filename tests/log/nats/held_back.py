"""A machine whose copy of a shared log is behind: it gets nothing until somebody waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from unbraid.log.port import Log
from unbraid.log.replicated.journal import StoredRecord
from unbraid.log.replicated.log import ReplicatedLog


def hold_back(log: Log, monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Holds back the copy of a log; returns what is set once somebody has waited for it."""
    assert isinstance(log, ReplicatedLog)
    waited: asyncio.Event = asyncio.Event()
    copy = log._copy
    fold, reached = copy.fold, copy.reached

    async def fold_later(batch: Sequence[StoredRecord]) -> None:
        await waited.wait()
        await fold(batch)

    async def reached_now(seq: int, seconds: float, **more: Any) -> Any:
        if seq > await copy.applied():
            waited.set()
        return await reached(seq, seconds, **more)

    monkeypatch.setattr(copy, "fold", fold_later)
    monkeypatch.setattr(copy, "reached", reached_now)
    return waited
