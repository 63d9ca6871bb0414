"""Runs the real CLIs against a scripted model, line by line or as a whole.

async with start_claude("2.1.325", script, home=tmp_path) as run:
    async for line in run.lines():
        ...
    recording = await run.finish()

recording = await run_opencode("1.18.33", script, home=tmp_path, mode="serve")
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec

from . import clis, scenarios
from .conversation import Conversation, Permit, Reply, ServedSession, allow, deny
from .launch import (
    Launch,
    claude_arguments,
    claude_launch,
    codex_arguments,
    codex_launch,
    opencode_arguments,
    opencode_launch,
)
from .model import ScriptedModel
from .process import Child
from .recording import Recording
from .script import Json, Script

TIMEOUT_SECONDS = 90.0
PROMPT = "[[main]] Go."
# Scenarios in which the person does something: Claude Code needs the mode `stdin` for them, and
# OpenCode the mode `serve`.
INTERACTIVE = ("many-turns", "permission", "interrupt", "compacted")

P = ParamSpec("P")
InterruptWhen = Callable[[ScriptedModel], Awaitable[None]]


@dataclass
class RecordedRun:
    """A CLI that is running: its lines as they arrive, and in the end its recording."""

    child: Child
    model: ScriptedModel
    launch: Launch
    recording: Recording
    source: AsyncIterator[tuple[float, bytes]]
    stops: bool = False

    async def lines(self) -> AsyncIterator[bytes]:
        """Each line as it arrives; what was read is in the recording, too."""
        async for seconds, line in self.source:
            self.recording.lines.append(line)
            self.recording.times.append(seconds)
            yield line

    async def finish(self) -> Recording:
        """Read what is left, wait for the end, and close the books."""
        async for _ in self.lines():
            pass
        self.recording.exit = await (self.child.stop() if self.stops else self.child.wait())
        self.recording.stderr = self.child.stderr
        self.recording.truth = self.model.truth
        data = self.launch.data
        if data is not None:
            self.recording.database = data / f"{data.name}.db"
            self.recording.storage = data / "storage"
        if self.launch.codex_home is not None:
            self.recording.rollouts = self.launch.codex_home / "sessions"
        return self.recording


@asynccontextmanager
async def _started(
    script: Script,
    launch_at: Callable[[str], Launch],
    *,
    version: str,
    mode: str,
    timeout_seconds: float,
    reads_stdin: bool = False,
) -> AsyncIterator[RecordedRun]:
    """A CLI, started by the launch for the model's address; it is ended in any case."""
    async with asyncio.timeout(timeout_seconds), ScriptedModel(script) as model:
        launch = launch_at(model.url)
        child = await Child.start(launch.argv, launch.env, launch.cwd, reads_stdin=reads_stdin)
        recording = Recording(script.name, version, mode, truth={}, projects=launch.projects)
        try:
            yield RecordedRun(child, model, launch, recording=recording, source=child.lines())
        finally:
            await child.stop()


@asynccontextmanager
async def start_claude(
    version: str,
    script: Script,
    *,
    home: Path,
    mode: str = "plain",
    prompts: Sequence[str] = (PROMPT,),
    permit: Permit | None = None,
    interrupt_when: InterruptWhen | None = None,
    args: Sequence[str] = (),
    git: bool = False,
    timeout_seconds: float = TIMEOUT_SECONDS,
) -> AsyncIterator[RecordedRun]:
    """Claude Code, started; with `permit` it asks before it uses a tool (mode `stdin`)."""
    cli = await asyncio.to_thread(clis.claude, version)
    arguments = [*claude_arguments(cli, mode, prompts[0]), *args]

    def launch_at(url: str) -> Launch:
        return claude_launch(cli, url, home, arguments, asks=permit is not None, git=git)

    async with _started(
        script,
        launch_at,
        version=version,
        mode=mode,
        timeout_seconds=timeout_seconds,
        reads_stdin=mode == "stdin",
    ) as run:
        if mode != "stdin":
            yield run
            return
        when = None if interrupt_when is None else partial(interrupt_when, run.model)
        conversation = Conversation(run.child, prompts, permit or allow, interrupt_when=when)
        run.recording.sent = conversation.sent
        run.source = _answered(run.source, conversation)
        try:
            await conversation.begin()
            yield run
        finally:
            await conversation.end()


async def _answered(
    source: AsyncIterator[tuple[float, bytes]], conversation: Conversation
) -> AsyncIterator[tuple[float, bytes]]:
    async for seconds, line in source:
        await conversation.react(line)
        yield seconds, line


@asynccontextmanager
async def start_opencode(
    version: str,
    script: Script,
    *,
    home: Path,
    mode: str = "run",
    prompts: Sequence[str] = (PROMPT,),
    reply: Reply | None = None,
    interrupt_when: InterruptWhen | None = None,
    args: Sequence[str] = (),
    git: bool = False,
    timeout_seconds: float = TIMEOUT_SECONDS,
    make_cli: Callable[[str], clis.Cli] = clis.opencode,
) -> AsyncIterator[RecordedRun]:
    """OpenCode, or with `make_cli` Kilo, started; in mode `serve` its lines are its events' data.

    With `reply` (once, always or reject) it asks before it uses a tool (mode `serve`).
    """
    cli = await asyncio.to_thread(make_cli, version)
    arguments = [*opencode_arguments(mode, prompts[0]), *args]

    def launch_at(url: str) -> Launch:
        return opencode_launch(cli, url, home, arguments, asks=reply is not None, git=git)

    async with _started(
        script, launch_at, version=cli.name, mode=mode, timeout_seconds=timeout_seconds
    ) as run:
        if mode == "serve":
            when = None if interrupt_when is None else partial(interrupt_when, run.model)
            session = ServedSession(
                run.child, run.recording, prompts, reply=reply, interrupt_when=when
            )
            run.source, run.stops = session.events(), True
        yield run


@asynccontextmanager
async def start_codex(
    version: str,
    script: Script,
    *,
    home: Path,
    mode: str = "exec",
    prompts: Sequence[str] = (PROMPT,),
    args: Sequence[str] = (),
    timeout_seconds: float = TIMEOUT_SECONDS,
) -> AsyncIterator[RecordedRun]:
    """Codex, started: its lines are those of `codex exec --json`."""
    cli = await asyncio.to_thread(clis.codex, version)
    arguments = [*codex_arguments(mode, prompts[0]), *args]
    async with _started(
        script,
        lambda url: codex_launch(cli, url, home, arguments),
        version=f"codex-{version}",
        mode=mode,
        timeout_seconds=timeout_seconds,
    ) as run:
        yield run


def _finished(
    start: Callable[P, AbstractAsyncContextManager[RecordedRun]],
) -> Callable[P, Coroutine[Any, Any, Recording]]:
    async def run(*args: P.args, **options: P.kwargs) -> Recording:
        async with start(*args, **options) as started:
            return await started.finish()

    return run


# The same CLIs with the same options, from start to end.
run_claude = _finished(start_claude)
run_opencode = _finished(start_opencode)
run_codex = _finished(start_codex)


# --- scenarios by name, with what the person does in them ---


async def record_claude(version: str, name: str, mode: str, home: Path) -> Recording:
    """Claude Code in a scenario; those of `INTERACTIVE` need the mode `stdin`."""
    return await run_claude(
        version,
        scenarios.scenario(name),
        home=home,
        mode=mode,
        prompts=scenarios.prompts(name),
        permit=_all_but_writing if name == "permission" else None,
        interrupt_when=_counting if name == "interrupt" else None,
    )


async def record_opencode(version: str, name: str, mode: str, home: Path) -> Recording:
    """OpenCode in a scenario; those of `INTERACTIVE` need the mode `serve`."""
    return await run_opencode(
        version,
        scenarios.scenario(name),
        home=home,
        mode=mode,
        prompts=scenarios.prompts(name),
        reply=_all_but_editing if name == "permission" else None,
        interrupt_when=_counting if name == "interrupt" else None,
    )


def _all_but_writing(request: Json) -> Json:
    return deny(request) if request["tool_name"] == "Write" else allow(request)


def _all_but_editing(asked: Json) -> str:
    return "reject" if asked["permission"] == "edit" else "once"


async def _counting(model: ScriptedModel) -> None:
    await model.reached("main", 0, chunks=20)
