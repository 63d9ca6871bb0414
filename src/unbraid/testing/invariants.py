"""What holds of the events of every run, whatever came in: who, what, when, in which state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from unbraid import events as e
from unbraid.fold.status import LIVE, RunState
from unbraid.fold.tree import Tree

REASONS = {"completed", "failed", "cancelled", "interrupted", "orphaned"}


def assert_fleet(events: Iterable[e.FleetEvent], *, known: bool = False) -> None:
    """Raises AssertionError, which names each promise that the events of a whole run break.

    With `known`, the run is whole and of a release whose records are all known: nothing in it may
    be `unrecognized` or `malformed`, and a call comes before its result and before the agent that
    it spawns.
    """
    run = list(events)
    broken = [*_frame(run), *_streams(run), *_times(run), *_states(run), *_sums(run)]
    if known:
        unread = [each for each in run if isinstance(each, e.FleetUnrecognized | e.FleetMalformed)]
        broken += [f"event {each.seq} is {each.type}" for each in unread]
        broken += _calls(run)
    assert not broken, "\n".join(broken[:20])


def _frame(run: Sequence[e.FleetEvent]) -> Iterator[str]:
    """`request_received` is first and `done` last, each once; `seq` counts up by one."""
    if [event.seq for event in run] != list(range(1, len(run) + 1)):
        yield "seq does not count up by one"
    if [event.seq for event in run if isinstance(event, e.RequestReceived)] != [1]:
        yield "request_received is not the first event, or comes twice"
    if [event.seq for event in run if isinstance(event, e.Done)] != [len(run)]:
        yield "done is not the last event, or comes twice"


def _streams(run: Sequence[e.FleetEvent]) -> Iterator[str]:
    """Streams are numbered as they appear, parents start before their children, and each ends once,
    after all that its agent said.
    """
    started: dict[int, e.StreamStart] = {}
    ended: set[int] = set()
    answering: set[int] = set()
    for event in run:
        stream = event.stream_id
        if isinstance(event, e.RequestReceived | e.Done):
            if (stream, event.depth) != (0, 0):
                yield f"event {event.seq} belongs to the run, not to stream {stream}"
            continue
        if isinstance(event, e.StreamStart):
            if stream != len(started):
                yield f"stream {stream} starts as number {len(started)}"
            if not _may_start(event, started):
                yield f"stream {stream} starts before its parent, or at a wrong depth"
            started[stream] = event
            continue
        if stream not in started:
            yield f"event {event.seq} precedes the start of its stream {stream}"
            continue
        if stream in ended:
            yield f"event {event.seq} follows the end of its stream {stream}"
        start = started[stream]
        if (event.depth, event.agent) != (start.depth, start.agent):
            yield f"event {event.seq} names another depth or agent than stream {stream}"
        match event:
            case e.StreamEnd():
                ended.add(stream)
                if event.reason not in REASONS or event.ok != (event.reason == "completed"):
                    yield f"stream {stream} ends {event.reason!r} with ok={event.ok}"
            case e.AgentStart():
                if stream in answering:
                    yield f"the agent of stream {stream} begins to answer twice"
                answering.add(stream)
            case e.Text() | e.Thinking() | e.FleetToolUse():
                if stream not in answering:
                    yield f"event {event.seq} precedes the agent_start of stream {stream}"
    for stream in started.keys() - ended:
        yield f"stream {stream} never ends"
    if run and isinstance(done := run[-1], e.Done) and done.streams != len(started):
        yield f"done counts {done.streams} streams, there are {len(started)}"


def _may_start(event: e.StreamStart, started: dict[int, e.StreamStart]) -> bool:
    parent = event.parent_stream_id
    if event.resumes is not None and event.resumes not in started:
        return False
    if parent is not None:
        return parent in started and event.depth == started[parent].depth + 1
    return event.depth == 0 and (event.stream_id == 0 or event.resumes is not None)


def _calls(run: Sequence[e.FleetEvent]) -> Iterator[str]:
    """A call comes before its result and before the agent that it spawns, and a request before its
    answer; each result is reported once.
    """
    calls = {each.tool_use_id: each.seq for each in run if isinstance(each, e.FleetToolUse)}
    called: set[str] = set()
    asked: set[str] = set()
    results: set[tuple[int, str]] = set()
    for event in run:
        match event:
            case e.FleetToolUse():
                called.add(event.tool_use_id)
            case e.StreamStart(tool_use_id=str(name)) if name in calls and name not in called:
                yield f"stream {event.stream_id} starts before the call {name} that spawns it"
            case e.FleetToolResult():
                if event.tool_use_id in calls and event.tool_use_id not in called:
                    yield f"event {event.seq} is the result of a call that comes later"
                if (key := (event.stream_id, event.tool_use_id)) in results:
                    yield f"event {event.seq} is a second result of the call {key[1]}"
                results.add(key)
            case e.FleetPermissionAsked():
                asked.add(event.request_id)
            case e.FleetPermissionReplied() if event.request_id not in asked:
                yield f"event {event.seq} answers a request that nobody made"


def _times(run: Sequence[e.FleetEvent]) -> Iterator[str]:
    """Nothing happens before its run begins or after it ends, in a stream time never runs back, and
    the run lasts from its beginning to its end.
    """
    if not run:
        return
    first, done = run[0], run[-1]
    latest: dict[int, int] = {}
    for event in run:
        if not first.ts <= event.ts <= done.ts:
            yield f"event {event.seq} happens outside of its run"
        if event.ts < latest.get(event.stream_id, 0):
            yield f"event {event.seq} runs back in stream {event.stream_id}"
        latest[event.stream_id] = event.ts
    if first.ts and isinstance(done, e.Done) and done.duration_ms != done.ts - first.ts:
        yield f"the run lasts {done.ts - first.ts} ms, and done says {done.duration_ms}"


def _states(run: Sequence[e.FleetEvent]) -> Iterator[str]:
    """A run works and waits until it is over; then nothing waits, and it has one of the ends."""
    state = RunState()
    over: str | None = None
    for event in run:
        state.apply(event)
        if over is not None and state.status != over:
            yield f"event {event.seq} changes the status of a run that is over"
        if state.status not in LIVE:
            over = state.status
    if over is None:
        yield f"the run is still {state.status} at its end"
    if state.requests:
        yield f"requests wait although the run is over: {', '.join(state.requests)}"


def _sums(run: Sequence[e.FleetEvent]) -> Iterator[str]:
    """The usage of a message is reported once; the totals of a run are at least the sum of its
    messages, and those of the tree are the same.
    """
    done = run[-1] if run else None
    if not isinstance(done, e.Done):
        return
    messages = [each for each in run if isinstance(each, e.FleetTokenUsage)]
    if len({(each.stream_id, each.message_id) for each in messages}) < len(messages):
        yield "the usage of a message is reported twice"
    total = Tree(run).rolled_up()
    for name in ("input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens"):
        of_messages = sum(getattr(each, name) for each in messages)
        if getattr(done, name) < of_messages:
            yield f"done has {getattr(done, name)} {name}, its messages have {of_messages}"
        if getattr(total, name) != getattr(done, name):
            yield f"the tree has {getattr(total, name)} {name}, done has {getattr(done, name)}"
