"""What an agent's CLI has withdrawn can be found, and is marked, in every engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import Raw

from unbraid import events as e
from unbraid.log import MemoryLog, SqliteLog

ROOT: dict[str, Any] = {"ts": 5, "stream_id": 0, "depth": 0, "agent": "main"}
EVENTS: list[e.FleetEvent] = [
    e.RequestReceived(seq=1, source="test", **ROOT),
    e.StreamStart(seq=2, parent_stream_id=None, **ROOT),
    e.Text(seq=3, delta="a needle, closed", message_id="bad", block=0, **ROOT),
    e.FleetToolUse(
        seq=4, tool_use_id="t", tool="needle", input_json=Raw(b"{}"), message_id="bad", **ROOT
    ),
    e.Text(seq=5, delta="a needle, kept", message_id="good", block=0, **ROOT),
    e.Text(seq=6, delta="a needle, ", message_id="open", block=0, **ROOT),
    e.FleetRetracted(seq=7, message_ids=["bad", "open"], **ROOT),
    e.Text(seq=8, delta="still open", message_id="open", block=0, **ROOT),
    e.StreamEnd(seq=9, ok=True, reason="completed", **ROOT),
]


@pytest.mark.parametrize("engine", ["memory", "sqlite"])
@pytest.mark.parametrize("at_once", [1, 3, 99])
async def test_what_was_retracted_is_marked(engine: str, at_once: int, tmp_path: Path) -> None:
    log = MemoryLog() if engine == "memory" else await SqliteLog.open(tmp_path / "log.db")
    for first in range(0, len(EVENTS), at_once):
        await log.append("r", EVENTS[first : first + at_once])
    found = await log.search("needle", limit=9)
    assert sorted((place.seq, place.kind) for place in found) == [
        (3, "retracted"), (4, "retracted"), (5, "text"), (6, "retracted"),
    ]  # fmt: skip
    await log.close()
