"""What a kind of agent offers of its stored sessions: the part of the port that reads them.

Nothing here knows our log. The caller that records a session says how far it is in the log
(`Recorded`), and gets chunks of bytes from there on.
"""

from __future__ import annotations

from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, runtime_checkable

from msgspec import Struct, field

from unbraid.agents.control_port import Controller
from unbraid.errors import SourceError
from unbraid.fleet.status import WaitingFor

if TYPE_CHECKING:
    from unbraid.events import RelayEvent
    from unbraid.translate.tracks import RunTracks
    from unbraid.translate.translator import Translator
    from unbraid.wire.chunk import Chunk


class StoredSession(NamedTuple):
    """A session as it is stored now.

    `version` differs from before whenever something that is stored of it may have changed, and
    `changed_ms` is when that was. `translate` lets a translator read it, and yields what that
    returns; it reports what it had to leave out because that could not be read. A kind leaves out
    what cannot change anything that a list shows. `is_copy`: it begins
    as another session does, and counts only if it has gone on by itself. `size` is in bytes.
    """

    session_id: str
    changed_ms: int
    version: int
    translate: Callable[[Translator, Callable[[str], None]], Iterator[list[RelayEvent]]]
    size: int = 0
    is_copy: bool = False


def translate_run(
    run: RunTracks, translator: Translator, warn: Callable[[str], None]
) -> Iterator[list[RelayEvent]]:
    """Lets a translator read all of a run; yields what it returns. What cannot be read of other
    tracks than the first is reported, and left out.
    """
    from unbraid.translate.tracks import merge

    own, *others = run.tracks
    others = [track._replace(read=partial(_readable, track.read, warn)) for track in others]
    for name, data in merge([own, *others]):
        yield translator.feed(data, name)


def _readable(read: Callable[[], Iterator[bytes]], warn: Callable[[str], None]) -> Iterator[bytes]:
    try:
        yield from read()
    except (OSError, SourceError) as error:
        warn(problem_of(error))


def problem_of(error: Exception) -> str:
    """Returns what could not be read, and why, as a person is told it."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror or error}"
    return str(error)


def files_version(files: Iterable[tuple[int, int]]) -> int:
    """Returns a `version` of files, by the size and the time of each."""
    # Of numbers, this is the same in every process.
    return hash(tuple(files))


class SessionState(Struct, frozen=True):
    """What a kind's own records say of a session now: whether a process has it, and what that waits
    for. `is_precise`: if it waits for nothing, it works; otherwise that is not known.
    """

    alive: bool
    waiting: WaitingFor | None = None
    is_precise: bool = True


class StoredBlock(NamedTuple):
    """Something that was said in a stored session: by which sub-agent (None: the main agent), what
    kind of block it is, and when (milliseconds since 1970).
    """

    session_id: str
    agent_id: str | None
    kind: str
    ts: int
    text: str


class SearchHit(Struct, frozen=True):
    """Where it was said: the session, the sub-agent if it was one, and the words around it."""

    run: str
    agent_id: str | None
    kind: str
    ts: int
    snippet: str


class Recorded(Struct):
    """How far a session is in the log, so that recording can continue there.

    `offsets` are those of the run that is being written, by source, and `ends` the first and last
    bytes that it has of each. `earlier` are the offsets of the session's runs before this one: what
    they hold is not given out again. `earlier_ms` is the time of the last event in them, in
    milliseconds since 1970; 0 if there are none.
    """

    offsets: dict[str, int] = field(default_factory=dict)
    ends: dict[str, tuple[bytes, bytes]] = field(default_factory=dict)
    earlier: dict[str, int] = field(default_factory=dict)
    earlier_ms: int = 0
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
        """Yields what is new, causes first. `at_once`: without waiting for what may still settle;
        `last`: also what will never be whole.
        """
        ...

    def silent_seconds(self) -> float:
        """Returns for how long nothing has been written. Blocks."""
        ...


class SessionWatch(Protocol):
    """All sessions of a kind, watched for changes. Closing the iteration ends it."""

    def changes(self) -> AsyncGenerator[set[str], None]:
        """Yields the ids of sessions that may have said something; first of all, and soon, those
        that said something lately, if only an empty set.
        """
        ...

    def look(self) -> set[str]:
        """Looks once more, without waiting for what may still settle. Returns the ids of sessions
        that may have said something which `changes` has not yielded. Blocks.
        """
        ...

    def has(self, session_id: str) -> bool:
        """Returns whether there is, or soon may be, something to read of a session. Blocks."""
        ...

    def follow(self, session_id: str, recorded: Recorded) -> Follower | None:
        """Returns a follower of one of them; None if there is nothing to read. Blocks."""
        ...

    def forget(self, session_id: str) -> None:
        """Forgets a session that is no longer followed."""
        ...

    def ended(self, among: Iterable[str]) -> set[str]:
        """Returns those of the followed sessions whose processes are gone, each once. Blocks."""
        ...


@runtime_checkable
class StateWatch(Protocol):
    """A watch that knows what the processes of its sessions do."""

    def changed_states(self) -> set[str]:
        """Returns the sessions whose processes do something else than when this was asked before.
        Blocks.
        """
        ...

    def is_alive(self, session_id: str) -> bool:
        """Returns whether a process had a session at the last look."""
        ...


@runtime_checkable
class SteeredWatch(Protocol):
    """A watch through which some of its sessions can also be steered."""

    def controller(
        self, session_id: str, run: str, agent_of: Callable[[int], Awaitable[str | None]]
    ) -> Controller | None:
        """Returns what steers a session, which this run now records; always the same object for one
        session. None if nothing can. `agent_of` returns the agent id behind a stream of the run.
        """
        ...


class SessionStore(Protocol):
    """Where a kind keeps its sessions on this machine. Everything here but `watch` blocks."""

    def is_session_id(self, name: str) -> bool:
        """Returns whether an id has this kind's form."""
        ...

    def matching(self, prefix: str) -> Iterator[str]:
        """Yields the ids of stored sessions that begin like this."""
        ...

    def root(self, session_id: str) -> str | None:
        """Returns the session whose run this one is part of, mostly itself; None if it is not
        stored.
        """
        ...

    def listed(
        self,
        *,
        since_ms: int = 0,
        cache: Path | None = None,
        warn: Callable[[str], None] = lambda text: None,
    ) -> Sequence[StoredSession]:
        """Returns the sessions that have changed since a time, newest first. What is said in them
        is not read here. `cache` is a folder for what need not be looked up again.
        """
        ...

    def blocks(self, needle: str, known: Collection[str]) -> Iterator[StoredBlock]:
        """Yields what may hold a needle in small letters, also inside of words: newest sessions
        first, but nothing of sessions that are `known`. What cannot be read holds nothing.
        """
        ...

    def run(self, session_id: str) -> RunTracks | None:
        """Returns a stored session and everything that belongs to it, as tracks."""
        ...

    def updated(self, session_id: str) -> int:
        """Returns when a stored session last changed, in milliseconds since 1970; 0 if that is not
        known, or long ago.
        """
        ...

    def follow(self, session_id: str, recorded: Recorded) -> Follower | None:
        """Returns a follower that reads one session from where the log stands; None if there is
        nothing to read.
        """
        ...

    def watch(
        self,
        *,
        warn: Callable[[str], None] = lambda text: None,
        only: str | None = None,
        inotify: bool = True,
        servers: Sequence[str] = (),
    ) -> SessionWatch:
        """Returns a watch of all of them, or of `only` one. `servers` are the addresses of running
        programs of this kind that report what their sessions say; a kind that has none ignores
        them.
        """
        ...


@runtime_checkable
class StatefulStore(Protocol):
    """A store that knows what the processes of its sessions do."""

    def states(self, among: Collection[str] = ()) -> dict[str, SessionState]:
        """Returns the states of all sessions that a process has or has left behind, and of those
        of `among` that certainly none has. Of others, nothing is known. Blocks.
        """
        ...


# What a line shows about the source that it stands in: one whose lines arrive in their order, or
# one that was stored, whose lines may have to be put in order.
SourceForm = Literal["stream", "stored"]


class FileFormats(Protocol):
    """What a kind's sessions look like in files, wherever a person has put them."""

    def opened(self, path: Path) -> list[RunTracks] | None:
        """Returns the runs in a folder or in a file that is not text; None if it is not this
        kind's.
        """
        ...

    def form(self, line: bytes) -> SourceForm | None:
        """Returns what a line shows about its source; None if it does not show that it is this
        kind's.
        """
        ...

    def runs(
        self, name: str, read: Callable[[], Iterator[bytes]], *, first: bytes, path: Path | None
    ) -> list[RunTracks]:
        """Returns the runs in a source of lines, of which `first` is the first that has a form."""
        ...

    def document(self, name: str, whole: bytes) -> list[RunTracks] | None:
        """Returns the runs in a source that is one JSON document; None if it is not this kind's."""
        ...
