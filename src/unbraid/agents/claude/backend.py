"""Agents run by Claude Code: one process each, which gets its messages over stdin.

Sub-agents that it spawns by its own means run in the foreground here: a turn is over when all of
it is over. Claude Code's own settings decide whether a tool may be used; if they say "ask", the
request comes as `permission_asked` and waits for `answer`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from pathlib import Path

from unbraid.agents.agent_spec import AgentSpec
from unbraid.agents.claude.process import stdin as claude_input
from unbraid.agents.claude.process.command import (
    FIRST_FORWARDING,
    FIRST_PARTIAL,
    FIRST_TOOLS,
    FIRST_WITHOUT_HISTORY,
)
from unbraid.agents.control_port import UnknownRequest, allows
from unbraid.agents.turn_limit import TurnLimit, interrupted_turn_timeout
from unbraid.errors import BackendError
from unbraid.events import (
    PermissionAsked,
    PermissionReplied,
    RelayEvent,
    SubAgentEnded,
    SubAgentSpawned,
    TurnComplete,
)
from unbraid.read.translator import Translator
from unbraid.system.process import Program, start_program
from unbraid.system.versions import Release, version_of
from unbraid.timings import AGENT_START_TIMEOUT_SECONDS

NAME = "claude"
MAX_LINE_BYTES = 16 << 20

_TALKING = (
    "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
    "--permission-prompt-tool", "stdio",
)  # fmt: skip
# The tools of releases that only take a list of what they may not use.
_EARLY_TOOLS = (
    "Task", "Bash", "Glob", "Grep", "LS", "Read", "Edit", "MultiEdit", "Write", "NotebookEdit",
    "WebFetch", "WebSearch", "TodoWrite", "BashOutput", "KillShell", "KillBash", "SlashCommand",
    "ExitPlanMode",
)  # fmt: skip
_ADVICE_MISSING = "install Claude Code, or name its command"
_ADVICE_ENDED = "ask again, or try the same agent on another backend"


class ClaudeBackend:
    """Claude Code as it is installed here; `args` are further options of its own.

    `keeps_sessions` leaves every conversation in Claude Code's own history. One that has printed
    nothing `start_seconds` after its first message is taken for dead.
    """

    def __init__(
        self,
        command: Sequence[str] | None = None,
        *,
        args: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        keeps_sessions: bool = False,
        start_seconds: float = AGENT_START_TIMEOUT_SECONDS,
    ) -> None:
        given = dict(os.environ if env is None else env)
        self._command = command or shlex.split(given.get("UNBRAID_CLAUDE") or "claude")
        self._args = tuple(args)
        given.pop("CLAUDECODE", None)  # or it takes itself for a part of the one around us
        self._env = {**given, "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1"}
        self._cwd, self._keeps_sessions = cwd or Path.cwd(), keeps_sessions
        self._start_seconds = start_seconds
        self._release: Release = ()
        self._asking = asyncio.Lock()

    @contextlib.asynccontextmanager
    async def open(self, agent: AgentSpec) -> AsyncIterator[ClaudeConversation]:
        async with self._asking:
            self._release = self._release or await version_of(self._command, self._env)
        # One that does not say is taken for a new one: rather an option that it does not know than
        # a tool that was not given.
        release = self._release or (sys.maxsize,)
        argv = [*self._command, *self._arguments(agent, release), *self._args]
        async with start_program(
            NAME, argv, env=self._env, cwd=self._cwd, advice=_ADVICE_MISSING
        ) as program:
            await program.write(claude_input.initialize(claude_input.new_request_id()))
            yield ClaudeConversation(program, self._start_seconds)

    async def close(self) -> None:
        """Does nothing: conversations share nothing."""

    def _arguments(self, agent: AgentSpec, release: Release) -> list[str]:
        # With `=`: a prompt or a name may begin with a dash, and a list swallows what follows it.
        args = list(_TALKING)
        if release >= FIRST_PARTIAL:
            args.append("--include-partial-messages")
        if release >= FIRST_FORWARDING:
            args.append("--forward-subagent-text")
        if agent.prompt:
            args.append(f"--append-system-prompt={agent.prompt}")
        if agent.model not in (None, "inherit"):
            args.append(f"--model={agent.model}")
        args += _tools(agent, release)
        if not self._keeps_sessions and release >= FIRST_WITHOUT_HISTORY:
            args.append("--no-session-persistence")
        return args


def _tools(agent: AgentSpec, release: Release) -> list[str]:
    """Returns the options that give an agent its own tools and no others."""
    args: list[str] = []
    denied = [tool for tool in agent.denied if not tool.startswith("/")]
    if agent.backend_tools is not None:
        names = {tool.partition("(")[0] for tool in agent.backend_tools}
        built_in = sorted(name for name in names if not name.startswith("mcp__"))
        if len(built_in) == len(names):
            args.append("--strict-mcp-config")
        if release >= FIRST_TOOLS:
            args.append(f"--tools={','.join(built_in)}")
        else:
            denied += [name for name in _EARLY_TOOLS if name not in names]
    return [*args, f"--disallowedTools={','.join(denied)}"] if denied else args


class ClaudeConversation:
    """One process, one conversation."""

    def __init__(self, program: Program, start_seconds: float) -> None:
        self._program, self._start_seconds = program, start_seconds
        self._translator = Translator(max_line_bytes=MAX_LINE_BYTES)
        self._running: set[str] = set()
        self._waiting: dict[str, PermissionAsked] = {}
        self._replied: list[RelayEvent] = []
        self._speaks = self._in_turn = False

    @property
    def pid(self) -> int:
        """The process, and its group."""
        return self._program.pid

    async def say(self, message: str) -> AsyncGenerator[RelayEvent, None]:
        if self._in_turn:
            await self._settle()
        self._in_turn = True
        limit = TurnLimit(NAME)
        try:
            await self._program.write(claude_input.prompt(_words(message)))
            while self._in_turn:
                data = await self._read()
                for event in self._events_of(data):
                    limit.count(event)
                    yield event
                if not data:
                    raise await self._failure()
        finally:
            if self._in_turn:
                self._program.post(claude_input.interrupt(claude_input.new_request_id()))

    async def answer(self, request_id: str, behavior: str, message: str | None) -> None:
        asked = self._waiting.get(request_id)
        if asked is None:
            raise UnknownRequest(request_id)
        if allows(behavior):
            line = claude_input.allow(request_id, asked.input)
        else:
            line = claude_input.deny(request_id, message or "Not allowed.")
        del self._waiting[request_id]
        self._replied.append(
            PermissionReplied(asked.context, asked.ts, request_id, behavior=behavior)
        )
        await self._program.write(line)

    async def _settle(self) -> None:
        """Pass over the rest of a turn that was interrupted."""
        async with interrupted_turn_timeout(NAME):
            while self._in_turn:
                data = await self._read()
                self._events_of(data)
                if not data:
                    raise await self._failure()

    async def _read(self) -> bytes:
        if self._speaks:
            return await self._program.read()
        try:
            async with asyncio.timeout(self._start_seconds):
                data = await self._program.read()
        except TimeoutError:
            problem = f"silent for {self._start_seconds:g} s after its start"
            raise BackendError(NAME, problem, "see whether `claude -p hello` answers") from None
        self._speaks = True
        return data

    def _events_of(self, data: bytes) -> list[RelayEvent]:
        """Returns the events of these bytes; the end of the turn last."""
        events = self._translator.feed(data) if data else self._translator.finish()
        events_out, self._replied = self._replied, []
        over: TurnComplete | None = None
        for event in events:
            if isinstance(event, TurnComplete) and not event.context:
                over = event
                continue
            if isinstance(event, SubAgentSpawned):
                self._running.add(event.context)
            elif isinstance(event, SubAgentEnded):
                self._running.discard(event.context)
            elif isinstance(event, PermissionAsked):
                self._waiting[event.request_id] = event
            elif isinstance(event, PermissionReplied):
                if event.request_id not in self._waiting:
                    continue  # guessed from the result; the answer itself was emitted
                del self._waiting[event.request_id]
            events_out.append(event)
        # A turn with agents in the background is not over: it continues when they report.
        if over is not None and not self._running:
            self._in_turn = False
            self._waiting.clear()
            events_out.append(over)
        return events_out

    async def _failure(self) -> BackendError:
        self._in_turn = False
        return await self._program.failure(_ADVICE_ENDED)


def _words(message: str) -> str:
    # At its very beginning a slash is a command of the CLI's own, and agents only talk.
    return f" {message}" if message.startswith("/") else message
