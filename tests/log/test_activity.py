"""How busy a run was: every event counted once, in few numbers, at its time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from unbraid.log.summary import SPANS, Activity


@given(st.lists(st.integers(min_value=-(2**40), max_value=2**53)))
def test_every_event_is_counted_once_and_the_numbers_stay_few(times: list[int]) -> None:
    activity = Activity()
    for time in times:
        activity.add(time)
    assert sum(activity.counts) == len(times)
    assert len(activity.counts) <= SPANS


@given(st.lists(st.integers(min_value=0, max_value=10**9), min_size=1))
def test_an_event_is_counted_in_the_span_of_its_time(times: list[int]) -> None:
    activity = Activity()
    for time in times:
        activity.add(time)
    truth = [0] * len(activity.counts)
    for time in times:
        truth[time // activity.span_ms] += 1
    assert activity.counts == truth
