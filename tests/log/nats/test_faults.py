"""A small trial by faults; the whole one is `python -m tests.log.nats.faults`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.log.nats.trial import trial

pytestmark = pytest.mark.xdist_group("nats")


async def test_nothing_is_lost_or_doubled_whatever_is_killed(tmp_path: Path) -> None:
    async with trial(tmp_path) as made:
        await made.begin(writers=4, viewers=8, pause=0.05)
        await made.progress()
        await asyncio.gather(made.kill_leader(), made.kill_server(), made.stop_writer(0, 0.05))
        await made.progress()
        await made.kill_all()
        await made.progress()
        lengths = await made.finish()
        assert len(lengths) == 4
        assert any(viewer.visits > 1 for viewer in made.viewers)
