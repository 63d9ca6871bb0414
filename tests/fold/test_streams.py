"""Streams: every invocation its slot, every event its place."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from unbraid import events as e
from unbraid.fold.streams import PASSED_ON, Fleet
from unbraid.testing import assert_fleet


def kinds(events: Iterable[e.FleetEvent]) -> list[tuple[str, int]]:
    return [(event.type, event.stream_id) for event in events]


def spawn(context: str, parent: str = "", *, resumes: bool = False) -> e.SubAgentSpawned:
    return e.SubAgentSpawned(context, 5, parent, None, "s", "p", "worker", context, resumes=resumes)


def test_a_run_from_its_first_word_to_done() -> None:
    fleet = Fleet("claude")
    events = fleet.apply([e.TextDelta("", 3, "m", 0, "hi"), e.TextDelta("", 4, "m", 0, "!")])
    events += fleet.finish(True, "completed")
    assert kinds(events) == [
        ("request_received", 0),
        ("stream_start", 0),
        ("agent_start", 0),
        ("text", 0),
        ("text", 0),
        ("stream_end", 0),
        ("done", 0),
    ]
    assert [event.seq for event in events] == list(range(1, 8))
    assert events[-1] == e.Done(
        seq=7, ts=4, stream_id=0, depth=0, agent="main", ok=True, streams=1, input_tokens=0,
        output_tokens=0, cache_read_tokens=0, cache_creation_tokens=0, duration_ms=1,
    )  # fmt: skip


def test_a_prompt_that_comes_first_is_the_requests() -> None:
    first, start, *_ = Fleet("claude").apply([e.Prompt("", 1, "Do it.")])
    assert isinstance(first, e.RequestReceived) and isinstance(start, e.StreamStart)
    assert first.prompt == start.prompt == "Do it."


def test_children_count_up_and_know_their_parents() -> None:
    fleet = Fleet()
    events = fleet.apply([spawn("a"), spawn("b", "a"), spawn("c")])
    starts = [event for event in events if isinstance(event, e.StreamStart)]
    assert [(s.stream_id, s.parent_stream_id, s.depth) for s in starts] == [
        (0, None, 0),
        (1, 0, 1),
        (2, 1, 2),
        (3, 0, 1),
    ]
    assert [s.tool_use_id for s in starts] == [None, "a", "b", "c"]


def test_an_agent_asked_again_is_a_new_stream_that_names_the_old_one() -> None:
    fleet = Fleet()
    events = fleet.apply(
        [
            spawn("a"),
            e.TextDelta("a", 6, "m1", 0, "once"),
            e.SubAgentEnded("a", 7),
            spawn("a", resumes=True),
            e.TextDelta("a", 8, "m2", 0, "twice"),
        ]
    )
    starts = [event for event in events if isinstance(event, e.StreamStart)]
    assert [s.resumes for s in starts] == [None, None, 1]
    texts = [(t.stream_id, t.delta) for t in events if isinstance(t, e.Text)]
    assert texts == [(1, "once"), (2, "twice")]


def test_the_answer_is_what_the_parent_gets_else_the_last_words() -> None:
    fleet = Fleet()
    said = [e.TextDelta("a", 1, "m1", 0, "first"), e.TextDelta("a", 1, "m2", 0, "la")]
    said += [e.TextDelta("a", 1, "m2", 1, "st"), e.TextDelta("b", 1, "m", 0, "own words")]
    events = fleet.apply([spawn("a"), spawn("b"), *said])
    events += fleet.apply([e.SubAgentEnded("a"), e.SubAgentEnded("b", content="told")])
    answers = [x.content for x in events if isinstance(x, e.SubAgentResponse)]
    assert answers == ["last", "told"]


def test_words_after_the_end_get_a_stream_that_goes_on() -> None:
    fleet = Fleet()
    fleet.apply([spawn("a"), spawn("b", "a"), e.SubAgentEnded("b")])
    events = fleet.apply([e.Progress("b", tool_uses=1), e.TextDelta("b", 9, "m", 0, "late")])
    assert kinds(events) == [("stream_start", 3), ("agent_start", 3), ("text", 3)]
    start = events[0]
    assert isinstance(start, e.StreamStart)
    assert (start.resumes, start.parent_stream_id, start.depth) == (2, 1, 2)


def test_whoever_runs_at_the_end_is_orphaned() -> None:
    fleet = Fleet()
    fleet.apply([spawn("a")])
    events = fleet.finish(True, "completed")
    ends = [(x.stream_id, x.ok, x.reason) for x in events if isinstance(x, e.StreamEnd)]
    assert ends == [(1, False, "orphaned"), (0, True, "completed")]
    assert fleet.finish(True, "completed") == []


def test_a_run_in_which_nothing_was_said_is_a_run() -> None:
    assert kinds(Fleet().finish(False, "failed", now=7)) == [
        ("request_received", 0),
        ("stream_start", 0),
        ("stream_end", 0),
        ("done", 0),
    ]


def test_every_relay_event_has_its_place() -> None:
    special = {e.TextDelta, e.SubAgentSpawned, e.SubAgentEnded, e.TokenUsage, e.TurnComplete}
    assert set(e.RELAY_EVENTS) == set(PASSED_ON) | special
    for relay in PASSED_ON:
        events = Fleet().apply([relay()])
        assert events[-1].type in (PASSED_ON[relay][0].__struct_config__.tag, "stream_start")


def test_now_dates_what_has_no_time() -> None:
    fleet = Fleet()
    events = fleet.apply([e.TextDelta("", 0, "m", 0, "a"), e.TextDelta("", 9, "m", 0, "b")], now=5)
    assert [x.ts for x in events if isinstance(x, e.Text)] == [5, 9]


def test_a_run_of_another_time_keeps_its_own() -> None:
    then, now = 1_000_000, 9_000_000
    for begun, ended in ((then, then + 30), (now, now + 30)):
        fleet = Fleet()
        said = [e.SessionMeta(), e.TextDelta("", begun, "m", 0, "a")]
        events = fleet.apply([*said, e.TextDelta("", ended, "m", 0, "b")], now=now)
        done = fleet.finish(True, "completed", now=now + 50)[-1]
        assert isinstance(done, e.Done)
        assert events[0].ts == begun
        assert done.duration_ms == done.ts - begun == (30 if begun == then else 50)


contexts = st.sampled_from(["", "a", "b", "c"])
anything = st.one_of(
    st.builds(e.TextDelta, contexts, st.integers(0, 9), st.just("m"), st.just(0), st.text()),
    st.builds(spawn, contexts.filter(bool), contexts, resumes=st.booleans()),
    st.builds(e.SubAgentEnded, contexts),
    st.builds(e.Prompt, contexts, st.integers(0, 9), st.text()),
    st.builds(e.ToolUse, contexts, st.just(1), st.just("m"), st.just(0), st.text(), st.text()),
    st.builds(e.Unrecognized, contexts, st.just(1), st.just(Raw(b"{}"))),
    st.builds(e.SessionMeta, contexts),
)


@given(st.lists(anything, max_size=30))
def test_the_guarantees_hold_whatever_comes_in(relay: list[e.RelayEvent]) -> None:
    whole, piecewise = Fleet(), Fleet()
    events = whole.apply(relay) + whole.finish(True, "completed")
    assert_fleet(events)
    again = [x for one in relay for x in piecewise.apply([one])]
    again += piecewise.finish(True, "completed")
    assert [e.encode(x) for x in again] == [e.encode(x) for x in events]


def test_an_agent_is_believed_how_long_it_has_worked_where_nothing_else_shows_it() -> None:
    fleet = Fleet(began_ms=1000)
    said = [
        e.SessionMeta(),
        e.SubAgentSpawned("a", 1000, agent_id="a"),
        e.Progress("a", 1005, duration_ms=390),
        e.SubAgentEnded("a", 1005),
        # Who is asked again may count what it did before.
        e.SubAgentSpawned("a", 1400, agent_id="a", resumes=True),
        e.Progress("a", 1405, duration_ms=395),
        e.SubAgentEnded("a", 1405),
        e.TurnComplete("", 1405, duration_ms=420),
    ]
    events = [*fleet.apply(said), *fleet.finish(True, "completed")]
    assert_fleet(events)
    ends = {x.stream_id: x.ts for x in events if isinstance(x, e.StreamEnd)}
    assert ends == {1: 1390, 2: 1405, 0: 1420}
    # What nobody can believe is passed on and dates nothing.
    fleet = Fleet(began_ms=1000)
    fleet.apply([e.TurnComplete("", 1405, duration_ms=1 << 62)])
    assert fleet.finish(True, "completed")[-1].ts == 1405
