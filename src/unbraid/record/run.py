"""Starts an agent, or reads its pipe: passes its output on unchanged, and logs its run
meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
import uuid
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from unbraid.agents.control_port import Controller
from unbraid.agents.port import (
    Command,
    Launcher,
    OutputRenderer,
    RunReference,
)
from unbraid.agents.registry import kinds
from unbraid.agents.source import Recorded, Source
from unbraid.errors import LogError
from unbraid.fold.alerts.budget import RunLimits
from unbraid.log.engines import log_name, memory_log, open_log
from unbraid.log.leases import Leases
from unbraid.log.port import Log
from unbraid.read.chunk import Chunk
from unbraid.read.lines import Lines
from unbraid.read.notes import RunNote
from unbraid.read.record import Record, read_as
from unbraid.record.child import ChildProcess, SinkError, write_out
from unbraid.record.followed_session import FollowedSession
from unbraid.record.recorder import Recorder
from unbraid.record.runs import next_run, open_run
from unbraid.send.budgets import BudgetGuard
from unbraid.send.delivery import RunDelivery
from unbraid.steer.controllers import Controllers, channels_of
from unbraid.steer.resume import agent_of
from unbraid.system.clock import now_ms
from unbraid.system.home import data_folder
from unbraid.system.process import nobody_writes
from unbraid.timings import RUN_POLL_SECONDS

if TYPE_CHECKING:
    from unbraid.send.otel import LaunchedTrace

# A stream of unknown origin: the first line that an agent kind recognizes decides which kind it
# is.


class DetectedSource(Source):
    """Holds what is printed until a kind takes it over. What no kind wants is still recorded at its
    end if any of it looks like records: their translator may know them.
    """

    def __init__(self, launchers: Sequence[Launcher]) -> None:
        self._launchers = launchers
        self._found: Source | None = None
        self._lines = Lines()
        self._held: list[bytes] = []
        self._has_records = self._begun = False
        self._session_id: str | None = None
        self._source = f"stdout.{now_ms()}"

    @property
    def session_id(self) -> str | None:
        """Its session, once that is known."""
        return self._session_id if self._found is None else self._found.session_id

    def printed(self, data: bytes) -> None:
        """Takes more of the stream."""
        if self._found is None:
            self._held.append(data)
            self._look(self._lines.feed(data))
        else:
            self._found.printed(data)

    def end(self) -> None:
        """Notes that the stream is over."""
        super().end()
        if self._found is None:
            self._look(self._lines.finish())
        if self._found is not None:
            self._found.end()
        elif self._has_records:
            self._session_id = str(uuid.uuid4())

    def begin(self, recorded: Recorded) -> None:
        """Notes that the session's run is open."""
        self._begun = True
        if self._found is not None:
            self._found.begin(recorded)

    def read(self, *, at_once: bool = False) -> Iterable[Chunk]:
        """Yields what can be recorded now."""
        if self._found is not None:
            yield from self._found.read()
        elif self._begun:
            held, self._held = self._held, []
            offset = 0
            for data in held:
                yield Chunk(self._source, offset, data)
                offset += len(data)

    def _look(self, lines: Iterable[object]) -> None:
        for line in lines:
            # Most programs print no records: nothing else of their lines is looked at.
            if (
                self._found is not None
                or not isinstance(line, bytes)
                or not line.lstrip().startswith(b"{")
            ):
                continue
            self._has_records = self._has_records or bool(read_as(Record, line).type)
            sources = (launcher.piped(line) for launcher in self._launchers)
            self._found = next((source for source in sources if source is not None), None)
        if self._found is not None:
            for data in self._held:
                self._found.printed(data)
            self._held.clear()


# The log of one run. If it fails, the agent continues all the same.

# A watch holds a session's lease for a moment to see whether there is anything to record.
LEASE_TIMEOUT_SECONDS = 0.5
LEASE_RETRY_SECONDS = 0.02


class RunLog:
    """Records one run in the log of this machine, or in the one at `url`; a failure is reported
    once, and then no more. With `awaits_words`, nothing is written to the log until the run has
    content.
    """

    def __init__(
        self,
        warn: Callable[[str], None],
        sending: RunDelivery | None = None,
        *,
        redact: bool = False,
        url: str | None = None,
        awaits_words: bool = False,
    ) -> None:
        self.failed = False
        self.opened = False  # whether the session is known, even if its log has failed
        self.on_begin: Callable[[str], None] = lambda run: None
        self.recorder: Recorder | None = None
        self.log: Log | None = None
        self._warn, self._sending, self._url = warn, sending, url
        self._awaits_words = awaits_words
        self._redact = redact
        self._leases: Leases | None = None
        self._unnamed: str | None = None
        self._is_kept = True  # whether the log outlives this process
        self._begun = False

    @property
    def run(self) -> str:
        """The run's name, once it has one."""
        return "" if self.recorder is None else self.recorder.run

    async def begin(self, session: str | None) -> None:
        """Opens the log, and acquires the lease of the session that is about to begin."""
        try:
            self.log = await open_log(self._url)
            await self._lease(session)
        except LogError as error:
            self._fail(error)
            if self._sending is not None:
                await self._begin_in_memory(session)

    async def _begin_in_memory(self, session: str | None) -> None:
        """Keeps the run in this process alone, so that it can at least be sent."""
        if self.log is not None:
            await self.log.close()
        self.log, self._is_kept, self.failed = memory_log(), False, False
        await self._lease(session)

    async def _lease(self, session: str | None) -> None:
        assert self.log is not None
        self._leases = self.log.leases()
        if session is None:
            self._unnamed = self._leases.acquire_unnamed()
        else:
            await self._acquire(session)

    async def expected(self, session: str | None) -> str | None:
        """Returns the name that the run of a session will have; None if that is not known yet."""
        if session is None or self.log is None or self.failed:
            return None
        try:
            return await next_run(self.log, session)
        except LogError:
            return None

    async def open(self, session: str) -> Recorded:
        """Opens the run of a session, now that it is known. Returns how far it is recorded
        already.
        """
        recorded = Recorded()
        self.opened = True
        try:
            if self.log is not None and not self.failed:
                await self._acquire(session)
            if self.log is not None and not self.failed:
                self.recorder, recorded = await open_run(
                    self.log, session, redact=self._redact, awaits_words=self._awaits_words
                )
                self.recorder.on_new = self._note
        except LogError as error:
            self._fail(error)
        self._note()
        return recorded

    async def open_another(
        self, session: str, follow: Callable[[str, Recorded], Source | None]
    ) -> FollowedSession | None:
        """Opens a session that the same process moves to. Returns None if there is nothing to read,
        another process records it, or the log has failed.
        """
        with self.failing():
            if self.log is None or self._leases is None or self.failed:
                return None
            if await self._leases.acquire(session):
                return await FollowedSession.open(
                    self.log, session, follow, redact=self._redact, awaits_words=True
                )
        return None

    @contextlib.contextmanager
    def failing(self) -> Iterator[None]:
        """Reports an error of the log, once, instead of raising it."""
        try:
            yield
        except LogError as error:
            self._fail(error)

    async def feed(self, chunks: Iterable[Chunk]) -> None:
        """Records chunks, which are read in a thread, and has what came of them sent where that is
        wanted. A chunk without bytes notes its offset.
        """
        rest = iter(chunks)
        if self.recorder is not None and not self.failed:
            try:
                await self.recorder.record(rest)
            except LogError as error:
                self._fail(error)
            self._note()
        if self.recorder is None or self.failed:
            # It is read all the same: that is how a source learns its session.
            await asyncio.to_thread(deque, rest, 0)

    async def note(self, notes: Iterable[RunNote]) -> None:
        """Records notes of ours."""
        if self.recorder is not None and not self.failed:
            with self.failing():
                await self.recorder.note(notes)
            self._note()

    async def finish(self, now: int) -> None:
        """Ends the run, if it has not ended: now, or with its last event if that is 0."""
        if self.recorder is not None and not self.failed:
            with self.failing():
                await self.recorder.finish(now)
            self._note()

    async def close(self) -> None:
        """Gives the rest some time to arrive elsewhere, and closes the log."""
        if self._leases is not None:
            await self._leases.close(ended=self.recorder is None or self.recorder.over)
        if self._sending is not None:
            await self._sending.finish()
        if self.log is not None:
            await self.log.close()

    def _note(self) -> None:
        recorder = self.recorder
        if recorder is None or self.log is None:
            return
        if not self._begun:
            if recorder.awaits_words:
                return
            self._begun = True
            self.on_begin(recorder.run)
            if self._sending is not None:
                name = log_name(self._url) if self._is_kept else None
                self._sending.begin(self.log, name, recorder.run)
        if self._sending is not None:
            self._sending.note()

    async def _acquire(self, session: str) -> None:
        assert self._leases is not None
        taken, until = await self._leases.acquire(session), time.monotonic() + LEASE_TIMEOUT_SECONDS
        while not taken and time.monotonic() < until:
            # A watch may be looking whether there is anything for it to record.
            await asyncio.sleep(LEASE_RETRY_SECONDS)
            taken = await self._leases.acquire(session)
        if not taken:
            self.failed, self._sending = True, None  # the other one has it all
            self._warn(f"another unbraid already records session {session}")
        if self._unnamed is not None:
            await self._leases.release(self._unnamed)
            self._unnamed = None

    def _fail(self, error: LogError) -> None:
        if not self.failed:
            self.failed = True
            self._warn(f"this run is not logged: {error}")


# Records what a process says: from a source that blocks to the log of its run.
#
# A process may move to another session in the same terminal, by a command such as `/clear`. Each
# session is a run of its own, as a watch would record it; it ends when the process moves on.


class ProcessRecorder:
    """Asks a source for what is new, again and again, and feeds it to the log.

    The source works in threads, one at a time: so passing the process's output on waits neither
    for its files nor for the log.
    """

    def __init__(self, source: Source, run_log: RunLog) -> None:
        self._source, self._run_log = source, run_log
        self._moved_to: str | None = None
        self._next_session: str | None = None  # the one that is followed, once it has moved
        self._next: FollowedSession | None = None
        self._printed: list[bytes] = []
        self._notes: list[RunNote] = []

    def printed(self, data: bytes) -> None:
        """Takes more of the process's stdout."""
        self._printed.append(data)

    def note(self, note: RunNote) -> None:
        """Takes a note of ours about the run."""
        self._notes.append(note)

    @contextlib.asynccontextmanager
    async def recording(self) -> AsyncIterator[None]:
        """Records while the block runs, and the rest at its end, when the process is gone."""
        over = asyncio.Event()
        following = asyncio.create_task(self._follow(over))
        try:
            yield
        finally:
            # Not cancelled: what a source has given out, it does not give out again.
            over.set()
            await following
            await self._look(last=True)
            await self._run_log.finish(now_ms())
            await self._end_next()

    async def _follow(self, over: asyncio.Event) -> None:
        while not over.is_set():
            await self._look()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(RUN_POLL_SECONDS):
                    await over.wait()

    async def _look(self, *, last: bool = False) -> None:
        if self._moved_to is not None:
            self._moved_to = await asyncio.to_thread(self._source.moved_to)
        else:
            await self._record(last=last)
            if self._moved_to is None:
                return
            # It was left when the last thing happened in it, which is seen a little later.
            await self._run_log.finish(0)
        await self._record_next()

    async def _record(self, *, last: bool) -> None:
        printed, self._printed = self._printed, []
        await self._run_log.feed(self._read(printed, last=last))
        if not self._run_log.opened and (session := self._source.session_id) is not None:
            recorded = await self._run_log.open(session)
            await asyncio.to_thread(self._source.begin, recorded)
            await self._run_log.feed(self._read([], last=False))
        if self._notes and self._run_log.opened:
            notes, self._notes = self._notes, []
            await self._run_log.note(notes)

    def _read(self, printed: list[bytes], *, last: bool) -> Iterator[Chunk]:
        for data in printed:
            self._source.printed(data)
        self._moved_to = self._source.moved_to()
        if last or self._moved_to is not None:
            self._source.end()
        yield from self._source.read()

    async def _record_next(self) -> None:
        session = self._moved_to
        if session is not None and session != self._next_session:
            await self._end_next()
            self._next_session = session
            self._next = await self._run_log.open_another(session, self._source.follow)
        if self._next is not None:
            with self._run_log.failing():
                await self._next.look()

    async def _end_next(self) -> None:
        followed, self._next = self._next, None
        if followed is not None:
            with self._run_log.failing():
                await followed.close()


Warn = Callable[[str], None]
Face = Callable[[Log, Controllers], AbstractAsyncContextManager[object]]


async def run(
    argv: Sequence[str],
    env: Mapping[str, str],
    warn: Warn,
    *,
    sending: RunDelivery | None = None,
    face: Face | None = None,
    trace: LaunchedTrace | None = None,
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
        found = launcher.controller(command, child, RunReference(agent_id))
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
