"""`unbraid run` and `pipe` with the real CLIs: every block once, by its agent, in time.

A bare `unbraid watch` beside them, with a log of its own, sees the same agent: it knows nothing of
the others, nor do they of it.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.block_rows import Verdict
from tests.clis.cases import Case
from tests.clis.live import replayed
from tests.clis.test_fleets import begin_alike, one_fails, stand_below
from tests.clis.test_later import one_works_on
from tests.record.run.agents import (
    arguments,
    clean,
    in_its_time,
    log_path,
    logged,
    play,
    rightly_charged,
    verdict,
)
from tests.record.run.patient import PATIENT_UNBRAID
from tests.record.watch.test_watch_clis import whole
from tests.record.watch.watching import watched
from unbraid import events as e
from unbraid.testing import Recording, assert_fleet, clis, record_claude

pytestmark = pytest.mark.cli

SCENARIOS = ("fan-same-opening", "fan-four", "nested", "deep-fan", "child-fails", "background")
# The current Claude Code with all, every other with what it does in a way of its own; all of it
# without a watch, a run or a pipe, from the stream and from what the CLI keeps: tests/clis.
LINES = [
    *(("1.0.128", name) for name in ("fan-four", "nested", "child-fails")),
    *(("2.0.76", name) for name in ("fan-same-opening", "deep-fan", "background")),
    *(("2.1.325", name) for name in SCENARIOS),
    ("opencode 1.2.27", "fan-four"),
    *(("opencode 1.18.33", name) for name in ("fan-same-opening", "deep-fan", "child-fails")),
]
# What people read is made of the same lines: of each CLI one scenario, and one in which the main
# agent goes on before its helper has ended. OpenCode's current one:
# tests/record/watch/test_watch_clis.py
PRINTED = [
    ("1.0.128", "nested"),
    ("2.0.76", "nested"),
    *(("2.1.325", name) for name in ("nested", "background")),
    ("opencode 1.2.27", "nested"),
]
TALKS = [
    *(("1.0.128", name) for name in ("many-turns", "interrupt")),
    *(("2.0.76", name) for name in ("permission", "interrupt")),
    *(("2.1.325", name) for name in ("many-turns", "permission", "interrupt")),
]
# What holds of the stream alone, and of all that the CLI keeps, whoever reads it when it is over.
PROMISES = {
    "fan-same-opening": begin_alike,
    "nested": stand_below,
    "child-fails": one_fails,
    "background": one_works_on,
}
GO = "[[main]] Go."


def live(version: str, verdict: Verdict) -> Verdict:
    """What can be asked of a live log. 1.0 prints a sub-agent's calls when they are made, and
    writes its words down when it is over: logged as they come, those are late."""
    return verdict._replace(disordered=[]) if version.startswith("1.0") else verdict


def in_time(events: list[e.FleetEvent]) -> None:
    """Sub-agents speak before the last word of the main one, which speaks before the end."""
    # Agents that no call has spawned are the CLI's own housekeeping.
    starts = [event for event in events if isinstance(event, e.StreamStart)]
    agents = {0, *(start.stream_id for start in starts if start.tool_use_id)}
    words = [event for event in events if isinstance(event, e.Text | e.FleetToolUse)]
    spoken = [event for event in words if event.stream_id in agents]
    assert spoken[-1].stream_id == 0
    ends = {event.stream_id: event.seq for event in events if isinstance(event, e.StreamEnd)}
    assert all(event.seq < ends[event.stream_id] for event in spoken)
    assert not [start for start in starts if start.resumes is not None]


async def seen_by_the_watch(recording: Recording, home: Path, *, ordered: bool) -> None:
    """All that was said is in the log of the watch, too."""
    (events,) = (await logged(home / "apart")).values()
    whole(events)
    if "began_ms" in recording.truth:
        in_its_time(recording, events)
    found = verdict(recording, events, home / "recording")
    clean(found if ordered else found._replace(disordered=[]))


@pytest.mark.parametrize(("version", "name"), PRINTED)
async def test_run_logs_every_block_once(version: str, name: str, tmp_path: Path) -> None:
    recording = await play(version, name, tmp_path, arguments(version, GO))
    assert recording.stderr == b"" or version.startswith("opencode ")
    assert recording.exit == 0
    (events,) = (await logged(tmp_path)).values()
    assert_fleet(events)
    clean(live(version, verdict(recording, events, tmp_path / "recording")))
    in_time(events)
    in_its_time(recording, events)


@pytest.mark.parametrize(("version", "name"), LINES)
async def test_a_run_a_pipe_and_a_watch_log_every_block_once(
    version: str, name: str, tmp_path: Path
) -> None:
    """One agent that prints lines, in a run, whose output goes through a pipe, with a watch beside:
    three logs of it."""
    piped = tmp_path / "piped"
    async with watched(tmp_path, apart=tmp_path / "apart"):
        args = arguments(version, GO, lines=True)
        recording = await play(version, name, tmp_path, args, suffix=piping(piped))
    assert recording.stderr == b"" or version.startswith("opencode ")
    assert recording.exit == 0
    for home in (tmp_path, piped):
        (events,) = (await logged(home)).values()
        assert_fleet(events)
        clean(live(version, verdict(recording, events, tmp_path / "recording")))
        in_time(events)
        in_its_time(recording, events)
        rightly_charged(recording, events)
    ordered = version.startswith("opencode ")
    await seen_by_the_watch(recording, tmp_path, ordered=ordered)
    # 1.0 lets no helper spawn a helper.
    if name in PROMISES and (version, name) != ("1.0.128", "nested"):
        cli, mode = ("opencode", "run") if ordered else ("claude", "plain")
        case = Case(cli, version.rpartition(" ")[2], mode)
        PROMISES[name](replayed(case, recording, tmp_path))


def asked_before_it_answers(events: list[e.FleetEvent]) -> None:
    """Each turn of the main agent has its prompt before its words."""
    turn = 0
    for event in events:
        if event.stream_id == 0 and isinstance(event, e.FleetPrompt):
            turn += 1
        elif event.stream_id == 0 and isinstance(event, e.FleetTurnComplete):
            turn -= 1
        elif event.stream_id == 0 and isinstance(event, e.Text):
            assert turn == 1, event


def piping(home: Path) -> list[str]:
    """A pipe with a log of its own."""
    return ["env", f"UNBRAID_HOME={log_path(home).parent}", *PATIENT_UNBRAID, "pipe"]


@pytest.mark.parametrize(("version", "name"), TALKS)
async def test_a_conversation_goes_through(
    version: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same with a conversation over stdin."""
    real, piped = clis.claude, tmp_path / "piped"

    def between_us(version: str) -> clis.Cli:
        cli = real(version)
        shell = ("/bin/sh", "-c", f'"$0" "$@" | {shlex.join(piping(piped))}')
        return clis.Cli(
            cli.name, cli.version, (*shell, *PATIENT_UNBRAID, "run", "--", *cli.command)
        )

    async with watched(tmp_path, apart=tmp_path / "apart"):
        monkeypatch.setattr(clis, "claude", between_us)
        recording = await record_claude(version, name, "stdin", tmp_path)
    assert recording.exit == 0
    for home in (tmp_path, piped):
        (events,) = (await logged(home)).values()
        assert_fleet(events)
        asked_before_it_answers(events)
        clean(verdict(recording, events, tmp_path / "recording"))
    await seen_by_the_watch(recording, tmp_path, ordered=False)
