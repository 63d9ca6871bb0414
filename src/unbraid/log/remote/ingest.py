"""Another machine's log, as events of runs reach it: `POST /v1/ingest`."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct, field

from unbraid.errors import CallerError, LogError, UnbraidError
from unbraid.log.remote.local_socket import local_socket
from unbraid.read.record import BAD_JSON
from unbraid.timings import SERVER_REQUEST_TIMEOUT_SECONDS

if TYPE_CHECKING:
    import httpx

MAX_ANSWER_BYTES = 1 << 20
# Less is not worth it.
COMPRESSED_BYTES = 1 << 10
# Busy, restarting, or asking us to come back: all of these pass.
PASSING = frozenset((408, 421, 425, 429))
UNKNOWN = frozenset((401, 403))
REDIRECTS = frozenset((301, 302, 303, 307, 308))
NOT_COMPRESSED = 415


class ServerUnavailable(UnbraidError):
    """The server cannot accept anything now."""


class RunRefused(UnbraidError):
    """The server does not accept a run, and would not if it were asked again at once."""


class RemoteError(LogError):
    """The request failed; `status` is 0 if there was no response."""

    def __init__(self, url: str, status: int, problem: str) -> None:
        super().__init__(f"{url}: {problem}")
        self.status, self.problem = status, problem


class ServerUnreachable(RemoteError):
    """There was no response."""


class SentPart(NamedTuple):
    """Events of a run, as lines of JSON, that follow the event `after`."""

    run: str
    after: int
    lines: Sequence[bytes]

    @property
    def last(self) -> int:
        """The last event of them."""
        return self.after + len(self.lines)


class PartAnswer(Struct):
    """What a server says about one run; see its API."""

    run: str
    seq: int | None = None
    waits: bool = False
    problem: str | None = None
    passing: bool = False


class ServerProblem(Struct):
    """What a server says is wrong."""

    message: str = ""


class _IngestAnswer(Struct):
    runs: list[PartAnswer] | None = None
    error: ServerProblem = field(default_factory=ServerProblem)


class _Head(Struct, omit_defaults=True):
    run: str
    after: int
    count: int
    user: str | None = None


class IngestClient:
    """Sends events over one kept connection."""

    def __init__(self, url: str, token: str | None, *, user: str | None = None) -> None:
        self._url = f"{checked_url(url).rstrip('/')}/v1/ingest"
        self._user = user
        self._token = token
        self._client: httpx.AsyncClient | None = None
        self._compresses = True

    async def post(self, parts: Sequence[SentPart]) -> dict[str, PartAnswer]:
        """Sends events of some runs. Returns the server's answers, by run. Raises
        ServerUnavailable, or RunRefused if all of them are refused.
        """
        # Here: every run imports this module, and few are sent anywhere.
        from unbraid.system import http

        body = self._body(parts)
        kept = self._client is not None
        try:
            status, content = await self._exchange(body)
            if status == NOT_COMPRESSED and self._compresses:
                self._compresses = False
                status, content = await self._exchange(body)
        except http.HTTP_ERRORS as error:
            await self.close()
            if kept:
                # Servers close idle connections; that says nothing about a new one.
                return await self.post(parts)
            raise ServerUnavailable(http.reason_of(error)) from error
        try:
            answer = msgspec.json.decode(content, type=_IngestAnswer)
        except BAD_JSON:
            answer = _IngestAnswer()
        if status == 200 and answer.runs is not None:
            return {each.run: each for each in answer.runs}
        await self.close()
        problem = f"{status} {answer.error.message or '(not the answer of an unbraid server)'}"
        if status in REDIRECTS:
            problem = f"{status}, it has another address: send --to that"
        if status in UNKNOWN:
            raise ServerUnavailable(f"it does not accept the token ({problem})")
        if status in PASSING or status >= 500:
            raise ServerUnavailable(problem)
        raise RunRefused(problem)

    async def close(self) -> None:
        """Closes the connection."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.aclose()

    def _body(self, parts: Sequence[SentPart]) -> bytes:
        lines: list[bytes] = []
        for part in parts:
            lines.append(
                msgspec.json.encode(_Head(part.run, part.after, len(part.lines), user=self._user))
            )
            lines += part.lines
        return b"\n".join([*lines, b""])

    async def _exchange(self, body: bytes) -> tuple[int, bytes]:
        client = self._client or connected_client(self._url, self._token)
        self._client = client
        headers = {"Content-Type": "application/octet-stream"}
        if self._compresses and len(body) >= COMPRESSED_BYTES:
            headers["Content-Encoding"] = "gzip"
            # The fastest level: events repeat their keys and ids, which it finds, too.
            packer = zlib.compressobj(level=1, wbits=31)
            body = packer.compress(body) + packer.flush()
        answer = bytearray()
        async with client.stream("POST", self._url, content=body, headers=headers) as response:
            async for part in response.aiter_raw():
                answer += part
                if len(answer) >= MAX_ANSWER_BYTES:
                    break  # more than anyone wants to read: the connection is closed
        return response.status_code, bytes(answer[:MAX_ANSWER_BYTES])


def connected_client(
    url: str, token: str | None, seconds: float = SERVER_REQUEST_TIMEOUT_SECONDS
) -> httpx.AsyncClient:
    """Returns a client of a server: with a token, or else over the socket of one of ours here."""
    import httpx

    from unbraid.system.http import client_options

    # Looked for each time: a server of ours may start after its first run.
    socket = None if token else local_socket(url)
    options = client_options(url)
    path = None if socket is None else os.fspath(socket)
    transport = httpx.AsyncHTTPTransport(uds=path, verify=options["verify"])
    if token:
        options["headers"]["Authorization"] = f"Bearer {token}".encode()
    return httpx.AsyncClient(transport=transport, timeout=seconds, **options)


def checked_url(url: str) -> str:
    """Returns the address of a server, or CallerError."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        raise CallerError("not the address of a server (as in http://host:8420)") from None
    if parts.scheme in ("nats", "tls"):
        # Not repeated: it may have a password in it.
        raise CallerError(
            f"{parts.scheme}://… is a shared log, not an unbraid server:"
            f" write to it with `--log {parts.scheme}://…`, without --to"
        )
    if not good or "@" in parts.netloc or parts.query or parts.fragment:
        raise CallerError(f"not the address of a server: {url} (as in http://host:8420)")
    return url
