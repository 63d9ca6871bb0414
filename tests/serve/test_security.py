"""Who is let in, and what no one can make the server do."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from urllib.parse import quote

import httpx
import pytest

from tests.serve.conftest import Start
from tests.serve.sse import read_events
from unbraid.errors import CallerError
from unbraid.log import SqliteLog
from unbraid.serve import ServeConfig, ServeLimits, Server, hash_token, new_token, serving
from unbraid.serve.access import SIGN_IN_LINK_SECONDS, Keys
from unbraid.serve.routes import OPERATIONS
from unbraid.testing.log_contract import PATIENCE_SECONDS, sample_run
from unbraid.timings import SIGN_IN_SESSION_SECONDS

Clients = Callable[..., httpx.AsyncClient]


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("localhost:1234", 200),
        ("127.0.0.1", 200),
        ("[::1]:80", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost.evil.example", 421),
        ("192.168.1.7", 421),
        ("[oops", 421),
        ("", 421),
        ("a b", 421),
    ],
)
async def test_a_foreign_host_is_refused(client: httpx.AsyncClient, host: str, status: int) -> None:
    answer = await client.get("/v1/runs", headers={"host": host})
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 404),
        ({"origin": "http://localhost"}, 404),
        ({"sec-fetch-site": "same-origin"}, 404),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost:1"}, 403),
        ({"origin": "http://localhost.evil.example"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, 403),
    ],
)
async def test_another_site_cannot_control(
    client: httpx.AsyncClient, headers: dict[str, str], status: int
) -> None:
    answer = await client.post("/v1/runs/r/cancel", headers={"host": "localhost", **headers})
    assert answer.status_code == status


async def test_another_site_cannot_read(client: httpx.AsyncClient) -> None:
    foreign = await client.get("/v1/events", headers={"origin": "http://evil.example"})
    assert foreign.status_code == 403
    linked = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert (await client.get("/v1/runs", headers=linked)).status_code == 200
    answer = await client.get("/v1/runs")
    assert "access-control-allow-origin" not in answer.headers


async def test_a_page_elsewhere_may_be_allowed(start: Start, client_of: Clients) -> None:
    friend, stranger = "https://friend.example", "https://stranger.example"
    client = client_of(await start(origins=(friend,)))
    asked = {"access-control-request-method": "POST"}
    asked["access-control-request-headers"] = "authorization, last-event-id"
    for origin, allowed in ((friend, friend), (stranger, None)):
        answer = await client.get("/v1/runs", headers={"origin": origin})
        assert answer.status_code == (200 if allowed else 403)
        assert answer.headers.get("access-control-allow-origin") == allowed
        before = await client.options("/v1/runs", headers={"origin": origin, **asked})
        assert before.headers.get("access-control-allow-origin") == allowed
        assert before.is_success == bool(allowed)
    # A cookie never works from elsewhere: only a token does.
    assert "access-control-allow-credentials" not in answer.headers


async def test_headers_keep_browsers_honest(client: httpx.AsyncClient) -> None:
    for path in ("/v1/runs", "/nothing", "/healthz", "/"):
        headers = (await client.get(path)).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "server" not in headers


async def test_beyond_loopback_only_with_a_token(log: SqliteLog) -> None:
    with pytest.raises(CallerError):
        async with serving(ServeConfig(host="0.0.0.0", port=0), log):
            pass


async def test_tokens_and_scopes(start: Start, client_of: Clients) -> None:
    reader, reader_token = new_token("reader", ["read"])
    steerer, steerer_token = new_token("steerer", ["control"])
    server = await start(tokens=(reader_token, steerer_token))
    client = client_of(server)

    async def status(method: str, path: str, token: str | None) -> int:
        headers = {} if token is None else {"authorization": token}
        return (await client.request(method, path, headers=headers)).status_code

    for wrong in (None, "", "Bearer", "Bearer wrong", f"Basic {reader}", reader):
        assert await status("GET", "/v1/runs", wrong) == 401, wrong
        assert await status("POST", "/v1/runs/r/cancel", wrong) == 401
        assert await status("GET", "/metrics", wrong) == 401
        assert await status("GET", "/", wrong) == 401
    assert await status("GET", "/v1/runs", f"Bearer {reader}") == 200
    assert await status("POST", "/v1/runs/r/cancel", f"Bearer {reader}") == 403
    assert await status("POST", "/v1/ingest/r?source=a&offset=0", f"Bearer {reader}") == 403
    assert await status("GET", "/v1/runs", f"bearer {steerer}") == 200
    assert await status("POST", "/v1/runs/r/cancel", f"Bearer {steerer}") == 404
    assert await status("GET", "/healthz", None) == 200
    assert reader not in repr(reader_token)
    assert reader_token.sha256 == hash_token(reader)


async def test_a_wrong_token_is_refused_even_where_none_is_needed(
    client: httpx.AsyncClient,
) -> None:
    wrong = {"authorization": "Bearer wrong"}
    assert (await client.get("/v1/runs", headers=wrong)).status_code == 401


async def test_a_link_works_once_and_becomes_a_cookie(start: Start, client_of: Clients) -> None:
    _, token = new_token("x")
    server = await start(tokens=(token,))
    client, link = client_of(server), server.link()
    assert (await client.get("/v1/runs")).status_code == 401
    answer = await client.get(link)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert link.split("=")[1] not in answer.headers["set-cookie"]
    assert (await client.get("/v1/runs")).status_code == 200
    fresh = client_of(server)
    assert (await fresh.get(link)).status_code == 403
    assert (await fresh.get("/login?code=")).status_code == 403
    assert (
        await fresh.get("/v1/runs", headers={"cookie": f"unbraid_session_{server.port}=x"})
    ).status_code == 401


def test_links_and_sessions_grow_old() -> None:
    now = [0.0]
    keys = Keys(clock=lambda: now[0])
    late, code = keys.link(), keys.link(["read"])
    session = keys.redeem(code)
    assert session is not None
    assert keys.redeem(code) is None
    caller = keys.of_session(session)
    assert caller is not None and caller.scopes == {"read"}
    now[0] = SIGN_IN_LINK_SECONDS + 1
    assert keys.redeem(late) is None
    now[0] = SIGN_IN_SESSION_SECONDS + 1
    assert keys.of_session(session) is None


ODD = [
    "../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "/etc/passwd",
    "a/../b",
    "'; DROP TABLE runs; --",
    '" OR ""="',
    "a\0b",
    "a\nb",
    "a\r\nset-cookie: x=1",
    "${jndi:ldap://x}",
    "<script>",
    "{{7*7}}",
    "é",
    "x" * 5000,
    "-1",
    "1e9",
    "99999999999999999999999",
    "0x10",
    "\u0661",
    "*",
    "%",
]


@pytest.mark.parametrize("odd", ODD)
async def test_no_parameter_does_anything_odd(
    client: httpx.AsyncClient, log: SqliteLog, odd: str
) -> None:
    await log.append("r", sample_run(["a"]))
    value = quote(odd, safe="")
    paths = [
        f"/v1/runs/{value}",
        f"/v1/runs/{value}/events",
        f"/v1/runs/{value}/tree",
        f"/v1/runs/r/streams/{value}",
        f"/v1/runs/r/events?since={value}",
        f"/v1/runs/r/events?stream={value}",
        f"/v1/runs/r/events?types={value}",
        f"/v1/events?since={value}",
        f"/v1/runs?limit={value}",
        f"/v1/runs?status={value}",
        f"/v1/runs?before={value}",
        f"/v1/search?q=a&limit={value}",
        f"/login?code={value}",
        f"/{value}",
    ]
    for path in paths:
        async with client.stream("GET", path) as answer:
            assert answer.status_code in (400, 403, 404), path
            assert "set-cookie" not in answer.headers
            assert (await answer.aread()).startswith(b'{"error":')
    for path in (f"/v1/runs?q={value}", f"/v1/search?q={value}", f"/v1/search?q=a&run={value}"):
        assert (await client.get(path)).status_code in (200, 400), path
    posts = [
        f"/v1/ingest/{value}?source=a&offset=a",
        f"/v1/ingest/r2?source={value}&offset=a",
        f"/v1/ingest/r2?source=a&offset={value}",
        f"/v1/ingest/r2?source=a&offset=0&end={value}",
        f"/v1/runs/{value}/cancel",
        f"/v1/permissions/{value}",
    ]
    for path in posts:
        answer = await client.post(path, json={"behavior": "allow"})
        assert answer.status_code in (400, 404, 409), path
    assert [run.run for run in await log.runs()] == ["r"]


GOOD = {"run": "r", "stream_id": "0", "request_id": "x", "source": "a", "offset": "0", "q": "a"}


@pytest.mark.parametrize("odd", ODD)
async def test_no_parameter_of_any_route_does_anything_odd(
    client: httpx.AsyncClient, log: SqliteLog, odd: str
) -> None:
    """Every parameter there is, by the description of the routes: a new one is tried, too."""
    await log.append("r", sample_run(["a"]))
    before = await log.runs()
    for operation in OPERATIONS:
        for tried in operation.parameters:
            path, query, headers = operation.path, dict[str, str](), dict[str, str]()
            for each in operation.parameters:
                value = odd if each is tried else GOOD.get(each.name)
                if each.where == "path":
                    path = path.replace(f"{{{each.name}}}", quote(value or "x", safe=""))
                elif each.where == "header" and each is tried:
                    headers[each.name] = quote(odd, safe="")
                elif value is not None and (each is tried or each.required):
                    query[each.name] = value
            async with client.stream(
                operation.method, path, params=query, headers=headers
            ) as answer:
                assert answer.status_code != 500, (operation.path, tried.name)
                assert "set-cookie" not in answer.headers
                assert answer.headers.get("location", "/") == "/"
    assert [run.run for run in await log.runs()] == [run.run for run in before]


async def test_text_of_an_agent_cannot_forge_frames(
    client: httpx.AsyncClient, log: SqliteLog
) -> None:
    evil = "x\n\nid: 999\nevent: done\ndata: {}\n\n\r\revent: done\r\u2028\u2029\x85"
    events = sample_run([evil])
    await log.append("r", events)
    seen = await read_events(client, "/v1/runs/r/events")
    assert [event["id"] for event in seen[1:]] == [str(event.seq) for event in events]


async def exchange(server: Server, *parts: bytes) -> bytes:
    """What a server answers to raw bytes; with nothing more to come, until it hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    for part in parts:
        writer.write(part)
    async with asyncio.timeout(PATIENCE_SECONDS):
        try:
            return await reader.read(-1)
        except ConnectionError:
            return b""
        finally:
            writer.close()


async def test_slow_loris_is_shown_out(start: Start) -> None:
    limits = ServeLimits(header_seconds=0.05, body_seconds=0.05, shutdown_seconds=1)
    server = await start(limits=limits)
    for head in (b"", b"GET / HT", b"GET / HTTP/1.1\r\nhost: localhost\r\nx: "):
        assert (await exchange(server, head)).startswith(b"HTTP/1.1 408")
    path = b"POST /v1/ingest/r?source=a&offset=0 HTTP/1.1\r\nhost: localhost\r\n"
    body = path + b"content-length: 9\r\n\r\nx"
    assert b" 200 " not in await exchange(server, body)


async def test_a_body_that_drips_is_shown_out(start: Start, log: SqliteLog) -> None:
    """Never silent for long, and never done: a byte at a time would hold a connection for ever."""
    limits = ServeLimits(body_seconds=0.5, body_bytes_per_second=1000, shutdown_seconds=1)
    server = await start(limits=limits)
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    head = b"POST /v1/ingest/r?source=a&offset=0 HTTP/1.1\r\nhost: localhost\r\n"
    writer.write(head + b"content-length: 1000000\r\n\r\n")
    closed = asyncio.create_task(reader.read(-1))
    async with asyncio.timeout(PATIENCE_SECONDS):
        with contextlib.suppress(ConnectionError):
            while not closed.done():
                writer.write(b"x")
                await writer.drain()
                await asyncio.wait([closed], timeout=0.01)
            assert b" 200 " not in await closed
    writer.close()
    assert await log.runs() == []


async def test_oversized_headers_are_refused(start: Start) -> None:
    server = await start(limits=ServeLimits(header_bytes=2000, shutdown_seconds=1))
    start_line = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n"
    long = start_line + b"x: " + b"a" * 3000
    assert (await exchange(server, long)).startswith(b"HTTP/1.1 431")
    assert (await exchange(server, long + b"\r\n\r\n")).startswith(b"HTTP/1.1 431")
    many = start_line + b"".join(b"x%d: a\r\n" % number for number in range(500)) + b"\r\n"
    assert (await exchange(server, many)).startswith(b"HTTP/1.1 431")
    url = b"GET /" + b"a" * 3000 + b" HTTP/1.1\r\nhost: localhost\r\n\r\n"
    assert (await exchange(server, url)).startswith(b"HTTP/1.1 431")
    fine = start_line + b"connection: close\r\n\r\n"
    assert (await exchange(server, fine)).startswith(b"HTTP/1.1 200")


async def test_nonsense_is_refused(start: Start) -> None:
    server = await start()
    for nonsense in (b"\x16\x03\x01\x00", b"\r\n\r\n\r\nfoo\r\n\r\n", b"GET\r\n\r\n"):
        assert (await exchange(server, nonsense)).startswith(b"HTTP/1.1 400")
    twice = b"GET /v1/runs HTTP/1.1\r\nhost: localhost\r\nhost: evil\r\nconnection: close\r\n\r\n"
    assert (await exchange(server, twice)).startswith(b"HTTP/1.1 421")
    none = b"GET /v1/runs HTTP/1.0\r\n\r\n"
    assert (await exchange(server, none)).startswith(b"HTTP/1.1 421")


async def test_too_many_connections_and_viewers(
    start: Start, client_of: Clients, log: SqliteLog
) -> None:
    server = await start(limits=ServeLimits(connections=3, viewers=1, shutdown_seconds=1))
    client = client_of(server)
    await log.append("r", sample_run(["a"])[:1])
    async with client.stream("GET", "/v1/runs/r/events") as answer:
        assert answer.status_code == 200
        second = await client.get("/v1/runs/r/events")
        assert second.status_code == 503
        assert second.headers["retry-after"] == "1"
        held = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(2)]
        assert b" 503 " in await exchange(server, b"")
        for _, writer in held:
            writer.close()
