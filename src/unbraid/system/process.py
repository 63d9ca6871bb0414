"""Processes that can be cancelled at any moment, their start included.

The pipes to a process are made here and not by asyncio. A pipe of asyncio's own cannot be closed
while a stray child still holds its other end, and waiting for the process waits for the pipes too.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import stat
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from unbraid.errors import BackendError
from unbraid.system.liveness import PROCESSES


def nobody_writes() -> bool:
    """Returns whether stdin has no data for a program: it is a terminal, /dev/null or closed."""
    try:
        return stat.S_ISCHR(os.fstat(0).st_mode)
    except OSError:
        return True


# More than any server of ours needs, and few enough for programs that look at every number.
MOST_DESCRIPTORS = 1 << 16


def raise_descriptor_limit() -> int:
    """Raises the limit on open files as far as it may be raised; returns what it is then."""
    try:
        import resource
    except ImportError:
        return MOST_DESCRIPTORS  # Windows has no such limit
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return MOST_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


# A token, and the address of a log, which may have a password in it.
SECRETS = frozenset(("UNBRAID_TOKEN", "UNBRAID_LOG"))
PIPE, NOTHING = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL


class PipeWriter(asyncio.BaseProtocol):
    """The writing end of a pipe. It is no error if it is no longer read."""

    def __init__(self) -> None:
        self._room = asyncio.Event()
        self._room.set()
        self._transport: asyncio.WriteTransport | None = None

    @classmethod
    async def connect(cls, descriptor: int) -> PipeWriter:
        """Takes a descriptor over, and returns its writer."""
        file = os.fdopen(descriptor, "wb", 0)
        _, writer = await asyncio.get_running_loop().connect_write_pipe(cls, file)
        return writer

    def is_closing(self) -> bool:
        """Returns whether nothing more can be written."""
        return self._transport is None or self._transport.is_closing()

    def write(self, data: bytes) -> None:
        """Writes as much as the pipe takes now, and the rest when it takes more."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    async def drain(self) -> None:
        """Waits until the pipe takes more."""
        await self._room.wait()

    def close(self) -> None:
        """Ends the pipe behind what was written."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Ends the pipe at once, also one that is being closed and whose reader does not read."""
        pipe = self._transport
        if pipe is not None and (not pipe.is_closing() or pipe.get_write_buffer_size()):
            pipe.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keeps the transport: the pipe is connected (called by asyncio)."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def pause_writing(self) -> None:
        """Makes writers wait: too much waits for the reader (called by asyncio)."""
        self._room.clear()

    def resume_writing(self) -> None:
        """Lets writers continue: the reader has caught up (called by asyncio)."""
        self._room.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """Lets writers continue: the pipe is gone (called by asyncio)."""
        self._transport = None
        self._room.set()


class PipeReader:
    """The reading end of a pipe. What is not read holds the writer back."""

    def __init__(self, stream: asyncio.StreamReader, transport: asyncio.BaseTransport) -> None:
        self._stream, self._transport = stream, transport

    @classmethod
    async def connect(cls, descriptor: int) -> PipeReader:
        """Takes a descriptor over, and returns its reader."""
        stream = asyncio.StreamReader()
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(descriptor, "rb", 0)
        )
        return cls(stream, transport)

    async def read(self, size: int = -1) -> bytes:
        """Returns more bytes; nothing at the end. Without a size, all until the end."""
        return await self._stream.read(size)

    def close(self) -> None:
        """Stops reading: a process that continues to write gets an error."""
        self._transport.close()


class StartedProcess:
    """A process that was started, with those of its standard files that were to be pipes."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        *,
        stdin: PipeWriter | None,
        stdout: PipeReader | None,
        stderr: PipeReader | None,
    ) -> None:
        self._process = process
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """Its exit code; None while it lives; negative for a signal that has ended it."""
        return self._process.returncode

    def send_signal(self, number: int) -> None:
        """Sends it a signal, if it still lives."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(number)

    async def wait(self) -> int:
        """Waits for its end, even if other processes still hold its pipes. Returns its exit
        code.
        """
        return await self._process.wait()

    def close_pipes(self) -> None:
        """Closes all pipes, even if other processes still hold their other ends."""
        if self.stdin is not None:
            self.stdin.abort()
        for reader in (self.stdout, self.stderr):
            if reader is not None:
                reader.close()

    async def let_go(self) -> None:
        """Kills it if it lives, and closes its pipes."""
        self.close_pipes()
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        await self.wait()


def without_token(env: Mapping[str, str]) -> dict[str, str]:
    """Returns an environment for other programs: secrets of ours are not for agents."""
    return {name: value for name, value in env.items() if name not in SECRETS}


async def start(
    argv: Sequence[str],
    env: Mapping[str, str] | None,
    cwd: Path | None = None,
    *,
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
    start_new_session: bool = False,
) -> StartedProcess:
    """Starts a program. Raises OSError or ValueError if there is nothing to start.

    A start that is cancelled continues to its end, and the process is ended then: half a start has
    nothing yet that could be ended.
    """
    given = without_token(os.environ if env is None else env)
    options = {"env": given, "cwd": cwd, "start_new_session": start_new_session}
    files = {"stdin": stdin, "stdout": stdout, "stderr": stderr}
    starting = asyncio.create_task(_start(argv, files, options))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await _to_its_end(starting)
        if starting.exception() is None:
            await _to_its_end(asyncio.create_task(starting.result().let_go()))
        raise


async def _start(
    argv: Sequence[str], files: Mapping[str, int | None], options: Mapping[str, Any]
) -> StartedProcess:
    ours: dict[str, int] = {}
    given: dict[str, Any] = {**files, **options}
    with ExitStack() as unused:
        with ExitStack() as theirs:
            for name in [name for name, wanted in files.items() if wanted == PIPE]:
                read, write = os.pipe()
                ours[name], given[name] = (write, read) if name == "stdin" else (read, write)
                unused.callback(os.close, ours[name])
                theirs.callback(os.close, given[name])
            process = await asyncio.create_subprocess_exec(*argv, **given)
        unused.pop_all()  # from here on, their owners close them
    return StartedProcess(
        process,
        stdin=await PipeWriter.connect(ours["stdin"]) if "stdin" in ours else None,
        stdout=await PipeReader.connect(ours["stdout"]) if "stdout" in ours else None,
        stderr=await PipeReader.connect(ours["stderr"]) if "stderr" in ours else None,
    )


async def _to_its_end(task: asyncio.Task[Any]) -> None:
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait({task})


# A program that runs for us and never outlives us: it has a process group of its own, and all its
# child processes carry a mark.
#
# An agent's CLI starts shells, and some of them leave its group. So everything it starts carries a
# mark in its environment, and what still has the mark when the program has ended is ended, too. And
# should we be killed ourselves, a guard at the other end of a pipe sees it and ends the group.

# A program that was asked to end gets this long before it is killed.
PROGRAM_END_GRACE_SECONDS = 3.0
# Between two looks for what a killed program had started: it is gone in no time.
PROGRAM_KILL_POLL_SECONDS = 0.01

READ_BYTES = 1 << 16
STDERR_BYTES = 4096
FAMILY_TRIES = 500
_MARK = "UNBRAID_INSTANCE"
# It reads until no process is left that could write.
_GUARD = 'cat; kill -TERM -"$1"; sleep 3; kill -KILL -"$1"'


class Program:
    """A running program: lines to its stdin, bytes from its stdout, the end of its stderr."""

    def __init__(self, name: str, process: StartedProcess, mark: str) -> None:
        self.name, self._process, self._mark = name, process, mark
        self._guard: StartedProcess | None = None
        self._tail = b""
        self._errors = asyncio.create_task(self._read_errors())

    async def guarded(self) -> None:
        """Starts a guard that ends the program even if we are killed."""
        with contextlib.suppress(OSError):
            self._guard = await start(
                ("/bin/sh", "-c", _GUARD, "guard", str(self.pid)),
                {"PATH": os.defpath},
                stdin=PIPE,
                stdout=NOTHING,
                stderr=NOTHING,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """The process, and its group."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.returncode is None

    async def read(self) -> bytes:
        """Returns more of its stdout; nothing when that has ended. What is not read holds
        it back.
        """
        assert self._process.stdout is not None
        return await self._process.stdout.read(READ_BYTES)

    async def write(self, data: bytes) -> None:
        """Writes whole lines to its stdin; that it has closed it is seen at its stdout."""
        stdin = self._process.stdin
        assert stdin is not None
        stdin.write(data)
        await stdin.drain()

    def post(self, data: bytes) -> None:
        """Writes like `write`, where nothing can be awaited."""
        if self._process.stdin is not None:
            self._process.stdin.write(data)

    async def failure(self, advice: str) -> BackendError:
        """Returns why its output has ended, when it has."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PROGRAM_END_GRACE_SECONDS):
                await asyncio.gather(self._process.wait(), asyncio.shield(self._errors))
        code = self._process.returncode
        if code is None:
            how = "has closed its output"
        elif code < 0:
            how = f"was ended by {_signal_name(-code)}"
        else:
            how = f"ended with exit code {code}"
        tail = self._tail.decode("utf-8", "replace").strip()
        return BackendError(self.name, f"{how}: {tail}" if tail else how, advice)

    async def end(self) -> None:
        """Ends the program and everything that it started: asks first, and then ends the rest by
        force.
        """
        try:
            if self._process.returncode is None:
                if self._process.stdin is not None:
                    self._process.stdin.close()
                self._signal_group(signal.SIGTERM)
                async with asyncio.timeout(PROGRAM_END_GRACE_SECONDS):
                    await self._process.wait()
        except TimeoutError:
            pass
        finally:
            # Nothing is awaited before this: a second cancellation must not let it live.
            self._signal_group(signal.SIGKILL)
            self._kill_marked()
            if self._guard is not None:
                _kill_group(self._guard.pid, signal.SIGKILL)
            self._errors.cancel()
            await self._process.wait()
            for _ in range(FAMILY_TRIES):  # one of them may have started another meanwhile
                if not self._kill_marked():
                    break
                await asyncio.sleep(PROGRAM_KILL_POLL_SECONDS)
            await self._process.let_go()
            if self._guard is not None:
                await self._guard.let_go()
            await asyncio.gather(self._errors, return_exceptions=True)

    def _kill_marked(self) -> bool:
        """Returns whether there was anyone left to be ended."""
        pids = _marked(self._mark)
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        return bool(pids)

    def _signal_group(self, number: signal.Signals) -> None:
        _kill_group(self._process.pid, number)

    async def _read_errors(self) -> None:
        assert self._process.stderr is not None
        while data := await self._process.stderr.read(READ_BYTES):
            self._tail = (self._tail + data)[-STDERR_BYTES:]


@contextlib.asynccontextmanager
async def start_program(
    name: str,
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    reads_stdin: bool = True,
    advice: str = "",
) -> AsyncIterator[Program]:
    """Runs a program for as long as the context lasts; one that `reads_stdin` reads what we
    write.
    """
    mark = secrets.token_hex(8)
    try:
        process = await start(
            argv,
            {**env, _MARK: mark},
            cwd,
            stdin=PIPE if reads_stdin else NOTHING,
            stdout=PIPE,
            stderr=PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        problem = error.strerror if isinstance(error, OSError) else None
        raise BackendError(name, f"{argv[0]}: {problem or error}", advice) from None
    program = Program(name, process, mark)
    try:
        await program.guarded()
        yield program
    finally:
        await program.end()


def _kill_group(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _marked(mark: str) -> list[int]:
    """Returns the processes with the mark, if the system shows what they were started with."""
    wanted, found = f"{_MARK}={mark}".encode(), []
    for folder in PROCESSES.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if wanted in (folder / "environ").read_bytes():
                found.append(int(folder.name))
    return found
