"""Another machine's log, as one run's bytes reach it: `POST /v1/ingest/{run}`."""

from __future__ import annotations

import http.client
from urllib.parse import quote, urlencode, urlsplit

import msgspec
from msgspec import Struct, field

from unbraid.errors import CallerError, UnbraidError
from unbraid.remote.outbox import Address
from unbraid.wire.chunk import Chunk
from unbraid.wire.record import BAD_JSON

TIMEOUT_SECONDS = 10.0
MAX_ANSWER_BYTES = 1 << 16
# Busy, restarting, or told to come back: all of these pass.
PASSING = frozenset((408, 421, 425, 429))
UNKNOWN = frozenset((401, 403))


class Away(UnbraidError):
    """The server cannot take it now."""


class Refused(UnbraidError):
    """The server will never take it."""


class _Problem(Struct):
    message: str = ""
    offset: int | None = None


class _Answer(Struct):
    offset: int | None = None
    error: _Problem = field(default_factory=_Problem)


class Recipient:
    """A connection that is there when it is needed."""

    def __init__(self, address: Address, token: str | None) -> None:
        parts = urlsplit(checked_url(address.url))
        self._host, self._secure = parts.netloc, parts.scheme == "https"
        self._path = f"{parts.path.rstrip('/')}/v1/ingest/{quote(address.run)}"
        self._headers = {"Content-Type": "application/octet-stream"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._connection: http.client.HTTPConnection | None = None

    def post(self, chunk: Chunk, *, end: bool = False) -> int:
        """Send bytes; the place in their source that the server wants next. Away or Refused."""
        query = {"source": chunk.source, "offset": chunk.offset, "at": chunk.arrived_ms}
        target = f"{self._path}?{urlencode(query | ({'end': 1} if end else {}))}"
        kept = self._connection is not None
        try:
            status, body = self._exchange(target, chunk.data)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            if kept:
                # Servers close what lies idle; that says nothing about a new connection.
                return self.post(chunk, end=end)
            raise Away(str(error) or type(error).__name__) from error
        try:
            answer = msgspec.json.decode(body, type=_Answer)
        except BAD_JSON:
            answer = _Answer()
        wanted = answer.offset if status == 200 else answer.error.offset
        if status in (200, 409) and wanted is not None:
            return wanted
        self.close()
        problem = f"{status} {answer.error.message or '(no answer of an unbraid)'}"
        if status in UNKNOWN:
            raise Away(f"it does not accept the token ({problem})")
        if status in PASSING or status >= 500:
            raise Away(problem)
        raise Refused(problem)

    def close(self) -> None:
        """Hang up."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _exchange(self, target: str, data: bytes) -> tuple[int, bytes]:
        if self._connection is None:
            kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
            self._connection = kind(self._host, timeout=TIMEOUT_SECONDS)
        self._connection.request("POST", target, data, self._headers)
        response = self._connection.getresponse()
        body = response.read(MAX_ANSWER_BYTES)
        if response.length and len(body) < MAX_ANSWER_BYTES:
            raise http.client.IncompleteRead(body, response.length)
        if not response.isclosed():
            self.close()  # more than anyone wants to read
        return response.status, body


def checked_url(url: str) -> str:
    """The address of a server, or CallerError."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        good = False
    if not good or "@" in parts.netloc or parts.query or parts.fragment:
        raise CallerError(f"not the address of a server: {url} (as in http://host:8420)")
    return url
