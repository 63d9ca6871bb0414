"""Attack: one session writes as much as it can, and everybody else waits for its reader.

With 255 MB of live transcripts, one of them 1.5 million lines of `{}`, `/healthz` took seconds: a
mebibyte of such lines was translated at once, and the answer waited behind all that was being
written. Sessions take turns, a few milliseconds each. The test counts the processor's time, not the
clock's, because the machine that it runs on may be busy.
"""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

from unbraid.log import SqliteLog
from unbraid.log.memory import MemoryLog
from unbraid.log.sqlite.file import TRANSACTION_SECONDS
from unbraid.read.chunk import Chunk
from unbraid.record.recorder import Recorder, TranslationTurns

FLOOD = b"{}\n" * 10_000
MAX_PASS_SECONDS = 0.1


async def test_many_floods_leave_room_for_others() -> None:
    log, turns = MemoryLog(), TranslationTurns()
    recorders = [await Recorder.open(log, f"r{n}", turns=turns) for n in range(8)]
    passes: list[float] = []

    async def look() -> None:
        before = time.thread_time()
        while True:
            await asyncio.sleep(0)
            passes.append((now := time.thread_time()) - before)
            before = now

    looking = asyncio.create_task(look())
    await asyncio.gather(*(each.feed([Chunk("out", 0, FLOOD)], 1) for each in recorders))
    looking.cancel()
    assert max(passes) < MAX_PASS_SECONDS
    assert len(passes) > 100


async def test_a_log_that_is_busy_says_at_once_that_it_can_append(tmp_path: Path) -> None:
    log = await SqliteLog.open(tmp_path / "log.db")
    await log.check()
    recorder, begun, busy = await Recorder.open(log, "r"), threading.Event(), threading.Event()

    def write(*_: object) -> None:
        begun.set()
        busy.wait(60)

    writing = log.writer.submit(write)
    async with asyncio.timeout(60):
        await asyncio.to_thread(begun.wait)
        await log.check()
        assert not writing.done()
        busy.set()
        await writing
        await recorder.feed([Chunk("out", 0, b'{"type":"x"}\n')], 1)
        await log.close()


async def test_a_log_with_much_to_write_says_at_once_that_it_can_append(tmp_path: Path) -> None:
    log = await SqliteLog.open(tmp_path / "log.db")
    await log.check()
    second = threading.Event()

    def first(*_: object) -> None:
        time.sleep(2 * TRANSACTION_SECONDS)  # a transaction that takes long

    jobs = [first, lambda *_: second.wait(60)]
    async with asyncio.timeout(60):
        writing = [log.writer.submit(job) for job in jobs]
        # Whoever has appended little waits for one transaction, not for all that has gathered.
        await writing[0]
        # Between two transactions, too, the log is known to be able to append.
        await log.check()
        assert not writing[1].done()
        second.set()
        await writing[1]
        await log.close()
