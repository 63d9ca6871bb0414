"""What the tests of a log are made of: a run to fill it with, and its raw bytes, read whole."""

from __future__ import annotations

from typing import Any

from unbraid.events import (
    Done,
    FleetEvent,
    FleetTokenUsage,
    RequestReceived,
    StreamEnd,
    StreamStart,
    Text,
)
from unbraid.log.port import Log
from unbraid.read.chunk import Chunk


def sample_run(words: list[str], *, ok: bool = True, ts: int = 1000) -> list[FleetEvent]:
    """Returns a whole run of one agent that says `words`, a delta each."""
    main: dict[str, Any] = {"stream_id": 0, "depth": 0, "agent": "main"}
    usage: dict[str, Any] = {"input_tokens": 7, "output_tokens": 5, "cache_read_tokens": 3}
    end, reason = 3 + len(words), "completed" if ok else "failed"
    first: dict[str, Any] = {
        "source": "agent",
        "prompt": "Say  it\nall",
        "cwd": "/w",
        "session_id": "s",
    }
    return [
        RequestReceived(seq=1, ts=ts, **first, **main),
        StreamStart(seq=2, ts=ts + 1, parent_stream_id=None, **main),
        *(
            Text(seq=seq, ts=ts + seq, delta=word, message_id="m1", block=0, **main)
            for seq, word in enumerate(words, 3)
        ),
        FleetTokenUsage(
            seq=end,
            ts=ts + end,
            message_id="m1",
            model="x",
            cache_creation_tokens=1,
            **usage,
            **main,
        ),
        StreamEnd(seq=end + 1, ts=ts + end, ok=ok, reason=reason, **main),
        Done(
            seq=end + 2,
            ts=ts + end,
            ok=ok,
            streams=1,
            cache_creation_tokens=1,
            cost_usd=0.5,
            **usage,
            **main,
        ),
    ]


async def all_chunks(log: Log, run: str) -> list[Chunk]:
    """Returns all raw bytes that a log has of a run."""
    return [chunk async for page in log.chunk_pages(run) for chunk in page]
