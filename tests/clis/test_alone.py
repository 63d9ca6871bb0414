"""One agent, with one prompt and with several."""

from __future__ import annotations

from pathlib import Path

import pytest

from unbraid import events as e

from .cases import Case, on
from .live import play
from .promises import keeps_its_promises

pytestmark = pytest.mark.cli


@on(
    "claude-1.0.128-plain",
    "claude-1.0.128-json",
    "claude-2.0.76-partial",
    "claude-2.1.197-partial",
    "claude-2.1.325-plain",
    "claude-2.1.325-json",
    "opencode-1.2.27-run",
)
async def test_a_single_agent(case: Case, tmp_path: Path) -> None:
    """In a repository, as most are: CLIs ask git there, which costs them time."""
    live = await play(case, "single", tmp_path, git=True)
    keeps_its_promises(live)
    for log in live.logs:
        assert [result.ok for result in log.all(e.FleetToolResult)] == [True]
        [done] = log.all(e.Done)
        assert done.ok


@on(
    "claude-1.0.128-stdin",
    "claude-2.0.76-stdin",
    "claude-2.1.197-stdin",
    "claude-2.1.325-stdin",
    "opencode-1.2.27-serve",
    "opencode-1.18.33-serve",
)
async def test_each_turn_is_completed_once_after_its_words(case: Case, tmp_path: Path) -> None:
    live = await play(case, "many-turns", tmp_path)
    keeps_its_promises(live)
    for log in live.logs:
        assert [
            event.delta if isinstance(event, e.Text) else (event.ok, event.result)
            for event in log.of("main", e.FleetEvent)
            if isinstance(event, e.Text | e.FleetTurnComplete)
        ] == [
            "First answer.",
            (True, "First answer."),
            "Second answer.",
            "Second, done.",
            (True, "Second, done."),
            "Third answer.",
            (True, "Third answer."),
        ]
