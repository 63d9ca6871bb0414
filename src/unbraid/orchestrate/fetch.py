"""`/fetch URL`: a page from the internet as text, and nothing from anywhere else.

A page is hostile and so is its address. The host is resolved once, every address that it has is
checked, and the connection goes to one of those: a name that is resolved differently in between
changes nothing. Each redirect goes the same way. What comes back is bounded in bytes, in time and
in silence, packed or not.
"""

from __future__ import annotations

import asyncio
import functools
import re
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable

import httpx
from html_to_markdown import convert
from msgspec import Struct

from unbraid.errors import SourceError
from unbraid.orchestrate.addresses import Network, is_permitted

Resolve = Callable[[str, int], Awaitable[list[str]]]

_TEXTUAL = re.compile(r"text/|application/(?:[\w.-]+\+)?(?:json|xml|yaml|javascript|ndjson)\b")
# Some of Python's codecs (punycode) take the square of the time: only what the web really uses.
_CHARSET = re.compile(r"utf-?(?:8|16)|iso-?8859|latin|windows-|cp125|koi8|gb|big5|euc|shift|ascii")


class FetchLimits(Struct, frozen=True):
    """What `/fetch` may do; `allowed` are networks beyond the public internet."""

    allowed: tuple[Network, ...] = ()
    max_bytes: int = 1 << 20
    max_chars: int = 100_000
    max_redirects: int = 5
    idle_seconds: float = 10.0
    total_seconds: float = 30.0


async def resolve(host: str, port: int) -> list[str]:
    """Returns the addresses of a host, as the system knows them."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[4][0]) for address in found))


async def fetch(url: str, limits: FetchLimits | None = None, resolve: Resolve = resolve) -> str:
    """Returns the text of a page. SourceError says why there is none."""
    limits = limits or FetchLimits()
    try:
        async with asyncio.timeout(limits.total_seconds):
            return await _follow(url, limits, resolve)
    except TimeoutError:
        problem = f"not there after {limits.total_seconds:g} s; try another page"
    except httpx.TimeoutException:
        problem = f"silent for {limits.idle_seconds:g} s; try another page"
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, ValueError) as error:
        problem = str(error) or type(error).__name__
    raise SourceError(url, problem) from None


async def _follow(url: str, limits: FetchLimits, resolve: Resolve) -> str:
    transport = _Checked(limits.allowed, resolve)
    headers = {"Accept-Encoding": "identity", "User-Agent": "unbraid"}
    async with httpx.AsyncClient(
        transport=transport, headers=headers, timeout=limits.idle_seconds, trust_env=False
    ) as client:
        request = client.build_request("GET", url)
        for _ in range(limits.max_redirects + 1):
            # Not the client's own redirects: it reads their bodies, whatever their size.
            response = await client.send(request, stream=True)
            try:
                if response.next_request is None:
                    return await _text(url, response, limits)
                request = response.next_request
            finally:
                await response.aclose()
    raise SourceError(url, f"more than {limits.max_redirects} redirects; fetch the page itself")


@functools.cache
def _certificates() -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=False)


class _Checked(httpx.AsyncBaseTransport):
    """Connects to addresses that were looked at, and to no others."""

    def __init__(self, allowed: tuple[Network, ...], resolve: Resolve) -> None:
        self._allowed, self._resolve = allowed, resolve
        # A kept connection belongs to an address; its certificate was checked for one name only.
        self._inner = httpx.AsyncHTTPTransport(
            verify=_certificates(), limits=httpx.Limits(max_keepalive_connections=0)
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url, said = request.url, str(request.url.copy_with(userinfo=b""))
        if url.scheme not in ("http", "https"):
            raise SourceError(said, "only http and https can be fetched")
        if url.userinfo:
            raise SourceError(said, "an address with a name or password in it is not fetched")
        if not url.host or (url.port or 0) > 65535:
            raise SourceError(said, "not a whole address; write it as https://host/page")
        host = url.raw_host.decode()
        try:
            addresses = await self._resolve(host, url.port or 443)
        except OSError as error:
            raise SourceError(said, f"{host} has no address ({error.strerror})") from None
        for address in addresses:
            if not is_permitted(address, self._allowed):
                raise SourceError(said, f"{host} is {address}: not a public address, not fetched")
        request.extensions["sni_hostname"] = host
        for number, address in enumerate(addresses, 1):
            request.url = url.copy_with(host=address)
            try:
                return await self._inner.handle_async_request(request)
            except httpx.ConnectError:
                if number == len(addresses):
                    raise
            finally:
                request.url = url  # redirects are relative to the name
        raise SourceError(said, f"{host} has no address")

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _text(url: str, response: httpx.Response, limits: FetchLimits) -> str:
    if not response.is_success:
        status = response.status_code
        phrase = httpx.codes.get_reason_phrase(status)
        raise SourceError(url, f"the server answered {status} {phrase}".rstrip())
    kind = response.headers.get("content-type", "text/plain").lower()
    if not _TEXTUAL.match(kind):
        raise SourceError(url, f"it is {kind.partition(';')[0][:80]}, not text")
    said = response.headers.get("content-length", "")
    if said.isdecimal() and int(said[:20]) > limits.max_bytes:
        raise _too_large(url, limits)
    body = bytearray()
    async for data in _unpacked(url, response, limits):
        body += data
        if len(body) > limits.max_bytes:
            raise _too_large(url, limits)
    charset = response.charset_encoding or "utf-8"
    known = _CHARSET.match(charset.lower()) is not None
    try:
        text = body.decode(charset if known else "utf-8", "replace")
    except LookupError:
        text = body.decode("utf-8", "replace")
    if "html" in kind:
        text = await asyncio.to_thread(_readable, text)
    if len(text) > limits.max_chars:
        text = f"{text[: limits.max_chars]}\n[cut: {len(text) - limits.max_chars} characters more]"
    return text


async def _unpacked(
    url: str, response: httpx.Response, limits: FetchLimits
) -> AsyncIterator[bytes]:
    """Yields the body, unpacked no further than its limit: a few bytes can stand for gigabytes."""
    packed = response.headers.get("content-encoding", "identity").strip().lower()
    if packed == "identity":
        async for data in response.aiter_raw():
            yield data
        return
    if packed not in ("gzip", "x-gzip", "deflate"):
        raise SourceError(url, f"compressed as {packed[:40]}, which was not requested")
    unpacking = zlib.decompressobj(wbits=47)
    try:
        async for data in response.aiter_raw():
            yield unpacking.decompress(data, limits.max_bytes + 1)
    except zlib.error:
        raise SourceError(url, "its compressed body is damaged") from None


def _too_large(url: str, limits: FetchLimits) -> SourceError:
    return SourceError(url, f"larger than {limits.max_bytes} bytes; fetch a smaller page")


def _readable(html: str) -> str:
    try:
        return convert(html).content or html
    except BaseException:  # a panic of the converter is no Exception, and the page's doing
        return html
