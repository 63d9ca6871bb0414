"""The person's side of a conversation with Claude Code: prompts, permissions, an interrupt."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from .model_request import Json
from .process import Child

Permit = Callable[[Json], Json]

# After its last answer a CLI with agents in the background begins again by itself when one of them
# reports. Not every version says of every agent that it has ended: so silence is an end, too.
_QUIET_SECONDS = 2.0
# Even when all is said: a CLI whose input ends at once may leave its transcripts unwritten.
_WRITING_SECONDS = 0.5
_QUIET_WITH_AGENTS_SECONDS = 10.0
_ENDED = ("completed", "failed", "killed", "stopped", "cancelled")


def allow(request: Json) -> Json:
    """Permit the tool as it was asked for."""
    return {"behavior": "allow", "updatedInput": request["input"]}


def deny(request: Json) -> Json:
    """Refuse the tool."""
    return {"behavior": "deny", "message": "scripted: not that one"}


class Conversation:
    """Says the prompts, each when the one before is answered, then ends the input."""

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
