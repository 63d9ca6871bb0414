"""Writers, servers and viewers of one log, while what they stand on is killed.

    python -m tests.log.nats.faults [WRITERS VIEWERS LEADER_KILLS]

runs the whole of it: the leader killed again and again, a node cut off, a server killed, writers
killed in mid-append, and all nodes at once. Nothing that was acknowledged may be lost, nothing may
be there twice, and every viewer sees every event of its run once, in order.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from msgspec.structs import replace

from tests.access import client_at
from tests.nats_servers import NatsCluster, NatsNode, free_ports
from tests.serve.sse import events_of
from unbraid.errors import LogError
from unbraid.events import FleetEvent, Text
from unbraid.log import opened_log
from unbraid.log.entry import one_line
from unbraid.log.port import LogConflict, LogUnusable
from unbraid.log.replicated.log import ReplicatedLog
from unbraid.log.sample import story

STREAM = "FAULTS"
PATIENCE_SECONDS = 60.0
ROOT = Path(__file__).parents[3]

SERVER = """
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

WRITER = """
import asyncio, sys
from tests.log.nats.faults import Writer
from unbraid.log import opened_log

async def main(url, run):
    async with opened_log(url) as log:
        leases = log.leases()
        assert await leases.acquire(run)
        writer = Writer(run)
        print("ready", flush=True)
        while True:
            await writer.step(log, 0.01)
            print(writer.acknowledged, flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


@dataclass
class Writer:
    """One run, its events, and how far it was acknowledged."""

    run: str
    events: list[FleetEvent] = field(default_factory=lambda: story([])[:2])
    acknowledged: int = 0
    longest_seconds: float = 0.0

    async def write(self, log: ReplicatedLog, stop: asyncio.Event, pause: float) -> None:
        """Appends one event after the other until it is to stop, and then the end."""
        while not stop.is_set():
            await self.step(log, pause)
        self.events += [
            replace(event, seq=len(self.events) + number)
            for number, event in enumerate(story([])[2:], 1)
        ]
        await self._append(log)

    async def step(self, log: ReplicatedLog, pause: float) -> None:
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

    async def _append(self, log: ReplicatedLog) -> None:
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
    """Who looks at a run, at one server or the other, and goes on where it was cut off."""

    run: str
    ports: list[int]
    seen: list[int] = field(default_factory=list)
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
        headers = {"last-event-id": str(self.seen[-1])} if self.seen else {}
        timeout = httpx.Timeout(40, connect=5)
        async with (
            client_at(f"http://127.0.0.1:{port}", timeout=timeout) as client,
            client.stream("GET", f"/v1/runs/{self.run}/events", headers=headers) as answer,
        ):
            if answer.status_code != 200:
                return False
            async for event in events_of(answer):
                if "id" in event and event.get("event") != "gap":
                    self.seen.append(int(event["id"]))
                if event.get("event") == "done":
                    return True
        return False


class ProcessServer:
    """A server of ours as a process, which can be killed and started again."""

    def __init__(self, url: str, port: int) -> None:
        self.port = port
        self._url = url
        self.process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Starts it, as often as it needs: the cluster may just have no leader."""
        self.process = await started(SERVER, self._url, str(self.port))

    async def kill(self) -> None:
        """Ends it at once."""
        if self.process is not None:
            await ended(self.process)
            self.process = None


async def started(code: str, *args: str) -> asyncio.subprocess.Process:
    """Returns a process that says that it is ready."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, *args, stdout=asyncio.subprocess.PIPE, cwd=ROOT
        )
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


async def settled(log: ReplicatedLog) -> None:
    """Waits until a copy has everything, as long as it comes nearer."""
    before = -1
    while True:
        try:
            return await log.settle()
        except LogUnusable:
            applied = (await log.replication()).applied
            assert applied > before, "the copy does not catch up"
            before = applied


class Trial:
    """Everything together. Made by `trial`."""

    def __init__(self, cluster: NatsCluster, folder: Path, logs: list[ReplicatedLog]) -> None:
        self.cluster, self.folder, self.logs = cluster, folder, logs
        ports = free_ports(2)
        self.servers = [ProcessServer(self.url(f"server{port}"), port) for port in ports]
        self.writers: list[Writer] = []
        self.viewers: list[Viewer] = []
        self.stop = asyncio.Event()
        self._writing: dict[str, asyncio.Task[None]] = {}
        self._viewing: list[asyncio.Task[None]] = []
        self._others: list[asyncio.subprocess.Process] = []

    def url(self, name: str) -> str:
        """Returns the log's address on a machine of that name."""
        return self.cluster.url(STREAM, self.folder / f"{name}.db")

    async def begin(self, writers: int, viewers: int, pause: float) -> None:
        """Starts the servers, then the writers and viewers."""
        await asyncio.gather(*(server.start() for server in self.servers))
        ports = [server.port for server in self.servers]
        for number in range(writers):
            self._write(Writer(f"run{number}"), self.logs[number % len(self.logs)], pause)
        for number in range(viewers):
            at = number // max(writers, 1) % 2
            viewer = Viewer(f"run{number % writers}", ports[at:] + ports[:at])
            self.viewers.append(viewer)
            self._viewing.append(asyncio.create_task(viewer.look()))

    def _write(self, writer: Writer, log: ReplicatedLog, pause: float) -> None:
        self.writers.append(writer)
        task = asyncio.create_task(writer.write(log, self.stop, pause))
        self._writing[writer.run] = task

    async def progress(self, count: int = 3) -> None:
        """Waits until every writer was acknowledged so many more events."""
        goals = [writer.acknowledged + count for writer in self.writers]
        async with asyncio.timeout(PATIENCE_SECONDS):
            while any(w.acknowledged < goal for w, goal in zip(self.writers, goals, strict=True)):
                for task in self._writing.values():
                    if task.done():
                        task.result()
                await asyncio.sleep(0.02)

    async def leader(self) -> NatsNode:
        """Returns the leader of the log, as soon as there is one."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (found := await self.cluster.leader(STREAM)) is None:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        return found

    async def kill_leader(self) -> None:
        """Kills the leader, and starts it again."""
        leader = await self.leader()
        await asyncio.to_thread(leader.kill)
        await asyncio.sleep(0.5)
        leader.start()

    async def cut_off_leader(self, seconds: float) -> None:
        """Stops the leader for some time: it is there, and answers nobody."""
        leader = await self.leader()
        leader.send(signal.SIGSTOP)
        await asyncio.sleep(seconds)
        leader.send(signal.SIGCONT)

    async def kill_all(self) -> None:
        """Kills every node, and starts them all again."""
        for node in self.cluster.nodes:
            await asyncio.to_thread(node.kill)
        for node in self.cluster.nodes:
            node.start()

    async def kill_server(self) -> None:
        """Kills a server, and starts it again."""
        await self.servers[0].kill()
        await self.servers[0].start()

    async def stop_writer(self, number: int, pause: float) -> None:
        """Cancels a writer in mid-append; the run goes on from another machine, which may not know
        how far it came.
        """
        writer = self.writers[number]
        task = self._writing[writer.run]
        task.cancel()
        await asyncio.wait([task])
        other = self.logs[(number + 1) % len(self.logs)]
        self._writing[writer.run] = asyncio.create_task(writer.write(other, self.stop, pause))

    async def finish(self) -> list[int]:
        """Ends every run; returns how many events each has, after all was compared."""
        self.stop.set()
        async with asyncio.timeout(2 * PATIENCE_SECONDS):
            await asyncio.gather(*self._writing.values())
            await asyncio.gather(*self._viewing)
        async with opened_log(self.url("late")) as late:
            assert isinstance(late, ReplicatedLog)
            for log in (late, *self.logs):
                await settled(log)
            for writer in self.writers:
                stored = [entry async for batch in late.follow(writer.run) for entry in batch]
                assert [entry.data for entry in stored] == [one_line(e) for e in writer.events]
                for log in self.logs:
                    assert [e async for batch in log.follow(writer.run) for e in batch] == stored
        lengths = {writer.run: len(writer.events) for writer in self.writers}
        for viewer in self.viewers:
            assert viewer.seen == list(range(1, lengths[viewer.run] + 1)), viewer.run
        return list(lengths.values())

    async def close(self) -> None:
        """Ends what is left."""
        for task in (*self._writing.values(), *self._viewing):
            task.cancel()
        await asyncio.gather(*self._writing.values(), *self._viewing, return_exceptions=True)
        for server in self.servers:
            await server.kill()
        for node in self.cluster.nodes:
            node.send(signal.SIGCONT)


@asynccontextmanager
async def trial(folder: Path, *, sync: str = "2m") -> AsyncIterator[Trial]:
    """Starts three nodes and opens the log on two machines."""
    async with AsyncExitStack() as stack:
        cluster = stack.enter_context(NatsCluster(folder / "nodes", 3, sync=sync))
        logs: list[Any] = [
            await stack.enter_async_context(
                opened_log(cluster.url(STREAM, folder / f"machine{number}.db"))
            )
            for number in range(2)
        ]
        made = Trial(cluster, folder, logs)
        stack.push_async_callback(made.close)
        yield made


async def dead_writer(made: Trial) -> None:
    """A writer is killed with its process: what it was acknowledged is there, and one of the
    servers ends its run.
    """
    process = await started(WRITER, made.url("dying"), "dying")
    await asyncio.sleep(1)
    acknowledged = int((await ended(process)).split()[-1])
    log = made.logs[0]
    async with asyncio.timeout(PATIENCE_SECONDS):
        stored = [entry async for batch in log.follow("dying") for entry in batch]
    assert [entry.seq for entry in stored] == list(range(1, len(stored) + 1))
    assert [entry.type for entry in stored].count("done") == 1
    # The last append may have been stored and its answer lost with the process.
    written = sum(entry.type == "text" for entry in stored) + 2
    assert acknowledged <= written <= acknowledged + 1


async def main(writers: int = 20, viewers: int = 40, kills: int = 10) -> None:
    """The whole trial, with what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        async with trial(Path(folder), sync="always") as made:
            await made.begin(writers, viewers, 0.02)
            await made.progress()
            for number in range(kills):
                await made.kill_leader()
                await made.progress()
                print(f"leader killed {number + 1} times", flush=True)
            await made.cut_off_leader(20)
            await made.progress()
            print("leader cut off for 20 s", flush=True)
            await asyncio.gather(made.kill_server(), made.stop_writer(0, 0.02))
            await made.progress()
            print("a server killed, a writer stopped in mid-append", flush=True)
            await dead_writer(made)
            print("a writer killed with its process, and its run ended by one", flush=True)
            for _ in range(2):
                await made.kill_all()
                await made.progress()
            print("all nodes killed twice", flush=True)
            lengths = await made.finish()
            longest = max(writer.longest_seconds for writer in made.writers)
            print(
                f"{sum(lengths)} events of {len(lengths)} runs acknowledged: 0 lost, 0 twice; "
                f"{len(made.viewers)} viewers complete after "
                f"{sum(viewer.visits for viewer in made.viewers)} visits; "
                f"the longest append took {longest:.1f} s"
            )


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:])))
