"""A program that runs for us and never outlives us: it has a process group of its own, and all its
child processes carry a mark.

An agent's CLI starts shells, and some of them leave its group. So everything it starts carries a
mark in its environment, and what still has the mark when the program has ended is ended, too. And
should we be killed ourselves, a guard at the other end of a pipe sees it and ends the group.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

from unbraid.errors import BackendError
from unbraid.system.liveness import PROCESSES
from unbraid.system.process import NOTHING, PIPE, StartedProcess, start

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
