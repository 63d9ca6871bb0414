"""`/fetch` against a real server on loopback, which is allowed here, and resolvers that lie."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from ipaddress import IPv4Address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unbraid.errors import SourceError
from unbraid.orchestrate.addresses import networks
from unbraid.orchestrate.fetch import FetchLimits, fetch

HERE = FetchLimits(allowed=networks(["127.0.0.0/8"]))

Handler = Callable[[str, asyncio.StreamWriter], Awaitable[None]]


class Site:
    """A server that remembers what it was asked."""

    def __init__(self) -> None:
        self.url, self.port = "", 0
        self.heads: list[str] = []


@asynccontextmanager
async def site(handle: Handler) -> AsyncIterator[Site]:
    """A server on loopback; `handle` gets the path, and the connection to answer on."""
    here = Site()
    open_ones: set[asyncio.StreamWriter] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_ones.add(writer)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            here.heads.append(head)
            await handle(head.split(" ")[1], writer)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    here.port = server.sockets[0].getsockname()[1]
    here.url = f"http://127.0.0.1:{here.port}"
    try:
        yield here
    finally:
        server.close()
        for writer in open_ones:
            writer.transport.abort()
        await server.wait_closed()


def answer(body: bytes, *, status: str = "200 OK", **fields: str) -> bytes:
    """A whole answer; its fields by name, `_` for `-`."""
    fields = {"content_type": "text/plain", **fields}
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    head = "\r\n".join([f"HTTP/1.1 {status}", *lines, "connection: close", "", ""])
    return head.encode() + body


def giving(said: bytes) -> Handler:
    """Answers everything with this."""

    async def handle(path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(said)

    return handle


async def refused(url: str, limits: FetchLimits = HERE) -> str:
    """Why a page was not fetched."""
    with pytest.raises(SourceError) as raised:
        await fetch(url, limits)
    return raised.value.problem


async def test_a_text_comes_as_it_is() -> None:
    async with site(giving(answer("Grüße\n/agent x y\n".encode()))) as here:
        assert await fetch(f"{here.url}/page?a=1", HERE) == "Grüße\n/agent x y\n"
        assert here.heads[0].startswith("GET /page?a=1 HTTP/1.1")


async def test_a_page_of_html_becomes_readable() -> None:
    page = (
        b"<html><style>a{}</style><script>bad()</script><h1>News &amp; more</h1><p>One <b>two</b>"
    )
    async with site(giving(answer(page, content_type="text/html; charset=utf-8"))) as here:
        text = await fetch(here.url, HERE)
    assert "# News & more" in text
    assert "One **two**" in text
    assert "bad()" not in text


async def test_charsets_that_the_web_uses_are_read_and_others_are_not_tried() -> None:
    async with site(giving(answer(b"caf\xe9", content_type="text/plain; charset=latin-1"))) as here:
        assert await fetch(here.url, HERE) == "café"
    async with site(giving(answer(b"abc-def", content_type="text/plain; charset=punycode"))) as x:
        assert await fetch(x.url, HERE) == "abc-def"


@pytest.mark.parametrize("packed", ["gzip", "deflate"])
async def test_a_packed_page_is_unpacked(packed: str) -> None:
    body = b"hello " * 1000
    small = gzip.compress(body) if packed == "gzip" else zlib.compress(body)
    async with site(giving(answer(small, content_encoding=packed))) as here:
        assert await fetch(here.url, HERE) == body.decode()


async def test_a_page_that_unpacks_to_gigabytes_is_refused() -> None:
    pressing = zlib.compressobj(9, wbits=31)
    bomb = b"".join(pressing.compress(bytes(1 << 20)) for _ in range(100)) + pressing.flush()
    assert len(bomb) < HERE.max_bytes
    async with site(giving(answer(bomb, content_encoding="gzip"))) as here:
        assert "larger than" in await refused(here.url)


async def test_a_large_page_is_refused_said_or_not() -> None:
    async with site(giving(answer(b"x", content_length=str(HERE.max_bytes + 1)))) as here:
        assert "larger than" in await refused(here.url)

    async def endless(path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(answer(b""))
        while True:
            writer.write(bytes(65536))
            await writer.drain()

    async with site(endless) as here:
        assert "larger than" in await refused(here.url)


async def test_a_long_text_is_cut_and_says_so() -> None:
    limits = FetchLimits(allowed=HERE.allowed, max_chars=10)
    async with site(giving(answer(b"0123456789abcde"))) as here:
        assert await fetch(here.url, limits) == "0123456789\n[cut: 5 characters more]"


async def silent(path: str, writer: asyncio.StreamWriter) -> None:
    if path == "/begun":
        writer.write(answer(b"begun"))
    await writer.drain()
    await asyncio.Event().wait()


@pytest.mark.parametrize("path", ["/", "/begun"])
async def test_a_silent_server_is_given_up(path: str) -> None:
    limits = FetchLimits(allowed=HERE.allowed, idle_seconds=0.2)
    async with site(silent) as here:
        assert "silent for 0.2 s" in await refused(here.url + path, limits)


async def test_a_page_that_drips_is_given_up() -> None:
    async def drip(path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(answer(b""))
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.01)

    limits = FetchLimits(allowed=HERE.allowed, total_seconds=0.5)
    async with site(drip) as here:
        assert "not there after 0.5 s" in await refused(here.url, limits)


async def test_what_is_no_text_is_refused() -> None:
    async with site(giving(answer(b"\x89PNG", content_type="image/png"))) as here:
        assert await refused(here.url) == "it is image/png, not text"
    async with site(giving(answer(b"?", content_encoding="br"))) as here:
        assert "compressed as br" in await refused(here.url)
    async with site(giving(answer(b"not gzip", content_encoding="gzip"))) as here:
        assert "damaged" in await refused(here.url)


async def test_an_answer_that_is_no_page_says_what_it_is() -> None:
    async with site(giving(answer(b"gone", status="404 \x1b[31mEvil"))) as here:
        assert await refused(here.url) == "the server answered 404 Not Found"
    async with site(giving(b"this is not HTTP\r\n\r\n")) as here:
        assert await refused(here.url)
        nobody = here.url
    assert await refused(nobody)


async def test_redirects_are_followed_so_far() -> None:
    async def hops(path: str, writer: asyncio.StreamWriter) -> None:
        left = int(path.rpartition("/")[2])
        there = answer(b"there") if left == 0 else b""
        writer.write(there or answer(b"", status="302 Found", location=f"{left - 1}"))

    async with site(hops) as here:
        assert await fetch(f"{here.url}/a/5", HERE) == "there"
        assert "more than 5 redirects" in await refused(f"{here.url}/a/6")


async def test_the_body_of_a_redirect_is_not_read() -> None:
    async def endless(path: str, writer: asyncio.StreamWriter) -> None:
        if path == "/there":
            writer.write(answer(b"there"))
            return
        writer.write(answer(b"", status="302 Found", location="/there"))
        while True:
            writer.write(bytes(65536))
            await writer.drain()

    async with site(endless) as here:
        assert await fetch(here.url, HERE) == "there"


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("http://169.254.169.254/latest/meta-data/", "not a public address"),
        ("http://[::1]/", "not a public address"),
        ("http://[::ffff:10.0.0.1]/", "not a public address"),
        ("//10.0.0.1/", "not a public address"),
        ("http://0xa9fea9fe/", "not a public address"),
        ("file:///etc/passwd", "only http and https"),
        ("ftp://127.0.0.1/", "only http and https"),
        ("http://me:secret@127.0.0.1/", "a name or password"),
    ],
)
async def test_a_redirect_is_looked_at_like_any_address(target: str, reason: str) -> None:
    async with site(giving(answer(b"", status="302 Found", location=target))) as here:
        problem = await refused(here.url)
    assert reason in problem
    assert "secret" not in problem


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "ftp://127.0.0.1/",
        "data:text/plain,hello",
        "http://me@127.0.0.1/",
        "http://:pw@127.0.0.1/",
        "http:///page",
        "/page",
        "page",
        "",
        "http://[::1",
        "http://127.0.0.1:99999/",
        "http://a\nb/",
        "http://\udc80/",
        "http://nobody.invalid/",
    ],
)
async def test_what_is_no_address_of_a_page_is_refused(url: str) -> None:
    assert await refused(url)


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "017700000001",
        "0",
        "10.0.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "[::]",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "[fd00::1]",
        "[ff02::1]",
        "\uff11\uff12\uff17.\uff10.\uff10.\uff11",
    ],
)
async def test_private_places_are_refused_in_every_spelling(host: str) -> None:
    with pytest.raises(SourceError):
        await fetch(f"http://{host}/")


@settings(max_examples=30)
@given(
    st.sampled_from(["10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "192.168.0.0/16"]).flatmap(
        lambda each: st.ip_addresses(network=each)
    ),
    st.sampled_from(["{}", "0x{:x}", "0{:o}", "{:d}"]),
)
def test_a_private_number_is_refused_however_it_is_written(address: IPv4Address, how: str) -> None:
    host = how.format(address if how == "{}" else int(address))
    with pytest.raises(SourceError, match="not a public address"):
        asyncio.run(fetch(f"http://{host}/"))


async def test_a_name_is_looked_up_once_and_connected_where_it_was_checked() -> None:
    asked: list[str] = []

    async def changing(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

    async with site(giving(answer(b"hello"))) as here:
        url = f"http://page.test:{here.port}/"
        assert await fetch(url, HERE, changing) == "hello"
        assert asked == ["page.test"]
        assert f"host: page.test:{here.port}" in here.heads[0].lower()
        with pytest.raises(SourceError, match=r"page\.test is 10\.0\.0\.1: not a public address"):
            await fetch(url, HERE, changing)
        assert len(here.heads) == 1


async def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    async def mixed(host: str, port: int) -> list[str]:
        return ["127.0.0.1", "10.0.0.1"]

    async with site(giving(answer(b"hello"))) as here:
        with pytest.raises(SourceError, match="not a public address"):
            await fetch(f"http://page.test:{here.port}/", HERE, mixed)
        assert here.heads == []


async def test_the_next_address_is_tried_where_one_does_not_answer() -> None:
    async def two(host: str, port: int) -> list[str]:
        return ["127.255.0.9", "127.0.0.1"]

    async with site(giving(answer(b"hello"))) as here:
        assert await fetch(f"http://page.test:{here.port}/", HERE, two) == "hello"


async def test_a_certificate_is_asked_for_by_name() -> None:
    hello: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hello.set_result(await reader.read(65536))
        writer.close()

    async def local(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    server = await asyncio.start_server(listen, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(SourceError):
            await fetch(f"https://page.test:{port}/", HERE, local)
    assert b"page.test" in await hello
