"""What one run gives reason to alert a person about, folded from its events.

Some conditions last (an agent waits, an agent is silent) and are looked up by the time of day;
others are moments (an agent has failed, or repeats itself) and are taken once.

An agent repeats itself by the same call with the same input and the same result again and again,
the same sub-agent with the same task and the same answer, or the same error. Only what lies close
together counts: of an agent's latest results, how many are the same. Agents that wait for others
poll them again and again, which is right; so an agent's repeats are forgotten when an agent below
it has done something. Several sub-agents may well have the same task at the same time: only those
count that began after an earlier one had answered.
"""

from __future__ import annotations

import re
from collections import deque
from hashlib import blake2b
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from unbraid import events as e
from unbraid.fold.alerts.budget import Spending
from unbraid.fold.status import (
    DONE,
    FAILED,
    ORPHANED,
    PERMISSION,
    PROMPT,
    WORKING,
    RunState,
    status_of_end,
)
from unbraid.fold.title import prompt_title, title_of
from unbraid.fold.tool_formats import ToolTable
from unbraid.fold.usage import Totals

# A client that repeats a request after an error waits at least this long first.
ERROR_REPEAT_MS = 400
SILENT, REPEATS, BUDGET = "silent", "repeats", "budget"
CONDITIONS = (PERMISSION, PROMPT, DONE, FAILED, ORPHANED, SILENT, REPEATS, BUDGET)
MAX_MOMENTS = 10_000
DETAIL_CHARS = 2000

# Events of these types have to be applied as they are; of all others only the time counts.
APPLIED = frozenset((
    "request_received", "stream_start", "stream_end", "session_meta", "prompt", "tool_use",
    "tool_result", "sub_agent_response", "permission_asked", "permission_replied", "turn_complete",
    "token_usage", "error", "done",
))  # fmt: skip
# The same without what is only needed to find repeats: enough to know where a run stands.
STANDING = APPLIED - {"tool_use", "tool_result", "sub_agent_response", "error"}


class Condition(Struct, frozen=True):
    """Something about an agent. `key` is the same for as long as it is the same occurrence; `since`
    is in milliseconds since 1970, `times` how often it has happened.
    """

    what: str
    key: str
    since: int
    stream_id: int = 0
    agent: str = ""
    detail: str = ""
    times: int = 1


# The same result this often among so many is a loop of any length up to WINDOW / times.
WINDOW = 40
FEWEST = 3
MAX_OPEN_CALLS = 1000

# What differs in the same error from one time to the next: when it happened, how long it took, and
# where in memory.
_PASSING = re.compile(
    r"\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d(?:[.,]\d+)?|\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds)\b"
    r"|0x[0-9a-fA-F]{4,}"
)
_COMPARED_CHARS = 4000


class Repeat(Struct, frozen=True):
    """The same thing has happened `count` times: the calls of a tool, a sub-agent (then `tool` is
    empty), or an error.
    """

    key: str
    count: int
    tool: str
    is_error: bool


class SpawnedTask(NamedTuple):
    """What a sub-agent was asked to do. `round` is 1 more than that of the same task before it that
    has been answered.
    """

    digest: bytes
    round: int


class Repeats:
    """What one agent has done lately."""

    def __init__(self) -> None:
        self._calls: dict[str, tuple[str, bytes]] = {}  # the open ones: a tool, and a digest
        self._recent: deque[tuple[bytes, bytes | None]] = deque(maxlen=WINDOW)
        self._answers: deque[tuple[SpawnedTask, bytes]] = deque(maxlen=WINDOW)
        self._error, self._errors, self._error_ts = b"", 0, 0

    def call(self, tool_use_id: str, tool: str, given: bytes) -> None:
        """Adds a call that begins."""
        self.speak()
        if len(self._calls) >= MAX_OPEN_CALLS:
            self._calls.pop(next(iter(self._calls)))
        self._calls[tool_use_id] = tool, _digest(tool.encode(), given)

    def result(self, tool_use_id: str, content: bytes, *, ok: bool) -> Repeat | None:
        """Adds the result of a call; returns what it repeats, if it does often enough."""
        if tool_use_id not in self._calls:
            return None
        tool, digest = self._calls.pop(tool_use_id)
        same = _digest(digest, content)
        error = None if ok else _digest(_lasting(content.decode("utf-8", "replace")).encode())
        self._recent.append((same, error))
        calls = sum(1 for each, _ in self._recent if each == same)
        errors = 0 if error is None else sum(1 for _, each in self._recent if each == error)
        count = max(calls, errors)
        if count < FEWEST:
            return None
        # One key for both: a failing call that is repeated is not also a repeated error.
        key = (same if error is None else error).hex()
        return Repeat(key, count, tool, is_error=error is not None)

    def spawn(self, agent: str, prompt: str) -> SpawnedTask:
        """Returns the task of a sub-agent that begins, which `answer` needs."""
        digest = _digest(agent.encode(), prompt.encode())
        rounds = (task.round for task, _ in self._answers if task.digest == digest)
        return SpawnedTask(digest, max(rounds, default=0) + 1)

    def answer(self, task: SpawnedTask, content: str, *, ok: bool) -> Repeat | None:
        """Adds a sub-agent's answer; returns what it repeats, if it does often enough."""
        answer = _digest(_lasting(content).encode(), bytes([ok]))
        self._answers.append((task, answer))
        same = (each for each, digest in self._answers if digest == answer)
        count = len({each.round for each in same if each.digest == task.digest})
        if count < FEWEST:
            return None
        return Repeat(_digest(task.digest, answer).hex(), count, "", is_error=False)

    def error(self, message: str, ts: int) -> Repeat | None:
        """Adds an error that belongs to no call, and returns it if it is a repeat. It repeats the
        one before only if the agent has done nothing in between, and if some time has passed: CLIs
        also warn of one thing in many places at once, in the same words, and a client that tries
        again waits first.
        """
        error = _digest(_lasting(message).encode())
        if error == self._error and ts - self._error_ts < ERROR_REPEAT_MS:
            return None
        self._errors = self._errors + 1 if error == self._error else 1
        self._error, self._error_ts = error, ts
        if self._errors < FEWEST:
            return None
        return Repeat(error.hex(), self._errors, "", is_error=True)

    def speak(self) -> None:
        """Ends a row of errors, because the agent has said something."""
        self._error, self._errors = b"", 0

    def forget(self) -> None:
        """Forgets the calls but those that failed: there is progress elsewhere, for which the agent
        may ask again and again.
        """
        self._recent = deque((each for each in self._recent if each[1] is not None), WINDOW)
        self.speak()

    @property
    def running(self) -> str:
        """The tool that was called last and has given no result; nothing if there is none."""
        return next(reversed(self._calls.values()))[0] if self._calls else ""


def _lasting(text: str) -> str:
    return _PASSING.sub("", text[:_COMPARED_CHARS])


def _digest(*parts: bytes) -> bytes:
    digest = blake2b(digest_size=8)
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.digest()


class _OpenStream(Struct):
    agent: str
    parent: int | None
    last: int
    at_work: int = 0  # agents below it that have not ended
    task: SpawnedTask | None = None  # where it is known
    answer: str = ""
    repeats: Repeats = field(default_factory=Repeats)


class RunConditions:
    """The conditions of one run. It grows with what is open, not with what has passed."""

    def __init__(self, run: str, tools: ToolTable | None = None) -> None:
        self.run = run
        self._tools = ToolTable() if tools is None else tools
        self.kind, self.title, self.cwd = "", "", ""
        self.state, self.totals = RunState(), Totals()
        self.agents = self.started = self.updated = 0
        self.worked_ms = 0
        self._streams: dict[int, _OpenStream] = {}
        self._asked: dict[str, str] = {}
        self._moments: dict[str, Condition] = {}
        # The main agent's last turn, if that has failed.
        self._failed_turn: Condition | None = None

    def note(self, stream_id: int, ts: int) -> None:
        """Applies an event that is of no type of `APPLIED`: an agent has said something."""
        self._pass_time(ts)
        self.state.note_work(stream_id)
        if (stream := self._streams.get(stream_id)) is not None:
            stream.last = max(stream.last, ts)
            stream.repeats.speak()

    def reach(self, ts: int) -> None:
        """Marks that some agent, it is not known which, may have said something up to a time."""
        self._pass_time(ts)
        for stream in self._streams.values():
            stream.last = max(stream.last, ts)

    def apply(self, event: e.FleetEvent) -> None:
        """Applies the next event."""
        self._pass_time(event.ts)
        stream = self._streams.get(event.stream_id)
        if stream is not None:
            stream.last = max(stream.last, event.ts)
        self.totals.fold(event)
        self.state.apply(event)
        match event:
            case e.RequestReceived():
                self.kind, self.cwd = event.source, event.cwd or self.cwd
                self._entitle(event.prompt)
            case e.FleetSessionMeta() if event.stream_id == 0:
                self.cwd = self.cwd or event.cwd or ""
                self.title = title_of(event.title) or self.title
            case e.FleetPrompt() if event.stream_id == 0:
                self._entitle(event.text)
                self._failed_turn = None
            case e.FleetTurnComplete() if event.stream_id == 0:
                self._end_turn(event)
            case e.StreamStart():
                self._start(event)
            case e.StreamEnd():
                self._end(event)
                self._asked = {n: t for n, t in self._asked.items() if n in self.state.requests}
            case e.FleetPermissionAsked():
                if event.request_id in self.state.requests and event.request_id not in self._asked:
                    self._asked[event.request_id] = self._tools.summary(event.tool, event.input)
            case e.FleetPermissionReplied():
                self._asked.pop(event.request_id, None)
            case e.FleetToolUse() if stream is not None:
                stream.repeats.call(event.tool_use_id, event.tool, bytes(event.input_json))
            case e.FleetToolResult() if stream is not None:
                self._progress_above(stream)
                content = bytes(event.content_json)
                repeat = stream.repeats.result(event.tool_use_id, content, ok=event.ok)
                self._repeated(event.stream_id, event, repeat, event.content)
            case e.SubAgentResponse() if stream is not None:
                stream.answer = event.content
            case e.FleetError() if stream is not None:
                repeat = stream.repeats.error(event.message, event.ts)
                self._repeated(event.stream_id, event, repeat, event.message)
            case e.Done():
                self._streams.clear()
                self._asked.clear()
            case _:
                pass

    def lasting(self, now_ms: int) -> list[Condition]:
        """Returns the conditions that hold now."""
        if self.state.over:
            return []
        found = []
        for name, asked in self.state.requests.items():
            waiting, about = asked.waiting, self._asked.get(name, "")
            detail = f"{waiting.tool or 'a tool'}: {about}"
            key = f"permission {name}"
            found.append(self._of_agent(asked.stream_id, PERMISSION, key, waiting.since, detail))
        idle = self.state.waiting
        if idle is not None and idle.what == PROMPT:
            found.append(self._of_agent(0, PROMPT, f"prompt {idle.since}", idle.since))
        for number, stream in self._streams.items():
            if stream.at_work or stream.last >= now_ms or self.state.waiting_of(number):
                continue
            running = stream.repeats.running
            detail = f"{running} is running" if running else ""
            key = f"silent {number} {stream.last}"
            found.append(self._of_agent(number, SILENT, key, stream.last, detail))
        return found

    def pop_moments(self) -> list[Condition]:
        """Returns what has happened since the last call."""
        taken, self._moments = list(self._moments.values()), {}
        return taken

    def spending(self, now_ms: int) -> Spending:
        """Returns what the run has spent by now."""
        total = self.totals.total()
        at_work = self.state.status == WORKING and self.updated
        return Spending(
            cost_usd=(total.cost_usd or 0.0) + (total.estimated_usd or 0.0),
            tokens=total.total_tokens,
            seconds=(self.worked_ms + (max(0, now_ms - self.updated) if at_work else 0)) / 1000,
            agents=self.agents,
            unpriced_tokens=total.unpriced_tokens,
            estimated_usd=total.estimated_usd or 0.0,
        )

    @property
    def over(self) -> bool:
        """Whether the run has ended, and everything about it was taken."""
        return self.state.over and not self._moments

    def _pass_time(self, ts: int) -> None:
        # Waiting for a person is not work, however long it takes.
        if self.updated and ts > self.updated and self.state.status == WORKING:
            self.worked_ms += ts - self.updated
        self.started = self.started or ts
        self.updated = max(self.updated, ts)

    def _start(self, event: e.StreamStart) -> None:
        self.agents += event.resumes is None
        if event.stream_id == 0:
            self._entitle(event.prompt)
        stream = _OpenStream(event.agent, event.parent_stream_id, event.ts)
        above = self._above(stream)
        if above is not None:
            above.at_work += 1
            above.repeats.forget()
            if event.prompt:
                stream.task = above.repeats.spawn(event.agent, event.prompt)
        self._streams[event.stream_id] = stream

    def _end(self, event: e.StreamEnd) -> None:
        what = status_of_end(event.reason, ok=event.ok)
        if what in (DONE, FAILED, ORPHANED):
            known = self._failed_turn if event.stream_id == 0 and what == FAILED else None
            key, detail = (known.key, known.detail) if known else (f"end {event.stream_id}", "")
            ended = Condition(what, key, event.ts, event.stream_id, event.agent, detail=detail)
            self._add(ended)
        stream = self._streams.pop(event.stream_id, None)
        above = None if stream is None else self._above(stream)
        if stream is not None and above is not None:
            above.at_work -= 1
            above.last = max(above.last, event.ts)
            above.repeats.forget()
            if stream.task is not None and what in (DONE, FAILED):
                repeat = above.repeats.answer(stream.task, stream.answer, ok=event.ok)
                self._repeated(stream.parent or 0, event, repeat, "")

    def _end_turn(self, event: e.FleetTurnComplete) -> None:
        """A failed turn is reported even if the session continues; the end of the run is then not
        reported again.
        """
        self._failed_turn = None
        if event.reason == FAILED:
            detail = (event.result or event.subtype)[:DETAIL_CHARS]
            key = f"end 0 {event.ts}"
            failed = Condition(FAILED, key, event.ts, agent=event.agent, detail=detail)
            self._failed_turn = failed
            self._add(failed)

    def _progress_above(self, stream: _OpenStream) -> None:
        """An agent may poll another agent repeatedly; that is not a loop while the other one makes
        progress.
        """
        above = self._above(stream)
        while above is not None:
            above.repeats.forget()
            above = self._above(above)

    def _above(self, stream: _OpenStream) -> _OpenStream | None:
        return None if stream.parent is None else self._streams.get(stream.parent)

    def _repeated(
        self, number: int, event: e.FleetEvent, repeat: Repeat | None, content: str
    ) -> None:
        if repeat is None:
            return
        if repeat.is_error:
            what = f"the same error{f' of {repeat.tool}' if repeat.tool else ''}"
        elif repeat.tool:
            what = f"the same call with the same result of {repeat.tool}"
        else:
            what = f"the same task with the same answer of {event.agent}"
        about = f": {content[:DETAIL_CHARS]}" if repeat.is_error else ""
        detail = f"{what}, {repeat.count} times{about}"
        key = f"repeats {number} {repeat.key}"
        condition = self._of_agent(number, REPEATS, key, event.ts, detail)
        self._add(replace(condition, times=repeat.count))

    def _add(self, condition: Condition) -> None:
        if len(self._moments) < MAX_MOMENTS:
            self._moments[condition.key] = condition

    def _of_agent(
        self, stream_id: int, what: str, key: str, since: int, detail: str = ""
    ) -> Condition:
        stream = self._streams.get(stream_id)
        agent = "" if stream is None else stream.agent
        return Condition(what, key, since, stream_id=stream_id, agent=agent, detail=detail)

    def _entitle(self, prompt: str | None) -> None:
        if prompt and not self.title:
            self.title = prompt_title(prompt) or ""
