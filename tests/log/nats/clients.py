"""Who writes and reads a log while what it stands on is killed: writers, viewers, processes."""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from msgspec.structs import replace

from tests.access import client_at
from tests.serve.sse import events_of
from unbraid.errors import LogError
from unbraid.events import FleetEvent, Text
from unbraid.log.port import Log, LogConflict
from unbraid.testing.sample_runs import sample_run

PATIENCE_SECONDS = 60.0
ROOT = Path(__file__).parents[3]


@dataclass
class Writer:
    """One run, its events, and how far it was acknowledged."""

    run: str
    events: list[FleetEvent] = field(default_factory=lambda: sample_run([])[:2])
    acknowledged: int = 0
    longest_seconds: float = 0.0

    async def write(self, log: Log, stop: asyncio.Event, pause: float) -> None:
        """Appends one event after the other until it is to stop, and then the end."""
        while not stop.is_set():
            await self.step(log, pause)
        self.events += [
            replace(event, seq=len(self.events) + number)
            for number, event in enumerate(sample_run([])[2:], 1)
        ]
        await self._append(log)

    async def step(self, log: Log, pause: float) -> None:
        """Appends one more event."""
        seq = len(self.events) + 1
        if self.acknowledged == len(self.events):
            self.events.append(
                Text(
                    seq=seq, ts=1000 + seq, delta=f"{self.run} {seq} ", message_id="m", block=0,
                    stream_id=0, depth=0, agent="main",
                )
            )  # fmt: skip
        await self._append(log)
        await asyncio.sleep(pause)

    async def _append(self, log: Log) -> None:
        began = time.monotonic()
        while True:
            try:
                # From the last that was acknowledged on: what of it is there already is skipped.
                answer = await log.append(self.run, self.events[self.acknowledged :])
            except LogConflict:
                raise
            except LogError:
                await asyncio.sleep(0.1)
                continue
            self.acknowledged = answer.last_seq
            self.longest_seconds = max(self.longest_seconds, time.monotonic() - began)
            return


@dataclass
class Viewer:
    """Who looks at a run, at one server or the other, and goes on where it was cut off. `seen` is
    what came, as it came.
    """

    run: str
    ports: list[int]
    seen: list[str] = field(default_factory=list)
    last_id: str = ""
    visits: int = 0

    async def look(self) -> None:
        """Looks until the run is over."""
        while True:
            port = self.ports[self.visits % len(self.ports)]
            self.visits += 1
            try:
                if await self._visit(port):
                    return
            except (httpx.HTTPError, OSError):
                pass
            await asyncio.sleep(0.2)

    async def _visit(self, port: int) -> bool:
        headers = {"last-event-id": self.last_id} if self.last_id else {}
        timeout = httpx.Timeout(40, connect=5)
        async with (
            client_at(f"http://127.0.0.1:{port}", timeout=timeout) as client,
            client.stream("GET", f"/v1/runs/{self.run}/events", headers=headers) as answer,
        ):
            if answer.status_code != 200:
                return False
            async for event in events_of(answer):
                if "id" in event and event.get("event") != "gap":
                    self.seen.append(event["data"])
                    self.last_id = event["id"]
                if event.get("event") == "done":
                    return True
        return False


async def started(
    code: str, *args: str, command: tuple[str, ...] = ()
) -> asyncio.subprocess.Process:
    """Returns a process that has said that it is ready; it is started as often as it needs: the
    cluster may just have no leader. `command` stands before it.
    """
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        process = await asyncio.create_subprocess_exec(
            *command, sys.executable, "-c", code, *args,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=ROOT,
        )  # fmt: skip
        assert process.stdout is not None
        if (await process.stdout.readline()).strip() == b"ready":
            return process
        await process.wait()
        assert time.monotonic() < until, "a process does not start"


async def ended(process: asyncio.subprocess.Process) -> bytes:
    """Kills a process; returns what it had said."""
    process.kill()
    assert process.stdout is not None
    said = await process.stdout.read()
    await process.wait()
    return said


class ProcessServer:
    """A server of ours as a process, which can be killed and started again."""

    CODE = """
import asyncio, sys
from tests.access import TOKEN
from unbraid.log import opened_log
from unbraid.serve import ServeConfig, serving

async def main(url, port):
    config = ServeConfig(port=int(port), tokens=(TOKEN,))
    async with opened_log(url) as log, serving(config, log):
        print("ready", flush=True)
        await asyncio.Event().wait()

asyncio.run(main(*sys.argv[1:]))
"""

    def __init__(self, url: str, port: int) -> None:
        self.port = port
        self._url = url
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Starts it."""
        self._process = await started(self.CODE, self._url, str(self.port))

    async def kill(self) -> None:
        """Ends it at once."""
        if self._process is not None:
            await ended(self._process)
            self._process = None


class ProcessWriter:
    """A writer as a process, which holds the lease of its run and dies with it."""

    CODE = """
import asyncio, sys
from tests.log.nats.clients import Writer
from unbraid.log import opened_log

async def main(url, run):
    async with opened_log(url) as log:
        leases = log.leases()
        assert await leases.acquire(run)
        writer = Writer(run)
        print("ready", flush=True)
        while True:
            print("begins", flush=True)
            await writer.step(log, 0.01)
            print(writer.acknowledged, flush=True)

asyncio.run(main(*sys.argv[1:]))
"""

    @classmethod
    async def killed(cls, url: str, run: str, seconds: float) -> int:
        """Writes for so long, and is killed in mid-append; returns how far it was acknowledged."""
        process = await started(cls.CODE, url, run)
        assert process.stdout is not None
        until, said = time.monotonic() + seconds, b""
        while not (time.monotonic() > until and said.endswith(b"begins\n")):
            said += (line := await process.stdout.readline())
            assert line, "the writer has ended by itself"
        said += await ended(process)
        return max(int(word) for word in said.split() if word.isdigit())
