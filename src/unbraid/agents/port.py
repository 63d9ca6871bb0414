"""What a kind of agent offers to the rest of the program.

A kind is a program that runs agents: Claude Code, OpenCode. Everything that knows one lives in a
folder of its own beside this file, behind an `AgentKind`; everybody else asks the registry. A kind
may leave out what it cannot do: its method returns None, and every face copes.

Only `Dialect` is pure. The other parts read files, databases and processes, but none of them knows
our log: they give out and take in chunks of bytes, and offsets. Whoever records a run
(`unbraid.record`) opens its log, says how far it is known (`Recorded`), and commits what comes.
"""

from __future__ import annotations

from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from msgspec import Struct, field

from unbraid.events import RelayEvent
from unbraid.fleet.usage import Usage
from unbraid.wire.chunk import Chunk
from unbraid.wire.record import Record


class AgentKind:
    """One kind of agents. Subclasses override what they offer; nothing here has state."""

    name: ClassVar[str]
    """The `source` of its runs, and what people type: `claude`."""

    title: ClassVar[str]
    """What people call it: `Claude Code`."""

    def dialect(self) -> Dialect:
        """A translator of one run's records. Every kind has this; the rest is optional."""
        raise TypeError(f"the agent kind {self.name} has no dialect")

    def deltas(self) -> DeltaFormat | None:
        """How its lines carry text in small parts; None if they never do."""
        return None

    def sessions(self, env: Mapping[str, str]) -> SessionStore | None:
        """Its stored sessions on this machine."""
        return None

    def launcher(self, env: Mapping[str, str]) -> Launcher | None:
        """How its programs are started."""
        return None

    def resumer(self, env: Mapping[str, str]) -> Resumer | None:
        """How its sessions are continued."""
        return None

    def backend(self, env: Mapping[str, str], cwd: Path) -> Backend | None:
        """How the orchestrator runs one of its agents."""
        return None

    async def checkup(self, env: Mapping[str, str]) -> list[Finding]:
        """What `unbraid doctor` should say about it."""
        return []


# --- reading ---


class Dialect(Protocol):
    """One run's records to relay events: what is new, and who said it. Pure."""

    @property
    def ts(self) -> int:
        """The latest time that a source has given, in milliseconds since 1970; 0 if none did."""
        ...

    @property
    def outcome(self) -> tuple[bool, str] | None:
        """How the main agent has ended, as far as is known: ok, and the reason."""
        ...

    def decode(self, line: bytes) -> Record | None:
        """A line as a record of this kind; None if it belongs to another kind. Raises one of
        `BAD_JSON` if the line is no JSON that a record could be.
        """
        ...

    def translate(self, record: Record, out: list[RelayEvent]) -> None:
        """Append what is new in a record."""
        ...

    def finish(self, out: list[RelayEvent]) -> None:
        """The sources are over: append what was waiting, and end what was running."""
        ...


class Delta(NamedTuple):
    """A part of a block's text. `text` is the JSON string as it stands in the line, with its
    quotes. `alone`: every other block of the same owner is whole.
    """

    owner: str
    block: str | int
    text: bytes
    alone: bool = False


class BlockEnd(NamedTuple):
    """Blocks that are whole: one, all of an owner (`block` is None), or all (`owner` is None)."""

    owner: str | None = None
    block: str | int | None = None


class DeltaFormat(Protocol):
    """Finds the text that a kind's lines carry in small parts, so that a secret which is cut over
    many lines can be redacted in each of them. Pure.
    """

    def read(self, line: bytes) -> Delta | BlockEnd | None:
        """What a line says about blocks; None if it says nothing, or is not this kind's."""
        ...


# --- stored sessions ---


class SessionFacts(Struct):
    """One stored session as the list of runs shows it; times in milliseconds since 1970.

    `answered`: its last turn came to an end. `agents`: the main agent and its sub-agents.
    """

    session_id: str
    title: str | None = None
    cwd: str | None = None
    started: int = 0
    updated: int = 0
    answered: bool = False
    agents: int = 1
    usage: Usage = field(default_factory=Usage)


class SearchHit(Struct, frozen=True):
    """Where it was said: the session, the sub-agent if it was one, and the words around it."""

    run: str
    agent_id: str | None
    kind: str
    ts: int
    snippet: str


class Recorded(Struct):
    """How far a session is in the log, for whoever goes on with it.

    `offsets` are those of the run that is being written, by source, and `ends` the first and last
    bytes that it has of each. `earlier` are the offsets of the session's runs before this one: what
    they hold is not given out again.
    """

    offsets: dict[str, int] = field(default_factory=dict)
    ends: dict[str, tuple[bytes, bytes]] = field(default_factory=dict)
    earlier: dict[str, int] = field(default_factory=dict)
    is_new: bool = True


class Follower(Protocol):
    """One session, read as it grows. A chunk without bytes notes an offset and nothing else."""

    @property
    def unsettled(self) -> bool:
        """Whether something was left out that should be looked at again soon."""
        ...

    @property
    def problems(self) -> Mapping[str, str]:
        """What could not be read, and why."""
        ...

    def read(self, *, at_once: bool = False, last: bool = False) -> Iterable[Chunk]:
        """What is new, causes first. `at_once`: without waiting for what may still settle; `last`:
        also what will never be whole.
        """
        ...

    def silent_seconds(self) -> float:
        """For how long nothing has been written."""
        ...


class SessionWatch(Protocol):
    """All sessions of a kind, watched for changes. Cancelling the iteration ends it."""

    def changes(self) -> AsyncIterator[set[str]]:
        """The ids of sessions that may have said something; first of all those that said something
        lately. A wake-up without a change is an empty set.
        """
        ...

    def follow(self, session_id: str, recorded: Recorded) -> Follower | None:
        """Follow one of them; None if there is nothing to read."""
        ...

    def ended(self, among: Iterable[str]) -> set[str]:
        """Those of the followed sessions whose processes are gone, each once. Blocks."""
        ...


class SessionStore(Protocol):
    """Where a kind keeps its sessions on this machine. Everything here blocks."""

    def is_session_id(self, name: str) -> bool:
        """Whether an id has this kind's form."""
        ...

    def matching(self, prefix: str) -> Iterator[str]:
        """The ids of stored sessions that begin like this."""
        ...

    def listed(
        self,
        *,
        since_ms: int = 0,
        cache: Path | None = None,
        redact: Callable[[str], str] | None = None,
        warn: Callable[[str], None] = lambda text: None,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> Iterator[SessionFacts]:
        """Sessions that changed since a time, newest first, each as soon as it is read. `cache` is
        a folder for what need not be read again; `redact` is applied to titles before that.
        """
        ...

    def search(self, terms: list[str], known: set[str], limit: int) -> list[SearchHit]:
        """Where all of these lower-case words stand in one block, newest first, but not in sessions
        that are `known`.
        """
        ...

    def watch(self) -> SessionWatch:
        """Watch all of them."""
        ...


# --- processes ---


class Command(Struct):
    """What to start. `prints` is the format that the person will see: text, json, or raw."""

    argv: list[str]
    kind: str = ""
    prints: str = "raw"
    talks: bool = False  # reads prompts and answers as lines of JSON
    verbose: bool = False
    captured: bool = True  # its stdout goes through us
    session: str | None = None
    resumes: bool = False
    forwards: bool = False
    prompt: str | None = None  # what to say first, where it is said over stdin


class ProcessSource(Protocol):
    """What one process prints and stores, as chunks of a run."""

    @property
    def session_id(self) -> str | None:
        """Its session, once that is known."""
        ...

    def printed(self, data: bytes) -> None:
        """More of its stdout."""
        ...

    def begin(self, recorded: Recorded) -> None:
        """The run is open: what it has already is not given out again."""
        ...

    def read(self) -> Iterable[Chunk]:
        """What can be recorded now. Blocks."""
        ...

    def end(self) -> Iterable[Chunk]:
        """The rest, when the process is gone."""
        ...


class OutputRenderer(Protocol):
    """What the person would have seen, made of what the program prints for us instead."""

    def line(self, line: bytes) -> bytes:
        """One line of stdout, without its end; what it makes visible at once."""
        ...

    def end(self) -> bytes:
        """The rest, when the stream is over."""
        ...


class Launcher(Protocol):
    """How a kind's programs are started so that every agent is visible."""

    def arguments_at(self, argv: Sequence[str]) -> int | None:
        """Where the program's own arguments begin; None if it is not this kind's."""
        ...

    async def command(self, argv: Sequence[str], *, steered: bool) -> Command:
        """What to start in place of a command line; `steered`, something that listens if it can."""
        ...

    def source(self, command: Command, cwd: Path) -> ProcessSource:
        """Reads what the process says. Called before it is started."""
        ...

    def piped(self, first: bytes) -> ProcessSource | None:
        """Reads a stream that begins with these bytes; None if it is not this kind's."""
        ...

    def renderer(self, command: Command) -> OutputRenderer | None:
        """Prints what the person would have seen, where that is not what the program prints."""
        ...


class Resumption(Struct):
    """A command that continues an agent's conversation, where to start it and with what in its
    environment, and the file made for it.
    """

    argv: list[str]
    cwd: str | None
    made: Path | None = None
    env: dict[str, str] = field(default_factory=dict)


class Resumer(Protocol):
    """Continues sessions, and sub-agents as sessions of their own."""

    def resume(
        self,
        session_id: str,
        *,
        agent_id: str | None,
        agent: str | None,
        cwd: str | None,
        more: Sequence[str],
    ) -> Resumption:
        """The command for a session, or for one of its sub-agents."""
        ...


# --- doctor ---


class Finding(Struct, omit_defaults=True):
    """One thing that was looked at: ok, warning or missing; and what to do about it."""

    about: str
    status: str
    found: str
    advice: str | None = None


# --- orchestrated ---


class Conversation(Protocol):
    """One instance of one agent. Messages come one after the other.

    One that a program keeps as a session others can see names it in an attribute `session`.
    """

    def say(self, message: str) -> AsyncGenerator[RelayEvent, None]:
        """One turn: what the agent newly says, as it says it; `turn_complete` is last.

        Text comes in the smallest pieces that the backend has, never as a whole if it streams.
        `token_usage` comes once a model message. Closing the generator early, or cancelling the
        task that reads it, stops the turn. A turn that the agent's side could not finish raises
        BackendError; a turn that ended badly by the model's own doing is a `turn_complete` that is
        not ok.
        """
        ...


@runtime_checkable
class AsksPermission(Protocol):
    """A conversation whose agent asks for permission and waits for the answer."""

    async def answer(self, request_id: str, behavior: str, message: str | None) -> None:
        """`behavior` is allow or deny. The turn reports it: `permission_replied`."""
        ...


class Backend(Protocol):
    """Opens conversations."""

    def open(self, agent: Any) -> AbstractAsyncContextManager[Conversation]:
        """A fresh instance of an agent. Leaving the context ends its process or session, always.

        Raises BackendError when the instance cannot be had.
        """
        ...

    async def close(self) -> None:
        """End whatever all conversations share, such as a server. Called once, last."""
        ...
