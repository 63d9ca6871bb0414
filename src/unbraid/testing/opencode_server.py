"""The person's side of `opencode serve`: a session, its prompts, every event until all is quiet."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from . import loopback
from .model_request import Json
from .process import Child
from .recording import Recording

Reply = Callable[[Json], str]

_LISTENING = re.compile(rb"listening on (http://\S+)")

# After a session is idle, the last words of its parts still come (an abort: seconds later).
_QUIET_SECONDS = 1.0


class ServedSession:
    """Says the prompts to a new session, each when the one before is answered."""

    def __init__(
        self,
        child: Child,
        recording: Recording,
        prompts: Sequence[str],
        *,
        reply: Reply | None = None,
        interrupt_when: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._child, self._recording, self._prompts = child, recording, list(prompts)
        self._reply, self._interrupt_when = reply, interrupt_when
        self._url, self._session = "", ""
        self._idle = False

    async def events(self) -> AsyncIterator[tuple[float, bytes]]:
        """Yields the data of each event, until the session has answered all and is quiet."""
        self._url = await self._address()
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        tasks = [asyncio.create_task(self._read(queue))]
        try:
            # Only a stream that has begun is sure to show the session from its beginning.
            first = await queue.get()
            if first is None:
                raise loopback.Hangup
            yield self._child.seconds, first
            made = await self._post("/session", {"title": self._recording.scenario})
            self._session = made.json()["id"]
            await self._prompt()
            if self._interrupt_when is not None:
                tasks.append(asyncio.create_task(self._interrupt(self._interrupt_when)))
            while (data := await self._next(queue)) is not None:
                yield self._child.seconds, data
                await self._react(json.loads(data))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _next(self, queue: asyncio.Queue[bytes | None]) -> bytes | None:
        while True:
            try:
                async with asyncio.timeout(_QUIET_SECONDS if self._idle else None):
                    return await queue.get()
            except TimeoutError:
                if not self._prompts:
                    return None
                await self._prompt()

    async def _react(self, event: Any) -> None:
        match event:
            case {"type": "session.idle", "properties": {"sessionID": who}}:
                self._idle = self._idle or who == self._session
            case {"type": "session.status", "properties": {"sessionID": who, "status": status}}:
                if who == self._session:
                    self._idle = status["type"] == "idle"
            case {"type": "permission.asked", "properties": asked} if self._reply is not None:
                answer = {"reply": self._reply(asked)}
                await self._send(f"/permission/{asked['id']}/reply", answer)

    async def _prompt(self) -> None:
        self._idle = False
        body = {
            "model": {"providerID": "scripted", "modelID": "one"},
            "parts": [{"type": "text", "text": self._prompts.pop(0)}],
        }
        await self._send(f"/session/{self._session}/prompt_async", body)

    async def _interrupt(self, when: Callable[[], Awaitable[None]]) -> None:
        await when()
        await self._send(f"/session/{self._session}/abort", {})

    async def _send(self, path: str, body: Json) -> None:
        line = {"path": path, "body": body}
        self._recording.sent.append({"t": round(self._child.seconds, 4), "line": line})
        await self._post(path, body)

    async def _post(self, path: str, body: Json) -> loopback.Answer:
        return await loopback.fetch("POST", f"{self._url}{path}", body)

    async def _address(self) -> str:
        async for _, line in self._child.lines():
            if found := _LISTENING.search(line):
                return found[1].decode()
        reason = self._child.stderr.decode("utf-8", "replace")[-500:]
        raise RuntimeError(f"the server ended: {reason}")

    async def _read(self, queue: asyncio.Queue[bytes | None]) -> None:
        rest = b""
        try:
            async for _, chunk in loopback.stream("GET", f"{self._url}/event"):
                self._recording.sse += chunk
                *whole, rest = (rest + chunk).split(b"\n")
                for line in whole:
                    if line.startswith(b"data:"):
                        queue.put_nowait(line.removeprefix(b"data:").strip())
        except (loopback.Hangup, OSError):
            pass
        finally:
            queue.put_nowait(None)
