"""The real server over a real log, which tests can stop, start and fill."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.block_rows import stream_of
from tests.ports import free_port
from tests.record.run.agents import log_path
from unbraid.events import FleetEvent
from unbraid.log import SqliteLog
from unbraid.record.sessions.stored_sessions import StoredSessionList
from unbraid.serve import ServeConfig, ServeLimits, Server, serving
from unbraid.steer.controllers import Controllers, OtherProcesses
from unbraid.system.sockets import SocketChannel

BATCH = 5000


class Site:
    """A server at one address for the length of a test, whether it is up or not."""

    def __init__(
        self, path: Path, *, env: Mapping[str, str] | None = None, **settings: Any
    ) -> None:
        """With `env`, the sessions that are stored there are on the page, too."""
        self.path, self._env, self._settings = path, env, settings
        # Its own while it is stopped: nobody is given one of these by chance.
        self._port = free_port()
        self._open = AsyncExitStack()
        self.server: Server
        self.log: SqliteLog

    async def __aenter__(self) -> Site:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    @property
    def url(self) -> str:
        """The page's address."""
        return f"{self.server.url}/"

    async def start(self) -> None:
        """Open the log and listen, at the port it had before."""
        self.log = await SqliteLog.open(self.path)
        self._open.push_async_callback(self.log.close)
        config = ServeConfig(
            port=self._port,
            limits=ServeLimits(shutdown_seconds=1),
            home=self.path.parent,
            **self._settings,
        )
        controllers = Controllers(OtherProcesses(SocketChannel(self.path.parent)))
        history = None
        if self._env is not None:
            history = StoredSessionList(self.log, self._env, self.path.parent)
            self._open.push_async_callback(history.close)
            await history.read(warn=lambda text: None)
        served = serving(config, self.log, controllers=controllers, stored_sessions=history)
        self.server = await self._open.enter_async_context(served)

    async def stop(self) -> None:
        """Stop in good order; the log stays on disk."""
        await self._open.aclose()
        self._open = AsyncExitStack()

    async def restart(self, **settings: Any) -> None:
        """Start anew, with other settings."""
        await self.stop()
        self._settings = settings
        await self.start()

    async def feed(self, run: str, recording: Path) -> None:
        """Take a recording in, as if it were sent from elsewhere."""
        data = stream_of(recording).read_bytes()
        now = int(time.time() * 1000)
        await self.server.services.ingest.feed(run, "stdout", 0, data, now=now, end=True)

    async def append(self, run: str, events: Sequence[FleetEvent]) -> None:
        """Made events, straight into the log."""
        for start in range(0, len(events), BATCH):
            await self.log.append(run, events[start : start + BATCH])


@asynccontextmanager
async def site_at(folder: Path, **settings: Any) -> AsyncIterator[Site]:
    """A site over the log that programs write whose HOME is this folder."""
    async with Site(log_path(folder), **settings) as site:
        yield site
