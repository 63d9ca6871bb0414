"""Agents that outlive the call that spawned them: in the background, resumed, of a workflow."""

from __future__ import annotations

from pathlib import Path

import pytest

from unbraid import events as e

from .cases import Case, on
from .live import Live, play
from .promises import keeps_its_promises
from .words import logged_words, said

pytestmark = pytest.mark.cli


@on(  # Claude Code 1.0 and OpenCode always wait for a helper; others: tests/record/run/test_run.py
    "claude-2.1.197-plain",
    "claude-2.1.325-stdin",
)
async def test_an_agent_in_the_background(case: Case, tmp_path: Path) -> None:
    one_works_on(await play(case, "background", tmp_path))


def one_works_on(live: Live) -> None:
    keeps_its_promises(live)
    for log in live.logs:
        [start], [end] = log.of("bg", e.StreamStart), log.of("bg", e.StreamEnd)
        assert start.background
        [launched] = [r for r in log.all(e.FleetToolResult) if r.tool_use_id == live.call("bg")]
        meanwhile = [text for text in log.of("main", e.Text) if text.delta.startswith("Meanwhile")]
        assert start.seq < launched.seq < meanwhile[0].seq < end.seq
        # 2.0 tells nobody that it is over, and exits.
        known = live.case.release >= (2, 1)
        assert (end.ok, end.reason) == ((True, "completed") if known else (False, "orphaned"))


@on(  # Claude Code 1.0 cannot
    "claude-2.0.76-plain",
    "claude-2.1.197-plain",
    "claude-2.1.325-plain",
    "claude-2.1.325-stdin",
    "opencode-1.2.27-run",
    "opencode-1.18.33-serve",
)
async def test_a_helper_that_is_asked_again(case: Case, tmp_path: Path) -> None:
    live = await play(case, "resumed", tmp_path)
    keeps_its_promises(live)
    calls = [words for kind, words in said(live.recording)["main"] if kind == "tool_use"]
    for log in live.logs:
        starts = log.of("kid", e.StreamStart)
        # A CLI that has not seen the helper's end yet gives it the message and starts no other.
        started = [each for each in live.recording.records if each.get("subtype") == "task_started"]
        late = "Late: the CLI started it once" if case.cli == "claude" and len(started) == 1 else ""
        assert len(starts) == 2, late
        first, again = starts
        assert (first.resumes, again.resumes) == (None, first.stream_id)
        assert [first.tool_use_id, again.tool_use_id] == calls
        assert [end.ok for end in log.of("kid", e.StreamEnd)] == [True, True]
    both = said(live.recording)["kid"]
    halves = {first.stream_id: "first", again.stream_id: "again"}
    assert logged_words(live.merged.events, halves) == {"first": both[:3], "again": both[3:]}


@on(  # only Claude Code, since 2.1; its agents never show on stdout
    "claude-2.1.197-stdin",
    "claude-2.1.325-plain-fwd",
)
async def test_the_agents_of_a_workflow(case: Case, tmp_path: Path) -> None:
    live = await play(case, "workflow", tmp_path)
    keeps_its_promises(live)
    assert len(live.stream.all(e.StreamStart)) == 1
    for name in ("wf1", "wf2", "wf3"):
        [start] = live.merged.of(name, e.StreamStart)
        assert (start.tool_use_id, start.parent_stream_id) == (live.call(name), 0)
        [end] = live.merged.of(name, e.StreamEnd)
        assert end.ok
