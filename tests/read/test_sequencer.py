"""What has to wait for what, by a clock of our own."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from unbraid.read.sequencer import (
    After,
    Aged,
    Closed,
    Condition,
    Either,
    Emptied,
    Quiet,
    Sequencer,
    SourceItem,
)

SOURCES = ("a", "b", "c")


def item(
    source: str, value: str, *waits_for: Condition, within: float = math.inf
) -> SourceItem[str]:
    return SourceItem(source, value, waits_for=waits_for, max_wait_seconds=within)


def taken(sequencer: Sequencer[str], now: float) -> str:
    return "".join(sequencer.take(now))


def test_what_waits_for_nothing_goes_at_once_by_rank() -> None:
    sequencer = Sequencer[str](("a", "b"))
    sequencer.add(item("b", "2"), 0)
    sequencer.add(item("a", "1"), 0)
    assert taken(sequencer, 0) == "12"
    assert not sequencer.holds()


def test_an_item_waits_until_its_provider_has_settled() -> None:
    sequencer = Sequencer[str](("out", "file"))
    sequencer.add(item("out", "x", After("k", 1.0), within=9), 0)
    sequencer.add(item("out", "y"), 0)
    assert taken(sequencer, 0) == ""
    sequencer.add(SourceItem("file", "k", provides=("k",)), 2)
    assert taken(sequencer, 2) == "k"
    assert taken(sequencer, 2.5) == ""
    assert taken(sequencer, 3) == "xy"


def test_what_has_gone_past_the_sequencer_counts_too() -> None:
    sequencer = Sequencer[str](("out", "file"))
    sequencer.add(item("out", "x", After("k", 1.0)), 0)
    sequencer.note("file", ["k"], 2)
    assert taken(sequencer, 2) == ""
    assert taken(sequencer, 3) == "x"


def test_the_wait_is_bounded() -> None:
    sequencer = Sequencer[str]()
    sequencer.add(item("out", "x", After("never"), within=3), 1)
    assert taken(sequencer, 3.9) == ""
    assert taken(sequencer, 4) == "x"


def test_a_patient_item_is_taken_along_by_whoever_needs_it() -> None:
    sequencer = Sequencer[str](("out", "own"))
    for value in "pqr":
        provided = SourceItem("own", value, (value,), (Aged(5), Emptied("out")), patient=True)
        sequencer.add(provided, 0)
    assert taken(sequencer, 1) == ""
    sequencer.add(item("out", "x", After("q"), within=0), 1)
    assert taken(sequencer, 1) == "pqx"
    assert taken(sequencer, 5) == "r"


def test_a_patient_item_that_nobody_needs_gives_way() -> None:
    sequencer = Sequencer[str](("out", "own"))
    sequencer.add(SourceItem("own", "p", waits_for=(Aged(1), Emptied("out")), patient=True), 0)
    sequencer.add(item("out", "x", After("never"), within=3), 0)
    assert taken(sequencer, 2) == ""
    assert taken(sequencer, 3) == "xp"


def test_what_is_provided_by_an_item_that_waits_itself_is_waited_for() -> None:
    open_keys = {"agent"}
    sequencer = Sequencer[str](("parent", "child"), is_open=open_keys.__contains__)
    sequencer.add(item("parent", "x", After("k"), within=9), 0)
    sequencer.add(SourceItem("child", "k", ("k",), (Closed("agent"),)), 0)
    assert taken(sequencer, 1) == ""
    open_keys.clear()
    assert taken(sequencer, 2) == "kx"


def test_what_is_open_is_asked_anew_for_each_item() -> None:
    gone: list[str] = []
    sequencer = Sequencer[str](("parent", "child"), is_open=lambda key: key not in gone)
    sequencer.add(item("parent", "x", Closed("answer")), 0)
    sequencer.add(item("child", "answer"), 0)
    for value in sequencer.take(0):
        gone += [value]
    assert gone == ["answer", "x"]


def test_an_item_waits_until_some_sources_are_quiet() -> None:
    sequencer = Sequencer[str](("out", "file"))
    sequencer.note("file", (), 0)
    sequencer.add(item("out", "x", Quiet(("file",), 1.0)), 5)
    assert taken(sequencer, 5.5) == ""
    sequencer.note("file", (), 5.6)
    assert taken(sequencer, 6.5) == ""
    assert taken(sequencer, 6.6) == "x"


def test_either_of_two_conditions_is_enough() -> None:
    sequencer = Sequencer[str](("out", "file"))
    sequencer.add(item("out", "x", Either(After("k"), Aged(5))), 0)
    sequencer.add(item("out", "y", Either(After("never"), Aged(5))), 0)
    sequencer.note("file", ["k"], 1)
    assert taken(sequencer, 1) == "x"
    assert taken(sequencer, 5) == "y"


def test_what_is_forgotten_does_not_come() -> None:
    sequencer = Sequencer[str]()
    sequencer.add(item("a", "x", Aged(5)), 0)
    sequencer.add(item("b", "y", Aged(5)), 0)
    sequencer.forget("a")
    assert not sequencer.holds("a")
    assert sequencer.holds("b")
    assert "".join(sequencer.finish()) == "y"


# --- for every input ---


class Arrival(NamedTuple):
    """One item of a story, and how many seconds after the one before it arrives."""

    pause: int
    source: str
    provides: tuple[str, ...]
    waits_for: tuple[Condition, ...]
    bound: int
    patient: bool


KEYS = st.sampled_from("klmn")
WAITS = st.one_of(
    st.builds(After, KEYS, st.integers(0, 2)),
    st.builds(Aged, st.integers(0, 4)),
    st.builds(Quiet, st.just(SOURCES), st.integers(0, 3)),
    st.builds(Emptied, st.sampled_from(SOURCES)),
)
CONDITIONS = st.one_of(WAITS, st.builds(Either, WAITS, WAITS))


@st.composite
def arrivals(draw: st.DrawFn) -> Arrival:
    waits = tuple(draw(st.lists(CONDITIONS, max_size=2)))
    patient = draw(st.booleans()) and not any(isinstance(w, After | Either) for w in waits)
    return Arrival(
        pause=draw(st.integers(0, 3)),
        source=draw(st.sampled_from(SOURCES)),
        provides=tuple(draw(st.sets(KEYS, max_size=2))),
        waits_for=waits,
        bound=draw(st.integers(0, 6)),
        patient=patient,
    )


STORIES = st.lists(arrivals(), max_size=12)


class Outcome(NamedTuple):
    """What came of a story: the items in their order, when each went, and when each arrived."""

    order: list[int]
    went: dict[int, float]
    arrived: dict[int, float]


def played(story: list[Arrival], *, sequencer: Sequencer[int] | None = None) -> Outcome:
    """The story by a clock that stops at every second."""
    sequencer = sequencer or Sequencer[int](SOURCES)
    order: list[int] = []
    went: dict[int, float] = {}
    arrived: dict[int, float] = {}
    now = 0

    def take(upto: int) -> None:
        nonlocal now
        while True:
            for number in sequencer.take(now):
                order.append(number)
                went[number] = now
            if now == upto:
                return
            now += 1

    for number, each in enumerate(story):
        take(now + each.pause)
        arrived[number] = now
        sequencer.add(
            SourceItem(
                each.source, number, each.provides, each.waits_for, each.bound, each.patient
            ),
            now,
        )
    take(now + 8)
    order += (rest := list(sequencer.finish()))
    assert rest == []
    return Outcome(order, went, arrived)


@given(STORIES)
def test_nothing_is_lost_or_doubled_and_the_order_within_a_source_is_kept(
    story: list[Arrival],
) -> None:
    order = played(story).order
    assert sorted(order) == list(range(len(story)))
    for source in SOURCES:
        mine = [number for number in order if story[number].source == source]
        assert mine == sorted(mine)


@given(STORIES)
def test_no_item_waits_longer_than_its_bound_and_those_before_it(story: list[Arrival]) -> None:
    outcome = played(story)
    deadlines: dict[str, float] = defaultdict(float)
    for number, each in enumerate(story):
        deadline = max(deadlines[each.source], outcome.arrived[number] + each.bound)
        deadlines[each.source] = deadline
        assert outcome.went[number] <= deadline


@given(STORIES)
def test_an_item_never_comes_before_what_it_waits_for(story: list[Arrival]) -> None:
    outcome = played(story)
    place = {number: at for at, number in enumerate(outcome.order)}
    for number, each in enumerate(story):
        for condition in each.waits_for:
            if not isinstance(condition, After):
                continue
            providers = [n for n, other in enumerate(story) if condition.key in other.provides]
            first = next(iter(providers), None)
            in_bound = outcome.went[number] - outcome.arrived[number] < each.bound
            if in_bound:  # then it has not given up: what it waits for is there, and has gone
                assert first is not None
                assert place[first] < place[number]


@given(STORIES)
def test_a_provider_that_is_there_and_free_goes_first(story: list[Arrival]) -> None:
    """Also where the item does not wait at all."""
    outcome = played(story)
    place = {number: at for at, number in enumerate(outcome.order)}
    for number, each in enumerate(story):
        for condition in each.waits_for:
            if not isinstance(condition, After):
                continue
            known = [n for n, other in enumerate(story) if condition.key in other.provides]
            first = next(iter(known), None)
            if first is None or story[first].source == each.source:
                continue
            if outcome.arrived[first] > outcome.went[number]:
                continue
            queue = [n for n in range(first + 1) if story[n].source == story[first].source]
            if all(story[n].patient for n in queue) and first < number:
                assert place[first] < place[number]


@given(STORIES, st.permutations(SOURCES))
def test_between_two_looks_the_order_of_the_sources_does_not_matter(
    story: list[Arrival], shuffled: list[str]
) -> None:
    """All items arrive at once, source by source, in any order of the sources."""
    # Of several providers of one key the first counts, so here each key has one.
    sources = {key: each.source for each in story for key in each.provides}

    def all_of(order: Iterable[str]) -> list[int]:
        sequencer = Sequencer[int](SOURCES)
        for source in order:
            for number, each in enumerate(story):
                if each.source == source:
                    own = tuple(key for key in each.provides if sources[key] == source)
                    declared = (each.waits_for, each.bound, each.patient)
                    sequencer.add(SourceItem(source, number, own, *declared), 0)
        return [number for now in range(8) for number in sequencer.take(now)]

    assert all_of(SOURCES) == all_of(shuffled)
