"""The memory log keeps the contract."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from unbraid.log import Log, LogUnusable, MemoryLog
from unbraid.log.contract import LogContract, sample_run
from unbraid.log.port import run_pages


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


@pytest.mark.parametrize("types", [(), ("text",), ("done",)])
async def test_pages_of_a_run_end_at_an_event(types: tuple[str, ...]) -> None:
    log, events = MemoryLog(), sample_run(["a", "b", "c"])
    await log.append("r", events)
    for until in range(len(events) + 2):
        pages = [page async for page in run_pages(log, "r", until=until, types=types)]
        wanted = [x.seq for x in events if x.seq <= until and (not types or x.type in types)]
        assert [entry.seq for page in pages for entry in page] == wanted
