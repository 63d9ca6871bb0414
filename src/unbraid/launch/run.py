"""Start an agent, or stand behind its pipe: pass its output through, and log its run meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import Protocol

from unbraid.agents.claude.command import Command, kind_of, visible
from unbraid.agents.claude.control import ClaudeController, Listener
from unbraid.agents.claude.places import claude_projects
from unbraid.agents.claude.releases import version_of
from unbraid.agents.claude.render import OutputRenderer
from unbraid.agents.claude.stdin_prompt import StdinPrompt
from unbraid.control.controllers import Controllers
from unbraid.control.sockets import steerable
from unbraid.launch.child import Child, SinkError, write_out
from unbraid.launch.claude import ClaudeSource
from unbraid.launch.opencode import OpenCodeSource
from unbraid.launch.run_log import RunLog, now_ms
from unbraid.log.folder import data_folder
from unbraid.log.port import Log
from unbraid.remote.delivery import Sending
from unbraid.wire.lines import Lines

LOOK_SECONDS = 0.05
# How far back a pipe's session may have begun before anything of it came through.
PIPE_BEGAN_MS = 60_000

Warn = Callable[[str], None]
Face = Callable[[Log, Controllers], AbstractAsyncContextManager[object]]


class Telling(Protocol):
    """What a process says, on its way to the log."""

    def printed(self, data: bytes) -> None:
        """More of its stdout."""
        ...

    async def look(self) -> None:
        """Tell what can be told now."""
        ...

    async def end(self) -> None:
        """Tell the rest."""
        ...


async def run(
    argv: Sequence[str],
    env: Mapping[str, str],
    warn: Warn,
    *,
    sending: Sending | None = None,
    face: Face | None = None,
    steered: bool = False,
    redact: bool = False,
) -> int:
    """Run a command as it would run without us, shown by a `face` meanwhile; its exit code.

    One that is to be `steered` is told its prompt over stdin, so that more can be said to it.
    """
    kind, first = kind_of(argv)
    version = await version_of(argv[:first]) if kind == "claude" else ()
    command = visible(argv, version, steered=steered and _nobody_types())
    if steered and not command.talks:
        warn("this command cannot be steered, and runs as it would without --steer")
    run_log, controllers = RunLog(warn, sending, redact=redact), Controllers()
    async with AsyncExitStack() as stack:
        stack.push_async_callback(run_log.close)
        await run_log.begin(command.session)
        telling = _telling(command, run_log, env)
        child = await Child.start(
            command.argv,
            captured=command.captured,
            talks=command.talks,
            relays=command.prompt is None,
        )
        if face is not None and run_log.log is not None:
            await stack.enter_async_context(face(run_log.log, controllers))
        listener: Listener | None = child if command.talks else None
        hears: list[Callable[[bytes], None]] = []
        if command.prompt is not None:
            listener = prompting = StdinPrompt(child, command.prompt)
            stack.callback(prompting.stop)
            hears.append(prompting.printed)
        steering = ClaudeController(run_log, listener, child.send_signal)
        hears.append(steering.printed)
        child.overhear = steering.passed
        run_log.on_open = lambda run: controllers.register(run, steering)
        await stack.enter_async_context(_told(telling, run_log))
        if run_log.log is not None and not run_log.failed:
            await stack.enter_async_context(steerable(data_folder(env), steering))
        await _pass(child, command, telling, hears, warn)
        return await child.wait()


async def pipe(
    source: AsyncIterator[bytes],
    env: Mapping[str, str],
    warn: Warn,
    *,
    sending: Sending | None = None,
    redact: bool = False,
) -> None:
    """Pass bytes on, and log the run that they tell of."""
    run_log = RunLog(warn, sending, redact=redact)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(run_log.close)
        await run_log.begin(None)
        data = await anext(source, b"")
        telling: Telling = ClaudeSource(run_log, env)
        if b'"sessionID"' in data.partition(b"\n")[0]:
            telling = OpenCodeSource(run_log, env, began=now_ms() - PIPE_BEGAN_MS)
        await stack.enter_async_context(_told(telling, run_log))
        while data:
            telling.printed(data)
            if not await asyncio.to_thread(write_out, data):
                return
            data = await anext(source, b"")


def _telling(command: Command, run_log: RunLog, env: Mapping[str, str]) -> Telling:
    if command.kind == "opencode":
        session = command.session
        return OpenCodeSource(run_log, env, began=now_ms(), session=session, begun_in=Path.cwd())
    drawn = not command.captured
    sizes = _sizes(env) if command.resumes or drawn else {}
    begun_in = Path.cwd() if drawn else None
    return ClaudeSource(
        run_log,
        env,
        sizes=sizes,
        session=command.session,
        begun_in=begun_in,
        forwards=command.forwards,
    )


@contextlib.asynccontextmanager
async def _told(telling: Telling, run_log: RunLog) -> AsyncIterator[None]:
    over = asyncio.Event()

    async def follow() -> None:
        while not over.is_set():
            await telling.look()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await over.wait()

    following = asyncio.create_task(follow())
    try:
        yield
    finally:
        # Not cancelled: a look takes words that nobody would tell again.
        over.set()
        await following
        await telling.end()
        await run_log.finish()


async def _pass(
    child: Child,
    command: Command,
    telling: Telling,
    hears: Sequence[Callable[[bytes], None]],
    warn: Warn,
) -> None:
    """Its stdout to ours: as it is, or as it would have been."""
    rendering = None if command.prints == "raw" else OutputRenderer(command)
    lines, heard = Lines(), True

    async def show(data: bytes) -> None:
        nonlocal heard
        try:
            heard = await asyncio.to_thread(write_out, data)
        except SinkError as error:
            heard = False
            warn(str(error))
        if not heard:
            child.hang_up()

    async for data in child.output():
        telling.printed(data)
        shown = data
        whole = [line for line in lines.feed(data) if isinstance(line, bytes)]
        for line in whole:
            for hear in hears:
                hear(line)
        if rendering is not None:
            shown = b"".join(map(rendering.line, whole))
        if shown and heard:
            await show(shown)
    if rendering is not None and heard:
        rest = [rendering.line(line) for line in lines.finish() if isinstance(line, bytes)]
        await show(b"".join([*rest, rendering.end()]))


def _nobody_types() -> bool:
    """Whether nothing that the agent would read comes in on stdin: a terminal, or the void."""
    try:
        return stat.S_ISCHR(os.fstat(0).st_mode)
    except OSError:
        return True


def _sizes(env: Mapping[str, str]) -> dict[Path, int]:
    """All transcripts and how long they are, before an agent goes on with one of them."""
    found: dict[Path, int] = {}
    for projects in claude_projects(env):
        for path in projects.rglob("*.jsonl"):
            with contextlib.suppress(OSError):
                found[path] = path.stat().st_size
    return found
