"""Attack: a machine that may send its own runs sends one that no agent has had.

Events may be sent as another log has them, so whoever has a token for it can make them up. A stream
that is its own parent led every reader in circles for ever, and streams that begin twice doubled
its way with each level: one small request stopped the whole server. A few kilobytes of compressed
line ends became a gigabyte of empty lines. Now streams have to begin as they do in every log, and
what is held of a request grows with its events alone. The same machine chose when its agents had
said something, and a year past 9999 broke the export; and each kind of agents that it made up
became lines of the metrics for ever.
"""

from __future__ import annotations

import gzip
import re
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any

import httpx
import msgspec
import pytest

from tests.polling import until
from tests.serve.conftest import Start
from unbraid.events import (
    FleetEvent,
    FleetTokenUsage,
    RequestReceived,
    StreamStart,
    encode,
)
from unbraid.fold.tree import Tree
from unbraid.log import SqliteLog
from unbraid.read.record import LATEST_MS
from unbraid.serve import Server, new_token
from unbraid.serve.metrics import MAX_KINDS
from unbraid.testing.sample_runs import sample_run

Clients = Callable[..., httpx.AsyncClient]

SECRET, MACHINE = new_token("build", ["ingest"])
ADMIN, OWNER = new_token("owner", ["admin"])
FIRST, ROOT = sample_run(["x"])[:2]
PRINTED = (
    b'{"type":"assistant","session_id":"s","message":{"id":"m","role":"assistant",'
    b'"content":[{"type":"text","text":"Hi."}]}}\n'
)


def started(seq: int, stream: int, parent: int | None, **more: Any) -> StreamStart:
    place = {"depth": 1, **more}
    return StreamStart(
        seq=seq, ts=1000, stream_id=stream, parent_stream_id=parent, agent="a", **place
    )


def doubled(levels: int) -> list[FleetEvent]:
    events: list[FleetEvent] = [FIRST, ROOT]
    for stream in range(1, levels + 1):
        for _ in range(2):
            events.append(started(len(events) + 1, stream, stream - 1, depth=stream))
    return events


FORGED: dict[str, list[FleetEvent]] = {
    "a root that is its own parent": [FIRST, started(2, 0, 0, depth=0)],
    "an agent that is its own parent": [FIRST, ROOT, started(3, 1, 1)],
    "a parent that begins later": [FIRST, ROOT, started(3, 1, 2), started(4, 2, 1)],
    "an agent that begins twice, below itself": [
        FIRST, ROOT, started(3, 1, 0), started(4, 2, 1, depth=2), started(5, 1, 2, depth=3),
    ],
    "agents that begin twice at each level": doubled(60),
    "one that resumes itself": [FIRST, ROOT, started(3, 1, 0, resumes=1)],
    "one without a parent": [FIRST, ROOT, started(3, 1, None, depth=0)],
    "a depth that is not its parent's": [FIRST, ROOT, started(3, 1, 0, depth=9000)],
}  # fmt: skip


@pytest.fixture
async def shared(start: Start) -> Server:
    return await start(tokens=(MACHINE, OWNER))


@pytest.fixture
def machine(shared: Server, client_of: Clients) -> httpx.AsyncClient:
    return client_of(shared, headers={"authorization": f"Bearer {SECRET}"})


def body_of(run: str, events: Sequence[FleetEvent], after: int = 0) -> bytes:
    head = msgspec.json.encode({"run": run, "after": after, "count": len(events)})
    return b"\n".join([head, *map(encode, events), b""])


async def sent(machine: httpx.AsyncClient, *parts: bytes) -> list[dict[str, Any]]:
    answer = await machine.post("/v1/ingest", content=b"".join(parts))
    assert answer.status_code == 200, answer.text
    return list(answer.json()["runs"])


@pytest.mark.parametrize("events", FORGED.values(), ids=FORGED)
async def test_no_stream_begins_where_none_can(
    machine: httpx.AsyncClient, log: SqliteLog, events: list[FleetEvent]
) -> None:
    # All at once, or the forged event after others that are in the log already.
    whole, first = await sent(machine, body_of("a", events), body_of("b", [FIRST]))
    rest = await sent(machine, body_of("b", events[1:], after=1))
    assert (first["seq"], whole.get("seq")) == (1, None)
    for refused in (whole, *rest):
        assert "a stream that cannot begin here" in refused["problem"]
    assert await log.run("a") is None


async def test_streams_that_begin_as_they_do_are_taken_however_they_are_cut(
    machine: httpx.AsyncClient, log: SqliteLog
) -> None:
    events = [
        FIRST, ROOT, started(3, 1, 0), started(4, 2, 1, depth=2), started(5, 3, 0, resumes=1),
        started(6, 4, None, depth=0, resumes=0),
    ]  # fmt: skip
    assert (await sent(machine, body_of("whole", events)))[0]["seq"] == 6
    for at, event in enumerate(events):
        assert (await sent(machine, body_of("cut", [event], after=at)))[0]["seq"] == at + 1
    assert (await sent(machine, body_of("cut", events)))[0]["seq"] == 6, "and once more"


@pytest.mark.parametrize("events", FORGED.values(), ids=FORGED)
def test_a_log_that_has_them_all_the_same_is_read_to_its_end(events: list[FleetEvent]) -> None:
    tree = Tree(events)
    assert sum(1 for _ in tree.walk()) <= len(events)
    assert len(tree.to_text().splitlines()) <= len(events)


BOMBS = {
    "line ends": b"\n" * (16 << 20),
    "heads without an end": b'{"run":"r","after":0,"count":0}\n' * (1 << 19),
    "lines that are no events": b'{"run":"r","after":0,"count":5000000}\n' + b"12\n" * (5 << 20),
}


@pytest.mark.parametrize("content", BOMBS.values(), ids=BOMBS)
async def test_a_small_request_stays_small(machine: httpx.AsyncClient, content: bytes) -> None:
    packed = gzip.compress(content, 1)
    tracemalloc.start()
    try:
        answer = await machine.post(
            "/v1/ingest", content=packed, headers={"content-encoding": "gzip"}
        )
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert answer.status_code in (200, 400)
    # The body in parts, and in one piece; and nothing of it a line at a time.
    assert most < 2.5 * len(content)


async def test_no_time_is_beyond_every_calendar(
    machine: httpx.AsyncClient, shared: Server, client_of: Clients
) -> None:
    path = "/v1/ingest/r?source=stdout&offset=0&end=1"
    for at in (LATEST_MS, 2**53 - 1):
        assert (await machine.post(f"{path}&at={at}", content=PRINTED)).status_code == 400
    # What the agent itself says of the time is not believed either.
    for run, stamp in (("s", '"9999-12-31T23:59:59-14:00"'), ("n", "900000000000000")):
        line = PRINTED.replace(b'"type"', f'"timestamp":{stamp},"type"'.encode(), 1)
        sent = await machine.post(path.replace("/r?", f"/{run}?"), content=line)
        assert sent.status_code == 200
        owner = client_of(shared, headers={"authorization": f"Bearer {ADMIN}"})
        for form in ("html", "markdown", "json"):
            made = await owner.get(f"/v1/runs/{run}/export?format={form}")
            assert made.status_code == 200, (run, form)


async def test_kinds_that_are_made_up_do_not_fill_the_metrics(
    machine: httpx.AsyncClient, shared: Server, client_of: Clients
) -> None:
    used = msgspec.structs.replace(sample_run(["x"])[3], seq=3)
    assert isinstance(used, FleetTokenUsage) and isinstance(FIRST, RequestReceived)
    parts = [
        body_of(f"r{number}", [msgspec.structs.replace(FIRST, source=f"k{number}"), ROOT, used])
        for number in range(MAX_KINDS + 30)
    ]
    await sent(machine, *parts)
    owner = client_of(shared, headers={"authorization": f"Bearer {ADMIN}"})

    async def metrics() -> str:
        return (await owner.get("/metrics")).text

    text = await until(metrics, lambda found: "unbraid_tokens_total{" in found)
    for name in ("unbraid_tokens_total", "unbraid_agents"):
        kinds = set(re.findall(rf'^{name}{{.*kind="(k\d+|other)"', text, re.MULTILINE))
        assert "other" in kinds and len(kinds) == MAX_KINDS + 1
