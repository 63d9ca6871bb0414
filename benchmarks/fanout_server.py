"""The server under test: prints its port, then appends `count` events for each line it reads.

    python -m benchmarks.fanout_server uvicorn|uvloop|granian

Every event is an append of its own, durable before it is shown.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path

from msgspec import Raw

from benchmarks.fanout_viewers import SECRET
from unbraid.events import FleetUnrecognized
from unbraid.log import SqliteLog
from unbraid.serve import ServeConfig, ServeLimits, Token, hash_token, serving
from unbraid.serve.app import create_app

PADDING = "x" * 70
TOKEN = Token("benchmark", hash_token(SECRET), frozenset(("read",)))
IN_FLIGHT = 64


async def publish(log: SqliteLog, run: str, first: int, count: int) -> None:
    """Append events one by one, with as many on their way as nchan's publisher has."""
    flying: set[asyncio.Future[object]] = set()
    for seq in range(first, first + count):
        final = "true" if seq == first + count - 1 else "false"
        raw = f'{{"sent":{time.time_ns()},"final":{final},"pad":"{PADDING}"}}'
        event = FleetUnrecognized(
            seq=seq, ts=1, stream_id=0, depth=0, agent="a", raw=Raw(raw.encode())
        )
        flying.add(asyncio.ensure_future(log.append(run, [event])))
        while len(flying) >= IN_FLIGHT:
            _, flying = await asyncio.wait(flying, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.gather(*flying)


async def serve(kind: str) -> None:
    """Serve until the input ends."""
    with tempfile.TemporaryDirectory() as folder:
        log = await SqliteLog.open(Path(folder) / "log.db")
        event = FleetUnrecognized(seq=1, ts=1, stream_id=0, depth=0, agent="a", raw=Raw(b"{}"))
        await log.append("bench", [event])
        await log.append("idle", [event])
        limits = ServeLimits(header_seconds=60, shutdown_seconds=1)
        async with serving(ServeConfig(port=0, tokens=(TOKEN,), limits=limits), log) as server:
            port, granian = server.port, None
            if kind == "granian":
                port = server.port + 1
                granian = asyncio.create_task(_granian(create_app(server.services), port))
                await asyncio.sleep(1)
            print(port, flush=True)
            seq = 2
            while line := await asyncio.to_thread(sys.stdin.readline):
                print(time.time(), flush=True)
                await publish(log, "bench", seq, int(line))
                seq += int(line)
            if granian is not None:
                granian.cancel()
        await log.close()


async def _granian(app: object, port: int) -> None:
    from granian.server.embed import Server

    await Server(
        app, address="127.0.0.1", port=port, interface="asgi", log_enabled=False, backpressure=5000
    ).serve()


if __name__ == "__main__":
    if sys.argv[1] == "uvloop":
        import uvloop

        uvloop.run(serve("uvloop"))
    else:
        asyncio.run(serve(sys.argv[1]))
