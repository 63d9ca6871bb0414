"""A watched session of Claude Code that runs its hooks: real commands, made files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.polling import until
from tests.record.watch.writing import Writer, append
from unbraid.agents.claude.hooks.commands import ASK, command
from unbraid.agents.control_port import AnswerDetails
from unbraid.events import FleetEvent, FleetPermissionReplied
from unbraid.machine import Machine
from unbraid.steer.permissions import PermissionRequest, answer_request, answerable_requests

TIMEOUT_SECONDS = 60
NAMED = "claude-code_2-1-325_harness"
BASH = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "npm test"}}
RULE = {
    "type": "addRules",
    "rules": [{"toolName": "Bash", "ruleContent": "npm test *"}],
    "behavior": "allow",
    "destination": "localSettings",
}


class Hook:
    """A hook that a CLI has started."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self._printed: asyncio.Task[tuple[bytes, bytes]] | None = None

    async def said(self) -> tuple[int, str, str]:
        """How it has ended, and what it printed."""
        if self._printed is None:
            self._printed = asyncio.create_task(self.process.communicate())
        out, err = await self._printed
        assert self.process.returncode is not None
        return self.process.returncode, out.decode(), err.decode()

    async def answer(self) -> Any:
        """What it answers; None if it leaves it to the CLI."""
        code, out, err = await self.said()
        assert (code, err) == (0, "")
        return json.loads(out)["hookSpecificOutput"] if out.strip() else None


class Watched:
    """A session that is watched, and calls its hooks."""

    def __init__(self, machine: Machine, writer: Writer) -> None:
        self.machine, self.writer = machine, writer
        self.folder = machine.home / "hooks"
        self.hooks: list[Hook] = []

    async def hook(
        self, what: str, event: str, *, entrypoint: str = "cli", version: str = NAMED, **given: Any
    ) -> Hook:
        """Start one."""
        body = {
            "session_id": self.writer.session,
            "transcript_path": str(self.writer.main),
            "hook_event_name": event,
            **given,
        }
        process = await asyncio.create_subprocess_exec(
            "/bin/sh", "-c", command(what, self.folder),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={
                "PATH": "/usr/bin:/bin",
                "CLAUDE_CODE_ENTRYPOINT": entrypoint,
                "AI_AGENT": version,
            },
        )  # fmt: skip
        assert process.stdin is not None
        process.stdin.write(json.dumps(body).encode())
        process.stdin.close()
        self.hooks.append(Hook(process))
        return self.hooks[-1]

    async def ask(self, **given: Any) -> Hook:
        """Start one that asks for a permission."""
        asked = {"tool_name": "Bash", "tool_input": BASH["input"], **given}
        return await self.hook(ASK, "PermissionRequest", **asked)

    async def pending(self, count: int = 1) -> list[PermissionRequest]:
        """What waits here, when there are so many."""
        return await until(self.waiting, lambda found: len(found) == count)

    async def waiting(self) -> list[PermissionRequest]:
        """What waits here now."""
        machine = self.machine
        return (await answerable_requests(machine.log, machine.controllers)).requests

    async def answer(self, behavior: str, message: str | None = None, **details: Any) -> None:
        """Answer the one that waits."""
        [request] = await self.pending()
        given = AnswerDetails(by="me", where="page", **details)
        await self.answer_to(request.request_id, behavior, message, given)

    async def answer_to(
        self,
        request_id: str,
        behavior: str,
        message: str | None = None,
        details: AnswerDetails | None = None,
    ) -> None:
        """Answer one."""
        await answer_request(
            self.machine.log,
            self.machine.controllers,
            request_id,
            behavior,
            message=message,
            details=details,
        )

    async def events(self) -> list[FleetEvent]:
        """The permission events of the log."""
        types = ("permission_asked", "permission_replied")
        found = await self.machine.log.read(self.writer.session, 0, 1000, types=types)
        return [entry.event for entry in found]

    async def replies(self, count: int) -> list[FleetPermissionReplied]:
        """The answers in the log, when there are so many."""

        async def replies() -> list[FleetPermissionReplied]:
            return [e for e in await self.events() if isinstance(e, FleetPermissionReplied)]

        return await until(replies, lambda found: len(found) >= count)


def env_of(home: Path) -> dict[str, str]:
    return {
        "HOME": str(home),
        "PATH": "",
        "CLAUDE_CONFIG_DIR": str(home / "claude"),
        "UNBRAID_HOME": str(home / "unbraid"),
    }


@asynccontextmanager
async def watched(home: Path) -> AsyncIterator[Watched]:
    """A session in the middle of a turn, watched."""
    writer = Writer(home / "claude")
    if not writer.main.exists():
        append(writer.main, writer.prompt() + writer.answer([BASH]))
    async with asyncio.timeout(TIMEOUT_SECONDS):
        async with Machine(env=env_of(home)) as machine, machine.watching():
            await until((machine.home / "hooks" / "hook.sock").is_socket)
            session = Watched(machine, writer)
            yield session
        # None is left when nobody listens: one that were would be warned of in a later test.
        for hook in session.hooks:
            await hook.said()
