"""Agents run by OpenCode: one server for all, a session each.

Every turn listens to the server's events on a connection of its own, so an agent whose events are
not read delays no other agent. OpenCode's own settings decide whether a tool may be used; if they
say "ask", the request comes as `permission_asked` and waits for `answer`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
import shlex
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec

from unbraid.agents.agent_spec import AgentSpec
from unbraid.agents.control_port import UnknownRequest, allows
from unbraid.agents.opencode.editions import OPENCODE, Edition
from unbraid.agents.opencode.records import SessionTree
from unbraid.agents.opencode.server import OpenCodeServer, ServerGone
from unbraid.agents.turn_limit import TurnLimit, interrupted_turn_timeout
from unbraid.errors import BackendError, SourceError
from unbraid.events import Error, PermissionAsked, RelayEvent, TurnComplete
from unbraid.read.translator import Translator
from unbraid.system.process import Program, start_program
from unbraid.timings import AGENT_START_TIMEOUT_SECONDS

# A server is asked this often whether that turn has ended.
AGENT_INTERRUPT_POLL_SECONDS = 0.05
# Sessions of ours are deleted when we are done with them; a server that is gone is not waited for.
SESSION_DELETE_TIMEOUT_SECONDS = 5.0

# It would ask a person something, and wait forever.
_NEVER = ("question",)
# To refuse one of them is to refuse them all.
_EDITING = ("edit", "write", "multiedit", "patch", "apply_patch")
_LISTENING = re.compile(rb"listening on (http://\S+)")
_ADVICE_GONE = "ask again, or try the same agent on another backend"


class OpenCodeBackend:
    """OpenCode as it is installed here, or a server of it at `url`.

    `keeps_sessions` leaves every conversation in OpenCode's own history.
    """

    def __init__(
        self,
        command: Sequence[str] | None = None,
        *,
        url: str | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        keeps_sessions: bool = False,
        start_seconds: float = AGENT_START_TIMEOUT_SECONDS,
        edition: Edition = OPENCODE,
    ) -> None:
        self._edition = edition
        self._env = dict(os.environ if env is None else env)
        chosen = f"UNBRAID_{edition.variables}"
        self._command = command or shlex.split(self._env.get(chosen) or edition.name)
        self._url = url or self._env.get(f"{chosen}_URL")
        self._cwd, self._keeps_sessions = cwd or Path.cwd(), keeps_sessions
        self._start_seconds = start_seconds
        self._link: ServerLink | None = None
        self._stack, self._starting = AsyncExitStack(), asyncio.Lock()

    @property
    def pid(self) -> int | None:
        return None if self._link is None else self._link.pid

    @contextlib.asynccontextmanager
    async def open(self, agent: AgentSpec) -> AsyncIterator[OpenCodeConversation]:
        link = await self._linked()
        about: dict[str, Any] = {"system": agent.prompt} if agent.prompt else {}
        if agent.model not in (None, "inherit"):
            about["model"] = _model(agent.model or "", self._edition)
        about["tools"] = await _refused(link, agent)
        rules = await _no_servers(link, agent.backend_tools)
        wanted = {"title": agent.name, **({"permission": rules} if rules else {})}
        info = await link.call("POST", "/session", wanted)
        conversation = OpenCodeConversation(link, info, about)
        try:
            yield conversation
        finally:
            await conversation.end(forget=not self._keeps_sessions)

    async def close(self) -> None:
        self._link = None
        await self._stack.aclose()

    async def _linked(self) -> ServerLink:
        async with self._starting:
            if self._link is None or not self._link.alive:
                await self.close()
                if self._url:
                    server = OpenCodeServer(
                        self._url, self._env, edition=self._edition, folder=self._cwd
                    )
                    self._link = ServerLink(server, self._edition)
                else:
                    started = own_server(
                        self._command,
                        env=self._env,
                        cwd=self._cwd,
                        start_seconds=self._start_seconds,
                        edition=self._edition,
                    )
                    self._link = await self._stack.enter_async_context(started)
            return self._link


class ServerLink:
    """A server that agents run on, `program` where it is ours. Its errors are a backend's."""

    def __init__(
        self, server: OpenCodeServer, edition: Edition, program: Program | None = None
    ) -> None:
        self._server, self._program, self.name = server, program, edition.name
        self.url = server.url

    @property
    def pid(self) -> int | None:
        """The server's process, if it is ours."""
        return None if self._program is None else self._program.pid

    @property
    def alive(self) -> bool:
        """Whether it is worth asking; True for a server that is not ours, because its state is
        unknown.
        """
        return self._program is None or self._program.alive

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        """Sends one request, and returns its answer."""
        async with self._blamed():
            return await self._server.call(method, path, body)

    @contextlib.asynccontextmanager
    async def events(self) -> AsyncIterator[AsyncIterator[bytes]]:
        """Opens the stream of its events from now on, each a line, for as long as the context
        lasts.
        """
        async with (
            self._blamed(),
            self._server.events() as lines,
            contextlib.aclosing(self._lines(lines)) as own_lines,
        ):
            await anext(own_lines)  # it greets: from now on nothing is missed
            yield own_lines

    async def _lines(self, lines: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
        async with self._blamed():
            async for line in lines:
                yield line

    @contextlib.asynccontextmanager
    async def _blamed(self) -> AsyncIterator[None]:
        try:
            yield
        except SourceError as error:
            if self._program is not None and isinstance(error, ServerGone):
                raise await self._program.failure(_ADVICE_GONE) from None
            raise BackendError(self.name, str(error), _ADVICE_GONE) from None


@contextlib.asynccontextmanager
async def own_server(
    command: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    start_seconds: float,
    edition: Edition = OPENCODE,
) -> AsyncIterator[ServerLink]:
    """Starts a server of our own, for as long as the context lasts."""
    # Every program on this machine can reach its port.
    env = {edition.variable("SERVER_PASSWORD"): secrets.token_urlsafe(24), **env}
    argv = [*command, "serve", "--hostname", "127.0.0.1", "--port", "0"]
    advice = f"see whether `{edition.name} serve` starts"
    async with start_program(
        edition.name,
        argv,
        env=env,
        cwd=cwd,
        reads_stdin=False,
        advice=f"install {edition.title}, or name its command",
    ) as program:
        try:
            async with asyncio.timeout(start_seconds):
                url = await _address(program, advice)
        except TimeoutError:
            problem = f"not ready {start_seconds:g} s after its start"
            raise BackendError(edition.name, problem, advice) from None
        reading = asyncio.create_task(_read_on(program))
        try:
            server = OpenCodeServer(url, env, edition=edition, folder=cwd)
            yield ServerLink(server, edition, program)
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


async def _address(program: Program, advice: str) -> str:
    printed = b""
    while data := await program.read():
        printed = (printed + data)[-8192:]
        if found := _LISTENING.search(printed):
            return found[1].decode()
    raise await program.failure(advice)


async def _read_on(program: Program) -> None:
    while await program.read():
        pass


class OpenCodeConversation:
    """One session, one conversation."""

    def __init__(self, link: ServerLink, info: dict[str, Any], about: dict[str, Any]) -> None:
        self._link, self._info, self._about = link, info, about
        self.session: str = info["id"]
        self._tree = SessionTree()
        self._translator: Translator | None = None
        self._waiting: set[str] = set()
        self._in_turn = False

    async def say(self, message: str) -> AsyncGenerator[RelayEvent, None]:
        if self._in_turn:
            # What a turn that was aborted still says is dropped.
            async with interrupted_turn_timeout(self._link.name):
                while await self._busy():  # noqa: ASYNC110
                    await asyncio.sleep(AGENT_INTERRUPT_POLL_SECONDS)
            self._translator, self._in_turn = None, False
        sound = message.encode("utf-8", "replace").decode()
        prompt = {**self._about, "parts": [{"type": "text", "text": sound}]}
        limit = TurnLimit(self._link.name)
        async with self._link.events() as lines:
            self._in_turn = True
            try:
                for event in self._begun():
                    yield event
                await self._link.call("POST", f"/session/{self.session}/prompt_async", prompt)
                async for line in lines:
                    for event in await self._events_of(line):
                        limit.count(event)
                        yield event
                    if not self._in_turn:
                        return
            except BackendError:
                for event in self._finished():
                    yield event
                raise
            finally:
                if self._in_turn:
                    await self._abort()

    async def answer(self, request_id: str, behavior: str, message: str | None) -> None:
        allowed = allows(behavior)
        if request_id not in self._waiting:
            raise UnknownRequest(request_id)
        self._waiting.discard(request_id)
        body = {"reply": "once" if allowed else "reject"}
        if not allowed and message:
            body["message"] = message
        await self._link.call("POST", f"/permission/{request_id}/reply", body)

    async def end(self, *, forget: bool) -> None:
        """Stops whatever it still does; with `forget`, removes the session."""
        if self._in_turn:
            await self._abort()
        if forget:
            await self._request_stop("DELETE", f"/session/{self.session}")

    def _begun(self) -> list[RelayEvent]:
        if self._translator is not None:
            return []
        self._translator = Translator()
        created = {"type": "session.created", "properties": {"info": self._info}}
        return self._translator.feed(msgspec.json.encode(created) + b"\n")

    def _finished(self) -> list[RelayEvent]:
        """Returns the ends of its sub-agents that are still at work: nothing reads them any
        more.
        """
        translator, self._translator = self._translator, None
        events = [] if translator is None else translator.finish()
        return [event for event in events if not isinstance(event, TurnComplete)]

    async def _events_of(self, line: bytes) -> list[RelayEvent]:
        """Returns the relay events of one event of our session; nothing for those of others."""
        if self._tree.root_of(line) != self.session:
            return []
        assert self._translator is not None
        events = self._translator.feed(line + b"\n")
        for event in list(events):
            if isinstance(event, PermissionAsked):
                self._waiting.add(event.request_id)
            elif isinstance(event, TurnComplete) and not event.context:
                self._in_turn = False
            elif isinstance(event, Error) and not event.context and not await self._busy():
                # It has failed before it began, and will never say that it is over.
                self._in_turn = False
                events.append(
                    TurnComplete(
                        context="", ts=event.ts, ok=False, subtype="failed", result=event.message
                    )
                )
        return events

    async def _busy(self) -> bool:
        # It lists those that do something.
        states: dict[str, Any] = await self._link.call("GET", "/session/status")
        return states.get(self.session, {}).get("type") in ("busy", "retry")

    async def _abort(self) -> None:
        await self._request_stop("POST", f"/session/{self.session}/abort")

    async def _request_stop(self, method: str, path: str) -> None:
        if self._link.alive:
            with contextlib.suppress(BackendError, TimeoutError):
                async with asyncio.timeout(SESSION_DELETE_TIMEOUT_SECONDS):
                    await self._link.call(method, path)


def _model(written: str, edition: Edition) -> dict[str, str]:
    provider, slash, model = written.partition("/")
    if not slash:
        advice = "write it as provider/model, as in anthropic/claude-sonnet-4-5"
        raise BackendError(edition.name, f"{written[:80]!r} names no provider", advice)
    return {"providerID": provider, "modelID": model}


async def _refused(link: ServerLink, agent: AgentSpec) -> dict[str, bool]:
    """Returns the tools that an agent does not have. Those it has stay as OpenCode's
    settings say.
    """
    refused = {*_NEVER, *map(_name, agent.denied)}
    if agent.backend_tools is not None:
        given = set(map(_name, agent.backend_tools))
        if not given.isdisjoint(_EDITING):
            given.update(_EDITING)
        refused.update(set(await link.call("GET", "/experimental/tool/ids")) - given)
    return dict.fromkeys(sorted(refused), False)


async def _no_servers(link: ServerLink, tools: Sequence[str] | None) -> list[dict[str, str]]:
    """Returns rules against the tools of MCP servers, except servers of which a tool was given."""
    if tools is None:
        return []
    servers = await link.call("GET", "/mcp")
    return [
        {"permission": f"{server}_*", "pattern": "*", "action": "deny"}
        for server in servers
        if not any(tool.startswith(f"{server}_") for tool in tools)
    ]


def _name(tool: str) -> str:
    """Returns a tool as OpenCode calls it, which Claude Code may call `Bash(git status)`."""
    return tool.partition("(")[0].lower()
