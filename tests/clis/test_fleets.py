"""Agents that spawn agents: side by side, one below the other, and one that fails.

The same of other versions, in `plain` and `run`, behind a pipe: tests/record/run/test_run.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from unbraid import events as e

from .cases import Case, on
from .live import Live, play
from .promises import keeps_its_promises
from .words import said

pytestmark = pytest.mark.cli


@on(
    "claude-1.0.128-plain",
    "claude-2.1.197-plain",
    "claude-2.1.325-partial-fwd",
    "opencode-1.2.27-serve",
    "opencode-1.18.33-serve",
)
async def test_two_sub_agents_with_the_same_opening(case: Case, tmp_path: Path) -> None:
    begin_alike(await play(case, "fan-same-opening", tmp_path))


def begin_alike(live: Live) -> None:
    keeps_its_promises(live)
    words = said(live.recording)
    assert words["a"][0] == words["b"][0], "or the scenario is not what it says"
    for log in live.logs:
        for name in "ab":
            [start] = log.of(name, e.StreamStart)
            assert (start.parent_stream_id, start.depth) == (0, 1)
            [end] = log.of(name, e.StreamEnd)
            assert end.ok


@on(  # Claude Code lets helpers spawn since 2.1
    "claude-2.1.197-plain",
    "claude-2.1.325-plain-fwd",
    "claude-2.1.197-json",
    "opencode-1.2.27-run",
    "opencode-1.2.27-serve",
    "opencode-1.18.33-run",
    "opencode-1.18.33-serve",
)
async def test_a_helper_of_a_helper(case: Case, tmp_path: Path) -> None:
    stand_below(await play(case, "nested", tmp_path))


def stand_below(live: Live) -> None:
    keeps_its_promises(live)
    for log in live.logs:
        places = [
            (log.agents[start.stream_id], start.depth, start.parent_stream_id)
            for start in log.all(e.StreamStart)
        ]
        below = [("leaf", 2, 1)] if live.case.prints_children or log is live.merged else []
        assert places == [("main", 0, None), ("mid", 1, 0), *below]
        ends = [log.agents[end.stream_id] for end in log.all(e.StreamEnd) if end.ok]
        assert ends == [name for name, _, _ in reversed(places)]


def how_it_failed(case: Case) -> tuple[bool, str]:
    """Older CLIs give the error to the parent as a helper's answer, and call that a success."""
    tells = {"claude": (2, 1, 325), "opencode": (1, 18)}
    return (False, "failed") if case.release >= tells[case.cli] else (True, "completed")


@on(
    "claude-2.0.76-plain",
    "claude-2.1.197-plain",
    "claude-2.1.325-stdin",
    "opencode-1.2.27-serve",
)
async def test_a_helper_that_fails(case: Case, tmp_path: Path) -> None:
    one_fails(await play(case, "child-fails", tmp_path))


def one_fails(live: Live) -> None:
    keeps_its_promises(live)
    for log in live.logs:
        [good], [bad] = log.of("good", e.StreamEnd), log.of("bad", e.StreamEnd)
        assert (good.ok, good.reason) == (True, "completed")
        assert (bad.ok, bad.reason) == how_it_failed(live.case)
        [done] = log.all(e.Done)
        assert done.ok, "its parent went on"
    errors = live.merged.all(e.FleetError)
    assert ["scripted bad request" in error.message for error in errors] == [True]
    assert errors == live.merged.of("bad", e.FleetError)
