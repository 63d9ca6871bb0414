"""What all our HTTP clients have in common."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import threading
from collections.abc import AsyncIterator, Iterator

import pytest

from tests.polling import PATIENCE_SECONDS
from unbraid.agents.opencode.server import OpenCodeServer
from unbraid.errors import SourceError
from unbraid.log.remote.client import RemoteServer
from unbraid.log.remote.ingest import (
    MAX_ANSWER_BYTES,
    IngestClient,
    RemoteError,
    SentPart,
    ServerUnavailable,
)

JSON = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
TAKEN = b'HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n{"runs":[{"run":"r","seq":7}]}'
PART = SentPart("r", 6, [b"{}"])


def whole(request: bytes) -> bool:
    """Whether all of a request has come."""
    head, ended, body = request.partition(b"\r\n\r\n")
    size = re.findall(rb"(?i)content-length: (\d+)", head)
    return bool(ended) and len(body) >= int(size[0] if size else 0)


@contextlib.contextmanager
def answering(*answers: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """A server that gives each new connection the next of these answers, and hangs up."""
    heads: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for answer in answers:
                connection, _ = listener.accept()
                with connection, contextlib.suppress(OSError):
                    head = b""
                    # With its body: who hangs up on unread bytes resets the connection.
                    while not whole(head) and (data := connection.recv(1 << 16)):
                        head += data
                    heads.append(head)
                    connection.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", heads


@contextlib.asynccontextmanager
async def streaming(begin: bytes) -> AsyncIterator[tuple[str, asyncio.Event]]:
    """A server that begins to answer and never ends; the event is set when its client has gone."""
    gone, writers = asyncio.Event(), list[asyncio.StreamWriter]()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        writer.write(b"%x\r\n%s\r\n" % (len(begin), begin))
        with contextlib.suppress(OSError):
            await reader.read()
        gone.set()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", gone
        for writer in writers:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


@pytest.fixture
def proxied(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment whose proxy is not there."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")


@pytest.mark.usefixtures("proxied")
async def test_no_proxy_stands_between_us_and_a_server() -> None:
    with answering(JSON, JSON, TAKEN) as (url, heads):
        remote = RemoteServer(url, "secret")
        assert await remote.get("/v1/x", dict) == {}
        await remote.close()
        assert await OpenCodeServer(url, {}).call("GET", "/session") == {}
        client = IngestClient(url, None)
        assert (await client.post([PART]))["r"].seq == 7
        await client.close()
    assert [head.split(b" ", 2)[1].partition(b"?")[0] for head in heads] == [
        b"/v1/x", b"/session", b"/v1/ingest",
    ]  # fmt: skip
    assert b"authorization: bearer secret" in heads[0].lower()


async def test_an_answer_is_read_no_further_than_its_limit() -> None:
    head = b"HTTP/1.1 500 No\r\nContent-Length: 999999999\r\n\r\n"
    answer = head + b"x" * (2 * MAX_ANSWER_BYTES)
    with answering(answer) as (url, _), pytest.raises(ServerUnavailable, match="500"):
        await IngestClient(url, None).post([PART])


async def test_who_stops_to_listen_hangs_up_at_once() -> None:
    async with asyncio.timeout(PATIENCE_SECONDS), streaming(b'{"type":"x"}\n') as (url, gone):
        remote, got = RemoteServer(url, None), asyncio.Event()

        async def listen() -> None:
            async for batch in remote.lines("/v1/events"):
                if batch:
                    got.set()

        listening = asyncio.create_task(listen())
        await got.wait()
        listening.cancel()
        await gone.wait()
        await remote.close()


async def test_a_stream_that_falls_silent_is_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unbraid.log.remote.client.SERVER_SILENCE_TIMEOUT_SECONDS", 0.2)
    monkeypatch.setattr("unbraid.agents.opencode.server.AGENT_SERVER_SILENCE_TIMEOUT_SECONDS", 0.2)
    async with asyncio.timeout(PATIENCE_SECONDS), streaming(b"data: {}\n\n") as (url, _):
        remote = RemoteServer(url, None)
        with pytest.raises(RemoteError, match="cannot be reached: timed out"):
            async for _ in remote.lines("/v1/events"):
                pass
        await remote.close()
        with pytest.raises(SourceError, match="timed out"):
            async with OpenCodeServer(url, {}).events() as events:
                async for _ in events:
                    pass


async def test_the_reason_is_the_systems_own() -> None:
    url = "http://127.0.0.1:1"
    with pytest.raises(ServerUnavailable, match=r"^Connection refused$"):
        await IngestClient(url, None).post([PART])
    with pytest.raises(SourceError, match="GET /session: Connection refused"):
        await OpenCodeServer(url, {}).call("GET", "/session")
    remote = RemoteServer(url, None)
    with pytest.raises(RemoteError, match="cannot be reached: Connection refused"):
        await remote.post("/v1/x")
    await remote.close()


async def test_a_refusal_is_named_as_the_server_names_it() -> None:
    missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    with (
        answering(missing) as (url, _),
        pytest.raises(SourceError, match="GET /session: Not Found"),
    ):
        await OpenCodeServer(url, {}).call("GET", "/session")
