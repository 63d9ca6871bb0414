"""Starts an agent, or reads its pipe: passes its output on unchanged, and logs its run
meanwhile.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import Protocol

from unbraid.agents.control_port import Controller
from unbraid.agents.process_port import (
    Command,
    Launcher,
    OutputRenderer,
    RunReference,
)
from unbraid.agents.registry import kinds
from unbraid.fold.alerts.budget import RunLimits
from unbraid.log.port import Log
from unbraid.read.lines import Lines
from unbraid.record.child import ChildProcess, SinkError, write_out
from unbraid.record.run import DetectedSource, ProcessRecorder, RunLog
from unbraid.send.budget_guard import BudgetGuard
from unbraid.send.delivery import RunDelivery
from unbraid.steer.controllers import Controllers, channels_of
from unbraid.steer.resume import agent_of
from unbraid.system.home import data_folder
from unbraid.system.process import nobody_writes

Warn = Callable[[str], None]
Face = Callable[[Log, Controllers], AbstractAsyncContextManager[object]]


class RunTracer(Protocol):
    """Traces a run while it is recorded."""

    def environment(self, run: str | None) -> Mapping[str, str]:
        """Returns what the agent's process is to find in its environment, beside ours; its run may
        have no name yet.
        """
        ...

    def begin(self, log: Log, run: str) -> None:
        """Notes that the run is recorded from now on."""
        ...

    async def finish(self) -> None:
        """Waits a little for what is left, when the run is over."""
        ...


async def run(
    argv: Sequence[str],
    env: Mapping[str, str],
    warn: Warn,
    *,
    sending: RunDelivery | None = None,
    face: Face | None = None,
    trace: RunTracer | None = None,
    limits: RunLimits | None = None,
    steered: bool = False,
    redact: bool = False,
    log: str | None = None,
) -> int:
    """Runs a command as it would run without unbraid, and returns its exit code. `face` shows the
    run meanwhile.

    One that is to be `steered` gets its prompt over stdin, so that more can be said to it there.
    One that reaches its `limits` is stopped.
    """
    launchers = launchers_of(env)
    launcher = next((each for each in launchers if each.recognizes(argv)), None)
    if launcher is None:
        command = Command(list(argv))
    else:
        command = await launcher.command(argv, steered=steered and nobody_writes())
    if steered and not command.reads_stdin:
        why = f": {command.why_not_steered}" if command.why_not_steered else ""
        warn(f"this command cannot be steered; running it without --steer{why}")
    run_log = RunLog(warn, sending, redact=redact, url=log, awaits_words=command.resumes)
    controllers = Controllers()
    async with AsyncExitStack() as stack:
        stack.push_async_callback(run_log.close)
        await run_log.begin(command.session)
        added: Mapping[str, str] = {}
        if trace is not None:
            stack.push_async_callback(trace.finish)
            added = trace.environment(await run_log.expected(command.session))
        if launcher is None:
            recorder = ProcessRecorder(DetectedSource(launchers), run_log)
        else:
            recorder = ProcessRecorder(launcher.source(command, Path.cwd()), run_log)
        guard = None
        if limits:
            guard = BudgetGuard(limits, env, warn=warn, note=recorder.note)
            if run_log.failed:
                warn("only the time limit is enforced: what the run spends is not logged")
        child = await ChildProcess.start(
            command.argv,
            captured=command.captured,
            reads_stdin=command.reads_stdin,
            relays=command.prompt is None,
            is_server=command.is_server,
            added=added,
        )
        if face is not None and run_log.log is not None:
            await stack.enter_async_context(face(run_log.log, controllers))
        controller = _controller(launcher, command, child, run_log=run_log)
        stack.callback(controller.close)
        child.on_input = controller.passed
        ending: set[asyncio.Task[None]] = set()  # the loop itself keeps no task alive
        child.on_ending = lambda: ending.add(asyncio.create_task(controller.cancel()))

        def begun(name: str) -> None:
            controllers.register(name, controller)
            if trace is not None and run_log.log is not None:
                trace.begin(run_log.log, name)
            if guard is not None and run_log.log is not None:
                guard.begin(run_log.log, name)

        run_log.on_begin = begun
        if steered and sending is not None:
            await stack.enter_async_context(sending.steering(controllers))
        await stack.enter_async_context(recorder.recording())
        if guard is not None:
            await stack.enter_async_context(guard.guarding(controller))
        home = None if run_log.log is None or run_log.failed else data_folder(env)
        await stack.enter_async_context(controllers.answering(*channels_of(run_log.log, home)))
        renderer = None if launcher is None else launcher.renderer(command)
        await _pass(
            child,
            record=recorder.printed,
            on_line=controller.printed,
            renderer=renderer,
            warn=warn,
        )
        code = await child.wait()
        return code if renderer is None else renderer.exit_code(code)


async def pipe(
    source: AsyncIterator[bytes],
    env: Mapping[str, str],
    warn: Warn,
    *,
    sending: RunDelivery | None = None,
    redact: bool = False,
    log: str | None = None,
) -> None:
    """Passes bytes on, and logs the run that they belong to."""
    run_log = RunLog(warn, sending, redact=redact, url=log)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(run_log.close)
        await run_log.begin(None)
        recorder = ProcessRecorder(DetectedSource(launchers_of(env)), run_log)
        await stack.enter_async_context(recorder.recording())
        async for data in source:
            recorder.printed(data)
            if not await asyncio.to_thread(write_out, data):
                return


def launchers_of(env: Mapping[str, str]) -> list[Launcher]:
    """Returns how the programs of every kind of agents are started."""
    found = (kind.launcher(env) for kind in kinds())
    return [launcher for launcher in found if launcher is not None]


def _controller(
    launcher: Launcher | None, command: Command, child: ChildProcess, *, run_log: RunLog
) -> Controller:
    async def agent_id(stream_id: int) -> str | None:
        log = run_log.log
        return None if log is None else await agent_of(log, run_log.run, stream_id)

    found = None
    if launcher is not None:
        found = launcher.controller(command, child, RunReference(lambda: run_log.run, agent_id))
    return SignalController(child.send_signal) if found is None else found


class SignalController(Controller):
    """Ends a process by a signal; it takes nothing else."""

    def __init__(self, send_signal: Callable[[int], None]) -> None:
        self._send_signal = send_signal

    async def cancel(self) -> None:
        """Ends the run."""
        self._send_signal(signal.SIGTERM)


async def _pass(
    child: ChildProcess,
    *,
    record: Callable[[bytes], None],
    on_line: Callable[[bytes], None],
    renderer: OutputRenderer | None,
    warn: Warn,
) -> None:
    """Passes its stdout to ours: as it is, or as it would have been."""
    lines, is_read = Lines(), True

    async def show(data: bytes) -> None:
        nonlocal is_read
        try:
            is_read = await asyncio.to_thread(write_out, data)
        except SinkError as error:
            is_read = False
            warn(str(error))
        if not is_read:
            child.hang_up()

    async for data in child.output():
        record(data)
        shown = data
        whole = [line for line in lines.feed(data) if isinstance(line, bytes)]
        for line in whole:
            on_line(line)
        if renderer is not None:
            shown = b"".join(map(renderer.line, whole))
        if shown and is_read:
            await show(shown)
    if renderer is not None and is_read:
        rest = [renderer.line(line) for line in lines.finish() if isinstance(line, bytes)]
        await show(b"".join([*rest, renderer.end()]))
