"""A pause is given out once, and nothing is lost around it."""

from __future__ import annotations

import asyncio

from tests.polling import PATIENCE_SECONDS
from tests.tui.screens import opening, said
from unbraid.cli.printer import Printer, batches_with_pauses
from unbraid.events import decode_event
from unbraid.log import MemoryLog


async def test_half_a_line_is_printed_when_nothing_follows() -> None:
    log, printer = MemoryLog(), Printer()
    await log.append("one", [*opening(), *said(0, ["the last words"], first=3)])
    batches = batches_with_pauses(log.follow("one"), log, 0.01)
    lines: list[str] = []
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for batch in batches:
            lines += [line for entry in batch for line in printer.lines(decode_event(entry.data))]
            if not batch:
                break
    assert "the last words" not in "".join(lines)
    assert "the last words" in "".join(printer.flush())
    assert list(printer.flush()) == []


async def test_every_event_comes_once_however_long_the_pauses() -> None:
    log = MemoryLog()
    await log.append("one", opening())
    seen: list[int] = []
    pauses = 0
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for batch in batches_with_pauses(log.follow("one"), log, 0.01):
            seen += [entry.seq for entry in batch]
            if batch:
                continue
            pauses += 1
            if pauses == 5:
                break
            await log.append("one", said(0, [f"word {pauses}"], first=len(seen) + 1))
    assert seen == list(range(1, 7))
