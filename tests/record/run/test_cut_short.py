"""Agents that are stopped by a Ctrl-C, or that are refused a tool, in front of us or behind us."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.block_rows import Row, expected, joined, logged_rows
from tests.record.run.agents import UNBRAID, arguments, clean, in_order, logged, play, verdict
from unbraid import events as e
from unbraid.testing import (
    Recording,
    Script,
    ScriptedModel,
    Spawn,
    assert_fleet,
    bash,
    say,
    scenario,
)

pytestmark = pytest.mark.cli

OPENCODE = ("opencode 1.2.27", "opencode 1.18.33")
GO = "[[main]] Go."
# Claude Code puts this into a conversation that was cut, in the agent's name, and shows it nowhere.
OF_THE_CLI = "No response requested."


def counting() -> Script:
    """A helper, then a long answer that somebody interrupts, then a short one."""
    return Script(
        {
            "main": [
                say("A helper first.", Spawn("kid", background=False)),
                *scenario("interrupt").agents["main"],
            ],
            "kid": [say("kid works", bash("echo kid")), say("kid is done")],
        }
    )


async def turn(
    version: str,
    script: Script,
    home: Path,
    *words: str,
    piped: bool,
    asks: bool = False,
    interrupt: tuple[str, int] | None = None,
    model: ScriptedModel | None = None,
) -> Recording:
    """One process, with us in front of it or behind it."""
    return await play(
        version,
        script,
        home,
        arguments(version, *words, lines=piped),
        prefix=() if piped else (UNBRAID, "run", "--"),
        suffix=(UNBRAID, "pipe") if piped else (),
        asks=asks,
        interrupt=interrupt,
        model=model,
    )


@pytest.mark.parametrize(("version", "piped"), [(OPENCODE[0], False), (OPENCODE[1], True)])
async def test_what_opencode_refuses_itself(version: str, piped: bool, tmp_path: Path) -> None:
    """Nobody can be asked there, so whatever needs leave is refused."""
    recording = await turn(version, scenario("permission"), tmp_path, GO, piped=piped, asks=True)
    (events,) = (await logged(tmp_path)).values()
    assert_fleet(events)
    clean(verdict(recording, events, tmp_path / "recording"))
    (refused,) = (event for event in events if isinstance(event, e.FleetToolResult))
    assert not refused.ok


@pytest.mark.parametrize(
    ("version", "piped"),
    [
        (OPENCODE[0], False),
        (OPENCODE[1], True),
        ("2.0.76", True),
        ("2.1.325", True),
        ("2.1.325", False),
    ],
)
async def test_a_ctrl_c_and_the_next_turn(version: str, piped: bool, tmp_path: Path) -> None:
    """Everything is logged once over both runs, and the answer that was cut as far as it is known.

    That is nothing where a text is printed and stored only when it is whole: with OpenCode, and
    with a Claude Code of old that was not told to print what it gets piece by piece.
    """
    script = counting()
    with ScriptedModel(script) as model:
        talk = partial(turn, version, script, tmp_path, piped=piped, model=model)
        cut = await talk(GO, interrupt=("main", 1))
        again = await talk("--continue", "go on")
    assert b"unbraid" not in cut.stderr + again.stderr
    runs = in_order(await logged(tmp_path))
    assert [ok(events) for events in runs] == [False, True]
    got = [row for events in runs for row in logged_rows(events) if row[2] != OF_THE_CLI]
    want = expected(again, full=True)
    (whole,) = (row for row in want if row[2].startswith("Counting"))
    said = [row for row in got if row[2].startswith("Counting")]
    silent = version.startswith("opencode ") or (version, piped) == ("2.0.76", True)
    assert len(said) == (0 if silent else 1)
    assert all(whole[2].startswith(row[2]) and row[0] == "" for row in said)
    want, got = ([row for row in each if row not in (whole, *said)] for each in (want, got))
    assert told_rows(version, got) == told_rows(version, want)


@pytest.mark.parametrize("piped", [True, False])
async def test_a_ctrl_c_while_agents_work(piped: bool, tmp_path: Path) -> None:
    """They have not failed: who interrupts the main agent interrupts those that work for it."""
    slow = say("never done. " * 200, chunk_chars=8, chunk_delay_seconds=0.05)
    script = Script(
        {
            "main": [say("Two helpers.", *(Spawn(name, background=False) for name in "ab"))],
            "a": [say("a is done")],
            "b": [say("b works", bash("echo b")), slow],
        }
    )
    await turn("2.1.325", script, tmp_path, GO, piped=piped, interrupt=("b", 1))
    (events,) = (await logged(tmp_path)).values()
    assert_fleet(events)
    ends = [event for event in events if isinstance(event, e.StreamEnd)]
    assert {end.stream_id: end.reason for end in ends} == {
        0: "interrupted",
        1: "completed",
        2: "interrupted",
    }


def ok(events: list[e.FleetEvent]) -> bool:
    assert_fleet(events)
    done = events[-1]
    return isinstance(done, e.Done) and done.ok


def told_rows(version: str, rows: list[Row]) -> list[Row]:
    return sorted(joined(rows) if version.startswith("opencode ") else rows)
