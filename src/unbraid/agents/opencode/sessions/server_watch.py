"""One of OpenCode's servers, watched: its sessions live, word by word, and what steers them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from unbraid.agents.opencode.sessions.controller import ServerController
from unbraid.agents.opencode.sessions.server import OpenCodeServer
from unbraid.errors import SourceError
from unbraid.system.clock import now_ms
from unbraid.timings import RECENT_ROWS_MS

# A server that has gone may come back on the same port.
SERVER_RECONNECT_SECONDS = 1.0


class LinesTaker(Protocol):
    """Takes lines of a root session; `whole` if they are its state from the beginning."""

    def __call__(self, root: str, lines: list[bytes], *, whole: bool = False) -> None:
        """Takes them."""


class ServerWatch:
    """Gives out what one server reports, in the event loop, and has a controller for each of its
    root sessions.
    """

    def __init__(
        self, server: OpenCodeServer, give: LinesTaker, warn: Callable[[str], None]
    ) -> None:
        self.controllers: dict[str, ServerController] = {}
        self.is_others = False  # a server of another program than the one whose sessions we watch
        self._server, self._give, self._warn = server, give, warn

    async def run(self) -> None:
        """Follows the server until it is cancelled, and connects again after a loss."""
        while True:
            try:
                # The stream first, then the state: what happens in between comes twice, not never.
                async with self._server.events() as events:
                    # Every edition is given every address; only one of them follows it.
                    self.is_others = not await self._server.is_of_edition()
                    if self.is_others:
                        return
                    await self._follow(events)
            except SourceError as error:
                self._warn(str(error))
                await asyncio.sleep(SERVER_RECONNECT_SECONDS)

    async def _follow(self, events: AsyncIterator[tuple[str, bytes]]) -> None:
        lines: asyncio.Queue[tuple[str, bytes] | SourceError] = asyncio.Queue()
        reading = asyncio.create_task(_read(events, lines))
        try:
            for root, state in await self._server.snapshot(now_ms() - RECENT_ROWS_MS):
                self._take(root, state, whole=True)
            while True:
                item = await lines.get()
                if isinstance(item, SourceError):
                    raise item
                self._take(item[0], [item[1]])
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    def _take(self, root: str, lines: list[bytes], *, whole: bool = False) -> None:
        controller = self.controllers.get(root)
        if controller is None:
            controller = self.controllers[root] = ServerController(self._server, root)
        noted = [controller.note(line) if b'"permission.' in line else line for line in lines]
        self._give(root, noted, whole=whole)


async def _read(
    events: AsyncIterator[tuple[str, bytes]], lines: asyncio.Queue[tuple[str, bytes] | SourceError]
) -> None:
    """Reads what the server sends at once into a queue, however long its lines take to be
    handled.
    """
    try:
        async for item in events:
            lines.put_nowait(item)
    except SourceError as error:
        lines.put_nowait(error)
