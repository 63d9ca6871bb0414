"""What a kind of agent offers of its stored sessions: the part of the port that reads them.

Nothing here knows our log: see `unbraid.agents.source`.
"""

from __future__ import annotations

from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Sequence,
)
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from msgspec import Struct

from unbraid.agents.source import Recorded as Recorded
from unbraid.agents.source import Source as Source
from unbraid.errors import SourceError
from unbraid.fold.status import WaitingFor

if TYPE_CHECKING:
    from unbraid.agents.control_port import Controller
    from unbraid.events import RelayEvent
    from unbraid.read.tracks import RunTracks
    from unbraid.read.translator import Translator


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
    from unbraid.read.tracks import merge

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


class SessionWatch:
    """All sessions of a kind, watched for changes. Closing the iteration ends it. By
    default, nothing ever changes, and nothing is known of processes.
    """

    async def changes(self) -> AsyncGenerator[set[str], None]:
        """Yields the ids of sessions that may have said something; first of all, and soon, those
        that said something lately, if only an empty set.
        """
        yield set()

    def look(self) -> set[str]:
        """Looks once more, without waiting for what may still settle. Returns the ids of sessions
        that may have said something which `changes` has not yielded. Blocks.
        """
        return set()

    def has(self, session_id: str) -> bool:
        """Returns whether there is, or soon may be, something to read of a session. Blocks."""
        return False

    def follow(self, session_id: str, recorded: Recorded) -> Source | None:
        """Returns a source of one of them; None if there is nothing to read. Blocks."""
        return None

    def forget(self, session_id: str) -> None:
        """Forgets a session that is no longer followed."""
        return

    def ended(self, among: Iterable[str]) -> set[str]:
        """Returns those of the followed sessions whose processes are gone, each once. Blocks."""
        return set()

    def changed_states(self) -> set[str]:
        """Returns the sessions whose processes do something else than when this was asked before.
        Blocks.
        """
        return set()

    def is_alive(self, session_id: str) -> bool:
        """Returns whether a process is known to have had a session at the last look."""
        return False

    def controller(
        self, session_id: str, run: str, agent_of: Callable[[int], Awaitable[str | None]]
    ) -> Controller | None:
        """Returns what steers a session, which this run now records; always the same object for one
        session. None if nothing can. `agent_of` returns the agent id behind a stream of the run.
        """
        return None


class SessionStore:
    """Where a kind keeps its sessions on this machine; by default, it has none. Everything here but
    `watch` blocks.
    """

    def is_session_id(self, name: str) -> bool:
        """Returns whether an id has this kind's form."""
        return False

    def matching(self, prefix: str) -> Iterator[str]:
        """Yields the ids of stored sessions that begin like this."""
        return iter(())

    def root(self, session_id: str) -> str | None:
        """Returns the session whose run this one is part of, mostly itself; None if it is not
        stored.
        """
        return None

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
        return ()

    def blocks(self, needle: str, known: Collection[str]) -> Iterator[StoredBlock]:
        """Yields what may hold a needle in small letters, also inside of words: newest sessions
        first, but nothing of sessions that are `known`. What cannot be read holds nothing.
        """
        return iter(())

    def run(self, session_id: str) -> RunTracks | None:
        """Returns a stored session and everything that belongs to it, as tracks."""
        return None

    def updated(self, session_id: str) -> int:
        """Returns when a stored session last changed, in milliseconds since 1970; 0 if that is not
        known, or long ago.
        """
        return 0

    def follow(self, session_id: str, recorded: Recorded) -> Source | None:
        """Returns a source that reads one session from where the log stands; None if there is
        nothing to read.
        """
        return None

    def states(self, among: Collection[str] = ()) -> dict[str, SessionState]:
        """Returns the states of all sessions that a process has or has left behind, and of those
        of `among` that certainly none has. Of others, nothing is known. Blocks.
        """
        return {}

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
        return SessionWatch()


# What a line shows about the source that it stands in: one whose lines arrive in their order, or
# one that was stored, whose lines may have to be put in order.
SourceForm = Literal["stream", "stored"]


class FileFormats(Protocol):
    """What a kind's sessions look like in files, wherever a person has put them. By default, there
    are only files of lines.
    """

    def opened(self, path: Path) -> list[RunTracks] | None:
        """Returns the runs in a folder or in a file that is not text; None if it is not this
        kind's.
        """
        return None

    def form(self, line: bytes) -> SourceForm | None:
        """Returns what a line shows about its source; None if it does not show that it is this
        kind's.
        """
        return None

    def runs(
        self, name: str, read: Callable[[], Iterator[bytes]], *, first: bytes, path: Path | None
    ) -> list[RunTracks]:
        """Returns the runs in a source of lines, of which `first` is the first that has a form."""
        ...

    def document(self, name: str, whole: bytes) -> list[RunTracks] | None:
        """Returns the runs in a source that is one JSON document; None if it is not this kind's."""
        return None
