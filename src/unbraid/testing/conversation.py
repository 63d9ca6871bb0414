"""The person's side of a conversation with a CLI: prompts, permissions, an interrupt."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from . import loopback
from .process import Child
from .recording import Recording
from .script import Json

Permit = Callable[[Json], Json]
Reply = Callable[[Json], str]

# After its last answer a CLI with agents in the background begins again by itself when one of them
# reports. Not every version says of every agent that it has ended: so silence is an end, too.
_QUIET_SECONDS = 2.0
# Even when all is said: a CLI whose input ends at once may leave its transcripts unwritten.
_WRITING_SECONDS = 0.5
_QUIET_WITH_AGENTS_SECONDS = 10.0
# After a session of OpenCode is idle, the last words of its parts still come (an abort: seconds
# later).
_IDLE_SECONDS = 1.0
_ENDED = ("completed", "failed", "killed", "stopped", "cancelled")
_LISTENING = re.compile(rb"listening on (http://\S+)")


def allow(request: Json) -> Json:
    """Permit the tool as it was asked for."""
    return {"behavior": "allow", "updatedInput": request["input"]}


def deny(request: Json) -> Json:
    """Refuse the tool."""
    return {"behavior": "deny", "message": "scripted: not that one"}


class Conversation:
    """Says the prompts to Claude Code, each when the one before is answered; ends the input."""

    def __init__(
        self,
        child: Child,
        prompts: Sequence[str],
        permit: Permit,
        interrupt_when: Callable[[], Awaitable[None]] | None,
    ) -> None:
        self.sent: list[Json] = []
        self._child, self._permit = child, permit
        self._prompts = list(prompts)
        self._requests = 0
        self._tasks: set[str] = set()
        self._returned: set[str] = set()
        self._answered = False
        self._quiet_seconds = _QUIET_SECONDS
        self._quiet: asyncio.TimerHandle | None = None
        self._interrupt_when = interrupt_when
        self._interrupting: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Introduce ourselves, and say the first prompt."""
        await self._request({"subtype": "initialize", "hooks": None, "forwardSubagentText": True})
        await self._prompt()
        if self._interrupt_when is not None:
            self._interrupting = asyncio.create_task(self._interrupt(self._interrupt_when))

    async def react(self, line: bytes) -> None:
        """Answer a line, if it wants an answer."""
        try:
            record = json.loads(line)
        except ValueError:
            return
        self._watch_tasks(record)
        match record:
            case {"type": "control_request", "request": {"subtype": "can_use_tool"} as request}:
                response = {
                    "subtype": "success",
                    "request_id": record["request_id"],
                    "response": self._permit(request),
                }
                await self._send({"type": "control_response", "response": response})
            case {"type": "system", "subtype": "init"}:
                self._answered = False
            case {"type": "result"} if self._prompts:
                await self._prompt()
            case {"type": "result"}:
                self._answered = True
                self._quiet_seconds = _QUIET_SECONDS if self._tasks else _WRITING_SECONDS
        self._wait_for_quiet()

    def _wait_for_quiet(self) -> None:
        if self._quiet is not None:
            self._quiet.cancel()
            self._quiet = None
        if self._answered:
            seconds = _QUIET_WITH_AGENTS_SECONDS if self._tasks else self._quiet_seconds
            loop = asyncio.get_running_loop()
            self._quiet = loop.call_later(seconds, self._child.end_input)

    async def end(self) -> None:
        """Stop waiting for anything."""
        if self._quiet is not None:
            self._quiet.cancel()
        if self._interrupting is not None:
            self._interrupting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._interrupting

    def _watch_tasks(self, record: Any) -> None:
        match record:
            case {"type": "user", "tool_use_result": {"status": "completed"}}:
                for block in record["message"]["content"]:
                    self._returned.add(block.get("tool_use_id"))
            case {"type": "system", "subtype": "task_started", "task_id": task}:
                # Some versions report an agent only after it has returned, and never its end.
                if record.get("tool_use_id") not in self._returned:
                    self._tasks.add(task)
            case {"type": "system", "subtype": "task_notification", "task_id": task}:
                self._tasks.discard(task)
            case {"type": "system", "subtype": "task_updated", "task_id": task, "patch": patch}:
                if patch.get("status") in _ENDED:
                    self._tasks.discard(task)

    async def _interrupt(self, when: Callable[[], Awaitable[None]]) -> None:
        await when()
        await self._request({"subtype": "interrupt"})

    async def _prompt(self) -> None:
        text = self._prompts.pop(0)
        message = {"role": "user", "content": [{"type": "text", "text": text}]}
        line = {"type": "user", "message": message, "parent_tool_use_id": None, "session_id": ""}
        await self._send(line)

    async def _request(self, request: Json) -> None:
        self._requests += 1
        request_id = f"req_{self._requests}"
        await self._send({"type": "control_request", "request_id": request_id, "request": request})

    async def _send(self, line: Json) -> None:
        self.sent.append({"t": round(self._child.seconds, 4), "line": line})
        await self._child.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")


class ServedSession:
    """Says the prompts to a new session of `opencode serve`, each when the one before is answered;
    reads every event until all is quiet.
    """

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
                async with asyncio.timeout(_IDLE_SECONDS if self._idle else None):
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
