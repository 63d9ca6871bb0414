"""A session of several turns, each a process of its own: every block once over all its runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.block_rows import CLEAN, compare, logged_rows
from tests.record.run.agents import UNBRAID, arguments, in_order, log_path, logged, play
from tests.record.run.turns import PROMPTS, three_turns, words_of
from unbraid.testing import ScriptedModel, assert_fleet

pytestmark = pytest.mark.cli

WAYS = [
    ("opencode 1.2.27", "--continue"),
    ("2.0.76", "--resume"),
    ("2.1.325", "--resume"),  # and with `--continue`: tests/record/watch/test_watch_clis.py
]


@pytest.mark.parametrize(("version", "again"), WAYS)
async def test_each_turn_is_a_run(version: str, again: str, tmp_path: Path) -> None:
    """And tells nothing of the turns before it: neither the run's log nor that of a pipe after it.

    As a person sees it, without lines for a pipe, also the current OpenCode with `--session`:
    tests/record/watch/test_watch_clis.py.
    """
    script, piped = three_turns(), tmp_path / "piped"
    behind = ("env", f"UNBRAID_HOME={log_path(piped).parent}", UNBRAID, "pipe")
    with ScriptedModel(script) as model:
        for turn in range(len(PROMPTS)):
            before = {home: await logged(home) for home in (tmp_path, piped)}
            session = "" if again == "--continue" or not turn else min(before[tmp_path])
            args = arguments(version, *words_of(turn, again, session), lines=True)
            recording = await play(version, script, tmp_path, args, suffix=behind, model=model)
            assert recording.exit == 0
            for home, runs in before.items():
                after = await logged(home)
                assert len(after) == turn + 1
                assert after.items() >= runs.items()
    for home in (tmp_path, piped):
        runs_in_order = in_order(await logged(home))
        for events in runs_in_order:
            assert_fleet(events)
        rows = [row for events in runs_in_order for row in logged_rows(events)]
        assert compare(recording, rows, full=True) == CLEAN
