"""What a run gives reason to alert about: none missed, none false in any recording."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.block_rows import FOLDERS, sources_of
from tests.fold.alerts.made import MAIN, Maker, helper
from unbraid import events as e
from unbraid.fold.alerts.conditions import APPLIED, Condition, RunConditions
from unbraid.fold.alerts.rules import TIMES
from unbraid.record.sessions.sources import events_of, runs_of_sources

MINUTE = 60_000


def folded(events: list[e.FleetEvent]) -> RunConditions:
    run = RunConditions("r")
    for event in events:
        if event.type in APPLIED:
            run.apply(event)
        else:
            run.note(event.stream_id, event.ts)
    return run


def circles(run: RunConditions) -> list[Condition]:
    return [each for each in run.pop_moments() if each.what == "repeats" and each.times >= TIMES]


def recorded(folder: Path) -> list[e.FleetEvent]:
    (run,) = runs_of_sources(sources_of(folder, full=True), {})
    return list(events_of(run))


every_recording = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


@every_recording
def test_a_recording_has_no_circles_and_no_silence_and_made_ones_are_found(folder: Path) -> None:
    """The recordings have agents that fail, retry, say the same twice and wait for each other. The
    same ones are silent, or in a loop, when somebody makes them so.
    """
    events = recorded(folder)
    run = RunConditions("r")
    silent: list[Condition] = []
    for event in events:
        # What would have been seen just before it.
        silent += [
            each
            for each in run.lasting(event.ts)
            if each.what == "silent" and event.ts - each.since >= MINUTE
        ]
        if event.type in APPLIED:
            run.apply(event)
        else:
            run.note(event.stream_id, event.ts)
    assert (circles(run), silent) == ([], [])

    ends = [n for n, event in enumerate(events) if event.type == "stream_end"]
    before, end = events[: ends[0]], events[ends[0]]
    who = {"stream_id": end.stream_id, "depth": end.depth, "agent": end.agent}
    maker = Maker(begin=end.ts)
    loop = [each for _ in range(TIMES) for each in maker.call("ls", "nothing here", who)]
    (found,) = circles(folded(before + loop))
    assert (found.stream_id, found.agent) == (end.stream_id, end.agent)

    looping = folded([*before, maker.text(who)])
    hour = looping.lasting(maker.ts + 60 * MINUTE)
    # It waits for permission, is silent itself, or waits for one below it that is.
    assert {each.what for each in hour} & {"silent", "permission"}


@settings(max_examples=50, deadline=None)
@given(
    loop=st.lists(st.sampled_from("abcde"), min_size=1, max_size=5),
    own=st.lists(st.integers(0, 1), min_size=0, max_size=2),
)
def test_every_loop_is_found_however_long_its_round(loop: list[str], own: list[int]) -> None:
    maker = Maker()
    events = maker.begin()
    for turn in range(TIMES):
        for each in loop:
            events += maker.call(each, f"result of {each}")
        for other in own:
            events += maker.call(f"other {turn} {other}", f"new {turn}")
    assert circles(folded(events))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=120))
def test_what_is_not_repeated_often_is_no_loop(calls: list[tuple[int, int]]) -> None:
    """A reading of the definition with a list: within 40 results, five that are the same."""
    maker = Maker()
    events = maker.begin()
    for given_, result in calls:
        events += maker.call(given_, str(result))
    windows = [calls[max(0, n - 39) : n + 1] for n in range(len(calls))]
    expected = any(window.count(window[-1]) >= TIMES for window in windows)
    assert bool(circles(folded(events))) == expected


def test_the_same_error_of_different_calls_is_a_circle_whatever_the_time() -> None:
    maker = Maker()
    events = maker.begin()
    for number in range(TIMES):
        events += maker.call(f"edit {number}", "ok")
        error = f"1 failed in {number}.5s at 12:00:0{number}: expected 3"
        events += maker.call(f"test {number}", error, ok=False)
    (found,) = circles(folded(events))
    assert found.times == TIMES
    assert found.detail.startswith("the same error of Bash, 5 times: 1 failed")


def test_different_errors_are_none() -> None:
    maker = Maker()
    events = maker.begin()
    for number in range(30):
        events += maker.call("read", f"no such file: {number}.txt", ok=False)
    assert circles(folded(events)) == []


def test_an_error_of_the_model_again_and_again() -> None:
    maker = Maker()
    errors = [maker.make(e.FleetError, message="overloaded") for _ in range(TIMES)]
    assert len(circles(folded(maker.begin() + errors))) == 1
    mixed = [each for error in errors for each in (error, maker.text())]
    assert circles(folded(maker.begin() + mixed)) == []


def test_whoever_waits_for_an_agent_that_works_may_ask_again_and_again() -> None:
    maker = Maker()
    events = [*maker.begin(), maker.start(1)]
    for number in range(20):
        events += maker.call("wait", "still at work")
        events += maker.call(f"step {number}", "ok", helper(1))
    assert circles(folded(events)) == []
    for _ in range(TIMES):
        events += maker.call("wait", "still at work")
    assert len(circles(folded(events))) == 1


@every_recording
def test_a_sub_agent_of_a_recording_that_is_started_again_and_again(folder: Path) -> None:
    events = recorded(folder)
    tasks = {x.stream_id: x for x in events if isinstance(x, e.StreamStart) and x.prompt}
    ends = [x for x in events if isinstance(x, e.StreamEnd) and x.stream_id in tasks]
    ended = next((x for x in ends if x.reason in ("completed", "failed")), None)
    if ended is None:
        return  # one without any
    start = tasks[ended.stream_id]
    until = events[: events.index(ended) + 1]
    own = [x for x in until if x.stream_id == start.stream_id]
    again = [replace(x, stream_id=1000 + number) for number in range(1, TIMES) for x in own]
    assert circles(folded(until + again[: -len(own)])) == []
    (found,) = circles(folded(until + again))
    assert (found.stream_id, found.times) == (start.parent_stream_id, TIMES)
    assert found.detail.startswith("the same task with the same answer of ")


def answered(maker: Maker, number: int, answer: str) -> list[e.FleetEvent]:
    """A helper works and answers, in its own words at every call."""
    who = helper(number)
    return [
        *maker.call(f"look {number}", f"found {number}", who),
        maker.make(e.SubAgentResponse, who, content=answer),
        maker.end(who, "completed"),
        *maker.call(f"spawn {number}", f"agentId: {number}"),
    ]


@pytest.mark.parametrize(
    ("prompts", "answers", "found"),
    [
        (["Fix it."] * TIMES, ["Cannot."] * TIMES, 1),
        (["Fix it.", "Test it."] * TIMES, ["Cannot.", "It fails."] * TIMES, 2),
        (["Fix it."] * TIMES, [f"{n} of 9 fixed" for n in range(TIMES)], 0),
        ([f"Fix {n}." for n in range(TIMES)], ["Done."] * TIMES, 0),
        (["Fix it."] * (TIMES - 1), ["Cannot."] * (TIMES - 1), 0),
    ],
)
def test_the_same_task_again_and_again_with_the_same_answer(
    prompts: list[str], answers: list[str], found: int
) -> None:
    maker = Maker()
    events = maker.begin()
    for number, (prompt, answer) in enumerate(zip(prompts, answers, strict=True), 1):
        events += [maker.start(number, prompt=prompt), *answered(maker, number, answer)]
    loops = circles(folded(events))
    assert [(each.stream_id, each.agent, each.times) for each in loops] == [(0, "main", 5)] * found
    for each in loops:
        assert each.detail == "the same task with the same answer of helper, 5 times"


def test_several_helpers_may_have_the_same_task_at_once() -> None:
    maker = Maker()
    numbers = range(1, 2 * TIMES)
    events = [*maker.begin(), *(maker.start(number, prompt="Vote.") for number in numbers)]
    for number in numbers:
        events += answered(maker, number, "Yes.")
    assert circles(folded(events)) == []


def test_the_same_error_again_and_again_is_none_of_those_who_wait() -> None:
    maker = Maker()
    events = [*maker.begin(), maker.start(1)]
    for number in range(TIMES):
        events += maker.call("npm test", "no such script", ok=False)
        events += maker.call(f"step {number}", "ok", helper(1))
    (found,) = circles(folded(events))
    assert (found.stream_id, found.times) == (0, TIMES)


def test_silence_is_that_of_the_agent_that_works() -> None:
    maker = Maker()
    events = [*maker.begin(), maker.start(1)]

    def silent(events: list[e.FleetEvent]) -> list[tuple[int, int]]:
        now = maker.ts + 10 * MINUTE
        return [
            (each.stream_id, now - each.since)
            for each in folded(events).lasting(now)
            if each.what == "silent"
        ]

    assert silent(events) == [(1, 10 * MINUTE)]
    asking = [*events, maker.asked("r", helper(1))]
    assert silent(asking) == []
    ended = [*events, maker.end(helper(1), "completed")]
    assert silent(ended) == [(0, 10 * MINUTE)]
    assert silent([*ended, maker.turn()]) == []
    assert silent([*ended, maker.end(MAIN, "completed"), maker.done(ok=True)]) == []


def test_a_call_that_runs_is_named_in_its_silence() -> None:
    maker = Maker()
    events = [*maker.begin(), *maker.call("make", "")[:1]]
    (found,) = folded(events).lasting(maker.ts + MINUTE)
    assert (found.what, found.detail) == ("silent", "Bash is running")


def test_waiting_for_a_permission_and_for_a_prompt() -> None:
    maker = Maker()
    events = [*maker.begin(), maker.start(1), maker.asked("r1", helper(1)), maker.asked("r2")]
    found = folded(events).lasting(maker.ts)
    assert [(each.what, each.key, each.stream_id, each.agent) for each in found] == [
        ("permission", "permission r1", 1, "helper"),
        ("permission", "permission r2", 0, "main"),
    ]
    assert found[0].detail == "Bash: rm -rf build"
    events += [maker.replied("r1", helper(1)), maker.replied("r2")]
    assert {each.what for each in folded(events).lasting(maker.ts + 1)} == {"silent"}
    events += [maker.end(helper(1), "completed"), maker.turn()]
    (prompt,) = folded(events).lasting(maker.ts)
    assert (prompt.what, prompt.since) == ("prompt", maker.ts)


def test_a_turn_that_fails_in_a_session_that_goes_on_is_a_failure_once() -> None:
    maker = Maker()
    run = folded(maker.begin())
    for subtype, number in (("interrupted", 0), ("error", 1), ("failed", 1)):
        turn = maker.make(
            e.FleetTurnComplete, ok=False, subtype=subtype, result="API Error: 400 no credit"
        )
        run.apply(turn)
        found = run.pop_moments()
        assert [(each.what, each.detail) for each in found] == [
            ("failed", "API Error: 400 no credit")
        ] * number
    run.apply(maker.end())
    (end,) = run.pop_moments()
    assert end.key == found[0].key, "its end is no news"


def test_time_at_work_leaves_out_waiting_for_a_person() -> None:
    maker = Maker(step=10_000)
    events = [*maker.begin(), maker.text(), maker.turn()]
    maker.ts += 60 * MINUTE
    events += [maker.make(e.FleetPrompt, text="Go on"), maker.text()]
    run = folded(events)
    assert run.spending(maker.ts + 5000).seconds == 30 + 10 + 5
