"""One of OpenCode's servers, watched: its sessions live, word by word, and what steers them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable

from msgspec.structs import replace

from unbraid.agents.control_port import VERBS, AnswerDetails, PermissionRequest, refuse_details
from unbraid.agents.opencode.sessions.server import OpenCodeServer
from unbraid.errors import CallerError, SourceError
from unbraid.system.clock import now_ms
from unbraid.timings import RECENT_ROWS_MS, SERVER_RECONNECT_SECONDS

# Takes a root session, lines of it, and whether they are its whole state from the beginning.
Give = Callable[[str, list[bytes], bool], None]


class ServerWatch:
    """Gives out what one server reports, in the event loop, and has a controller for each of its
    root sessions.
    """

    def __init__(self, server: OpenCodeServer, give: Give, warn: Callable[[str], None]) -> None:
        self.controllers: dict[str, ServerController] = {}
        self.is_others = False  # a server of another program than the one whose sessions we watch
        self._server, self._give, self._warn = server, give, warn

    async def run(self) -> None:
        """Follow it for ever, whatever happens to the connection."""
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
        for line in lines:
            if b'"permission.' in line:
                controller.note(line)
        self._give(root, lines, whole)


async def _read(
    events: AsyncIterator[tuple[str, bytes]], lines: asyncio.Queue[tuple[str, bytes] | SourceError]
) -> None:
    """Read at once what the server sends, however long we take over it."""
    try:
        async for item in events:
            lines.put_nowait(item)
    except SourceError as error:
        lines.put_nowait(error)


class ServerController:
    """The controller of one root session on a server."""

    def __init__(self, server: OpenCodeServer, root: str) -> None:
        self.run = ""
        self._server, self._root = server, root
        self._agent_of: Callable[[int], Awaitable[str | None]] | None = None
        self._pending: dict[str, PermissionRequest] = {}

    def goes_to(self, run: str, agent_of: Callable[[int], Awaitable[str | None]]) -> None:
        """Notes which run records the session from now on."""
        self.run, self._agent_of = run, agent_of

    def note(self, line: bytes) -> None:
        """Take in an event about a permission."""
        event = json.loads(line)
        given = event.get("properties", {})
        if event.get("type") == "permission.asked":
            tool, about = str(given.get("permission", "")), given.get("metadata")
            asked = PermissionRequest(self.run, str(given.get("id")), tool, about, ts=now_ms())
            always = given.get("always")
            if isinstance(always, list) and always:
                asked.always = [", ".join(map(str, always))]
            self._pending[asked.request_id] = asked
        else:
            self._pending.pop(str(given.get("requestID") or given.get("permissionID")), None)

    def verbs(self) -> list[str]:
        """Returns all verbs: a server can do everything."""
        return list(VERBS)

    def pending(self) -> list[PermissionRequest]:
        """Returns the requests that wait for an answer."""
        for request in self._pending.values():
            request.run = self.run
        return list(self._pending.values())

    async def message(self, text: str) -> None:
        """Send the root agent a further message."""
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
        child = None if self._agent_of is None else await self._agent_of(stream_id)
        if child is None:
            raise CallerError(f"the session of stream {stream_id} is not known yet")
        await self._post(f"/session/{child}/abort", {})

    async def answer(
        self,
        request_id: str,
        behavior: str,
        message: str | None,
        details: AnswerDetails | None = None,
    ) -> None:
        """Answer one: `behavior` is allow or deny."""
        if behavior not in ("allow", "deny"):
            raise CallerError(f"not a valid answer: {behavior}")
        always = details is not None and bool(details.always)
        if details is not None:
            refuse_details(replace(details, always=[]))
        reply = "reject" if behavior == "deny" else "always" if always else "once"
        body = {"reply": reply, **({"message": message} if message and reply == "reject" else {})}
        await self._post(f"/permission/{request_id}/reply", body)
        self._pending.pop(request_id, None)

    async def _post(self, path: str, body: object) -> None:
        try:
            await self._server.call("POST", path, body)
        except SourceError as error:
            raise CallerError(str(error)) from None
