"""Agents run by Codex: an app-server of its own for each, which reports every thread word by word.

Codex's own settings decide whether a command may be run; if they say that Codex asks, the request
comes as `permission_asked` and waits for `answer`. Codex has no way to give an agent some of its
tools and not others, so an agent that is limited in this way is refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from unbraid.agents.agent_spec import AgentSpec
from unbraid.agents.codex.app_server import ServerClient, ServerMessage, text_input
from unbraid.agents.codex.dialect.dispatcher import CodexDialect
from unbraid.agents.control_port import allows
from unbraid.agents.turn_limit import TurnLimit, interrupted_turn_timeout
from unbraid.errors import BackendError
from unbraid.events import RelayEvent, TurnComplete
from unbraid.read.lines import Lines
from unbraid.read.translator import Translator
from unbraid.system.process import Program, start_program
from unbraid.timings import AGENT_START_TIMEOUT_SECONDS

NAME = "codex"
_ADVICE_MISSING = "install Codex, or name its command in UNBRAID_CODEX"
_ADVICE_GONE = "ask again, or try the same agent on another backend"
_ADVICE_TOOLS = "leave `tools` out of the agent's file, or give it another backend"


class CodexBackend:
    """Codex as it is installed here."""

    def __init__(
        self,
        command: Sequence[str] | None = None,
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        start_seconds: float = AGENT_START_TIMEOUT_SECONDS,
    ) -> None:
        self._env = dict(os.environ if env is None else env)
        self._command = command or shlex.split(self._env.get("UNBRAID_CODEX") or "codex")
        self._cwd, self._start_seconds = cwd or Path.cwd(), start_seconds

    @contextlib.asynccontextmanager
    async def open(self, agent: AgentSpec) -> AsyncIterator[CodexConversation]:
        """Starts an app-server, and a thread for an agent in it."""
        denied = [tool for tool in agent.denied if not tool.startswith("/")]
        if agent.backend_tools is not None or denied:
            problem = f"cannot limit {agent.name} to some tools"
            raise BackendError(NAME, problem, _ADVICE_TOOLS)
        wanted: dict[str, Any] = {"cwd": str(self._cwd)}
        if agent.prompt:
            wanted["developerInstructions"] = agent.prompt
        if agent.model not in (None, "inherit"):
            wanted["model"] = agent.model
        async with start_program(
            NAME,
            [*self._command, "app-server"],
            env=self._env,
            cwd=self._cwd,
            advice=_ADVICE_MISSING,
        ) as program:
            conversation = CodexConversation(program)
            try:
                async with asyncio.timeout(self._start_seconds):
                    await conversation.begin(wanted)
            except TimeoutError:
                problem = f"not ready {self._start_seconds:g} s after its start"
                raise BackendError(NAME, problem, "see whether `codex app-server` starts") from None
            yield conversation

    async def close(self) -> None:
        """Does nothing: conversations share nothing."""


class CodexConversation:
    """One thread of an app-server."""

    def __init__(self, program: Program) -> None:
        self.session = ""
        self._program = program
        self._server = ServerClient(self._write)
        self._unwritten = b""
        self._lines, self._read = Lines(), list[bytes]()
        self._translator = Translator(dialects={NAME: CodexDialect})
        self._turn: str | None = None
        self._known: list[RelayEvent] = []

    async def begin(self, wanted: Mapping[str, Any]) -> None:
        """Introduces ourselves, and begins a thread."""
        await self._answered(self._server.introduce)
        result = await self._call("thread/start", wanted)
        self.session = str(result["thread"]["id"])

    async def say(self, message: str) -> AsyncGenerator[RelayEvent, None]:
        """Runs one turn, and yields its events as they come."""
        if self._turn is not None:
            # What a turn that was interrupted still says is dropped.
            async with interrupted_turn_timeout(NAME):
                while self._turn is not None:
                    await self._events()
        limit = TurnLimit(NAME)
        given = {"threadId": self.session, "input": text_input(message)}
        result = await self._call("turn/start", given)
        self._turn = str(result["turn"]["id"])
        try:
            known, self._known = self._known, []
            for event in known:
                limit.count(event)
                yield event
            while self._turn is not None:
                for event in await self._events():
                    limit.count(event)
                    yield event
        finally:
            if self._turn is not None:
                params = {"threadId": self.session, "turnId": self._turn}
                self._server.request("turn/interrupt", params)
                await self._flush()

    async def answer(self, request_id: str, behavior: str, message: str | None) -> None:
        """Answers a permission request: `behavior` is allow or deny."""
        self._server.answer(request_id, allow=allows(behavior))
        await self._flush()

    async def _call(self, method: str, params: Mapping[str, Any]) -> Any:
        return await self._answered(partial(self._server.request, method, params))

    async def _answered(self, ask: Callable[[Callable[[ServerMessage], object]], None]) -> Any:
        """Sends a request, and returns its answer; what comes before that is kept."""
        replies: list[ServerMessage] = []
        ask(replies.append)
        while not replies:
            self._known += await self._events()
        if replies[0].problem is not None:
            raise BackendError(NAME, replies[0].problem, _ADVICE_GONE)
        return replies[0].result

    def _write(self, data: bytes) -> None:
        self._unwritten += data

    async def _flush(self) -> None:
        data, self._unwritten = self._unwritten, b""
        with contextlib.suppress(OSError):  # that it is gone is seen at its stdout
            await self._program.write(data)

    async def _events(self) -> list[RelayEvent]:
        """Returns what is new in the next line; notes permission requests, and the end of the
        turn.
        """
        await self._flush()
        while not self._read:
            data = await self._program.read()
            if not data:
                raise await self._program.failure(_ADVICE_GONE)
            self._read += [line for line in self._lines.feed(data) if isinstance(line, bytes)]
        line = self._read.pop(0)
        self._server.read(line)
        events = self._translator.feed(line + b"\n")
        for event in events:
            if isinstance(event, TurnComplete) and not event.context:
                self._turn = None
        return events
