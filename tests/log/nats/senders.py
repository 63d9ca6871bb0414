"""Machines that send their runs to a server, through a balancer that has several of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

from tests.access import SECRET
from tests.log.nats.clients import PATIENCE_SECONDS, Writer
from tests.polling import until
from unbraid.events import encode
from unbraid.log import Log, SqliteLog
from unbraid.send.delivery import Destination, LogDelivery

PIECE_BYTES = 1 << 16


@asynccontextmanager
async def balancing(ports: Sequence[int]) -> AsyncIterator[int]:
    """A balancer: each connection goes to the next server that answers. Gives its port."""
    order = list(ports)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            for port in list(order):
                order.append(order.pop(0))
                with suppress(OSError):
                    there = await asyncio.open_connection("127.0.0.1", port)
                    await asyncio.gather(_passed(reader, there[1]), _passed(there[0], writer))
                    return
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def _passed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(PIECE_BYTES):
            writer.write(data)
            await writer.drain()
    writer.close()


class SendingMachine:
    """A machine with a log of its own, runs that go on, and a delivery to a server."""

    def __init__(self, folder: Path, name: str, runs: int) -> None:
        self.folder = folder / name
        self.writers = [Writer(f"{name}-{number}") for number in range(runs)]
        self.warnings: list[str] = []

    @asynccontextmanager
    async def sending(self, port: int, stop: asyncio.Event, pause: float) -> AsyncIterator[None]:
        """Writes until it is to stop, and sends while the block runs."""
        self.folder.mkdir(parents=True)
        to = Destination(f"http://127.0.0.1:{port}", SECRET, home=self.folder)
        log = await SqliteLog.open(self.folder / "log.db")
        async with LogDelivery(to, log, "log", warn=self.warnings.append).sending():
            writing = [
                asyncio.create_task(writer.write(log, stop, pause)) for writer in self.writers
            ]
            try:
                yield
            finally:
                for task in writing:
                    task.cancel()
                await asyncio.gather(*writing, return_exceptions=True)
        await log.close()


async def arrived(machines: Sequence[SendingMachine], log: Log, count: int = 1) -> float:
    """Waits until so many more events of every run are in the log; returns for how long."""
    began, runs = time.monotonic(), [writer.run for each in machines for writer in each.writers]
    goals = {run: await _last(log, run) + count for run in runs}
    for run, goal in goals.items():
        await until(partial(_last, log, run), goal.__le__, seconds=PATIENCE_SECONDS)
    return time.monotonic() - began


async def check_arrived(machines: Sequence[SendingMachine], log: Log) -> int:
    """Waits for the ends of all runs, and compares them; returns how many events there are."""
    count = 0
    for machine in machines:
        for writer in machine.writers:
            async with asyncio.timeout(PATIENCE_SECONDS):
                stored = [entry async for batch in log.follow(writer.run) for entry in batch]
            # The first one says whose run it is, by the server's word.
            assert [entry.data for entry in stored][1:] == [encode(e) for e in writer.events][1:]
            assert stored[0].type == "request_received"
            count += len(stored)
        refused = [each for each in machine.warnings if "not taken" in each]
        assert refused == []
    return count


async def _last(log: Log, run: str) -> int:
    summary = await log.run(run)
    return 0 if summary is None else summary.last_seq
