"""The person's side of `opencode serve`: a session, its prompts, every event until all is quiet."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from typing import Any

from . import loopback
from .asking import Json
from .process import Child
from .recording import Recording

_LISTENING = re.compile(rb"listening on (http://\S+)")

# After an idle session the last words of its parts still come.
_QUIET_SECONDS = 1.0


async def events(
    child: Child, title: str, prompts: Sequence[str], recording: Recording
) -> AsyncIterator[tuple[float, bytes]]:
    """Say the prompts to a new session, one after the other, and give the data of each event."""
    url = await _address(child)
    queue: asyncio.Queue[bytes | None] = asyncio.Queue()
    reading = asyncio.create_task(_read(f"{url}/event", queue, recording))
    try:
        first = await queue.get()
        if first is None:
            raise loopback.Hangup
        yield child.seconds, first
        session = (await loopback.fetch("POST", f"{url}/session", {"title": title})).json()["id"]
        left = list(prompts)
        await _prompt(url, session, left.pop(0), recording, child)
        idle = False
        while True:
            try:
                async with asyncio.timeout(_QUIET_SECONDS if idle else None):
                    data = await queue.get()
            except TimeoutError:
                if not left:
                    return
                await _prompt(url, session, left.pop(0), recording, child)
                idle = False
                continue
            if data is None:
                return
            yield child.seconds, data
            idle = _idle(json.loads(data), session, idle=idle)
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


async def _address(child: Child) -> str:
    async for _, line in child.lines():
        if found := _LISTENING.search(line):
            return found[1].decode()
    raise RuntimeError("the server ended: " + child.stderr.decode("utf-8", "replace")[-500:])


async def _prompt(url: str, session: str, text: str, recording: Recording, child: Child) -> None:
    body: Json = {
        "model": {"providerID": "scripted", "modelID": "one"},
        "parts": [{"type": "text", "text": text}],
    }
    recording.sent.append({"t": round(child.seconds, 4), "line": body})
    await loopback.fetch("POST", f"{url}/session/{session}/prompt_async", body)


async def _read(url: str, queue: asyncio.Queue[bytes | None], recording: Recording) -> None:
    rest = b""
    try:
        async for _, chunk in loopback.stream("GET", url):
            recording.sse += chunk
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                if line.startswith(b"data:"):
                    queue.put_nowait(line.removeprefix(b"data:").strip())
    except (loopback.Hangup, OSError):
        pass
    finally:
        queue.put_nowait(None)


def _idle(event: Any, session: str, *, idle: bool) -> bool:
    match event:
        case {"type": "session.idle", "properties": {"sessionID": who}} if who == session:
            return True
        case {"type": "session.status", "properties": {"sessionID": who, "status": status}}:
            return status.get("type") == "idle" if who == session else idle
        case _:
            return idle
