"""Answers the hooks of all of Claude Code's sessions."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw, Struct, field

from unbraid.agents.claude.hooks.commands import ASK, ORDERS, WAIT
from unbraid.agents.claude.hooks.session import HookedSession, HookLines, HookRequest
from unbraid.agents.claude.places import SESSION_ID
from unbraid.agents.hook_port import HookCall, HookServices
from unbraid.events import EMPTY_OBJECT
from unbraid.system.clock import now_ms
from unbraid.system.liveness import start_of
from unbraid.timings import PROCESS_CHECK_SECONDS

# A request that shows nothing in its terminal is given back to it if it was not answered by then.
HOOK_UNSEEN_HOLD_SECONDS = 300.0

KIND = "claude"
# With this begins what Claude Code itself submits when a background agent has ended.
BACKGROUND_REPORT = "<task-notification>"
_AGENT_ID = re.compile(r"[A-Za-z0-9_.-]{1,100}")
# How newer versions name themselves. Asked to stop before a tool is used, older ones (2.1.197)
# refuse the tool, but continue the turn.
_VERSION = re.compile(r"claude-code_(\d{1,4})-(\d{1,4})-(\d{1,4})_.*")
_FIRST_THAT_OBEYS = (2, 1, 325)


class HookInput(Struct):
    """What Claude Code gives to a hook."""

    session_id: str
    hook_event_name: str = ""
    transcript_path: str = ""
    agent_id: str | None = None
    agent_type: str | None = None
    tool_name: str = ""
    tool_input: Raw = EMPTY_OBJECT
    prompt: str = ""
    permission_suggestions: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        if SESSION_ID.fullmatch(self.session_id) is None:
            raise ValueError("not a session id")
        if self.agent_id is not None and _AGENT_ID.fullmatch(self.agent_id) is None:
            raise ValueError("not an agent id")


class HookReceiver:
    """The sessions that have called, and those that are to be steered. `meet` is given the
    transcripts of those that call, to find them sooner.

    All of it belongs to the event loop, except `lines`, which other threads ask for.
    """

    def __init__(self, meet: Callable[[Path], None]) -> None:
        self._meet = meet
        self._services: HookServices | None = None
        self._sessions: dict[str, HookedSession] = {}
        self._callers: set[str] = set()  # sessions that have called
        self._lines: dict[str, HookLines] = {}

    def begin(self, services: HookServices) -> None:
        """Notes that hooks are listened to from now on."""
        self._services = services

    def session(self, session_id: str) -> HookedSession:
        """Returns a session, by its id."""
        found = self._sessions.get(session_id)
        if found is None:
            lines = self.lines(session_id)
            found = self._sessions[session_id] = HookedSession(session_id, self._changed, lines)
        return found

    def lines(self, session_id: str) -> HookLines:
        """Returns the lines of a session, which its follower takes from any thread."""
        # One step for the interpreter, and never iterated over: two threads get the same.
        return self._lines.setdefault(session_id, HookLines())

    def forget(self, session_id: str) -> None:
        """Forgets what waits for a session, which is no longer followed."""
        self._lines.pop(session_id, None)
        if (left := self._sessions.pop(session_id, None)) is not None:
            left.end_wait()
            self._note_mail()

    def controller(
        self, session_id: str, run: str, agent_of: Callable[[int], Awaitable[str | None]]
    ) -> HookedSession | None:
        """Returns the controller of a session that has called."""
        if session_id not in self._callers:
            return None
        session = self.session(session_id)
        session.goes_to(agent_of)
        return session

    async def take(self, call: HookCall) -> bytes:
        """Returns the answer to a hook. Raises one of `BAD_JSON` if it makes no sense."""
        given = msgspec.json.decode(call.body, type=HookInput)
        services = self._services
        if services is None:
            return b""
        if given.session_id not in self._callers:
            self._callers.add(given.session_id)
            self._meet(Path(given.transcript_path))
            services.look(given.session_id)
        if call.what == ORDERS:
            session = self.session(given.session_id)
            if given.hook_event_name == "PostToolUse":
                tool_input = msgspec.json.decode(given.tool_input)
                session.used(given.agent_id, given.tool_name, tool_input)
            return session.take_orders(
                given.hook_event_name, given.agent_id, obeys_denial=_obeys_denial(call.version)
            )
        if call.what == WAIT:
            return await _while_alive(call.process, self._wait(given))
        if call.what == ASK:
            return await _while_alive(call.process, self._ask(call, given, services))
        return b""

    async def _wait(self, given: HookInput) -> bytes:
        session = self.session(given.session_id)
        is_report = given.prompt.startswith(BACKGROUND_REPORT)
        if given.hook_event_name == "UserPromptSubmit" and not is_report:
            session.begin_turn()
        return (await session.wait()).encode()

    async def _ask(self, call: HookCall, given: HookInput, services: HookServices) -> bytes:
        # A main agent's dialog is up in its terminal meanwhile. Of all others nothing is to be
        # seen there while they are held.
        in_terminal = call.entrypoint == "cli" and given.agent_id is None
        attendance = services.attendance
        if not in_terminal and attendance.seconds <= 0:
            return b""
        run = await services.run_of(given.session_id)
        if run is None:
            return b""
        request = HookRequest(
            tool=given.tool_name,
            input=given.tool_input,
            suggestions=given.permission_suggestions,
            agent_id=given.agent_id,
            agent_type=given.agent_type,
        )
        until = None if in_terminal else now_ms() + round(HOOK_UNSEEN_HOLD_SECONDS * 1000)
        session = self.session(given.session_id)
        request_id, answer = session.hold(request, in_terminal=in_terminal, held_until=until)
        ends: list[Coroutine[Any, Any, None]] = [services.replied(run, request_id)]
        if not in_terminal:
            ends += [attendance.ended(), asyncio.sleep(HOOK_UNSEEN_HOLD_SECONDS)]
        tasks = [asyncio.ensure_future(end) for end in ends]
        waited: list[asyncio.Future[Any]] = [answer, *tasks]
        try:
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            return answer.result() if answer.done() else b""
        finally:
            session.release(request_id)
            for task in tasks:
                task.cancel()

    def _changed(self, session_id: str) -> None:
        self._note_mail()
        if self._services is not None:
            self._services.look(session_id)

    def _note_mail(self) -> None:
        if self._services is not None:
            waits = any(session.has_orders for session in self._sessions.values())
            self._services.note_orders(KIND, waits=waits)


def _obeys_denial(version: str) -> bool:
    found = _VERSION.fullmatch(version)
    return found is not None and tuple(map(int, found.groups())) >= _FIRST_THAT_OBEYS


async def _while_alive(process: int, work: Coroutine[Any, Any, bytes]) -> bytes:
    """Returns what some work returns; nothing if the CLI is gone before that. A CLI that was killed
    leaves its hooks running.
    """
    task = asyncio.ensure_future(work)
    started = start_of(process) if process > 0 else None
    try:
        while True:
            done, _ = await asyncio.wait([task], timeout=PROCESS_CHECK_SECONDS)
            if done:
                return task.result()
            # Where its number means nothing, as in a container, nothing is known of it.
            if started and start_of(process) != started:
                return b""
    finally:
        task.cancel()
