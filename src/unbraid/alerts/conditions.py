"""What one run gives reason to alert a person about, folded from its events.

Some conditions last (an agent waits, an agent is silent) and are looked up by the time of day;
others are moments (an agent has failed, or repeats itself) and are taken once.
"""

from __future__ import annotations

from msgspec import Struct, field

from unbraid import events as e
from unbraid.alerts.budget import Spending
from unbraid.alerts.repeats import Repeat, Repeats, SpawnedTask
from unbraid.fleet.status import (
    DONE,
    FAILED,
    ORPHANED,
    PERMISSION,
    PROMPT,
    WORKING,
    RunState,
    status_of_end,
)
from unbraid.fleet.title import prompt_title, title_of
from unbraid.fleet.tool_formats import ToolTable
from unbraid.fleet.usage import Totals

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
        """Notes that an agent has said something."""
        self._pass_time(ts)
        self.state.note_work(stream_id)
        if (stream := self._streams.get(stream_id)) is not None:
            stream.last = max(stream.last, ts)
            stream.repeats.speak()

    def reach(self, ts: int) -> None:
        """Notes that some agent, it is not known which, may have said something up to a time."""
        self._pass_time(ts)
        for stream in self._streams.values():
            stream.last = max(stream.last, ts)

    def apply(self, event: e.FleetEvent) -> None:
        """Takes in one more event."""
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
            case e.FleetPermissionAsked():
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
        found = [
            Condition(
                what=PERMISSION,
                key=f"permission {name}",
                since=asked.waiting.since,
                stream_id=asked.stream_id,
                agent=self._agent(asked.stream_id),
                detail=f"{asked.waiting.tool or 'a tool'}: {self._asked.get(name, '')}",
            )
            for name, asked in self.state.requests.items()
        ]
        waiting = self.state.waiting
        if waiting is not None and waiting.what == PROMPT:
            key = f"prompt {waiting.since}"
            found.append(
                Condition(
                    what=PROMPT, key=key, since=waiting.since, stream_id=0, agent=self._agent(0)
                )
            )
        for number, stream in self._streams.items():
            if stream.at_work or stream.last >= now_ms or self.state.waiting_of(number):
                continue
            running = stream.repeats.running
            detail = f"{running} is running" if running else ""
            key = f"silent {number} {stream.last}"
            found.append(
                Condition(
                    what=SILENT,
                    key=key,
                    since=stream.last,
                    stream_id=number,
                    agent=stream.agent,
                    detail=detail,
                )
            )
        return found

    def take_moments(self) -> list[Condition]:
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
        above = self._streams.get(-1 if event.parent_stream_id is None else event.parent_stream_id)
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
            self._add(
                Condition(
                    what=what,
                    key=known.key if known else f"end {event.stream_id}",
                    since=event.ts,
                    stream_id=event.stream_id,
                    agent=event.agent,
                    detail=known.detail if known else "",
                )
            )
        stream = self._streams.pop(event.stream_id, None)
        if stream is not None and stream.parent is not None:
            above = self._streams.get(stream.parent)
            if above is not None:
                above.at_work -= 1
                above.last = max(above.last, event.ts)
                above.repeats.forget()
                if stream.task is not None and what in (DONE, FAILED):
                    repeat = above.repeats.answer(stream.task, stream.answer, ok=event.ok)
                    self._repeated(stream.parent, event, repeat, "")

    def _end_turn(self, event: e.FleetTurnComplete) -> None:
        """A failed turn is reported even if the session continues; the end of the run is then not
        reported again.
        """
        self._failed_turn = None
        if event.reason == FAILED:
            self._failed_turn = Condition(
                what=FAILED,
                key=f"end 0 {event.ts}",
                since=event.ts,
                agent=event.agent,
                detail=(event.result or event.subtype)[:DETAIL_CHARS],
            )
            self._add(self._failed_turn)

    def _progress_above(self, stream: _OpenStream) -> None:
        """An agent may poll another agent repeatedly; that is not a loop while the other one makes
        progress.
        """
        above = None if stream.parent is None else self._streams.get(stream.parent)
        while above is not None:
            above.repeats.forget()
            above = None if above.parent is None else self._streams.get(above.parent)

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
        self._add(
            Condition(
                what=REPEATS,
                key=f"repeats {number} {repeat.key}",
                since=event.ts,
                stream_id=number,
                agent=self._agent(number),
                detail=f"{what}, {repeat.count} times{about}",
                times=repeat.count,
            )
        )

    def _add(self, condition: Condition) -> None:
        if len(self._moments) < MAX_MOMENTS:
            self._moments[condition.key] = condition

    def _agent(self, stream_id: int) -> str:
        stream = self._streams.get(stream_id)
        return "" if stream is None else stream.agent

    def _entitle(self, prompt: str | None) -> None:
        if prompt and not self.title:
            self.title = prompt_title(prompt) or ""
