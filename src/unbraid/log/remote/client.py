"""Another unbraid server, asked over HTTP."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

import httpx
import msgspec
from msgspec import Struct, field

from unbraid.log.remote.ingest import RemoteError, ServerProblem, ServerUnreachable, checked_url
from unbraid.log.remote.local_socket import local_socket
from unbraid.read.record import BAD_JSON
from unbraid.system.http import CLOSED_ERRORS, HTTP_ERRORS, client_options, reason_of
from unbraid.timings import SERVER_REQUEST_TIMEOUT_SECONDS

# Its sign of life comes every 15 s: a stream that is silent for longer is dead.
SERVER_SILENCE_TIMEOUT_SECONDS = 40.0
NOT_FOUND = 404

T = TypeVar("T")
Query = Mapping[str, str | int | None]


class _Refusal(Struct):
    error: ServerProblem = field(default_factory=ServerProblem)


class RemoteServer:
    """A server by its address. GET requests share one connection, and every other request opens a
    new one.
    """

    def __init__(self, url: str, token: str | None) -> None:
        self.url = checked_url(url).rstrip("/")
        self._has_token = bool(token)
        options = client_options(self.url)
        options["timeout"] = SERVER_REQUEST_TIMEOUT_SECONDS
        headers = options["headers"]
        headers["Accept"] = "application/json, application/x-ndjson"
        if token:
            headers["Authorization"] = f"Bearer {token}".encode()
        self._options = options
        self._is_lost = False
        self._connect(None if token else local_socket(self.url))

    def _connect(self, socket: Path | None) -> None:
        options, path = self._options, None if socket is None else os.fspath(socket)
        self._socket = socket

        def client(kept: int) -> httpx.AsyncClient:
            limits = httpx.Limits(max_keepalive_connections=kept)
            verify = options["verify"]
            transport = httpx.AsyncHTTPTransport(uds=path, verify=verify, limits=limits)
            return httpx.AsyncClient(transport=transport, **options)

        self._kept = client(1)
        # What is to be done is never done twice, so never over a connection that may be dead.
        self._new = client(0)

    async def get(self, path: str, kind: type[T], **query: str | int | None) -> T:
        """Returns the answer to a question, decoded."""
        return self._decoded(await self._get(self._target(path, query)), kind)

    async def post(self, path: str, body: Mapping[str, Any] | None = None) -> None:
        """Sends a request that changes something."""
        headers = {} if body is None else {"Content-Type": "application/json"}
        content = None if body is None else msgspec.json.encode(body)
        target = self._target(path, {})
        await self._reconnect_after_loss()
        try:
            answer = await self._new.post(target, content=content, headers=headers)
        except HTTP_ERRORS as error:
            raise self._lost(error) from None
        self._checked(answer.status_code, answer.content)

    async def page(self, path: str, **query: str | int | None) -> list[bytes]:
        """Returns the events that are there, as JSON lines."""
        return (await self._get(self._target(path, query))).splitlines()

    async def lines(self, path: str, **query: str | int | None) -> AsyncIterator[list[bytes]]:
        """Yields events as JSON lines, as they come, until the server ends them; first an empty
        batch, as soon as it answers.
        """
        target = self._target(path, query)
        await self._reconnect_after_loss()
        try:
            async with self._new.stream(
                "GET", target, timeout=SERVER_SILENCE_TIMEOUT_SECONDS
            ) as answer:
                if answer.status_code != 200:
                    self._checked(answer.status_code, await answer.aread())
                    return  # there is nothing more to come
                yield []
                rest = b""
                async for data in answer.aiter_raw():
                    *whole, rest = (rest + data).split(b"\n")
                    yield [line for line in whole if line]
        except HTTP_ERRORS as error:
            raise self._lost(error) from None

    async def close(self) -> None:
        """Closes all connections."""
        await self._kept.aclose()
        await self._new.aclose()

    async def _reconnect_after_loss(self) -> None:
        """Finds our own server again after a loss: it may have come back at another socket."""
        if not self._is_lost or self._has_token:
            return
        found = local_socket(self.url)
        if found is not None:
            self._is_lost = False
            if found != self._socket:
                before = self._kept, self._new
                self._connect(found)
                for client in before:
                    await client.aclose()

    def _target(self, path: str, query: Query) -> str:
        given = {name: value for name, value in query.items() if value is not None}
        return f"{self.url}{quote(path)}{'?' if given else ''}{urlencode(given)}"

    async def _get(self, target: str) -> bytes:
        await self._reconnect_after_loss()
        try:
            try:
                answer = await self._kept.get(target)
            except httpx.ConnectError:
                raise
            except CLOSED_ERRORS:
                # Servers close idle connections; that says nothing about a new one.
                answer = await self._kept.get(target)
        except HTTP_ERRORS as error:
            raise self._lost(error) from None
        self._checked(answer.status_code, answer.content)
        return answer.content

    def _checked(self, status: int, body: bytes) -> None:
        if status < 300:
            return
        try:
            problem = msgspec.json.decode(body, type=_Refusal).error.message
        except BAD_JSON:
            problem = ""
        problem = problem or f"{status}, which is not the answer of an unbraid server"
        if status == 401:
            known = "it does not accept the token"
            problem = known if self._has_token else "it requires a token: --token, or UNBRAID_TOKEN"
        raise RemoteError(self.url, status, problem)

    def _decoded(self, body: bytes, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(body, type=kind)
        except BAD_JSON:
            raise RemoteError(self.url, 0, "this is not the answer of an unbraid server") from None

    def _lost(self, error: Exception) -> RemoteError:
        self._is_lost = True
        return ServerUnreachable(self.url, 0, f"cannot be reached: {reason_of(error)}")
