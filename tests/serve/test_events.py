"""SSE and JSON lines from a real server."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable

import httpx
import msgspec
import pytest
import zstandard

from tests.access import SECRET, TOKEN
from tests.polling import until
from tests.serve.conftest import Start
from tests.serve.sse import data_of, events_of, read_events
from unbraid.log import SqliteLog
from unbraid.serve import ServeLimits, Server
from unbraid.testing.log_contract import PATIENCE_SECONDS, sample_run

Clients = Callable[..., httpx.AsyncClient]


async def test_replays_then_goes_live_and_ends(client: httpx.AsyncClient, log: SqliteLog) -> None:
    events = sample_run(["a", "b", "c"])
    await log.append("r", events[:3])
    async with client.stream("GET", "/v1/runs/r/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["cache-control"] == "no-store"
        seen: list[dict[str, str]] = []
        async for event in events_of(answer):
            seen.append(event)
            if event.get("id") == "3":
                await log.append("r", events[3:])
    assert seen[0] == {"retry": "1000"}
    assert [event["id"] for event in seen[1:]] == [str(event.seq) for event in events]
    assert [event["event"] for event in seen[1:]] == [event.type for event in events]
    assert [data_of(event)["type"] for event in seen[1:]] == [event.type for event in events]


async def test_goes_on_where_the_viewer_was(client: httpx.AsyncClient, log: SqliteLog) -> None:
    await log.append("r", sample_run(["a", "b", "c"]))
    for more in (
        {"params": {"since": 5}},
        {"headers": {"last-event-id": "5"}},
        {"params": {"since": 2}, "headers": {"last-event-id": "5"}},
    ):
        seen = await read_events(client, "/v1/runs/r/events", **more)
        assert [event["id"] for event in seen[1:]] == ["6", "7", "8"]
    over = await client.get("/v1/runs/r/events", headers={"last-event-id": "8"})
    assert over.status_code == 204


async def test_gives_a_page_without_waiting(client: httpx.AsyncClient, log: SqliteLog) -> None:
    events = sample_run(["a", "b", "c"])
    await log.append("r", events[:5])
    lines = {"accept": "application/x-ndjson"}
    for query, seqs in (
        ("limit=3", [1, 2, 3]),
        ("limit=3&since=3", [4, 5]),
        ("limit=9&since=5", []),
        ("limit=0", []),
        ("limit=9&types=text&since=3", [4, 5]),
        ("limit=9&stream=1", []),
    ):
        answer = await client.get(f"/v1/runs/r/events?{query}", headers=lines)
        assert answer.headers["content-type"].startswith("application/x-ndjson")
        output = [msgspec.json.decode(line) for line in answer.content.splitlines()]
        assert [event["seq"] for event in output] == seqs
    seen = await read_events(client, "/v1/runs/r/events?limit=2")
    assert [event["id"] for event in seen] == ["1", "2"]
    for wrong in ("-1", "1001", "nan"):
        answer = await client.get(f"/v1/runs/r/events?limit={wrong}")
        assert answer.status_code == 400


async def test_filters(client: httpx.AsyncClient, log: SqliteLog) -> None:
    await log.append("r", sample_run(["a", "b"]))
    for query in ("types=text,token_usage", "types=text&types=token_usage"):
        seen = await read_events(client, f"/v1/runs/r/events?{query}")
        kinds = [event["event"] for event in seen[1:]]
        assert kinds == ["text", "text", "token_usage", "done"]
    seen = await read_events(client, "/v1/runs/r/events?stream=9")
    assert [event["event"] for event in seen[1:]] == ["done"]
    assert (await client.get("/v1/runs/r/events?types=odd")).status_code == 400


async def test_json_lines_when_asked_for(client: httpx.AsyncClient, log: SqliteLog) -> None:
    await log.append("r", sample_run(["a\nb"]))
    answer = await client.get("/v1/runs/r/events", headers={"accept": "application/x-ndjson"})
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    stored = await log.read("r")
    assert answer.content == b"".join(entry.data + b"\n" for entry in stored)


async def test_gap_when_the_log_no_longer_has_it(client: httpx.AsyncClient, log: SqliteLog) -> None:
    await log.append("r", sample_run(["a"]))
    await log.retain(max_bytes=0)
    seen = await read_events(client, "/v1/runs/r/events?since=2")
    assert seen[1]["event"] == "gap"
    assert "id" not in seen[1]
    assert data_of(seen[1]) == {"type": "gap", "from": 3, "to": 6}
    assert len(seen) == 2


async def test_all_runs(client: httpx.AsyncClient, log: SqliteLog) -> None:
    await log.append("r1", sample_run(["a"]))
    async with client.stream("GET", "/v1/events?since=0") as answer:
        seen: list[dict[str, str]] = []
        async for event in events_of(answer):
            seen.append(event)
            if event.get("id") == "6":
                await log.append("r2", sample_run(["b"]))
            if event.get("id") == "12":
                break
    output = [data_of(event) for event in seen[1:]]
    assert [(event["run"], event["seq"]) for event in output] == [
        (run, seq) for run in ("r1", "r2") for seq in range(1, 7)
    ]
    assert [str(event["cursor"]) for event in output] == [event["id"] for event in seen[1:]]


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
async def test_compresses_when_asked_and_holds_nothing_back(
    client: httpx.AsyncClient, log: SqliteLog, encoding: str
) -> None:
    events = sample_run(["word " * 50] * 20)
    await log.append("r", events[:3])
    gzip = zlib.decompressobj(16 + zlib.MAX_WBITS)
    zstd = zstandard.ZstdDecompressor().decompressobj()
    decompress = gzip.decompress if encoding == "gzip" else zstd.decompress
    headers = {"accept-encoding": encoding, "accept": "application/x-ndjson"}
    async with client.stream("GET", "/v1/runs/r/events", headers=headers) as answer:
        assert answer.headers["content-encoding"] == encoding
        text, size, output = b"", 0, False
        async for chunk in answer.aiter_raw():
            size += len(chunk)
            text += decompress(chunk)
            if not output and text.count(b"\n") == 3:
                output = True
                await log.append("r", events[3:])
    assert text == b"".join(entry.data + b"\n" for entry in await log.read("r"))
    assert size < len(text) / 3


async def test_a_viewer_that_leaves_is_forgotten(
    client: httpx.AsyncClient, log: SqliteLog, server: Server
) -> None:
    await log.append("r", sample_run(["a"])[:3])
    async with client.stream("GET", "/v1/runs/r/events") as answer:
        await anext(events_of(answer))
        assert server.services.hub.viewers == 1
    async with asyncio.timeout(PATIENCE_SECONDS):
        await server.services.hub.emptied()


async def test_80_viewers_at_random_moments_of_16_agents(
    start: Start, client_of: Clients, log: SqliteLog
) -> None:
    """The seed's own server lost events for 26 of 80 such viewers."""
    from unbraid.events import StreamStart, Text

    events = sample_run(["x"])[:2]
    for agent in range(1, 17):
        place = {"stream_id": agent, "depth": 1, "agent": f"a{agent}"}
        seq = len(events) + 1
        events.append(StreamStart(seq=seq, ts=seq, parent_stream_id=0, **place))  # type: ignore[arg-type]
    for number in range(1600):
        seq, agent = len(events) + 1, number % 16 + 1
        events.append(
            Text(
                seq=seq,
                ts=seq,
                stream_id=agent,
                depth=1,
                agent=f"a{agent}",
                delta=f"word {number} ",
                message_id=f"m{agent}",
                block=0,
            )
        )
    end = sample_run(["x"])[-1]
    end.seq = len(events) + 1
    events.append(end)
    server = await start()
    plain = {"accept-encoding": "identity"}
    client = client_of(server, limits=httpx.Limits(max_connections=100), headers=plain)
    await log.append("r", events[:1])

    async def view(after: int) -> list[str]:
        async for batch in log.follow("r"):
            if batch[-1].seq >= after:
                break
        return [e["id"] for e in (await read_events(client, "/v1/runs/r/events"))[1:]]

    async def begin_answer() -> None:
        for place in range(1, len(events), 7):
            await log.append("r", events[place : place + 7])

    async with asyncio.timeout(PATIENCE_SECONDS), asyncio.TaskGroup() as group:
        viewers = [group.create_task(view(20 * number)) for number in range(80)]
        group.create_task(begin_answer())
    everything = [str(event.seq) for event in events]
    assert all(viewer.result() == everything for viewer in viewers)


async def test_an_unread_viewer_is_cut_off_and_the_others_are_not(
    start: Start, client_of: Clients, log: SqliteLog
) -> None:
    server = await start(limits=ServeLimits(backlog_bytes=200_000, shutdown_seconds=1))
    client = client_of(server)
    events = sample_run(["x" * 10_000] * 2000)
    await log.append("r", events[:1])
    host, port = "127.0.0.1", server.port
    reader, writer = await asyncio.open_connection(host, port, limit=1000)
    writer.write(b"GET /v1/runs/r/events HTTP/1.1\r\nhost: localhost\r\n")
    writer.write(f"authorization: Bearer {SECRET}\r\n\r\n".encode())
    await reader.readuntil(b"id: 1\n")
    other = asyncio.create_task(read_events(client, "/v1/runs/r/events"))
    for place in range(1, len(events), 20):
        await log.append("r", events[place : place + 20])
    seen = await other
    assert [event["id"] for event in seen[1:]] == [str(event.seq) for event in events]
    assert server.services.hub.stats.cut == 1
    # Now it does read: what was on its way, whole, and then why there is no more.
    rest = await reader.read(-1)
    assert rest.endswith(b"0\r\n\r\n")
    assert rest.count(b"event: cut\n") == 1
    tail = rest[rest.rindex(b"id: ") :]
    last = int(tail.split(b"\n")[0].removeprefix(b"id: "))
    assert b'"reason":"slow","last":%d' % last in tail
    ids = [int(part.split(b"\n")[0]) for part in rest.split(b"\nid: ")[1:-1]]
    assert ids[-1] == last
    writer.close()
    more = await read_events(client, f"/v1/runs/r/events?since={last}")
    assert [int(event["id"]) for event in more[1:]] == list(range(last + 1, len(events) + 1))


async def test_a_stream_that_another_request_waits_for_is_not_mixed_with_its_answer(
    server: Server, log: SqliteLog
) -> None:
    first, second = sample_run(["one"]), sample_run(["two"])
    await log.append("first", first[:2])
    await log.append("second", second)
    head = f"Host: localhost\r\nAuthorization: Bearer {SECRET}\r\n"
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.writelines(
        f"GET /v1/runs/{run}/events HTTP/1.1\r\n{head}\r\n".encode() for run in ("first", "second")
    )
    async with asyncio.timeout(PATIENCE_SECONDS):
        await reader.readuntil(b"id: 2")
        await log.append("first", first[2:])
        rest, answer = [await reader.readuntil(b"0\r\n\r\n") for _ in range(2)]
    writer.close()
    assert b'"delta":"one"' in rest
    assert b"event: done" in rest
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b'"delta":"two"' in answer


async def test_shutdown_sends_every_viewer_its_place(log: SqliteLog, client_of: Clients) -> None:
    from unbraid.serve import ServeConfig, serving

    await log.append("r", sample_run(["a"])[:3])
    config = ServeConfig(port=0, tokens=(TOKEN,), limits=ServeLimits(shutdown_seconds=2))
    async with serving(config, log) as server:
        client = client_of(server)
        wide = asyncio.create_task(read_events(client, "/v1/events?since=0"))
        viewing = asyncio.create_task(read_events(client, "/v1/runs/r/events"))
        await until(lambda: server.services.hub.viewers == 2)
    for task in (viewing, wide):
        last = (await task)[-1]
        assert (last["event"], last["id"]) == ("cut", "3")
        assert msgspec.json.decode(last["data"]) == {"type": "cut", "reason": "shutdown", "last": 3}


async def test_signs_of_life(start: Start, client_of: Clients, log: SqliteLog) -> None:
    server = await start(limits=ServeLimits(heartbeat_seconds=0.01, shutdown_seconds=1))
    await log.append("r", sample_run(["a"])[:1])
    async with client_of(server).stream("GET", "/v1/runs/r/events") as answer:
        text = b""
        async with asyncio.timeout(PATIENCE_SECONDS):
            async for chunk in answer.aiter_bytes():
                text += chunk
                if b"\n:\n\n" in text:
                    break
    assert b"\n:\n\n" in text, "the stream ended without a sign of life"
