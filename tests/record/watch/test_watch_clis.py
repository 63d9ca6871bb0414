"""A bare `unbraid watch` beside real agents that know nothing of it.

Beside agents whose run is logged in another way too: tests/record/run/test_run.py.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.block_rows import CLEAN, compare, logged_rows, up_to_the_cut
from tests.record.run.agents import arguments, clean, cli_of, in_order, logged, play, verdict
from tests.record.run.turns import three_turns, words_of
from tests.record.watch.watching import watched
from unbraid import events as e
from unbraid.testing import ScriptedModel, opencode_launch, record_opencode

pytestmark = pytest.mark.cli


def whole(events: list[e.FleetEvent]) -> None:
    """What holds of a log whose run is not over, or was ended because its process has."""
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert not any(isinstance(event, e.Done) for event in events[:-1])


# 1.2.27 never writes down what was cut off: only its server tells (see test_server.py).
@pytest.mark.parametrize(
    ("version", "name"),
    [("1.2.27", "permission"), ("1.18.33", "many-turns"), ("1.18.33", "interrupt")],
)
async def test_watch_follows_a_conversation_with_opencode(
    version: str, name: str, tmp_path: Path
) -> None:
    """Somebody talks to its server; only its database tells us. One of them is in a repository,
    of which OpenCode takes snapshots at every step.
    """
    git = name == "interrupt"
    opencode_launch(cli_of("opencode", version), "http://127.0.0.1:1", tmp_path, git=git)
    async with watched(tmp_path):
        recording = await record_opencode(version, name, "serve", tmp_path)
    (events,) = (await logged(tmp_path)).values()
    whole(events)
    if name == "interrupt":
        up_to_the_cut(recording, events)
    else:
        clean(verdict(recording, events, tmp_path / "recording"))


@pytest.mark.parametrize(
    ("version", "again"),
    [("2.0.76", "--continue"), ("2.1.325", "--continue"), ("opencode 1.18.33", "--session")],
)
async def test_a_run_of_ours_is_not_written_twice(version: str, again: str, tmp_path: Path) -> None:
    """Nor is its next turn, whoever starts that: two of them we do, the last one nobody of us."""
    script = three_turns()
    async with watched(tmp_path):
        with ScriptedModel(script) as model:
            turn = partial(play, version, script, tmp_path, model=model)
            first = await turn(arguments(version, *words_of(0)))
            (session,) = await logged(tmp_path)
            named = session if again == "--session" else ""
            second = await turn(arguments(version, *words_of(1, again, named)))
            assert b"unbraid" not in first.stderr + second.stderr
            ours = {run: (await logged(tmp_path))[run] for run in (session, f"{session}.2")}
            recording = await turn(arguments(version, *words_of(2, again, named)), prefix=())
    runs = await logged(tmp_path)
    assert runs.items() >= ours.items()
    whole(runs[f"{session}.3"])
    # All runs: 2.0 begins a session that says nothing before it goes on with another.
    rows = [row for events in in_order(runs) for row in logged_rows(events)]
    assert compare(recording, rows, full=True)._replace(disordered=[]) == CLEAN
