"""The memory log keeps the contract."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from unbraid.log import Log, LogUnusable, MemoryLog
from unbraid.log.contract import LogContract, sample_run


class TestMemoryLog(LogContract):
    @pytest.fixture
    async def log(self) -> AsyncIterator[Log]:
        log = MemoryLog()
        yield log
        await log.close()


async def test_takes_nothing_once_closed() -> None:
    log = MemoryLog()
    await log.close()
    with pytest.raises(LogUnusable):
        await log.append("r", sample_run(["a"]))
