"""Bytes from another machine, over HTTP, through the real pipeline."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import httpx
import msgspec
import pytest

from tests.access import SECRET, TOKEN
from tests.serve.conftest import Start
from unbraid.fold.pipeline import Pipeline
from unbraid.log import SqliteLog
from unbraid.serve import ServeConfig, ServeLimits, serving

LINES = b"".join(
    msgspec.json.encode(record) + b"\n"
    for record in (
        {"type": "system", "subtype": "init", "session_id": "s", "cwd": "/w", "model": "x"},
        {
            "type": "assistant",
            "session_id": "s",
            "message": {
                "id": "m1",
                "role": "assistant",
                "model": "x",
                "content": [{"type": "text", "text": "Hello there"}],
            },
        },
        {
            "type": "result",
            "subtype": "success",
            "is_error": False,
            "session_id": "s",
            "result": "Hello there",
        },
    )
)


async def test_sends_again_are_skipped_and_holes_are_reported(
    client: httpx.AsyncClient, log: SqliteLog
) -> None:
    def url(offset: int, end: str = "") -> str:
        return f"/v1/ingest/r?source=stdout&offset={offset}{end}"

    assert (await client.post(url(0), content=LINES[:100])).json() == {"offset": 100}
    assert (await client.post(url(0), content=LINES[:100])).json() == {"offset": 100}
    assert (await client.post(url(50), content=LINES[50:150])).json() == {"offset": 150}
    hole = await client.post(url(200), content=LINES[200:])
    assert hole.status_code == 409
    assert hole.json()["error"]["offset"] == 150
    answer = await client.post(url(150, "&end=1"), content=LINES[150:])
    assert answer.json() == {"offset": len(LINES)}
    assert (await client.post(url(0, "&end=1"), content=LINES)).json() == {"offset": len(LINES)}
    more = await client.post(url(len(LINES)), content=b"more")
    assert more.status_code == 409
    pipeline = Pipeline()
    expected = [event.type for event in pipeline.feed(LINES, "stdout", 0) + pipeline.finish(0)]
    assert [entry.type for entry in await log.read("r")] == expected
    assert expected[-1] == "done"
    items = (await client.get("/v1/runs/r/streams/0")).json()["items"]
    assert "Hello there" in [item.get("text") for item in items]


async def test_what_is_no_record_is_kept_as_malformed(
    client: httpx.AsyncClient, log: SqliteLog
) -> None:
    answer = await client.post(
        "/v1/ingest/r?source=out&offset=0&end=1", content=b"\xff\x00 not json\n{}\n[]\n"
    )
    assert answer.status_code == 200
    assert "malformed" in [entry.type for entry in await log.read("r")]


async def test_limits(
    start: Start, client_of: Callable[..., httpx.AsyncClient], log: SqliteLog
) -> None:
    server = await start(limits=ServeLimits(body_bytes=1000, runs=1, shutdown_seconds=1))
    client = client_of(server)
    url = "/v1/ingest/r?source=stdout&offset=0"
    assert (await client.post(url, content=b"x" * 1001)).status_code == 413

    async def endless() -> object:
        for _ in range(100):
            yield b"x" * 100

    assert (await client.post(url, content=endless())).status_code == 413  # type: ignore[arg-type]
    assert await log.run("r") is None
    assert (await client.post(url, content=LINES[:100])).status_code == 200
    other = await client.post("/v1/ingest/other?source=stdout&offset=0", content=b"x")
    assert other.status_code == 200
    more = await client.post("/v1/ingest/r?source=stdout&offset=100&end=1", content=LINES[100:])
    assert more.json() == {"offset": len(LINES)}


async def test_a_sender_that_is_killed_in_the_middle_is_no_fault_of_ours(
    log: SqliteLog, caplog: pytest.LogCaptureFixture
) -> None:
    config = ServeConfig(port=0, tokens=(TOKEN,), limits=ServeLimits(shutdown_seconds=5))
    async with serving(config, log) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"POST /v1/ingest/r?source=a&offset=0 HTTP/1.1\r\nhost: localhost\r\n")
        writer.write(f"authorization: Bearer {SECRET}\r\n".encode())
        writer.write(b"expect: 100-continue\r\ncontent-length: 9\r\n\r\n")
        # It has begun to read the body.
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"{")
        writer.close()
        await writer.wait_closed()
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []
    assert await log.runs() == []
