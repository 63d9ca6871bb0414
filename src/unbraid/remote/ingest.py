"""Another machine's log, as one run's bytes reach it: `POST /v1/ingest/{run}`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

import msgspec
from msgspec import Struct, field

from unbraid.errors import CallerError, UnbraidError
from unbraid.remote.local_socket import local_socket
from unbraid.remote.outbox import Address
from unbraid.timings import SERVER_REQUEST_TIMEOUT_SECONDS
from unbraid.wire.chunk import Chunk
from unbraid.wire.record import BAD_JSON

if TYPE_CHECKING:
    import httpx

MAX_ANSWER_BYTES = 1 << 16
# Busy, restarting, or asking us to come back: all of these pass.
PASSING = frozenset((408, 421, 425, 429))
UNKNOWN = frozenset((401, 403))
REDIRECTS = frozenset((301, 302, 303, 307, 308))


class ServerUnavailable(UnbraidError):
    """The server cannot take the run now."""


class RunRefused(UnbraidError):
    """The server does not take the run, and would not if it were asked again at once."""


class _Problem(Struct):
    message: str = ""
    offset: int | None = None


class _Answer(Struct):
    offset: int | None = None
    error: _Problem = field(default_factory=_Problem)


class IngestClient:
    """Sends the chunks of one run over one kept connection. Blocks: it is used on a thread."""

    def __init__(self, address: Address, token: str | None) -> None:
        # Here, not above: every run imports this module, and few are sent anywhere. And not later:
        # the first request should not also wait for an import.
        from unbraid.system import http

        self._http = http
        self._url = f"{checked_url(address.url).rstrip('/')}/v1/ingest/{quote(address.run)}"
        self._headers: dict[str, Any] = {"Content-Type": "application/octet-stream"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}".encode()
        self._client: httpx.Client | None = None

    def post(self, chunk: Chunk, *, end: bool = False) -> int:
        """Send bytes, and return the offset in their source that the server wants next; raises
        ServerUnavailable or RunRefused.
        """
        query = {"source": chunk.source, "offset": chunk.offset, "at": chunk.arrived_ms}
        target = f"{self._url}?{urlencode(query | ({'end': 1} if end else {}))}"
        kept = self._client is not None
        try:
            status, body = self._exchange(target, chunk.data)
        except self._http.HTTP_ERRORS as error:
            self.close()
            if kept:
                # Servers close idle connections; that says nothing about a new one.
                return self.post(chunk, end=end)
            raise ServerUnavailable(self._http.reason_of(error)) from error
        try:
            answer = msgspec.json.decode(body, type=_Answer)
        except BAD_JSON:
            answer = _Answer()
        wanted = answer.offset if status == 200 else answer.error.offset
        if status in (200, 409) and wanted is not None:
            return wanted
        self.close()
        problem = f"{status} {answer.error.message or '(not the answer of an unbraid server)'}"
        if status in REDIRECTS:
            problem = f"{status}, it has another address: send --to that"
        if status in UNKNOWN:
            raise ServerUnavailable(f"it does not accept the token ({problem})")
        if status in PASSING or status >= 500:
            raise ServerUnavailable(problem)
        raise RunRefused(problem)

    def close(self) -> None:
        """Close the connection."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _exchange(self, target: str, data: bytes) -> tuple[int, bytes]:
        if self._client is None:
            # Looked for each time: a server of ours may start after its first run.
            socket = None if "Authorization" in self._headers else local_socket(self._url)
            self._client = self._http.blocking_client(
                self._url, SERVER_REQUEST_TIMEOUT_SECONDS, socket=socket
            )
        request = self._client.stream("POST", target, content=data, headers=self._headers)
        body = bytearray()
        with request as response:
            for part in response.iter_raw():
                body += part
                if len(body) >= MAX_ANSWER_BYTES:
                    break  # more than anyone wants to read: the connection is closed
        return response.status_code, bytes(body[:MAX_ANSWER_BYTES])


def checked_url(url: str) -> str:
    """Returns the address of a server, or CallerError."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        good = False
    if not good or "@" in parts.netloc or parts.query or parts.fragment:
        raise CallerError(f"not the address of a server: {url} (as in http://host:8420)")
    return url
