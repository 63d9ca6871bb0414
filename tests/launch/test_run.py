"""`unbraid run` and `pipe` with the real CLIs: every block once, by its agent, in time.

A bare `unbraid watch` beside them, with a log of its own, sees the same agent: it knows nothing of
the others, nor do they of it.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.invariants import check
from tests.launch.agents import UNBRAID, in_its_time, log_path, logged, play, verdict
from tests.said import CLEAN, Verdict
from tests.watch.test_watch_clis import whole
from tests.watch.watching import watched
from unbraid import events as e
from unbraid.testing import Recording, clis, record_claude

pytestmark = pytest.mark.cli

SCENARIOS = ("fan-same-opening", "fan-four", "nested", "deep-fan", "child-fails", "background")
TALKING = ("many-turns", "permission", "interrupt")
VERSIONS = ("1.0.128", "2.0.76", "2.1.325")
# The current one with all; the first that kept a database with the one that is hardest.
OPENCODE = [("1.2.27", "fan-four"), *(("1.18.33", name) for name in SCENARIOS)]
GO = "[[main]] Go."


def live(version: str, verdict: Verdict) -> Verdict:
    """What can be asked of a live log. 1.0 prints a sub-agent's calls when they are made, and
    writes its words down when it is over: told as they come, those are late."""
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
    assert (found if ordered else found._replace(disordered=[])) == CLEAN


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("version", VERSIONS)
async def test_run_logs_every_block_once(version: str, name: str, tmp_path: Path) -> None:
    recording = await play(version, name, tmp_path, ["-p", GO])
    assert recording.stderr == b""
    assert recording.exit == 0
    (events,) = (await logged(tmp_path)).values()
    check(events)
    assert live(version, verdict(recording, events, tmp_path / "recording")) == CLEAN
    in_time(events)
    in_its_time(recording, events)


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("version", VERSIONS)
async def test_a_pipe_and_a_watch_log_every_block_once(
    version: str, name: str, tmp_path: Path
) -> None:
    args = ["-p", "--output-format", "stream-json", "--verbose", GO]
    pipe = [UNBRAID, "pipe"]
    async with watched(tmp_path, apart=tmp_path / "apart"):
        recording = await play(version, name, tmp_path, args, prefix=(), suffix=pipe)
    assert recording.stderr == b""
    (events,) = (await logged(tmp_path)).values()
    check(events)
    assert live(version, verdict(recording, events, tmp_path / "recording")) == CLEAN
    in_time(events)
    in_its_time(recording, events)
    await seen_by_the_watch(recording, tmp_path, ordered=False)


@pytest.mark.parametrize("name", TALKING)
@pytest.mark.parametrize("version", VERSIONS)
async def test_a_conversation_goes_through(
    version: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through a run, whose output goes through a pipe, with a watch beside: three logs of it."""
    real, piped = clis.claude, tmp_path / "piped"
    pipe = f"UNBRAID_HOME={shlex.quote(str(log_path(piped).parent))} {UNBRAID} pipe"

    def between_us(version: str) -> clis.Cli:
        cli = real(version)
        shell = ("/bin/sh", "-c", f'"$0" "$@" | {pipe}')
        return clis.Cli(cli.name, cli.version, (*shell, UNBRAID, "run", "--", *cli.command))

    async with watched(tmp_path, apart=tmp_path / "apart"):
        monkeypatch.setattr(clis, "claude", between_us)
        recording = await record_claude(version, name, "stdin", tmp_path)
    assert recording.exit == 0
    for home in (tmp_path, piped):
        (events,) = (await logged(home)).values()
        check(events)
        assert verdict(recording, events, tmp_path / "recording") == CLEAN
    await seen_by_the_watch(recording, tmp_path, ordered=False)


@pytest.mark.parametrize(("version", "name"), OPENCODE)
async def test_a_pipe_and_a_watch_log_opencode_and_its_children(
    version: str, name: str, tmp_path: Path
) -> None:
    args = ["run", "--format", "json", "--thinking", "--model", "scripted/one", GO]
    pipe = [UNBRAID, "pipe"]
    async with watched(tmp_path, apart=tmp_path / "apart"):
        recording = await play(f"opencode {version}", name, tmp_path, args, prefix=(), suffix=pipe)
    assert recording.exit == 0
    (events,) = (await logged(tmp_path)).values()
    check(events)
    assert verdict(recording, events, tmp_path / "recording") == CLEAN
    in_time(events)
    in_its_time(recording, events)
    await seen_by_the_watch(recording, tmp_path, ordered=True)


@pytest.mark.parametrize(("version", "name"), OPENCODE)
async def test_run_logs_opencode_and_its_children(version: str, name: str, tmp_path: Path) -> None:
    args = ["run", "--model", "scripted/one", GO]
    recording = await play(f"opencode {version}", name, tmp_path, args)
    assert recording.exit == 0
    (events,) = (await logged(tmp_path)).values()
    check(events)
    assert verdict(recording, events, tmp_path / "recording") == CLEAN
    in_time(events)
    in_its_time(recording, events)
