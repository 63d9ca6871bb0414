"""The agent's process, which behaves as if it were started without unbraid.

It has the person's stdin and stderr themselves, and the person's stdout too unless that has to be
read. Signals are passed on, except those that the terminal has sent to it already. A server in its
place gets none: its controller ends what it does. Its exit code is ours.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

from unbraid.errors import SourceError, UnbraidError
from unbraid.system.process import PIPE, StartedProcess, start

READ_BYTES = 1 << 16
PASSED_ON = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
ENDING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")


class ChildProcess:
    """A running agent."""

    def __init__(self, process: StartedProcess, *, is_server: bool = False) -> None:
        self._process, self._is_server = process, is_server
        self.on_input: Callable[[bytes], None] = lambda data: None
        self.on_ending: Callable[[], None] = lambda: None  # a server is to end
        self._loop = asyncio.get_running_loop()
        self._signals = [getattr(signal, name) for name in PASSED_ON if hasattr(signal, name)]
        for number in self._signals:
            self._loop.add_signal_handler(number, self._pass_on, number)

    @classmethod
    async def start(
        cls,
        argv: Sequence[str],
        *,
        captured: bool,
        reads_stdin: bool,
        relays: bool = True,
        is_server: bool = False,
        added: Mapping[str, str] | None = None,
    ) -> ChildProcess:
        """Starts a program. One that `reads_stdin` gets its input from us, line by line: our own
        stdin, if `relays`, and what is written. Its environment is ours, with what is `added`.
        """
        try:
            process = await start(
                argv,
                {**os.environ, **added} if added else None,
                stdin=PIPE if reads_stdin else None,
                stdout=PIPE if captured else None,
                start_new_session=is_server,
            )
        except OSError as error:
            raise SourceError(argv[0], error.strerror or str(error)) from None
        child = cls(process, is_server=is_server)
        if reads_stdin and relays:
            threading.Thread(target=child._read_stdin, daemon=True).start()
        return child

    async def output(self) -> AsyncIterator[bytes]:
        """Yields its stdout as it comes."""
        stdout = self._process.stdout
        while stdout is not None and (data := await stdout.read(READ_BYTES)):
            yield data

    @property
    def listens(self) -> bool:
        """Whether its stdin is ours to write to, and open."""
        stdin = self._process.stdin
        return stdin is not None and not stdin.is_closing()

    def write(self, data: bytes) -> None:
        """Writes whole lines to its stdin; it is no error if the program has closed it."""
        if self._process.stdin is not None:
            self._process.stdin.write(data)

    def end_input(self) -> None:
        """Closes its stdin."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    def hang_up(self) -> None:
        """Closes its stdout, which is no longer read: the program notices that as it would without
        us.
        """
        if self._process.stdout is not None:
            self._process.stdout.close()

    async def wait(self) -> int:
        """Returns its exit code, as a shell would give it."""
        code = await self._process.wait()
        self._process.close_pipes()
        for number in self._signals:
            self._loop.remove_signal_handler(number)
        return code if code >= 0 else 128 - code

    def send_signal(self, number: int) -> None:
        """Sends it a signal."""
        self._process.send_signal(number)

    def _pass_on(self, number: signal.Signals) -> None:
        if self._is_server and number.name in ENDING:
            self.on_ending()
            return
        if number in (signal.SIGINT, signal.SIGQUIT) and _in_foreground():
            return  # the terminal has sent it to the whole group
        self.send_signal(number)

    def _relay(self, data: bytes) -> None:
        self.on_input(data)
        self.write(data)

    def _read_stdin(self) -> None:
        # Whole lines only: what others send to the agent must not fall into the middle of one.
        with contextlib.suppress(OSError, RuntimeError):
            rest = b""
            while data := read_in():
                whole, newline, rest = (rest + data).rpartition(b"\n")
                if newline:
                    self._loop.call_soon_threadsafe(self._relay, whole + newline)
            if rest:
                self._loop.call_soon_threadsafe(self._relay, rest)
            self._loop.call_soon_threadsafe(self.end_input)


def _in_foreground() -> bool:
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except (OSError, ValueError):
        return False


class SinkError(UnbraidError):
    """Standard output takes no more: its disk is full, or gone."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"standard output cannot be written: {problem}")


def read_in() -> bytes:
    """Returns more of our stdin, when there is more; nothing at its end."""
    while True:
        try:
            return os.read(0, READ_BYTES)
        except BlockingIOError:
            # Another process that shares it with us (Node, a shell's next command) may have made it
            # so.
            select.select([0], [], [])


def write_out(data: bytes) -> bool:
    """Writes all bytes to our stdout at once; returns False if it is no longer read. Raises
    SinkError.
    """
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(1, view) :]
        except BlockingIOError:
            select.select([], [1], [])
        except BrokenPipeError:
            return False
        except OSError as error:
            raise SinkError(error.strerror or str(error)) from error
    return True
