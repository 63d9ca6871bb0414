"""A run that is sent to one server and then to another, as a balancer may have it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.log.nats.held_back import hold_back
from tests.nats_servers import NatsCluster
from unbraid.events import Text, encode
from unbraid.log import opened_log
from unbraid.record.ingest import EventIngest, Ingest, NotItsRun, RunPart
from unbraid.testing.sample_runs import sample_run

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


@pytest.mark.parametrize("goes_on", [False, True])
async def test_a_server_that_is_behind_lets_nobody_into_runs_of_others(
    goes_on: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it does not know yet, another machine may have begun at another server."""
    said, events = lines(3), [encode(event) for event in sample_run(["x", "y"])]
    with NatsCluster(tmp_path / "nats") as node:
        async with (
            opened_log(node.url("S", tmp_path / "one.db")) as one,
            opened_log(node.url("S", tmp_path / "two.db")) as two,
            opened_log(node.url("S", tmp_path / "three.db")) as three,
        ):
            behind = hold_back(two, monkeypatch), hold_back(three, monkeypatch)
            offset = await Ingest(one).feed("r", "out", 0, said[0], now=1, machine="theirs")
            part = RunPart("e", 0, events[:3])
            await EventIngest(one).feed(part, machine="theirs", any_run=False)
            before = await one.read_all()

            data = said[1] if goes_on else b"".join(said)
            at, after = (offset, 3) if goes_on else (0, 0)
            with pytest.raises(NotItsRun):
                await Ingest(two).feed("r", "out", at, data, now=2, machine="me", any_run=False)
            with pytest.raises(NotItsRun):
                part = RunPart("e", after, events[after:])
                await EventIngest(three).feed(part, machine="me", any_run=False)
            assert all(waited.is_set() for waited in behind)
            assert await one.read_all() == before


async def test_a_server_that_is_behind_takes_more_of_a_line_that_another_has_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer of one server was lost, and the sender has gone on to the other with more."""
    first, line = lines(1)
    said, at = first + line, len(first) + 40
    with NatsCluster(tmp_path / "nats") as node:
        async with (
            opened_log(node.url("S", tmp_path / "one.db")) as one,
            opened_log(node.url("S", tmp_path / "two.db")) as two,
            opened_log(node.url("S", tmp_path / "three.db")) as three,
        ):
            servers = [Ingest(log) for log in (one, two, three)]
            await servers[0].feed("r", "out", 0, first, now=1)
            await two.settle()
            waited = hold_back(two, monkeypatch)
            assert await servers[0].feed("r", "out", len(first), line[:40], now=2) == at
            assert await servers[1].feed("r", "out", len(first), line[:60], now=3) == at + 20
            assert waited.is_set()
            last = await servers[2].feed("r", "out", at + 20, line[60:], now=4, end=True)
            assert last == len(said)
            events = [entry.event async for batch in one.follow("r") for entry in batch]
            assert [event.delta for event in events if isinstance(event, Text)] == ["word 0"]
            assert not [event for event in events if event.type == "malformed"]
