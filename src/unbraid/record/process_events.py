"""A process and its sessions' files as one stream of events, for programs of one's own.

An agent's stdout does not have everything that its sub-agents say: the rest is in files that its
CLI writes meanwhile. Both are read and merged as `unbraid run` does it, but into the memory of this
process, and nothing is passed on.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from typing import Any

from unbraid.agents.port import Command
from unbraid.errors import LogError, SourceError
from unbraid.events import FleetEvent
from unbraid.log.port import Log
from unbraid.record.run import DetectedSource, ProcessRecorder, RunLog, launchers_of
from unbraid.system.process import NOTHING, PIPE, StartedProcess, start

READ_BYTES = 1 << 16


async def process_events(
    argv: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    redact: bool = False,
) -> AsyncIterator[FleetEvent]:
    """Starts an agent's command, such as `claude -p …`, with the options that make its sub-agents
    visible, and yields every event of its run as it happens; the last is `done`.

    `env` is the environment of the process, and says where its sessions are. A process that is left
    before its end is killed. Raises SourceError if there is no such program.
    """
    env = os.environ if env is None else env
    launchers = launchers_of(env)
    launcher = next((each for each in launchers if each.recognizes(argv)), None)
    command = Command(list(argv))
    if launcher is not None:
        command = await launcher.command(argv, steered=False)
    problems: list[str] = []
    run_log = RunLog(problems.append, redact=redact, url="memory:")
    async with AsyncExitStack() as stack:
        stack.push_async_callback(run_log.close)
        await run_log.begin(command.session)
        source = (
            DetectedSource(launchers)
            if launcher is None
            else launcher.source(command, cwd or Path.cwd())
        )
        try:
            process = await start(command.argv, env, cwd, stdin=NOTHING, stdout=PIPE)
        except (OSError, ValueError) as error:
            raise SourceError(argv[0], str(error)) from None
        stack.push_async_callback(process.let_go)
        recording = asyncio.create_task(_record(process, ProcessRecorder(source, run_log)))
        stack.push_async_callback(_cancelled, recording)
        assert run_log.log is not None
        events = _events(run_log.log, recording)
        async for event in await stack.enter_async_context(aclosing(events)):
            yield event
        if problems:
            raise LogError(problems[0])


async def _record(process: StartedProcess, recorder: ProcessRecorder) -> None:
    async with recorder.recording():
        assert process.stdout is not None
        while data := await process.stdout.read(READ_BYTES):
            recorder.printed(data)
        await process.wait()


async def _events(log: Log, recording: asyncio.Task[None]) -> AsyncGenerator[FleetEvent, None]:
    """Yields what is recorded, until the recording is over."""
    cursor = 0
    batches = aiter(log.follow_all(0))
    while True:
        coming = asyncio.ensure_future(anext(batches))
        try:
            await asyncio.wait({coming, recording}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not coming.done():
                await _cancelled(coming)
        if coming.cancelled():
            break
        for entry in coming.result():
            cursor = entry.cursor
            yield entry.event
    await recording
    while entries := await log.read_all(cursor):
        cursor = entries[-1].cursor
        for entry in entries:
            yield entry.event


async def _cancelled(task: asyncio.Future[Any]) -> None:
    task.cancel()
    await asyncio.wait({task})
