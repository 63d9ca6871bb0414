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
from pathlib import Path
from typing import Any, ParamSpec

from . import clis
from .conversation import Conversation, Permit, allow
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
from .opencode_server import Reply, ServedSession
from .process import Child
from .recording import Recording
from .script import Script

TIMEOUT_SECONDS = 90.0
PROMPT = "[[main]] Go."

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
    reads_stdin = mode == "stdin"
    async with asyncio.timeout(timeout_seconds), ScriptedModel(script) as model:
        arguments = [*claude_arguments(cli, mode, prompts[0]), *args]
        asks = permit is not None
        launch = claude_launch(cli, model.url, home, arguments, asks=asks, git=git)
        child = await Child.start(launch.argv, launch.env, launch.cwd, reads_stdin=reads_stdin)
        recording = Recording(script.name, version, mode, truth={}, projects=launch.projects)
        source, conversation = child.lines(), None
        try:
            if reads_stdin:
                when = None if interrupt_when is None else lambda: interrupt_when(model)
                conversation = Conversation(child, prompts, permit or allow, interrupt_when=when)
                recording.sent = conversation.sent
                source = _answered(source, conversation)
                await conversation.begin()
            yield RecordedRun(
                child=child, model=model, launch=launch, recording=recording, source=source
            )
        finally:
            if conversation is not None:
                await conversation.end()
            await child.stop()


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
    async with asyncio.timeout(timeout_seconds), ScriptedModel(script) as model:
        arguments = [*opencode_arguments(mode, prompts[0]), *args]
        asks = reply is not None
        launch = opencode_launch(cli, model.url, home, arguments, asks=asks, git=git)
        child = await Child.start(launch.argv, launch.env, launch.cwd)
        recording = Recording(script.name, cli.name, mode, truth={})
        try:
            source = child.lines()
            if mode == "serve":
                when = None if interrupt_when is None else lambda: interrupt_when(model)
                session = ServedSession(child, recording, prompts, reply=reply, interrupt_when=when)
                source = session.events()
            yield RecordedRun(
                child=child,
                model=model,
                launch=launch,
                recording=recording,
                source=source,
                stops=mode == "serve",
            )
        finally:
            await child.stop()


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
    async with asyncio.timeout(timeout_seconds), ScriptedModel(script) as model:
        arguments = [*codex_arguments(mode, prompts[0]), *args]
        launch = codex_launch(cli, model.url, home, arguments)
        child = await Child.start(launch.argv, launch.env, launch.cwd)
        recording = Recording(script.name, f"codex-{version}", mode, truth={})
        try:
            yield RecordedRun(
                child=child, model=model, launch=launch, recording=recording, source=child.lines()
            )
        finally:
            await child.stop()


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
