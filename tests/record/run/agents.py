"""Real agents with unbraid in front of, behind or beside them, and the log that comes of it."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.block_rows import CLEAN, Verdict, judge
from tests.clis.spending import charged, guessed, own_requests
from tests.clis.words import agents_of
from tests.record.run.patient import PATIENT_UNBRAID
from unbraid import events as e
from unbraid.log import RunSummary, SqliteLog
from unbraid.testing import CliUnavailable, Recording, Script, ScriptedModel, clis, scenario
from unbraid.testing.launch import claude_launch, opencode_launch
from unbraid.testing.process import Child

UNBRAID = str(Path(sys.executable).with_name("unbraid"))
TIMEOUT_SECONDS = 120
# Two clocks of one machine, of which one counts in whole milliseconds.
CLOCK_MS = 5
# What stands in one of an agent's files waits for what the agent writes into another; not for ever
# (patient.py). An agent that gets no processor for longer is logged out of order.
LATE = "Late:"


def cli_of(name: str, version: str) -> clis.Cli:
    """The CLI, or a skip that says why not."""
    try:
        return clis.claude(version) if name == "claude" else clis.opencode(version)
    except CliUnavailable as reason:
        pytest.skip(str(reason))


def arguments(version: str, *words: str, lines: bool = False) -> list[str]:
    """How a CLI is asked once; with `lines`, it prints what `unbraid pipe` reads."""
    if version.startswith("opencode "):
        form = ["--format", "json", "--thinking"] if lines else []
        return ["run", *form, "--model", "scripted/one", *words]
    return ["-p", *(["--output-format", "stream-json", "--verbose"] if lines else []), *words]


def log_path(home: Path) -> Path:
    """Where a program whose HOME this is keeps its log."""
    return home / ".local" / "share" / "unbraid" / "log.db"


def patiently(words: Sequence[str]) -> list[str]:
    """These words, in which the `unbraid` that tests have with real CLIs stands for a person's."""
    return [each for word in words for each in (PATIENT_UNBRAID if word == UNBRAID else [word])]


async def play(
    version: str,
    name: str | Script,
    home: Path,
    args: Sequence[str],
    *,
    prefix: Sequence[str] = (UNBRAID, "run", "--"),
    suffix: Sequence[str] = (),
    asks: bool = False,
    interrupt: tuple[str, int] | None = None,
    model: ScriptedModel | None = None,
) -> Recording:
    """A scenario or a script, with what unbraid's command printed as its lines; `interrupt` is a
    Ctrl-C in the middle of that turn of that agent. With a `model`, it goes on with what that has
    said.
    """
    opencode = version.startswith("opencode ")
    number = version.rpartition(" ")[2]
    cli = cli_of("opencode" if opencode else "claude", number)
    script = scenario(name) if isinstance(name, str) else name
    async with asyncio.timeout(TIMEOUT_SECONDS):
        with nullcontext(model) if model is not None else ScriptedModel(script) as model:
            make = opencode_launch if opencode else claude_launch
            launch = make(cli, model.url, home, args, asks=asks)
            argv = [*patiently(prefix), *launch.argv]
            if suffix:
                argv = ["/bin/sh", "-c", f"{shlex.join(argv)} | {shlex.join(patiently(suffix))}"]
            child = await Child.start(argv, launch.env, launch.cwd)
            try:
                if interrupt is not None:
                    await model.reached(*interrupt, chunks=20)
                    child.interrupt()
                lines = [line async for _, line in child.lines()]
                code = await child.wait()
            finally:
                await child.stop()
            recording = Recording(
                script.name, "opencode" if opencode else version, "run" if opencode else "plain", {}
            )
            recording.lines, recording.exit, recording.stderr = lines, code, child.stderr
            recording.truth = {**model.truth, "began_ms": model.began_ms}
            recording.truth["charged"] = charged(model, "opencode" if opencode else "claude")
            recording.truth["own_requests"] = own_requests(model)
    return recording


def in_its_time(recording: Recording, events: Sequence[e.FleetEvent]) -> None:
    """The run has begun before the model was first asked, and ends after it has answered last;
    nothing is said before the model has said it; and what was asked stands before the answer."""
    began = recording.truth["began_ms"]
    served = {b["message_id"]: began + b["t"] * 1000 for b in recording.blocks}
    assert events[0].ts <= min(served.values())
    assert events[-1].ts >= max(served.values()) - CLOCK_MS
    for event in events:
        if isinstance(event, e.Text | e.Thinking | e.FleetToolUse) and event.message_id in served:
            assert event.ts >= served[event.message_id] - CLOCK_MS
    first = next(x.seq for x in events if isinstance(x, e.AgentStart) and x.stream_id == 0)
    assert events[0].seq < first
    asked = [x.seq for x in events if isinstance(x, e.FleetPrompt) and x.stream_id == 0]
    start = events[0]
    assert isinstance(start, e.RequestReceived)
    assert start.prompt or (asked and min(asked) < first), LATE


def rightly_charged(recording: Recording, events: Sequence[e.FleetEvent]) -> None:
    """Each agent has used what the model has charged it. A CLI may end before it has written all
    numbers: an agent of which some are only stdout's says so. Of version 1 that is normal."""
    wrong = guessed(events, agents_of(events, recording), recording.truth["charged"])
    assert not wrong or recording.version.startswith("1."), f"{LATE} {wrong} are estimates"


async def logged(home: Path) -> dict[str, list[e.FleetEvent]]:
    """Every run of the log."""
    log = await SqliteLog.open(log_path(home))
    try:
        return {each.run: await events_of(log, each) for each in await log.runs(limit=1000)}
    finally:
        await log.close()


def in_order(runs: Mapping[str, list[e.FleetEvent]]) -> list[list[e.FleetEvent]]:
    """The runs of one session, first to last: `<session>`, `<session>.2`, …"""
    return [runs[run] for run in sorted(runs)]


async def events_of(log: SqliteLog, run: RunSummary) -> list[e.FleetEvent]:
    """One run's events."""
    entries = await log.read(run.run, 0, run.last_seq + 1)
    return [e.decode_event(entry.data) for entry in entries]


def verdict(recording: Recording, events: Sequence[e.FleetEvent], folder: Path) -> Verdict:
    """The log against the truth."""
    return judge(recording.save(folder), events, full=True)


def clean(found: Verdict) -> None:
    """Nothing is lost, logged twice or misplaced, and all of it is in order."""
    assert found._replace(disordered=[]) == CLEAN
    assert not found.disordered, f"{LATE} {found.disordered}"
