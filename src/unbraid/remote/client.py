"""A server of ours elsewhere, asked over HTTP. Calls block on threads, and are awaited here."""

from __future__ import annotations

import asyncio
import http.client
import socket
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import msgspec
from msgspec import Struct, field

from unbraid.errors import LogError
from unbraid.remote.ingest import checked_url
from unbraid.wire.record import BAD_JSON

TIMEOUT_SECONDS = 10.0
# Its sign of life comes every 15 s: a stream that is silent for longer is dead.
SILENCE_SECONDS = 40.0
READ_BYTES = 1 << 16
NOT_FOUND = 404

T = TypeVar("T")
Query = Mapping[str, str | int | None]


class Unanswered(LogError):
    """The server does not give what it was asked for; `status` is 0 if it gives nothing at all."""

    def __init__(self, url: str, status: int, problem: str) -> None:
        super().__init__(f"{url}: {problem}")
        self.status, self.problem = status, problem


class _Problem(Struct):
    message: str = ""


class _Refusal(Struct):
    error: _Problem = field(default_factory=_Problem)


class RemoteServer:
    """A server by its address, with one connection for calls and one for each stream."""

    def __init__(self, url: str, token: str | None) -> None:
        parts = urlsplit(checked_url(url))
        self.url = url.rstrip("/")
        self._host, self._secure = parts.netloc, parts.scheme == "https"
        self._path = parts.path.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._connection: http.client.HTTPConnection | None = None
        self._calling = threading.Lock()

    async def get(self, path: str, kind: type[T], **query: str | int | None) -> T:
        """What a path tells."""
        return self._decoded(await asyncio.to_thread(self._get, self._target(path, query)), kind)

    async def post(self, path: str, body: Mapping[str, Any] | None = None) -> None:
        """Have something done."""
        data = None if body is None else msgspec.json.encode(body)
        await asyncio.to_thread(self._post, self._target(path, {}), data)

    async def page(self, path: str, **query: str | int | None) -> list[bytes]:
        """The events that are there, as JSON lines."""
        return (await asyncio.to_thread(self._get, self._target(path, query))).splitlines()

    async def lines(self, path: str, **query: str | int | None) -> AsyncIterator[list[bytes]]:
        """Events as JSON lines, as they come, until the server ends them; first an empty batch, as
        soon as it answers.
        """
        connection, sock = self._connect(SILENCE_SECONDS), None
        try:
            await asyncio.to_thread(self._open, connection)
            # Held: a connection lets go of it when the server says that it will close.
            sock = connection.sock
            target = self._target(path, query)
            answer = await asyncio.to_thread(self._asked, connection, "GET", target, None)
            if answer.status != 200:
                self._checked(answer.status, await asyncio.to_thread(self._some, answer))
                return  # there is nothing more to come
            yield []
            rest = b""
            while data := await asyncio.to_thread(self._some, answer):
                *whole, rest = (rest + data).split(b"\n")
                yield [line for line in whole if line]
        finally:
            # A thread may be reading, which wakes up by this.
            with suppress(OSError):
                if sock is not None:
                    sock.shutdown(socket.SHUT_RDWR)
            connection.close()

    async def close(self) -> None:
        """Hang up."""
        if self._connection is not None:
            self._connection.close()

    def _target(self, path: str, query: Query) -> str:
        given = {name: value for name, value in query.items() if value is not None}
        return f"{self._path}{quote(path)}{'?' if given else ''}{urlencode(given)}"

    def _connect(self, seconds: float) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        return kind(self._host, timeout=seconds)

    def _get(self, target: str) -> bytes:
        with self._calling:
            kept = self._connection is not None
            try:
                status, data = self._kept(target)
            except Unanswered:
                if not kept:
                    raise
                # Servers close what lies idle; that says nothing about a new connection.
                status, data = self._kept(target)
        self._checked(status, data)
        return data

    def _kept(self, target: str) -> tuple[int, bytes]:
        """A question over the connection that is kept, and the answer to it."""
        self._connection = connection = self._connection or self._connect(TIMEOUT_SECONDS)
        try:
            return self._answered(connection, "GET", target, None)
        except Unanswered:
            connection.close()
            self._connection = None
            raise

    def _post(self, target: str, body: bytes | None) -> None:
        # Never twice, so never over a connection that may be dead.
        connection = self._connect(TIMEOUT_SECONDS)
        try:
            status, data = self._answered(connection, "POST", target, body)
        finally:
            connection.close()
        self._checked(status, data)

    def _answered(
        self, connection: http.client.HTTPConnection, method: str, target: str, body: bytes | None
    ) -> tuple[int, bytes]:
        answer = self._asked(connection, method, target, body)
        try:
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise self._lost(error) from None

    def _asked(
        self, connection: http.client.HTTPConnection, method: str, target: str, body: bytes | None
    ) -> http.client.HTTPResponse:
        headers = {**self._headers, "Accept": "application/json, application/x-ndjson"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            connection.request(method, target, body, headers)
            return connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            raise self._lost(error) from None

    def _open(self, connection: http.client.HTTPConnection) -> None:
        try:
            connection.connect()
        except (OSError, http.client.HTTPException) as error:
            raise self._lost(error) from None

    def _some(self, answer: http.client.HTTPResponse) -> bytes:
        try:
            return answer.read1(READ_BYTES)
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise self._lost(error) from None

    def _checked(self, status: int, body: bytes) -> None:
        if status < 300:
            return
        try:
            problem = msgspec.json.decode(body, type=_Refusal).error.message
        except BAD_JSON:
            problem = ""
        problem = problem or f"{status}, which is no answer of an unbraid"
        if status == 401:
            known = "it does not accept the token"
            problem = known if self._headers else "it wants a token: --token, or UNBRAID_TOKEN"
        raise Unanswered(self.url, status, problem)

    def _decoded(self, body: bytes, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(body, type=kind)
        except BAD_JSON:
            raise Unanswered(self.url, 0, "this is no answer of an unbraid") from None

    def _lost(self, error: Exception) -> Unanswered:
        reason = error.strerror if isinstance(error, OSError) else None
        reason = reason or str(error) or type(error).__name__
        return Unanswered(self.url, 0, f"cannot be reached: {reason}")
