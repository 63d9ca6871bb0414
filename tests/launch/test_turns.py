"""A session of several turns, each a process of its own: every block once over all its runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.invariants import check
from tests.launch.agents import UNBRAID, arguments, in_order, logged, play
from tests.launch.turns import PROMPTS, three_turns, words_of
from tests.said import CLEAN, compare, told
from unbraid.testing import ScriptedModel

pytestmark = pytest.mark.cli

WAYS = [
    ("opencode 1.2.27", "--continue"),
    ("opencode 1.18.33", "--continue"),
    ("opencode 1.18.33", "--session"),
    ("2.0.76", "--resume"),
    ("2.1.325", "--continue"),
    ("2.1.325", "--resume"),
]


@pytest.mark.parametrize("piped", [False, True], ids=["run", "pipe"])
@pytest.mark.parametrize(("version", "again"), WAYS)
async def test_each_turn_is_a_run(version: str, again: str, piped: bool, tmp_path: Path) -> None:
    """And tells nothing of the turns before it."""
    script = three_turns()
    prefix, suffix = ((), (UNBRAID, "pipe")) if piped else ((UNBRAID, "run", "--"), ())
    with ScriptedModel(script) as model:
        for turn in range(len(PROMPTS)):
            before = await logged(tmp_path)
            session = "" if again == "--continue" or not turn else min(before)
            args = arguments(version, *words_of(turn, again, session), lines=piped)
            recording = await play(
                version, script, tmp_path, args, prefix=prefix, suffix=suffix, model=model
            )
            assert recording.exit == 0
            after = await logged(tmp_path)
            assert len(after) == turn + 1
            assert after.items() >= before.items()
    runs = in_order(await logged(tmp_path))
    for events in runs:
        check(events)
    rows = [row for events in runs for row in told(events)]
    assert compare(recording, rows, full=True) == CLEAN
