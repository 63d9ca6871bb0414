"""A Claude Code whose stdout has no `uuid` on its lines, and whose sub-agents have no files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.block_rows import CLEAN
from tests.record.run.agents import UNBRAID, logged, play, verdict
from unbraid import events as e
from unbraid.testing import assert_fleet

pytestmark = pytest.mark.cli

VERSION = "1.0.60"
GO = "[[main]] Go."


@pytest.mark.parametrize("command", ["run", "pipe"])
async def test_words_that_come_with_the_result_are_of_the_agent_that_ends_with_it(
    command: str, tmp_path: Path
) -> None:
    if command == "run":
        recording = await play(VERSION, "fan-same-opening", tmp_path, ["-p", GO])
    else:
        args = ["-p", "--output-format", "stream-json", "--verbose", GO]
        pipe = [UNBRAID, "pipe"]
        recording = await play(VERSION, "fan-same-opening", tmp_path, args, prefix=(), suffix=pipe)
    (events,) = (await logged(tmp_path)).values()
    assert_fleet(events)
    # It prints a call when it is made, and writes down the words before it when all is over.
    output = verdict(recording, events, tmp_path / "recording")
    assert output._replace(disordered=[]) == CLEAN
    starts = [event for event in events if isinstance(event, e.StreamStart)]
    assert len(starts) == 3
    assert all(event.ok for event in events if isinstance(event, e.StreamEnd))
