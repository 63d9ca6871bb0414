"""A person who answers questions, and who interrupts."""

from __future__ import annotations

from pathlib import Path

import pytest

from unbraid import events as e

from .cases import Case, on
from .live import play
from .promises import bill_is_right, keeps_its_promises, log_is_sound
from .words import logged_words, said

pytestmark = pytest.mark.cli

TALKING = on(
    "claude-1.0.128-stdin",
    "claude-2.0.76-stdin",
    "claude-2.1.197-stdin",
    "claude-2.1.325-stdin",
    "opencode-1.2.27-serve",
    "opencode-1.18.33-serve",
)


@TALKING
async def test_permission_is_asked_for_and_given_or_not(case: Case, tmp_path: Path) -> None:
    live = await play(case, "permission", tmp_path)
    keeps_its_promises(live)
    for log in live.logs:
        first, second = log.all(e.FleetPermissionAsked)
        assert first.tool.lower() == "bash"
        assert second.tool.lower() in ("write", "edit")
        results = log.all(e.FleetToolResult)
        assert [result.ok for result in results] == [True, False]
        assert [
            (event.type, event.request_id)
            for event in log.events
            if isinstance(event, e.FleetPermissionAsked | e.FleetPermissionReplied)
        ] == [
            (kind, asked.request_id)
            for asked in (first, second)
            for kind in ("permission_asked", "permission_replied")
        ]
        replies = log.all(e.FleetPermissionReplied)
        assert [reply.behavior for reply in replies] == ["allow", "deny"]
        for reply, result in zip(replies, results, strict=True):
            assert reply.seq < result.seq
    # By the files: it went by the answers. By the recording: these were the answers.
    made = [(tmp_path / "app" / name).exists() for name in ("allowed.txt", "denied.txt")]
    assert made == [True, False]
    if case.cli == "opencode":
        sent = [row["line"]["body"].get("reply") for row in live.recording.sent]
        assert sent == [None, "once", "reject"]


@TALKING
async def test_an_interrupt_ends_the_turn_and_the_next_one_goes_on(
    case: Case, tmp_path: Path
) -> None:
    # The person interrupts when our log has some of the answer: only a live one ever does.
    live = await play(case, "interrupt", tmp_path)
    whole, after = said(live.recording)["main"]
    for log in live.logs:
        log_is_sound(log)
        cut, then = logged_words(log.events, log.agents)["main"]
        assert whole[1].startswith(cut[1])
        assert 0 < len(cut[1]) < len(whole[1])
        assert then == after
        assert [turn.ok for turn in log.all(e.FleetTurnComplete)] == [False, True]
        [done] = log.all(e.Done)
        assert done.ok
    stream, merged = (log.all(e.FleetError) for log in live.logs)
    assert [error.message for error in merged] == [error.message for error in stream]
    bill_is_right(live)
    assert [block.get("cut") for block in live.recording.blocks] == [True, None]
    if case.cli == "opencode":
        asked = [row["line"]["path"].rsplit("/", 1)[1] for row in live.recording.sent]
        assert asked == ["prompt_async", "abort", "prompt_async"]
