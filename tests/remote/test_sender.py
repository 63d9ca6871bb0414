"""What is put into an outbox arrives once and in order, however the server fares."""

from __future__ import annotations

import asyncio
import contextlib
import re
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.access import SECRET, TOKEN
from unbraid.events import FleetEvent
from unbraid.log import MemoryLog
from unbraid.record.recorder import RunPipeline
from unbraid.remote.outbox import CHUNK_BYTES, LONGEST_BYTES, Address, Outbox, OutboxReader
from unbraid.remote.sender import Sender
from unbraid.serve import ServeConfig, ServeLimits, Server, serving
from unbraid.wire.chunk import Chunk

PATIENCE_SECONDS = 60.0
BODIES = ServeLimits(body_bytes=16 << 20, shutdown_seconds=1)

lines = st.binary(max_size=40).map(lambda data: data.replace(b"\n", b"") + b"\n")
pieces = st.lists(
    st.tuples(st.sampled_from(["stdout", "main.jsonl@1+0", "kid"]), lines), max_size=30
)
failing = settings(max_examples=25, deadline=None)


class Silent(RunPipeline):
    """Only the bytes matter here."""

    def feed(self, data: bytes, source: str, now: int) -> list[FleetEvent]:
        return []

    def finish(self, now: int) -> list[FleetEvent]:
        return []


def placed(given: list[tuple[str, bytes]]) -> list[Chunk]:
    """Bytes of sources with their offsets."""
    offsets: dict[str, int] = {}
    found = []
    for source, data in given:
        found.append(Chunk(source, offsets.get(source, 0), data))
        offsets[source] = offsets.get(source, 0) + len(data)
    return found


@contextlib.asynccontextmanager
async def listening(
    log: MemoryLog, port: int = 0, *, redact: bool = False
) -> AsyncIterator[Server]:
    config = ServeConfig(port=port, redact=redact, tokens=(TOKEN,), limits=BODIES)
    async with serving(config, log, pipeline=Silent) as server:
        yield server


async def stored(log: MemoryLog) -> list[tuple[str, bytes]]:
    """What has arrived, neighbours of one source together."""
    return joined([(part.source, part.data) for part in await log.spooled("r") if part.data])


def joined(given: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for source, data in given:
        if found and found[-1][0] == source:
            found[-1] = (source, found[-1][1] + data)
        else:
            found.append((source, data))
    return found


@failing
@given(pieces, st.integers(0, 30), st.booleans(), st.booleans())
def test_all_arrives_once_in_order(
    given: list[tuple[str, bytes]], cut: int, forgets: bool, redact: bool
) -> None:
    """The server is there, gone, and there again, perhaps with nothing of what it had."""

    async def play(folder: Path) -> None:
        log = MemoryLog()
        async with listening(log, redact=redact) as server:
            port = server.port
            outbox = Outbox.create(folder, Address(server.url, "r"))
            sender = Sender(outbox.path, SECRET, lambda text: None)
            for piece in placed(given)[:cut]:
                outbox.put(piece._replace(arrived_ms=1))
                sender.wake()
        log = MemoryLog() if forgets else log
        for piece in placed(given)[cut:]:
            outbox.put(piece._replace(arrived_ms=2))
        async with listening(log, port, redact=redact):
            assert await asyncio.to_thread(sender.finish, PATIENCE_SECONDS)
        outbox.remove()
        assert await stored(log) == joined(given)
        ends = [part.source for part in await log.spooled("r") if not part.data]
        assert sorted(ends) == sorted({source for source, _ in given})

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play(Path(folder)))


def test_large_pieces_are_parted_at_line_ends(tmp_path: Path) -> None:
    many, long = b"x" * 99 + b"\n", b"y" * (LONGEST_BYTES + 7)
    data = many * (3 * CHUNK_BYTES // 100) + long + b"\n" + many
    outbox = Outbox.create(tmp_path, Address("http://h", "r"))
    outbox.put(Chunk("a", 0, data, 1))
    reader, found, at = OutboxReader(outbox.path), [], 0
    while (chunk := reader.next()) is not None:
        assert chunk.offset == at
        found.append(chunk.data)
        at += len(chunk.data)
    assert b"".join(found) == data
    assert max(map(len, found)) <= LONGEST_BYTES
    assert sum(not part.endswith(b"\n") for part in found) == 1
    reader.close()
    outbox.remove()


def test_what_is_half_written_is_left_for_later(tmp_path: Path) -> None:
    outbox = Outbox.create(tmp_path, Address("http://h", "r"))
    outbox.put(Chunk("a", 0, b"one\n", 1))
    outbox.put(Chunk("b", 0, b"two\n", 1))
    outbox.close()
    whole = outbox.path.read_bytes()
    first = whole.index(b"\n") + 1
    for size in range(first, len(whole) + 1):
        outbox.path.write_bytes(whole[:size])
        reader = OutboxReader(outbox.path)
        found = []
        while (chunk := reader.next()) is not None:
            found.append(chunk.data)
        outbox.path.write_bytes(whole)
        while (chunk := reader.next()) is not None:
            found.append(chunk.data)
        assert found == [b"one\n", b"two\n"]
        reader.close()


async def test_a_run_that_is_over_there_is_refused_for_good(tmp_path: Path) -> None:
    from unbraid.pipeline import Pipeline as Real

    log, told = MemoryLog(), list[str]()
    config = ServeConfig(port=0, tokens=(TOKEN,), limits=BODIES)
    async with serving(config, log, pipeline=Real) as server:
        for source in ("first", "second"):
            outbox = Outbox.create(tmp_path, Address(server.url, "r"))
            outbox.put(Chunk(source, 0, b'{"type":"assistant"}\n', 1))
            sender = Sender(outbox.path, SECRET, told.append)
            arrived = await asyncio.to_thread(sender.finish, PATIENCE_SECONDS)
            assert (arrived, sender.refused) == (source == "first", source == "second")
            outbox.remove()
    assert told == [f"{server.url} rejected this run: 409 run r is over"]


@contextlib.asynccontextmanager
async def saying(*answers: bytes) -> AsyncIterator[str]:
    """A server that says just this to one request each, and hangs up."""
    left = list(answers)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(re.findall(rb"(?i)content-length: (\d+)", head)[0]))
        writer.write(left.pop(0))
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        yield f"http://{host}:{port}"


ANSWER = b'HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n{"offset":4}'


async def test_an_answer_that_was_cut_off_is_asked_for_again(tmp_path: Path) -> None:
    told: list[str] = []
    cuts = (ANSWER[: -len(b'"offset":4}')], ANSWER[: -len(b'{"offset":4}')], b"")
    async with saying(*cuts, ANSWER, ANSWER) as url:
        outbox = Outbox.create(tmp_path, Address(url, "r"))
        outbox.put(Chunk("a", 0, b"one\n", 1))
        sender = Sender(outbox.path, SECRET, told.append)
        assert await asyncio.to_thread(sender.finish, PATIENCE_SECONDS)
        outbox.remove()
    (warning,) = told
    assert "cannot be reached, trying again" in warning


async def test_a_server_of_another_kind_is_reported_and_left_alone(tmp_path: Path) -> None:
    told: list[str] = []
    async with saying(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n<html>") as url:
        outbox = Outbox.create(tmp_path, Address(url, "r"))
        outbox.put(Chunk("a", 0, b"one\n", 1))
        sender = Sender(outbox.path, SECRET, told.append)
        assert not await asyncio.to_thread(sender.finish, PATIENCE_SECONDS)
        assert sender.refused
        outbox.remove()
    assert told == [f"{url} rejected this run: 200 (not the answer of an unbraid server)"]
