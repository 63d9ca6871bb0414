"""A run that is sent to one server and then to another, as a balancer may have it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.nats_servers import NatsCluster
from unbraid.events import Text
from unbraid.log import opened_log
from unbraid.record.ingest import Ingest

pytestmark = pytest.mark.xdist_group("nats")


def lines(count: int) -> list[bytes]:
    """What an agent prints, line by line; none of it says when."""
    said = [
        {
            "type": "assistant",
            "session_id": "s",
            "message": {
                "id": f"m{number}",
                "role": "assistant",
                "model": "m",
                "content": [{"type": "text", "text": f"word {number}"}],
            },
        }
        for number in range(count)
    ]
    first = {"type": "system", "subtype": "init", "session_id": "s", "model": "m"}
    return [json.dumps(line).encode() + b"\n" for line in (first, *said)]


async def test_a_run_goes_on_at_another_server_and_comes_back(tmp_path: Path) -> None:
    with NatsCluster(tmp_path / "nats") as node:
        async with (
            opened_log(node.url("S", tmp_path / "one.db")) as one,
            opened_log(node.url("S", tmp_path / "two.db")) as two,
        ):
            servers, offset = [Ingest(one), Ingest(two)], 0
            for number, line in enumerate(lines(12)):
                # Two at a time, then the other one; each dates what it takes in by its own clock.
                server, now = servers[number // 2 % 2], 1_000_000 + 1000 * number
                assert await server.feed("r", "out", offset, line, now=now) == offset + len(line)
                offset += len(line)
            # An answer was lost: the same once more, to the other server.
            again = await servers[1].feed("r", "out", offset - len(line), line, now=now + 5000)
            assert again == offset
            await servers[0].feed("r", "out", offset, b"", now=now, end=True)
            events = [entry.event async for batch in two.follow("r") for entry in batch]
            assert [event.seq for event in events] == list(range(1, len(events) + 1))
            texts = [event.delta for event in events if isinstance(event, Text)]
            assert texts == [f"word {number}" for number in range(12)]
