"""Writers, servers and viewers of one log on three nodes, and what can be done to them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from tests.log.nats.clients import PATIENCE_SECONDS, ProcessServer, ProcessWriter, Viewer, Writer
from tests.log.nats.outpost import Outpost
from tests.log.nats.senders import SendingMachine, arrived, balancing, check_arrived
from tests.namespaces import Network, NetworkHost
from tests.nats_servers import NatsCluster, NatsNode, free_ports
from tests.polling import until
from unbraid.events import encode
from unbraid.log import opened_log
from unbraid.log.port import LogUnusable
from unbraid.log.replicated.log import ReplicatedLog

STREAM = "FAULTS"


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
        self._outposts: list[Outpost] = []

    def url(self, name: str, at: str | None = None) -> str:
        """Returns the log's address on a machine of that name."""
        return self.cluster.url(STREAM, self.folder / f"{name}.db", at=at)

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
        found = await until(lambda: self.cluster.leader(STREAM), seconds=PATIENCE_SECONDS)
        assert found is not None
        return found

    async def kill_leader(self) -> None:
        """Kills the leader, and starts it again."""
        leader = await self.leader()
        await asyncio.to_thread(leader.kill)
        await asyncio.sleep(0.5)
        leader.start()

    async def cut_off_leader(self, network: Network, seconds: float, viewers: int) -> Outpost:
        """Cuts off the leader, with a writer, a server and viewers on its host; returns them, after
        the cut was healed.
        """
        node = await self.leader()
        at = self.cluster.addresses[self.cluster.nodes.index(node)]
        runs = [writer.run for writer in self.writers[:viewers]]
        outpost = await Outpost.start(node.host, self.url("outpost", at), runs)
        self._outposts.append(outpost)
        await asyncio.sleep(1)
        network.cut(node.host)
        outpost.cut_at = time.monotonic()
        # The others go on without it, not only after the healing.
        await self.progress()
        await asyncio.sleep(max(0.0, outpost.cut_at + seconds - time.monotonic()))
        outpost.healed_at = time.monotonic()
        network.heal(node.host)
        return outpost

    async def kill_all(self) -> float:
        """Kills every node, and starts them all again; returns how long nobody could write."""
        for node in self.cluster.nodes:
            await asyncio.to_thread(node.kill)
        return await self.start_all()

    async def start_all(self) -> float:
        """Starts every node; returns how long it took until everybody could write."""
        for node in self.cluster.nodes:
            node.start()
        began = time.monotonic()
        await self.progress(1)
        return time.monotonic() - began

    async def restart_all(self) -> float:
        """Restarts one node after the other in good order, as for an upgrade; returns how long the
        longest append took meanwhile.
        """
        before = [writer.longest_seconds for writer in self.writers]
        for writer in self.writers:
            writer.longest_seconds = 0.0
        for node in self.cluster.nodes:
            await asyncio.to_thread(node.stop)
            await self.progress()
            node.start()
            await asyncio.to_thread(self.cluster.wait_healthy)
            await self.progress()
        longest = max(writer.longest_seconds for writer in self.writers)
        for writer, seconds in zip(self.writers, before, strict=True):
            writer.longest_seconds = max(writer.longest_seconds, seconds)
        return longest

    async def kill_server(self, number: int = 0) -> None:
        """Kills a server, and starts it again."""
        await self.servers[number].kill()
        await self.servers[number].start()

    async def send(self, machines: int, runs: int, pause: float, kills: int) -> tuple[int, float]:
        """Machines send their runs to the servers, which are killed in turns; returns how many
        events have arrived, and how long the longest pause was, after all was compared.
        """
        log, stop, longest = self.logs[0], asyncio.Event(), 0.0
        senders = [SendingMachine(self.folder, f"m{n}", runs) for n in range(machines)]
        async with AsyncExitStack() as stack:
            ports = [server.port for server in self.servers]
            port = await stack.enter_async_context(balancing(ports))
            for sender in senders:
                await stack.enter_async_context(sender.sending(port, stop, pause))
            await arrived(senders, log)
            for number in range(kills):
                killing = asyncio.create_task(self.kill_server(number % len(self.servers)))
                longest = max(longest, await arrived(senders, log))
                await killing
            stop.set()
            return await check_arrived(senders, log), longest

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

    async def kill_writer(self, run: str) -> None:
        """A writer is killed with its process: what it was acknowledged is there, and one of the
        servers ends its run.
        """
        acknowledged = await ProcessWriter.killed(self.url(run), run, seconds=1)
        async with asyncio.timeout(PATIENCE_SECONDS):
            stored = [entry async for batch in self.logs[0].follow(run) for entry in batch]
        assert [entry.seq for entry in stored] == list(range(1, len(stored) + 1))
        assert [entry.type for entry in stored].count("done") == 1
        # The last append may have been stored and its answer lost with the process.
        written = sum(entry.type == "text" for entry in stored) + 2
        assert acknowledged <= written <= acknowledged + 1

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
                assert [entry.data for entry in stored] == [encode(e) for e in writer.events]
                for log in self.logs:
                    assert [e async for batch in log.follow(writer.run) for e in batch] == stored
        for viewer in self.viewers:
            assert viewer.seen == await self.lines(viewer.run), viewer.run
        return [len(writer.events) for writer in self.writers]

    async def lines(self, run: str) -> list[str]:
        """Returns the events of a run that is over, as the log has them."""
        entries = [entry async for batch in self.logs[0].follow(run) for entry in batch]
        assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
        return [entry.data.decode() for entry in entries]

    async def close(self) -> None:
        """Ends what is left."""
        for task in (*self._writing.values(), *self._viewing):
            task.cancel()
        await asyncio.gather(*self._writing.values(), *self._viewing, return_exceptions=True)
        for server in self.servers:
            await server.kill()
        for outpost in self._outposts:
            await outpost.kill()


@asynccontextmanager
async def trial(
    folder: Path, *, sync: str = "2m", hosts: Sequence[NetworkHost] = ()
) -> AsyncIterator[Trial]:
    """Starts three nodes, each on a host of its own if there are some, and opens the log on two
    machines.
    """
    async with AsyncExitStack() as stack:
        cluster = stack.enter_context(NatsCluster(folder / "nodes", 3, sync=sync, hosts=hosts))
        logs: list[Any] = [
            await stack.enter_async_context(
                opened_log(cluster.url(STREAM, folder / f"machine{number}.db"))
            )
            for number in range(2)
        ]
        made = Trial(cluster, folder, logs)
        stack.push_async_callback(made.close)
        yield made
