"""How a kind's programs are started in place of a person's command line, read and steered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from unbraid.agents.control_port import Controller
from unbraid.agents.source import Source


class Command(Struct):
    """What to start. `prints` is the format that the person will see: text, json, or raw."""

    argv: list[str]
    kind: str = ""
    prints: str = "raw"
    reads_stdin: bool = False  # reads prompts and answers as lines of JSON
    verbose: bool = False
    captured: bool = True  # its stdout goes through us
    session: str | None = None
    resumes: bool = False
    forwards: bool = False
    # Ctrl-C and other signals that end a program do not reach it: its controller is asked to
    # cancel. For servers, which know nothing of the person who waits for an answer.
    is_server: bool = False
    prompt: str | None = None  # what to say first, where it is said over stdin
    why_not_steered: str = ""  # where that was wanted, and cannot be
    asked: str | None = None  # the prompt in its arguments, where it is plain which that is


class OutputRenderer(Protocol):
    """What the person would have seen, made of what the program prints for us instead."""

    def line(self, line: bytes) -> bytes:
        """Takes one line of stdout, without its end; returns what is to be printed at once."""
        return line + b"\n"

    def end(self) -> bytes:
        """Returns the rest, when the stream is over."""
        return b""

    def exit_code(self, code: int) -> int:
        """Returns the exit code that the person would have seen, by that of the program."""
        return code


class Launcher(Protocol):
    """How a kind's programs are started so that every agent is visible."""

    def recognizes(self, argv: Sequence[str]) -> bool:
        """Returns whether a command line starts one of its programs."""
        return False

    async def command(self, argv: Sequence[str], *, steered: bool) -> Command:
        """Returns what to start in place of a command line; `steered`, something that listens if it
        can.
        """
        ...

    def source(self, command: Command, cwd: Path) -> Source:
        """Returns what reads what the process says. Called before the process is started."""
        ...

    def piped(self, line: bytes) -> Source | None:
        """Returns what reads a stream of unknown origin that has this line, from its beginning;
        None if the line is not this kind's.
        """
        return None

    def renderer(self, command: Command) -> OutputRenderer | None:
        """Returns what prints what the person would have seen; None if the program prints that
        itself.
        """
        return None

    def controller(
        self, command: Command, process: AgentProcess, run: RunReference
    ) -> Controller | None:
        """Returns what steers the process, which has just been started; None if it can only be
        ended.
        """
        return None


class AgentProcess(Protocol):
    """A process that was started for a person."""

    @property
    def listens(self) -> bool:
        """Whether its stdin is ours to write to, and open."""
        ...

    def write(self, data: bytes) -> None:
        """Writes whole lines to its stdin."""
        ...

    def end_input(self) -> None:
        """Ends its stdin."""
        ...

    def send_signal(self, number: int) -> None:
        """Sends it a signal."""
        ...


class RunReference(Struct, frozen=True):
    """The run of a process, for its controller: its name once it has one, and the id of the agent
    behind a stream once that is known.
    """

    name: Callable[[], str]
    agent_id: Callable[[int], Awaitable[str | None]]
