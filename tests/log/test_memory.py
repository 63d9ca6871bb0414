"""The memory log keeps the contract."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from unbraid.errors import LogError
from unbraid.log import Log, LogUnusable, MemoryLog, RunSummary, every_run
from unbraid.log.port import run_pages
from unbraid.testing.log_contract import LogContract, sample_run


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


class StuckLog(MemoryLog):
    """A broken engine that gives out its first page of runs again and again."""

    async def runs(
        self,
        *,
        status: str | None = None,
        matching: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunSummary]:
        return await super().runs(status=status, matching=matching, limit=limit)


async def test_a_list_of_runs_that_does_not_advance_is_an_error() -> None:
    log = StuckLog()
    for number in range(4):
        await log.append(f"r{number}", sample_run(["x"], ts=1000 * number))
    with pytest.raises(LogError, match="does not go on after"):
        [run async for run in every_run(log, page_size=2)]


@pytest.mark.parametrize("types", [(), ("text",), ("done",)])
async def test_pages_of_a_run_end_at_an_event(types: tuple[str, ...]) -> None:
    log, events = MemoryLog(), sample_run(["a", "b", "c"])
    await log.append("r", events)
    for until in range(len(events) + 2):
        pages = [page async for page in run_pages(log, "r", until=until, types=types)]
        wanted = [x.seq for x in events if x.seq <= until and (not types or x.type in types)]
        assert [entry.seq for page in pages for entry in page] == wanted
