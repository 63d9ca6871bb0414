"""A writer, a server and viewers on the host of one node, which is cut off from the others."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any, NamedTuple

from tests.access import TOKEN, client_at
from tests.log.nats.clients import PATIENCE_SECONDS, Viewer, Writer, ended, started
from tests.namespaces import NetworkHost
from tests.ports import free_port
from unbraid.log import opened_log
from unbraid.serve import ServeConfig, serving

CODE = """
import asyncio, sys
from tests.log.nats.outpost import live
asyncio.run(live(*sys.argv[1:]))
"""
# What was under way when the cable was cut may still arrive.
GRACE_SECONDS = 0.3


async def live(url: str, *runs: str) -> None:
    """Writes one run and looks at others, at a server of its own, until its input ends; says when
    it was acknowledged and how well its server was, and in the end what its viewers have seen.
    """
    stop, port = asyncio.Event(), free_port()
    config = ServeConfig(port=port, tokens=(TOKEN,))
    async with opened_log(url) as log, serving(config, log):
        writer = Writer("outpost")
        viewers = [Viewer(run, [port]) for run in ("outpost", *runs)]
        async with asyncio.TaskGroup() as group:
            writing = group.create_task(_write(writer, log, stop))
            for viewer in viewers:
                group.create_task(viewer.look())
            watching = group.create_task(_watch_health(port))
            await _said("ready")
            await asyncio.to_thread(input)
            stop.set()
            await writing
            watching.cancel()
        done = {"seen": {viewer.run: viewer.seen for viewer in viewers}}
        await _said(json.dumps(done | {"events": len(writer.events)}))


async def _write(writer: Writer, log: Any, stop: asyncio.Event) -> None:
    while not stop.is_set():
        await writer.step(log, 0.02)
        await _said(f"ack {time.monotonic()}")
    await writer.write(log, stop, 0)


async def _watch_health(port: int) -> None:
    async with client_at(f"http://127.0.0.1:{port}") as client:
        while True:
            code = (await client.get("/healthz")).status_code
            listed = (await client.get("/v1/runs")).status_code
            await _said(f"health {time.monotonic()} {code} {listed}")
            await asyncio.sleep(0.5)


async def _said(line: str) -> None:
    print(line, flush=True)


class CutReport(NamedTuple):
    """What an outpost has seen of being cut off. Seconds are counted from the healing."""

    acks_inside: int
    unhealthy: int
    lists_refused: int
    acknowledged_after: float
    events: int
    seen: dict[str, list[str]]


class Outpost:
    """The process of an outpost."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.cut_at = self.healed_at = 0.0

    @classmethod
    async def start(cls, host: NetworkHost, url: str, runs: list[str]) -> Outpost:
        """Starts it on a host."""
        return cls(await started(CODE, url, *runs, command=host.command))

    async def report(self) -> CutReport:
        """Waits for its end; the runs that it looks at must be over."""
        async with asyncio.timeout(2 * PATIENCE_SECONDS):
            said, _ = await self.process.communicate(b"\n")
        *lines, last = said.decode().splitlines()
        words = [line.split() for line in lines]
        acks = [float(each[1]) for each in words if each[0] == "ack"]
        health = [each[1:] for each in words if each[0] == "health"]
        away = [each for each in health if self._is_cut(float(each[0]))]
        found = json.loads(last)
        return CutReport(
            acks_inside=sum(self._is_cut(at) for at in acks),
            unhealthy=sum(each[1] == "503" for each in away),
            lists_refused=sum(each[2] != "200" for each in away),
            acknowledged_after=min(at for at in acks if at > self.healed_at) - self.healed_at,
            events=found["events"],
            seen=found["seen"],
        )

    def _is_cut(self, at: float) -> bool:
        return self.cut_at + GRACE_SECONDS < at < self.healed_at

    async def kill(self) -> None:
        """Ends it at once, if it still runs."""
        if self.process.returncode is None:
            await ended(self.process)
