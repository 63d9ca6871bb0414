"""A real CLI in a scenario, read while it runs: its stream alone, and with all that it keeps."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from unbraid import events as e
from unbraid.fold.pipeline import Pipeline
from unbraid.record.sessions.sources import events_of, runs_of_sources
from unbraid.testing import (
    CliUnavailable,
    RecordedRun,
    Recording,
    ScriptedModel,
    allow,
    clis,
    deny,
    scenario,
    start_claude,
    start_opencode,
)
from unbraid.testing.scenarios import prompts

from .cases import Case
from .spending import Tokens, charged, own_requests
from .words import agents_of

F = TypeVar("F", bound=e.FleetEvent)

# So many deltas must have been logged before the person interrupts: only a live reader gets there.
_HEARD_DELTAS = 5


@dataclass
class Log:
    """A run's log, and which of the script's agents each stream is."""

    events: list[e.FleetEvent]
    agents: dict[int, str]

    def all(self, kind: type[F]) -> list[F]:
        """The events of a kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def of(self, agent: str, kind: type[F]) -> list[F]:
        """Those of an agent, over all its streams."""
        return [event for event in self.all(kind) if self.agents.get(event.stream_id) == agent]


@dataclass
class Live:
    """What came of a run: the log made line by line, the log of all its sources, and the truth."""

    case: Case
    recording: Recording
    stream: Log
    merged: Log
    charged: dict[str, Tokens]
    own_requests: int

    @property
    def logs(self) -> tuple[Log, Log]:
        """Both logs."""
        return self.stream, self.merged

    def call(self, agent: str) -> str:
        """The call that has spawned an agent."""
        call: str = self.recording.truth["parents"][agent]["tool_use_id"]
        return call


@dataclass
class _Listener:
    """Feeds a pipeline as the lines arrive, and knows when it has heard enough."""

    pipeline: Pipeline = field(default_factory=Pipeline)
    output: list[e.FleetEvent] = field(default_factory=list)
    heard: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self, lines: AsyncIterator[bytes]) -> None:
        async for line in lines:
            self.output += self.pipeline.feed(line + b"\n")
            if sum(isinstance(event, e.Text) for event in self.output) >= _HEARD_DELTAS:
                self.heard.set()

    async def enough(self, _: ScriptedModel) -> None:
        await self.heard.wait()


async def play(case: Case, name: str, home: Path, *, git: bool = False) -> Live:
    """Run a scenario, with `git` in a repository, or skip if the CLI cannot be had."""
    _require(case)
    listener = _Listener()
    async with _start(case, name, home, listener, git=git) as run:
        await listener.listen(run.lines())
        recording = await run.finish()
        listener.output += listener.pipeline.finish()
    recording.truth["charged"] = charged(run.model, case.cli)
    recording.truth["own_requests"] = own_requests(run.model)
    return live_of(case, recording, listener.output, home)


def replayed(case: Case, recording: Recording, home: Path) -> Live:
    """The same of a run that is over, whose CLI had this home."""
    kept = home / ".local" / "share" / "opencode" / "opencode.db"
    recording = replace(
        recording,
        projects=home / "claude" / "projects" if case.cli == "claude" else None,
        database=kept if case.cli == "opencode" else None,
    )
    pipeline = Pipeline()
    output = [event for line in recording.lines for event in pipeline.feed(line + b"\n")]
    return live_of(case, recording, [*output, *pipeline.finish()], home)


def live_of(case: Case, recording: Recording, output: list[e.FleetEvent], home: Path) -> Live:
    """What was logged of the stream, and of all sources."""
    stream = home / ("events.ndjson" if case.mode == "serve" else "stdout.ndjson")
    stream.write_bytes(recording.stdout)
    runs = runs_of_sources([str(stream), *_kept(recording)], {})
    assert len(runs) == 1, "all sources are of one run"
    events = list(events_of(runs[0]))
    return Live(
        case,
        recording,
        Log(output, agents_of(output, recording)),
        Log(events, agents_of(events, recording)),
        recording.truth["charged"],
        recording.truth["own_requests"],
    )


def _require(case: Case) -> None:
    try:
        (clis.claude if case.cli == "claude" else clis.opencode)(case.version)
    except CliUnavailable as reason:
        pytest.skip(str(reason))


def _start(
    case: Case, name: str, home: Path, listener: _Listener, *, git: bool
) -> AbstractAsyncContextManager[RecordedRun]:
    script, said = scenario(name), prompts(name)
    when = listener.enough if name == "interrupt" else None
    asks = name == "permission"
    if case.cli == "claude":
        return start_claude(
            case.version,
            script,
            home=home,
            mode=case.mode,
            prompts=said,
            permit=_all_but_writing if asks else None,
            interrupt_when=when,
            args=("--include-partial-messages",) if name == "interrupt" else (),
            git=git,
        )
    return start_opencode(
        case.version,
        script,
        home=home,
        mode=case.mode,
        prompts=said,
        reply=_all_but_editing if asks else None,
        interrupt_when=when,
        git=git,
    )


def _all_but_writing(request: dict[str, Any]) -> dict[str, Any]:
    return deny(request) if request["tool_name"] == "Write" else allow(request)


def _all_but_editing(asked: dict[str, Any]) -> str:
    return "reject" if asked["permission"] == "edit" else "once"


def _kept(recording: Recording) -> list[str]:
    """What the CLI has written down: its database, or the session's transcript; its sub-agents'
    transcripts lie beside that and are found."""
    if recording.database is not None:
        return [str(recording.database)]
    return [str(group[0]) for group in recording.transcripts.values()]
