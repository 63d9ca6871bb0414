"""Attack: someone without a token makes the server hold gigabytes, or all its file descriptors.

After the header of a request comes its body, and after that may come trailers: more header fields,
without an end. They were all kept, and 38 MB became 3 GB before anyone had signed in. The same can
be tried with extensions of chunks, with one field that never ends, with requests before the first
is answered, and with many large bodies at once. Now each has a bound. And whoever opens connections
until there are no descriptors left gets 503, while those who were there before are served.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import resource
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import httpx
import msgspec
import pytest

from tests.access import SECRET, TOKEN, client_at
from tests.record.run.test_passing import environment
from tests.serve.conftest import Start
from tests.serve.sse import events_of
from tests.serve.test_crash import lines_of
from unbraid.serve import ServeLimits

Clients = Callable[..., httpx.AsyncClient]

HEAD = b"POST /v1/ingest/r?source=a&offset=0 HTTP/1.1\r\nhost: localhost\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"
MEGABYTES = 64
GROWTH_KB = 24 * 1024
DESCRIPTORS = 128


def trailers() -> Iterator[bytes]:
    yield CHUNKED + b"1\r\nx\r\n0\r\n"
    for number in range(MEGABYTES):
        yield b"".join(b"x-%d-%d: %b\r\n" % (number, n, b"y" * 990) for n in range(1000))


def one_trailer() -> Iterator[bytes]:
    yield CHUNKED + b"0\r\nx: "
    yield from [b"y" * 1_000_000] * MEGABYTES


def chunk_extensions() -> Iterator[bytes]:
    yield CHUNKED
    yield from [b"1;" + b"e" * 1_000_000 + b"\r\nx\r\n"] * MEGABYTES


def one_extension() -> Iterator[bytes]:
    yield CHUNKED + b"1;"
    yield from [b"e" * 1_000_000] * MEGABYTES


def pipelined() -> Iterator[bytes]:
    yield from [b"GET /v1/runs HTTP/1.1\r\nhost: localhost\r\n\r\n" * 20_000] * MEGABYTES


@contextlib.asynccontextmanager
async def served(home: Path, descriptors: int | None = None) -> AsyncIterator[tuple[int, int]]:
    """`unbraid serve` as a process: its id, and its port."""
    (home / "unbraid").mkdir(mode=0o700, parents=True)
    (home / "unbraid" / "tokens.json").write_bytes(msgspec.json.encode([TOKEN]))

    def limit() -> None:
        assert descriptors is not None
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    command = [str(Path(sys.executable).with_name("unbraid")), "serve", "--port", "0"]
    process = await asyncio.create_subprocess_exec(
        *command, env=environment(home), stderr=asyncio.subprocess.PIPE,
        preexec_fn=None if descriptors is None else limit,
    )  # fmt: skip
    assert process.stderr is not None
    try:
        found = re.search(rb":(\d+)/", await process.stderr.readline())
        assert found is not None
        yield process.pid, int(found[1])
    finally:
        process.terminate()
        await process.communicate()


def memory_kb(pid: int) -> int:
    """The most that a process has held so far."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1])


async def flood(port: int, parts: Iterator[bytes]) -> bytes:
    """Sends everything, or as much as is taken; returns what comes back."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    with contextlib.suppress(ConnectionError):
        for part in parts:
            writer.write(part)
            await writer.drain()
    answer = b""
    with contextlib.suppress(ConnectionError, TimeoutError):
        async with asyncio.timeout(10):
            answer = await reader.read(1 << 16)
    writer.close()
    return answer


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
async def test_nothing_that_is_sent_without_a_token_is_kept(tmp_path: Path) -> None:
    async with asyncio.timeout(110), served(tmp_path / "home") as (pid, port):
        before = memory_kb(pid)
        for attack in (trailers, one_trailer, chunk_extensions, one_extension, pipelined):
            await flood(port, attack())
            assert memory_kb(pid) - before < GROWTH_KB, attack.__name__
        client = client_at(f"http://127.0.0.1:{port}")
        assert (await client.get("/healthz")).status_code == 200
        await client.aclose()


async def test_trailers_within_bounds_are_passed_over(start: Start) -> None:
    server = await start()
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    token = f"authorization: Bearer {SECRET}\r\n".encode()
    chunked = HEAD + token + b"transfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    small = b"".join(b"1;name=value\r\n%c\r\n" % byte for byte in b'{"type":"x"}\n')
    writer.write(chunked + small + b"0\r\nauthorization: no\r\nx: y\r\n\r\n")
    answer = await reader.read(-1)
    assert answer.startswith(b"HTTP/1.1 200") and answer.endswith(b'{"offset":13}')
    writer.close()


async def test_bodies_of_all_requests_together_have_a_bound(
    start: Start, client_of: Clients
) -> None:
    limits = ServeLimits(bodies_bytes=100_000, shutdown_seconds=1)
    client = client_of(await start(limits=limits))
    line = b'{"type":"x"}\n'
    for _ in range(3):  # what a request held is free again after it
        refused = await client.post("/v1/ingest/r?source=a&offset=0", content=line * 10_000)
        assert refused.status_code == 503
        taken = await client.post("/v1/ingest/r?source=a&offset=0", content=line * 5_000)
        assert taken.json() == {"offset": 5_000 * len(line)}


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on descriptors")
async def test_without_descriptors_left_those_who_are_there_are_served(tmp_path: Path) -> None:
    lines = lines_of(1)
    place = lines.index(b"\n") + 1
    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(asyncio.timeout(60))
        _, port = await stack.enter_async_context(served(tmp_path / "home", DESCRIPTORS))
        sender, viewer = [
            await stack.enter_async_context(client_at(f"http://127.0.0.1:{port}")) for _ in "12"
        ]
        to = "/v1/ingest/s1?source=stdout&offset="
        assert (await sender.post(f"{to}0", content=lines[:place])).status_code == 200
        viewed = await stack.enter_async_context(viewer.stream("GET", "/v1/runs/s1/events"))
        seen = events_of(viewed)
        await anext(seen)
        refused = 0
        for _ in range(2 * DESCRIPTORS):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            stack.callback(writer.close)
            answer = await reader.read(20) if refused else await _greeted(reader, writer)
            refused += b" 503 " in answer
            assert answer.startswith((b"HTTP/1.1 200", b"HTTP/1.1 503"))
        assert refused > DESCRIPTORS
        # The log goes on, over a connection that was there, and the viewer sees it.
        sent = await sender.post(f"{to}{place}&end=1", content=lines[place:])
        assert sent.json() == {"offset": len(lines)}
        assert [event["event"] async for event in seen][-1] == "done"


async def _greeted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    writer.write(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
    return await reader.read(20)
