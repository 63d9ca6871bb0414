"""A machine whose copy of a shared log is behind: it gets nothing until somebody waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from unbraid.log.port import Log
from unbraid.log.replicated.copy import JournalCopy
from unbraid.log.replicated.journal import StoredRecord
from unbraid.log.replicated.log import ReplicatedLog


def hold_back(log: Log, monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Holds back the copy of a log; returns what is set once somebody has waited for it."""
    assert isinstance(log, ReplicatedLog)
    waited: asyncio.Event = asyncio.Event()
    held, fold, reached = log.copy_path, JournalCopy.fold, JournalCopy.reached

    async def fold_later(copy: JournalCopy, batch: Sequence[StoredRecord]) -> None:
        if copy.path == held:
            await waited.wait()
        await fold(copy, batch)

    async def reached_now(copy: JournalCopy, seq: int, seconds: float, **more: Any) -> bool:
        if copy.path == held and seq > await copy.applied():
            waited.set()
        return await reached(copy, seq, seconds, **more)

    monkeypatch.setattr(JournalCopy, "fold", fold_later)
    monkeypatch.setattr(JournalCopy, "reached", reached_now)
    return waited
