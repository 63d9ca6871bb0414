"""The sessions that have hooks, and can be steered by them: what their hooks are answered, what
waits for each, and the lines for its log.

A session can be reached only by the answers to its hooks. So a message waits for the session's next
tool call, or the end of its turn; if a hook stays beside it (`wait`), it is woken at once. A stop
waits for the agent's next tool call. A permission request waits here while its hook waits. The hook
does not end when a person answers in the terminal; that answer is noticed when the tool is used.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw, Struct, field

from unbraid.agents.claude.hooks import decisions
from unbraid.agents.claude.hooks.commands import ASK, ORDERS, WAIT
from unbraid.agents.claude.sessions.layout import SESSION_ID
from unbraid.agents.claude.transcript import HookedPermission, permission_line
from unbraid.agents.control_port import (
    GIVE_BACK,
    VERBS,
    AnswerDetails,
    Controller,
    UnknownRequest,
    allows,
    require_agent_id,
)
from unbraid.agents.port import HookCall, HookServices, RunReference
from unbraid.events import EMPTY_OBJECT
from unbraid.system.clock import now_ms
from unbraid.system.liveness import start_of
from unbraid.timings import PROCESS_CHECK_SECONDS

# A request that shows nothing in its terminal is given back to it if it was not answered by then.
HOOK_UNSEEN_HOLD_SECONDS = 300.0
# Claude Code writes a call into its transcript about a tenth of a second after it asks for it.
HOOK_CALL_SETTLE_SECONDS = 0.25

KIND = "claude"
# With this begins what Claude Code itself submits when a background agent has ended.
BACKGROUND_REPORT = "<task-notification>"
_AGENT_ID = re.compile(r"[A-Za-z0-9_.-]{1,100}")
# How newer versions name themselves. Asked to stop before a tool is used, older ones (2.1.197)
# refuse the tool, but continue the turn.
_VERSION = re.compile(r"claude-code_(\d{1,4})-(\d{1,4})-(\d{1,4})_.*")
_FIRST_THAT_OBEYS = (2, 1, 325)
# For the whole session, in place of an agent's id.
EVERYONE = "*"


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


class _HeldRequest(Struct):
    request: HookInput
    input: Any
    answer: asyncio.Future[bytes]


class HookLines:
    """Lines made from the hook calls of one session, in their order, for its log. They are put here
    by the event loop, and taken by the thread that reads the session's files.

    A request comes before its call is in the transcript, so it waits for the call. Its answer does
    not wait: the result of the call is written soon after.
    """

    def __init__(self) -> None:
        self._lines: deque[tuple[float, bytes]] = deque()
        self._answered = 0.0  # when the latest answer was put here

    @property
    def is_waiting(self) -> bool:
        """Whether there are lines that were not taken."""
        return bool(self._lines)

    def ask(self, line: bytes) -> None:
        """Adds a request."""
        self._lines.append((time.monotonic(), line))

    def answer(self, line: bytes) -> None:
        """Adds the answer to a request that was added before."""
        self._answered = time.monotonic()
        self._lines.append((self._answered, line))

    def take_answers(self) -> Iterator[bytes]:
        """Yields the answers, and the requests before them."""
        return self._until(self._answered)

    def take(self) -> Iterator[bytes]:
        """Yields the lines that have waited for long enough."""
        return self._until(time.monotonic() - HOOK_CALL_SETTLE_SECONDS)

    def _until(self, latest: float) -> Iterator[bytes]:
        while self._lines and self._lines[0][0] <= latest:
            yield self._lines.popleft()[1]


class HookedSession(Controller):
    """The controller of one session. `changed` is called when something new waits for it, or
    for its log.
    """

    def __init__(
        self, session_id: str, changed: Callable[[str], None], lines: HookLines | None = None
    ) -> None:
        self.lines = HookLines() if lines is None else lines
        self._session_id, self._changed = session_id, changed
        self._agent_of: Callable[[int], Awaitable[str | None]] | None = None
        self._held: dict[str, _HeldRequest] = {}
        self._messages: dict[str | None, list[str]] = {}  # by agent id; None: the main agent
        self._stops: set[str | None] = set()
        self._stopped: set[str | None] = set()  # agents that obeyed a stop of all agents
        self._waiter: asyncio.Future[str] | None = None
        self._can_be_woken = False

    def goes_to(self, agent_of: Callable[[int], Awaitable[str | None]]) -> None:
        """Notes which agents are behind the streams of the run that records the session now."""
        self._agent_of = agent_of

    @property
    def has_orders(self) -> bool:
        """Whether the session's next tool call is to be reported to us: something waits for it, or
        it may show that a request was answered in the terminal.
        """
        return bool(self._messages or self._stops or self._held)

    # --- its hooks ---

    def hold(
        self, request: HookInput, *, in_terminal: bool, held_until: int | None
    ) -> tuple[str, asyncio.Future[bytes]]:
        """Returns the id of a new request, and its answer as it will be."""
        request_id = f"hook-{secrets.token_hex(8)}"
        asked = HookedPermission(
            request_id=request_id,
            tool=request.tool_name,
            input=request.tool_input,
            in_terminal=in_terminal,
            always=decisions.offers(request.permission_suggestions),
            held_until=held_until,
        )
        given = msgspec.json.decode(request.tool_input)
        held = _HeldRequest(request, given, asyncio.get_running_loop().create_future())
        self._held[request_id] = held
        self.lines.ask(self._line(request.agent_id, asked))
        self._changed(self._session_id)
        return request_id, held.answer

    def release(self, request_id: str) -> None:
        """Forgets a request: it was answered, or its hook is gone."""
        if self._held.pop(request_id, None) is not None:
            self._changed(self._session_id)

    def used(self, agent_id: str | None, tool: str, given: Any) -> None:
        """Notes that an agent has used a tool: a request for just that was answered elsewhere."""
        for request_id, held in list(self._held.items()):
            is_same = held.request.agent_id == agent_id and held.request.tool_name == tool
            if is_same and _is_part(held.input, given) and not held.answer.done():
                held.answer.set_result(b"")
                self.release(request_id)
                return

    async def wait(self) -> str:
        """Waits for a message, which wakes the session, and returns it; only the latest caller gets
        one.
        """
        self.end_wait()
        self._can_be_woken = True
        # It may have come when the turn was over and no hook was waiting yet.
        if left := self._take_messages(None):
            return left
        waiter: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiter = waiter
        try:
            return await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled() and (text := waiter.result()):
                self._leave(None, text)  # its hook was gone before it could take it
            raise
        finally:
            if self._waiter is waiter:
                self._waiter = None

    def end_wait(self) -> None:
        """Lets the hook go that waits beside the session."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result("")

    def take_orders(self, event: str, agent_id: str | None, *, obeys_denial: bool) -> bytes:
        """Returns what waits for an agent that has just called: a stop, or its messages. Unless its
        CLI `obeys_denial`, its main agent is stopped after a tool only.
        """
        answer = b""
        # Of a sub-agent, only what comes before its tool is used stops it.
        before, main = event == "PreToolUse", agent_id is None
        if (before and (obeys_denial or not main)) or (event == "PostToolUse" and main):
            everyone = EVERYONE in self._stops and agent_id not in self._stopped
            if everyone or agent_id in self._stops:
                self._stops.discard(agent_id)
                self._stopped.add(agent_id)
                answer = decisions.stop(event)
                self._changed(self._session_id)
        # A hook that can wake the main agent does it better: of what this one says at the end of a
        # turn, its terminal would say that it is an error.
        takes = event != "PreToolUse" and not (event == "Stop" and self._can_be_woken)
        if takes and not answer and (text := self._take_messages(agent_id)):
            answer = decisions.context(event, text)
        return answer

    def begin_turn(self) -> None:
        """Notes that a person has asked something new: what was to stop was before that."""
        if before := self._stops & {EVERYONE, None}:
            self._stops -= before
            self._changed(self._session_id)

    # --- its controller ---

    def verbs(self) -> list[str]:
        """Returns all verbs; some take effect at the next tool call."""
        return list(VERBS)

    def held_requests(self) -> list[str]:
        return list(self._held)

    async def message(self, text: str) -> None:
        """Wakes the session with a message, or leaves it for its next tool call."""
        self.begin_turn()
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(text)
        else:
            self._leave(None, text)

    async def message_agent(self, stream_id: int, text: str) -> None:
        """Leaves a message for an agent's next tool call, or its end."""
        self._leave(await require_agent_id(self._agent_of, stream_id), text)

    async def interrupt(self) -> None:
        """Stops the main agent at its next tool call."""
        self._stop(None)

    async def cancel(self) -> None:
        """Stops every agent of the session at its next tool call."""
        self._stopped.clear()
        self._stop(EVERYONE)

    async def stop_everyone(self) -> None:
        """Does the same: neither ends the session."""
        await self.cancel()

    async def stop(self, stream_id: int) -> None:
        """Stops one agent at its next tool call."""
        self._stop(await require_agent_id(self._agent_of, stream_id))

    async def answer(
        self,
        request_id: str,
        behavior: str,
        message: str | None,
        details: AnswerDetails | None = None,
    ) -> None:
        """Answers a request that is held, or gives it back to the terminal."""
        held = self._held.get(request_id)
        if held is None or held.answer.done():
            raise UnknownRequest(request_id)
        request = held.request
        if behavior == GIVE_BACK:
            answer = b""
        elif allows(behavior):
            answer = decisions.allow(
                request.tool_name,
                held.input,
                suggestions=request.permission_suggestions,
                details=details,
            )
        else:
            answer = decisions.deny(message)
        held.answer.set_result(answer)
        self.release(request_id)
        if answer:
            replied = HookedPermission(
                request_id=request_id,
                behavior=behavior,
                by=None if details is None else details.by,
                where=None if details is None else details.where,
                message=message,
            )
            self.lines.answer(self._line(request.agent_id, replied))
            self._changed(self._session_id)

    def _take_messages(self, agent_id: str | None) -> str:
        """Returns what waits for an agent, in one text."""
        messages = self._messages.pop(agent_id, [])
        if messages:
            self._changed(self._session_id)
        return "\n\n".join(messages)

    def _leave(self, agent_id: str | None, text: str) -> None:
        self._messages.setdefault(agent_id, []).append(text)
        self._changed(self._session_id)

    def _stop(self, agent_id: str | None) -> None:
        self._stops.add(agent_id)
        # An agent that waits for permission would not reach its next tool call.
        for request_id, held in list(self._held.items()):
            if agent_id in (EVERYONE, held.request.agent_id) and not held.answer.done():
                held.answer.set_result(decisions.deny(decisions.STOPPED, interrupt=True))
                self.release(request_id)
                self._stops.discard(held.request.agent_id)
                self._stopped.add(held.request.agent_id)
        self._changed(self._session_id)

    def _line(self, agent_id: str | None, said: HookedPermission) -> bytes:
        return permission_line(self._session_id, agent_id, said, ts=now_ms())


def _is_part(asked: Any, given: Any) -> bool:
    """Returns whether a tool was given what was asked for. Answers to a question come on top."""
    if isinstance(asked, dict) and isinstance(given, dict):
        return all(name in given and given[name] == value for name, value in asked.items())
    return bool(asked == given)


# --- all sessions ---


class HookReceiver:
    """The sessions that have called, and those that are to be steered. `add_transcript` is given
    the transcripts of those that call, to find them sooner.

    All of it belongs to the event loop, except `lines`, which other threads ask for.
    """

    def __init__(self, add_transcript: Callable[[Path], None]) -> None:
        self._add_transcript = add_transcript
        self._services: HookServices | None = None
        self._sessions: dict[str, HookedSession] = {}
        self._callers: set[str] = set()  # sessions that have called
        self._lines: dict[str, HookLines] = {}

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
            self._report_orders()

    def controller(self, session_id: str, run: RunReference) -> HookedSession | None:
        """Returns the controller of a session that has called."""
        if session_id not in self._callers:
            return None
        session = self.session(session_id)
        session.goes_to(run.agent_id)
        return session

    async def answer(self, call: HookCall, services: HookServices) -> bytes:
        """Returns the answer to a hook. Raises one of `BAD_JSON` if it makes no sense."""
        given = msgspec.json.decode(call.body, type=HookInput)
        self._services = services
        if given.session_id not in self._callers:
            self._callers.add(given.session_id)
            self._add_transcript(Path(given.transcript_path))
            services.look(KIND, given.session_id)
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
        until = None if in_terminal else now_ms() + round(HOOK_UNSEEN_HOLD_SECONDS * 1000)
        session = self.session(given.session_id)
        request_id, answer = session.hold(given, in_terminal=in_terminal, held_until=until)
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
        self._report_orders()
        if self._services is not None:
            self._services.look(KIND, session_id)

    def _report_orders(self) -> None:
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
