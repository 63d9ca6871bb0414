"""`kill -9` at random moments: what was acknowledged is there once, and no viewer misses or
repeats anything.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import msgspec
import pytest

from tests.access import SECRET, client_at
from tests.ports import free_port
from tests.serve.sse import events_of
from unbraid.events import encode
from unbraid.fold.pipeline import Pipeline
from unbraid.log import SqliteLog

KILLS = int(os.environ.get("UNBRAID_TEST_KILLS", "40"))
RUNS, VIEWERS, LINES = 4, 20, 400
GONE = (httpx.TransportError,)


def lines_of(run: int) -> bytes:
    """What an agent printed: many messages, each logged once."""
    records: list[object] = [
        {"type": "system", "subtype": "init", "session_id": f"s{run}", "cwd": "/w", "model": "x"}
    ]
    for number in range(LINES):
        block = {"type": "text", "text": f"run {run} says {number} " + "word " * (number % 40)}
        message = {"id": f"m{number}", "role": "assistant", "model": "x", "content": [block]}
        records.append({"type": "assistant", "session_id": f"s{run}", "message": message})
    return b"".join(msgspec.json.encode(record) + b"\n" for record in records)


@dataclass
class Scene:
    """The server as others see it: sometimes there, sometimes not."""

    client: httpx.AsyncClient
    acks: int = 0
    killing: bool = True
    there: asyncio.Event = field(default_factory=asyncio.Event)
    acked: asyncio.Condition = field(default_factory=asyncio.Condition)
    begun: set[str] = field(default_factory=set)

    async def more(self, count: int) -> None:
        """Wait for some more acknowledgements."""
        wanted = self.acks + count
        async with self.acked:
            await self.acked.wait_for(lambda: self.acks >= wanted)


async def feed(scene: Scene, run: str, data: bytes, chance: random.Random) -> None:
    """Send a source piece by piece, from the last place that was acknowledged."""
    place, ended = 0, False
    while not ended:
        await scene.there.wait()
        size = chance.randint(1, 900) if scene.killing else len(data)
        # The last piece is kept back, so that every run lives through every kill.
        last = len(data) - 10 if scene.killing else len(data)
        piece = data[place : min(place + size, last)]
        end = not scene.killing and place + len(piece) == len(data)
        url = f"/v1/ingest/{run}?source=stdout&offset={place}" + ("&end=1" if end else "")
        try:
            answer = await scene.client.post(url, content=piece)
        except GONE:
            continue
        # A hole would mean that something acknowledged is lost.
        assert answer.status_code == 200, answer.text
        # It may know more than we were told: durable, but the answer was killed on its way.
        assert answer.json()["offset"] >= place + len(piece)
        place, ended = answer.json()["offset"], end
        async with scene.acked:
            scene.begun.add(run)
            scene.acks += 1
            scene.acked.notify_all()


async def view(scene: Scene, run: str) -> list[tuple[int, str]]:
    """Follow a run to its end, coming back with the last id after every loss."""
    seen: list[tuple[int, str]] = []
    async with scene.acked:
        await scene.acked.wait_for(lambda: run in scene.begun)
    while True:
        await scene.there.wait()
        headers = {"last-event-id": str(seen[-1][0])} if seen else {}
        try:
            url = f"/v1/runs/{run}/events"
            async with scene.client.stream("GET", url, headers=headers) as answer:
                assert answer.status_code == 200, "what was acknowledged is gone"
                async for event in events_of(answer):
                    if "id" in event and event["event"] != "cut":
                        seen.append((int(event["id"]), event["data"]))
                    if event.get("event") == "done":
                        return seen
        except GONE:
            continue


async def kill(scene: Scene, launcher: asyncio.subprocess.Process, chance: random.Random) -> None:
    """Bring the server up and down."""
    assert launcher.stdin is not None
    assert launcher.stdout is not None
    for number in range(KILLS + 1):
        launcher.stdin.write(b"go\n")
        output = {(await launcher.stdout.readline()).strip() for _ in range(2)}
        pid = int((output - {b"ready"}).pop())
        scene.there.set()
        if number == KILLS:
            scene.killing = False
            return
        await scene.more(chance.randint(1, 8))
        await asyncio.sleep(chance.random() * 0.005)
        scene.there.clear()
        os.kill(pid, signal.SIGKILL)


@asynccontextmanager
async def launched(path: Path) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    port = free_port()
    script = str(Path(__file__).with_name("forking_server.py"))
    launcher = await asyncio.create_subprocess_exec(
        sys.executable,
        script,
        str(path),
        str(port),
        SECRET,
        stdin=PIPE,
        stdout=PIPE,
        start_new_session=True,
    )
    try:
        yield launcher, port
    finally:
        with suppress(ProcessLookupError):
            os.killpg(launcher.pid, signal.SIGKILL)
        await launcher.wait()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.timeout(300)
async def test_kill_9(tmp_path: Path) -> None:
    chance = random.Random(4)
    data = {f"r{number}": lines_of(number) for number in range(RUNS)}
    path = tmp_path / "log.db"
    limits = httpx.Limits(max_connections=100, max_keepalive_connections=0)
    async with (
        asyncio.timeout(300),
        launched(path) as (launcher, port),
        client_at(f"http://127.0.0.1:{port}", limits=limits, timeout=20) as client,
    ):
        scene = Scene(client)
        async with asyncio.TaskGroup() as group:
            viewers = [group.create_task(view(scene, f"r{n % RUNS}")) for n in range(VIEWERS)]
            for run in data:
                group.create_task(feed(scene, run, data[run], chance))
            group.create_task(kill(scene, launcher, chance))
    log = await SqliteLog.open(path)
    try:
        for number, run in enumerate(data):
            entries = await log.read(run, limit=10**6)
            assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
            assert [without_arrival(entry.data) for entry in entries] == expected(data[run])
            for viewer in viewers[number::RUNS]:
                assert viewer.result() == [(e.seq, e.data.decode()) for e in entries]
    finally:
        await log.close()


def expected(data: bytes) -> list[dict[str, object]]:
    """What one uninterrupted pipeline makes of the same bytes."""
    pipeline = Pipeline()
    events = pipeline.feed(data, "stdout", 1) + pipeline.finish(1)
    return [without_arrival(encode(event)) for event in events]


def without_arrival(data: bytes) -> dict[str, object]:
    """An event without the time at which its bytes arrived, and the machine that sent them."""
    event: dict[str, object] = msgspec.json.decode(data)
    not_said = ("ts", "duration_ms", "machine")
    return {name: value for name, value in event.items() if name not in not_said}
