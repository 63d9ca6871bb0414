"""Relay events to the entries of a run's log.

Guarantees, whatever comes in:
- `seq` counts up by one; `request_received` is first and `done` is last;
- in a stream, `stream_start` precedes and `stream_end` follows everything;
- a parent starts before its child;
- `ts` of `request_received` is the smallest of a run and that of `done` the largest, and in a
  stream it never runs back;
- the same relay events give the same fleet events, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec.structs import asdict

from unbraid import events as e
from unbraid.events import RelayEvent
from unbraid.fold.amounts import plausible_count, plausible_dollars, plausible_usage
from unbraid.fold.prices import Prices, tokens_of
from unbraid.fold.usage import Totals
from unbraid.timings import LIVE_RECORD_MS

# One invocation of one agent, as the fleet keeps it.


class FleetStream:
    """One invocation of one agent: `began` and `latest` are the times of its first and of its
    latest event.
    """

    __slots__ = (
        "agent",
        "answer",
        "answering",
        "began",
        "depth",
        "ended",
        "id",
        "latest",
        "message_id",
        "parent",
        "resumes",
    )

    def __init__(
        self,
        stream_id: int,
        parent: FleetStream | None,
        agent: str,
        resumes: FleetStream | None = None,
    ) -> None:
        self.id = stream_id
        self.parent = parent
        self.resumes: int | None = None if resumes is None else resumes.id
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.agent = agent
        self.answering = False
        self.ended = False
        self.message_id = ""
        self.answer: list[str] = []  # the text of its latest message
        self.began: int | None = None
        self.latest: int = 0 if parent is None else parent.began or 0


# The times of a run's events.
#
# `ts` of a run's first event is the smallest and that of its last the largest, and in a stream it
# never runs back, whatever the sources say. A time that would break this is moved to the next one
# that does not.

# Reported durations above this are ignored.
MAX_DURATION_MS = 366 * 24 * 3_600_000


class RunClock:
    """Determines the time of the next event; `ts` is in milliseconds since 1970.

    `latest` is the largest time so far, `arrived` when what is placed has arrived; 0 if that is not
    known.
    """

    __slots__ = ("_began", "_lasted", "_live", "arrived", "latest", "ts")

    def __init__(self, began_ms: int = 0) -> None:
        self.ts = began_ms
        self.latest = 0
        self.arrived = 0
        self._began: int | None = None
        self._lasted = 0  # for how long the main agent has worked, as it says
        self._live = True  # whether the latest event had just happened

    def begin(self, events: Sequence[RelayEvent]) -> None:
        """Sets the clock to the beginning of a run, whose first events these are."""
        if now := self.arrived:
            # What has no time precedes what has one.
            self.ts = min(next((event.ts for event in events if event.ts), now), now)
            self._live = now - self.ts <= LIVE_RECORD_MS

    def date(self, event: RelayEvent) -> None:
        """Sets the clock to an event."""
        if event.ts:
            self.ts = event.ts
            self._live = self.arrived - event.ts <= LIVE_RECORD_MS
        elif self._live and self._began is not None:
            self.ts = self.arrived or self.ts

    def stamp(self, stream: FleetStream) -> int:
        """Returns the time of the next event of a stream."""
        ts = self.ts
        if ts < stream.latest:
            ts = stream.latest
        else:
            stream.latest = ts
        if stream.began is None:
            stream.began = ts
            if self._began is None:
                self._began = ts
        if ts > self.latest:
            self.latest = ts
        return ts

    def lasted(self, stream: FleetStream, duration_ms: int | None) -> None:
        """Uses the duration that an agent reports to date the end of its work: in a recorded
        stream, only some records have times. A live stream that was seen to last about as long
        keeps its arrival times, and a stream that resumes another is left out, because its duration
        may include the earlier one.
        """
        if duration_ms is None or duration_ms > MAX_DURATION_MS or stream.resumes is not None:
            return
        if stream.id == 0:
            self._lasted = max(self._lasted, duration_ms)
        if stream.began and not (self._live and duration_ms <= 2 * (self.arrived - stream.began)):
            self.ts = max(self.ts, stream.began + duration_ms)

    def end(self, now: int) -> None:
        """Sets the clock to the end of the run: now, if its latest event had just happened."""
        self.ts = max(self.latest, now if self._live else 0)

    def duration_ms(self) -> int | None:
        """Returns how long the run has lasted, at its end; None if that is not known."""
        return self.ts - self._began if self._began else self._lasted or None


F = TypeVar("F", bound=e.FleetEvent)

ROOT_AGENT = "main"
CONTENT = (e.TextDelta, e.ThinkingDelta, e.ToolUse)
# These may come after the end of their stream, and begin no new one.
LATE_EVENTS = (e.Progress, e.SessionMeta, e.SubAgentEnded)

_COMMON_FIELDS = {field.name for field in msgspec.structs.fields(e.FleetEvent)}


def _fields(kind: type[e.FleetEvent]) -> tuple[str, ...]:
    return tuple(f.name for f in msgspec.structs.fields(kind) if f.name not in _COMMON_FIELDS)


# A relay event, the fleet event that it becomes, and the fields that it takes along.
PASSED_ON: dict[type[e.RelayEvent], tuple[type[e.FleetEvent], tuple[str, ...]]] = {
    relay: (fleet, _fields(fleet))
    for relay, fleet in (
        (e.ThinkingDelta, e.Thinking),
        (e.ToolUse, e.FleetToolUse),
        (e.ToolResult, e.FleetToolResult),
        (e.SessionMeta, e.FleetSessionMeta),
        (e.Prompt, e.FleetPrompt),
        (e.Progress, e.FleetProgress),
        (e.PermissionAsked, e.FleetPermissionAsked),
        (e.PermissionReplied, e.FleetPermissionReplied),
        (e.Retracted, e.FleetRetracted),
        (e.Compacted, e.FleetCompacted),
        (e.Error, e.FleetError),
        (e.Unrecognized, e.FleetUnrecognized),
        (e.Malformed, e.FleetMalformed),
    )
}


class Fleet:
    """Gives every agent's invocation a stream, and every event its place in the log. With `prices`,
    messages whose cost is not reported get an estimate.
    """

    def __init__(
        self,
        source: str = "",
        *,
        began_ms: int = 0,
        prices: Prices | None = None,
    ) -> None:
        self.source = source
        self.done = False
        self._seq = 1
        self._clock = RunClock(began_ms)
        self._streams: dict[str, FleetStream] = {}  # by context: its latest invocation
        self._count = 0
        self._totals = Totals()
        self._prices = prices
        self._out: list[e.FleetEvent] = []
        self._handlers: dict[type[e.RelayEvent], Callable[[Any, FleetStream], None]] = {
            e.TextDelta: self._text,
            e.TokenUsage: self._token_usage,
            e.TurnComplete: self._turn_complete,
            e.SessionMeta: self._session_meta,
            e.Progress: self._progress,
            e.SubAgentEnded: self._ended,
        }

    def apply(self, events: Sequence[e.RelayEvent], now: int = 0) -> list[e.FleetEvent]:
        """Returns the fleet events of relay events. `now`, their arrival, dates those whose source
        gave no time.
        """
        self._clock.arrived = now
        if not self._count:
            self._clock.begin(events)
        for event in events:
            self._clock.date(event)
            if not self._count:
                prompted = self._open(event)
                if prompted:
                    continue
            if isinstance(event, e.SubAgentSpawned):
                self._spawned(event)
                continue
            stream = self._streams.get(event.context) or self._stray(event.context)
            if stream.ended:
                if isinstance(event, LATE_EVENTS):
                    continue
                stream = self._reopen(event.context, stream)
            if not stream.answering and isinstance(event, CONTENT):
                stream.answering = True
                self._emit(e.AgentStart, stream)
            self._handlers.get(type(event), self._pass_on)(event, stream)
        out, self._out = self._out, []
        return out

    def finish(self, ok: bool, reason: str, now: int = 0) -> list[e.FleetEvent]:
        """Ends the run. Returns the ends of all open streams, then `done`."""
        if self.done:
            return []
        if not self._count:
            self._clock.arrived = now
            self._clock.begin(())
            self._open(e.RelayEvent())
        self._clock.end(now)
        root = self._streams[""]
        for stream in reversed(self._streams.values()):
            if not stream.ended and stream is not root:
                self._close(stream, False, "orphaned")
        if not root.ended:
            self._close(root, ok, reason)
        total = self._totals.total()
        self._emit(
            e.Done,
            root,
            ok=ok,
            streams=self._count,
            **asdict(total),
            duration_ms=self._clock.duration_ms(),
        )
        self.done = True
        return self._pop()

    # --- a run that is driven, not read ---

    def begin(
        self, agent: str, *, prompt: str, cwd: str, model: str | None, now: int
    ) -> list[e.FleetEvent]:
        """Begins the run with the prompt of its main agent. Returns its first events."""
        self._clock.ts = now
        self._begin(agent, prompt, e.SessionMeta(cwd=cwd, model=model))
        return self._pop()

    def stream_of(self, context: str) -> FleetStream:
        """Returns the latest invocation of an agent that has been started."""
        return self._streams[context]

    @property
    def streams(self) -> Mapping[str, FleetStream]:
        """The latest invocations of all agents, by their contexts."""
        return self._streams

    def running(self) -> list[tuple[str, FleetStream]]:
        """Returns the invocations that have not ended and their contexts, the latest first."""
        return [each for each in reversed(self._streams.items()) if not each[1].ended]

    def begin_answer(self, stream: FleetStream, now: int) -> list[e.FleetEvent]:
        """Marks that an agent begins to answer, if it has not yet; returns the events of that."""
        if stream.answering:
            return []
        stream.answering = True
        return self.emit(e.AgentStart, stream, now)

    def text(self, stream: FleetStream, event: e.TextDelta, now: int) -> e.Text:
        """Returns an event with text of an agent that has begun to answer, made in the fastest way:
        most events are such.
        """
        seq = self._seq
        self._seq = seq + 1
        if now < stream.latest:
            now = stream.latest
        stream.latest = now
        if now > self._clock.latest:
            self._clock.latest = now
        return e.Text(
            seq=seq,
            ts=now,
            stream_id=stream.id,
            depth=stream.depth,
            agent=stream.agent,
            delta=event.delta,
            message_id=event.message_id,
            block=event.block,
        )

    def emit(
        self, kind: type[e.FleetEvent], stream: FleetStream, now: int, **payload: Any
    ) -> list[e.FleetEvent]:
        """Returns an event of a stream that has no relay event."""
        self._clock.ts = now
        self._emit(kind, stream, **payload)
        return self._pop()

    def close(self, stream: FleetStream, *, ok: bool, reason: str, now: int) -> list[e.FleetEvent]:
        """Ends an invocation. Returns its last events."""
        self._clock.ts = now
        self._close(stream, ok, reason)
        return self._pop()

    # --- streams ---

    def _open(self, event: e.RelayEvent) -> bool:
        """Begins the run with its first event. Returns whether nothing else has to be done for that
        event.
        """
        meta = event if isinstance(event, e.SessionMeta) else e.SessionMeta()
        prompt = event.text if isinstance(event, e.Prompt) and not event.context else None
        self._begin(ROOT_AGENT, prompt, meta)
        return prompt is not None

    def _begin(self, agent: str, prompt: str | None, meta: e.SessionMeta) -> None:
        root = self._streams[""] = FleetStream(0, None, agent)
        self._count = 1
        self._emit(
            e.RequestReceived,
            root,
            source=self.source,
            prompt=prompt,
            cwd=meta.cwd,
            session_id=meta.session_id,
        )
        self._emit(e.StreamStart, root, parent_stream_id=None, model=meta.model, prompt=prompt)

    def _spawned(self, event: e.SubAgentSpawned) -> None:
        parent = self._streams.get(event.parent_context) or self._stray(event.parent_context)
        earlier = self._streams.get(event.context)
        if earlier is not None and not earlier.ended:
            self._close(earlier, True, "completed")
        agent = event.subagent_type or (earlier.agent if earlier is not None else "agent")
        stream = FleetStream(self._count, parent, agent, resumes=earlier)
        self._count += 1
        self._streams[event.context] = stream
        self._emit(
            e.StreamStart,
            stream,
            parent_stream_id=parent.id,
            agent_id=event.agent_id,
            tool_use_id=event.parent_tool_id,
            description=event.description,
            prompt=event.prompt,
            model=event.model,
            background=event.background,
            resumes=stream.resumes,
        )

    def _stray(self, context: str) -> FleetStream:
        """Returns a new stream for a context that was never announced: our own translator announces
        all.
        """
        self._spawned(e.SubAgentSpawned(context, parent_tool_id=context))
        return self._streams[context]

    def _reopen(self, context: str, ended: FleetStream) -> FleetStream:
        """Returns a new stream for text that arrives after its stream has ended; it resumes the old
        one.
        """
        stream = FleetStream(self._count, ended.parent, ended.agent, resumes=ended)
        stream.latest = ended.latest
        self._count += 1
        self._streams[context] = stream
        parent = ended.parent
        self._emit(
            e.StreamStart,
            stream,
            parent_stream_id=None if parent is None else parent.id,
            resumes=stream.resumes,
        )
        return stream

    def _close(self, stream: FleetStream, ok: bool, reason: str) -> None:
        stream.ended = True
        stream.answer = []
        self._emit(e.StreamEnd, stream, ok=ok, reason=reason)

    def _ended(self, event: e.SubAgentEnded, stream: FleetStream) -> None:
        if stream.id == 0:
            return  # the root ends with its run
        answer = event.content or "".join(stream.answer)
        if answer:
            self._emit(e.SubAgentResponse, stream, content=answer)
        self._close(stream, event.ok, event.reason)

    # --- what happens in them ---

    def _pass_on(self, event: e.RelayEvent, stream: FleetStream) -> None:
        """Emits an event that is the same in both vocabularies, apart from its stream."""
        kind, fields = PASSED_ON[type(event)]
        self._emit(kind, stream, **{name: getattr(event, name) for name in fields})

    def _text(self, event: e.TextDelta, stream: FleetStream) -> None:
        if stream.id:
            if event.message_id != stream.message_id:
                stream.message_id = event.message_id
                stream.answer = []
            stream.answer.append(event.delta)
        self._out.append(self.text(stream, event, self._clock.ts))

    def _token_usage(self, event: e.TokenUsage, stream: FleetStream) -> None:
        event = plausible_usage(event)
        estimate = None
        if event.cost_usd is None and self._prices is not None:
            estimate = self._prices.cost(event.model, self._clock.ts, tokens_of(event))
        self._emit(
            e.FleetTokenUsage,
            stream,
            message_id=event.message_id,
            model=event.model,
            input_tokens=event.input_tokens,
            output_tokens=event.output_tokens,
            cache_read_tokens=event.cache_read_tokens,
            cache_creation_tokens=event.cache_creation_tokens,
            cost_usd=event.cost_usd,
            estimated_usd=estimate,
            cache_1h_tokens=event.cache_1h_tokens,
            estimated=event.estimated,
        )
        self._totals.fold(self._out[-1])

    def _session_meta(self, event: e.SessionMeta, stream: FleetStream) -> None:
        self._pass_on(event, stream)
        self._totals.fold(self._out[-1])

    def _turn_complete(self, event: e.TurnComplete, stream: FleetStream) -> None:
        duration_ms = plausible_count(event.duration_ms)
        self._clock.lasted(stream, duration_ms)
        account = None if event.totals is None else plausible_usage(event.totals)
        self._emit(
            e.FleetTurnComplete,
            stream,
            ok=event.ok,
            subtype=event.subtype,
            reason=event.reason,
            result=event.result,
            duration_ms=duration_ms,
            num_turns=plausible_count(event.num_turns),
            cost_usd=plausible_dollars(event.cost_usd),
            input_tokens=account and account.input_tokens,
            output_tokens=account and account.output_tokens,
            cache_read_tokens=account and account.cache_read_tokens,
            cache_creation_tokens=account and account.cache_creation_tokens,
        )
        self._totals.fold(self._out[-1])

    def _progress(self, event: e.Progress, stream: FleetStream) -> None:
        event.duration_ms = plausible_count(event.duration_ms)
        event.total_tokens = plausible_count(event.total_tokens)
        self._clock.lasted(stream, event.duration_ms)
        self._pass_on(event, stream)

    def _emit(self, kind: type[F], stream: FleetStream, **payload: Any) -> None:
        self._out.append(
            kind(
                seq=self._seq,
                ts=self._clock.stamp(stream),
                stream_id=stream.id,
                depth=stream.depth,
                agent=stream.agent,
                **payload,
            )
        )
        self._seq += 1

    def _pop(self) -> list[e.FleetEvent]:
        out, self._out = self._out, []
        return out
