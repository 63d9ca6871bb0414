"""A real server on a free port, over a real SQLite file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Protocol

import httpx
import pytest

from tests.access import PLAIN, TOKEN, client_at
from unbraid.log import SqliteLog
from unbraid.serve import ServeConfig, ServeLimits, Server, serving


class Start(Protocol):
    """Starts a server with some settings."""

    async def __call__(self, *, limits: ServeLimits = ..., **settings: Any) -> Server: ...


@pytest.fixture
async def log(tmp_path: Path) -> AsyncIterator[SqliteLog]:
    log = await SqliteLog.open(tmp_path / "log.db")
    yield log
    await log.close()


@pytest.fixture
async def start(log: SqliteLog) -> AsyncIterator[Start]:
    async with AsyncExitStack() as stack:

        async def starter(*, limits: ServeLimits | None = None, **settings: Any) -> Server:
            parts = {
                n: settings.pop(n)
                for n in ("pipeline", "controllers", "orchestrating")
                if n in settings
            }
            settings.setdefault("tokens", (TOKEN,))
            config = ServeConfig(
                port=0, limits=limits or ServeLimits(shutdown_seconds=1), **settings
            )
            return await stack.enter_async_context(serving(config, log, **parts))

        yield starter


@pytest.fixture
async def server(start: Start) -> Server:
    return await start()


@pytest.fixture
async def client_of() -> AsyncIterator[Callable[..., httpx.AsyncClient]]:
    clients: list[httpx.AsyncClient] = []

    def make(server: Server, **settings: Any) -> httpx.AsyncClient:
        # A test that gives a server other tokens is about who is let in.
        known = TOKEN in server.services.config.tokens
        given = {**PLAIN, "timeout": 30, **settings}
        client = (
            client_at(server.url, **given)
            if known
            else httpx.AsyncClient(base_url=server.url, **given)
        )
        clients.append(client)
        return client

    yield make
    for client in clients:
        await client.aclose()


@pytest.fixture
async def client(server: Server, client_of: Callable[..., httpx.AsyncClient]) -> httpx.AsyncClient:
    return client_of(server)
