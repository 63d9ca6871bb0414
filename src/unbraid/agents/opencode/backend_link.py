"""The connection to an OpenCode server: one that is started here, or one that runs already."""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx

from unbraid.agents.opencode.editions import OPENCODE, Edition
from unbraid.agents.opencode.sessions.server import authorization, event_lines
from unbraid.errors import BackendError
from unbraid.system.http import client_options, reason_of
from unbraid.system.process import Program, start_program
from unbraid.timings import (
    AGENT_SERVER_REQUEST_TIMEOUT_SECONDS,
    AGENT_SERVER_SILENCE_TIMEOUT_SECONDS,
)

_LISTENING = re.compile(rb"listening on (http://\S+)")
_ADVICE_GONE = "ask again, or try the same agent on another backend"


class ServerLink:
    """Requests to a server, and its events; `program` is the server where it is ours."""

    def __init__(
        self, client: httpx.AsyncClient, program: Program | None, edition: Edition = OPENCODE
    ) -> None:
        self._client, self._program, self.name = client, program, edition.name
        self.url = str(client.base_url)

    @property
    def pid(self) -> int | None:
        """The server's process, if it is ours."""
        return None if self._program is None else self._program.pid

    @property
    def alive(self) -> bool:
        """Whether it is worth asking; True for a server that is not ours, because its state is
        unknown.
        """
        return self._program is None or self._program.alive

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        """Sends one request, and returns its answer."""
        try:
            answer = await self._client.request(method, path, json=body)
        except httpx.HTTPError as error:
            raise await self._lost(error) from None
        if not answer.is_success:
            problem = f"{method} {path}: {answer.status_code} {answer.text[:500]}".rstrip()
            raise BackendError(self.name, problem, _ADVICE_GONE)
        return answer.json() if answer.content else None

    @contextlib.asynccontextmanager
    async def events(self) -> AsyncIterator[AsyncIterator[bytes]]:
        """Opens the stream of its events from now on, each a line, for as long as the context
        lasts.
        """
        try:
            async with (
                self._client.stream(
                    "GET", "/event", timeout=AGENT_SERVER_SILENCE_TIMEOUT_SECONDS
                ) as answer,
                contextlib.aclosing(self._lines(answer)) as lines,
            ):
                await anext(lines)  # it greets: from now on nothing is missed
                yield lines
        except httpx.HTTPError as error:
            raise await self._lost(error) from None

    async def _lines(self, answer: httpx.Response) -> AsyncGenerator[bytes, None]:
        try:
            async for line in event_lines(answer):
                yield line
        except httpx.HTTPError as error:
            raise await self._lost(error) from None
        raise await self._lost(None)

    async def _lost(self, error: httpx.HTTPError | None) -> BackendError:
        if self._program is not None and not isinstance(error, httpx.TimeoutException):
            return await self._program.failure(_ADVICE_GONE)
        problem = reason_of(error) if error else "the server has closed the connection"
        return BackendError(self.name, f"{self.url}: {problem}", _ADVICE_GONE)


@contextlib.asynccontextmanager
async def running_server(
    url: str, *, env: Mapping[str, str], cwd: Path, edition: Edition = OPENCODE
) -> AsyncIterator[ServerLink]:
    """Connects to a running server; its password is in the environment, as for its own clients."""
    async with _client(url, env, cwd, edition=edition) as client:
        yield ServerLink(client, None, edition)


@contextlib.asynccontextmanager
async def own_server(
    command: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    start_seconds: float,
    edition: Edition = OPENCODE,
) -> AsyncIterator[ServerLink]:
    """Starts a server of our own, for as long as the context lasts."""
    # Every program on this machine can reach its port.
    env = {edition.variable("SERVER_PASSWORD"): secrets.token_urlsafe(24), **env}
    argv = [*command, "serve", "--hostname", "127.0.0.1", "--port", "0"]
    async with start_program(
        edition.name,
        argv,
        env=env,
        cwd=cwd,
        reads_stdin=False,
        advice=f"install {edition.title}, or name its command",
    ) as program:
        try:
            async with asyncio.timeout(start_seconds):
                url = await _address(program, edition)
        except TimeoutError:
            problem = f"not ready {start_seconds:g} s after its start"
            raise BackendError(edition.name, problem, _whether_it_starts(edition)) from None
        reading = asyncio.create_task(_read_on(program))
        try:
            async with _client(url, env, cwd, edition=edition) as client:
                yield ServerLink(client, program, edition)
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


def _client(url: str, env: Mapping[str, str], cwd: Path, *, edition: Edition) -> httpx.AsyncClient:
    options = client_options(url)
    options["headers"] |= authorization(env, edition)
    return httpx.AsyncClient(
        base_url=url,
        params={"directory": str(cwd)},
        timeout=AGENT_SERVER_REQUEST_TIMEOUT_SECONDS,
        limits=httpx.Limits(max_connections=None),
        **options,
    )


def _whether_it_starts(edition: Edition) -> str:
    return f"see whether `{edition.name} serve` starts"


async def _address(program: Program, edition: Edition) -> str:
    printed = b""
    while data := await program.read():
        printed = (printed + data)[-8192:]
        if found := _LISTENING.search(printed):
            return found[1].decode()
    raise await program.failure(_whether_it_starts(edition))


async def _read_on(program: Program) -> None:
    while await program.read():
        pass
