"""Watch a server of OpenCode's: its sessions live, word by word, and in our hands."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

from unbraid.agents.opencode.server import RECENT_MS, OpenCodeServer
from unbraid.control.controllers import VERBS, Controllers, Pending
from unbraid.control.resume import agent_of
from unbraid.control.sockets import steerable
from unbraid.errors import CallerError, SourceError
from unbraid.launch.run_log import now_ms
from unbraid.log.port import Log
from unbraid.watch.opencode_rows import WatchedRows

RECONNECT_SECONDS = 1.0


class WatchedServer:
    """One server. Its lines go to the same runs as the database's, where both are there.

    Other processes steer its sessions through `home`, our folder.
    """

    def __init__(
        self,
        server: OpenCodeServer,
        rows: WatchedRows,
        log: Log,
        controllers: Controllers,
        warn: Callable[[str], None],
        home: Path,
    ) -> None:
        self._server, self._rows, self._warn, self._home = server, rows, warn, home
        self._log, self._controllers = log, controllers
        self._steered: dict[str, OpenCodeController] = {}
        self._listening = AsyncExitStack()

    async def run(self) -> None:
        """Follow it for ever, whatever happens to the connection."""
        async with self._listening:
            await self._follow()

    async def _follow(self) -> None:
        while True:
            try:
                # The stream first, then the state: what happens in between comes twice, not never.
                async with self._server.events() as events:
                    await self._take(events)
            except SourceError as error:
                self._warn(str(error))
                await asyncio.sleep(RECONNECT_SECONDS)

    async def _take(self, events: AsyncIterator[tuple[str, bytes]]) -> None:
        lines: asyncio.Queue[tuple[str, bytes] | SourceError] = asyncio.Queue()
        reading = asyncio.create_task(_read(events, lines))
        try:
            for root, told in await self._server.snapshot(now_ms() - RECENT_MS):
                await self._tell(root, told, whole=True)
            while True:
                item = await lines.get()
                if isinstance(item, SourceError):
                    raise item
                await self._tell(item[0], [item[1]])
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def _tell(self, root: str, told: list[bytes], *, whole: bool = False) -> None:
        run = await self._rows.told(root, told, whole=whole)
        if run is None:
            return
        steering = self._steered.get(root)
        if steering is None:
            steering = self._steered[root] = OpenCodeController(self._server, self._log, run, root)
            self._controllers.register(run, steering)
            await self._listening.enter_async_context(steerable(self._home, steering, root))
        elif steering.run != run:
            # The run before has ended, and the session goes on.
            self._controllers.unregister(steering.run)
            self._controllers.register(run, steering)
            steering.run = run
        for line in told:
            if b'"permission.' in line:
                steering.noted(line)


async def _read(
    events: AsyncIterator[tuple[str, bytes]], lines: asyncio.Queue[tuple[str, bytes] | SourceError]
) -> None:
    """Read at once what the server sends, however long we take over it."""
    try:
        async for item in events:
            lines.put_nowait(item)
    except SourceError as error:
        lines.put_nowait(error)


class OpenCodeController:
    """The controller of one root session on a server."""

    def __init__(self, server: OpenCodeServer, log: Log, run: str, root: str) -> None:
        self.run = run
        self._server, self._log, self._root = server, log, root
        self._pending: dict[str, Pending] = {}

    def noted(self, line: bytes) -> None:
        """An event about a permission."""
        event = json.loads(line)
        given = event.get("properties", {})
        if event.get("type") == "permission.asked":
            tool, about = str(given.get("permission", "")), given.get("metadata")
            asked = Pending(self.run, str(given.get("id")), tool, about, ts=now_ms())
            self._pending[asked.request_id] = asked
        else:
            self._pending.pop(str(given.get("requestID") or given.get("permissionID")), None)

    def verbs(self) -> list[str]:
        """A server can be told everything."""
        return list(VERBS)

    def pending(self) -> list[Pending]:
        """The requests that wait for an answer."""
        return list(self._pending.values())

    async def message(self, text: str) -> None:
        """Tell the root agent something more."""
        parts = [{"type": "text", "text": text}]
        await self._post(f"/session/{self._root}/prompt_async", {"parts": parts})

    async def interrupt(self) -> None:
        """Stop what the root agent does now; the run goes on."""
        await self._post(f"/session/{self._root}/abort", {})

    async def cancel(self) -> None:
        """End the run: a session on a server has no other end than to do nothing more."""
        await self.interrupt()

    async def stop(self, stream_id: int) -> None:
        """End one sub-agent."""
        child = await agent_of(self._log, self.run, stream_id)
        if child is None:
            raise CallerError(f"the session of stream {stream_id} is not known yet")
        await self._post(f"/session/{child}/abort", {})

    async def answer(self, request_id: str, behavior: str, message: str | None) -> None:
        """Answer one: `behavior` is allow or deny."""
        if behavior not in ("allow", "deny"):
            raise CallerError(f"not an answer: {behavior}")
        reply = "once" if behavior == "allow" else "reject"
        await self._post(f"/permission/{request_id}/reply", {"reply": reply})
        self._pending.pop(request_id, None)

    async def _post(self, path: str, body: object) -> None:
        try:
            await self._server.call("POST", path, body)
        except SourceError as error:
            raise CallerError(str(error)) from None
