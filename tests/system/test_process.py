"""A start that is cancelled at any step leaves no process and does not hang."""

from __future__ import annotations

import asyncio
import os
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.system.survivors import marked, survivors
from unbraid.system.process import NOTHING, PIPE, let_go, start

SLEEPER = (sys.executable, "-c", "import time; time.sleep(9999)")


@settings(max_examples=40)
@given(steps=st.integers(0, 25), again=st.booleans())
def test_a_start_can_be_cancelled_at_any_step(steps: int, again: bool) -> None:
    env, mark = marked(dict(os.environ))

    async def cancelled() -> None:
        task = asyncio.create_task(start(SLEEPER, env, stdin=PIPE, stdout=PIPE, stderr=PIPE))
        for _ in range(steps):
            await asyncio.sleep(0)
        if task.done():
            await let_go(task.result())
            return
        task.cancel()
        if again:
            await asyncio.sleep(0)
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    async def bounded() -> None:
        async with asyncio.timeout(60):
            await cancelled()

    asyncio.run(bounded())
    assert survivors(mark) == []


async def test_what_cannot_be_started_is_told() -> None:
    with pytest.raises(OSError, match="nothing"):
        await start(["/nothing"], {}, stdin=NOTHING)
