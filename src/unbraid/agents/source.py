"""Where a run's bytes come from: something that yields chunks in causal order until it is over.

A source does not know our log. Whoever records it says how far it is in the log (`Recorded`), and
gets chunks from there on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field

from unbraid.read.chunk import Chunk, ChunkedSource
from unbraid.read.lines import LineParts
from unbraid.system.clock import now_ms

if TYPE_CHECKING:
    from unbraid.agents.port import SessionStore


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


class Source:
    """One session as it is written, by the process that writes it or by where it is stored: files
    that grow, rows that change, lines that a process prints. Never used by two threads at once.

    A source of a process finds out its session by itself, and yields nothing before `begin`. One of
    a stored session is made where the log stands, and needs neither `printed` nor `begin`.
    """

    has_ended = False

    @property
    def session_id(self) -> str | None:
        """Its session, once that is known."""
        return None

    @property
    def unsettled(self) -> bool:
        """Whether something was left out that should be read again soon."""
        return False

    @property
    def problems(self) -> Mapping[str, str]:
        """What could not be read, and why."""
        return {}

    def printed(self, data: bytes) -> None:
        """Takes more of the process's stdout."""

    def begin(self, recorded: Recorded) -> None:
        """Notes that the session's run is open: what it has already is not given out again."""

    def end(self) -> None:
        """Notes that nothing more will be written: from now on, `read` yields all that is left,
        also what will never be whole.
        """
        self.has_ended = True

    def read(self, *, at_once: bool = False) -> Iterable[Chunk]:
        """Yields what is new, causes first; a chunk without bytes notes an offset. `at_once`:
        without waiting for what may still settle. Blocks.
        """
        return ()

    def silent_seconds(self) -> float:
        """Returns for how long nothing has been written. Blocks."""
        return 0.0

    def moved_to(self) -> str | None:
        """Returns the session that the process has now; None as long as it is the one that it began
        with. Blocks.
        """
        return None

    def follow(self, session_id: str, recorded: Recorded) -> Source | None:
        """Returns a source of a session that the process has moved to; None if there is nothing to
        read.
        """
        return None


class PrintingSource(Source):
    """A source of a process whose stdout is recorded line by line, beside what it stores. `_line`
    is given each line, which may name the session, and returns it as it is to be recorded.
    """

    def __init__(self, session_id: str | None = None) -> None:
        self._session = session_id
        self._lines = LineParts()
        self._stdout = ChunkedSource(f"stdout.{now_ms()}")
        self._printed: list[Chunk] = []

    @property
    def session_id(self) -> str | None:
        """Its session, once that is known."""
        return self._session

    def printed(self, data: bytes) -> None:
        """Takes more of its stdout."""
        for line in self._lines.feed(data):
            self._printed.append(self._stdout.chunk(self._line(line)))

    def end(self) -> None:
        """Notes that the process is gone."""
        super().end()
        for line in self._lines.finish():
            self._printed.append(self._stdout.chunk(self._line(line)))

    def _line(self, line: bytes) -> bytes:
        return line

    def _take_printed(self) -> list[Chunk]:
        """Returns what has been printed since the last time."""
        printed, self._printed = self._printed, []
        return printed


class SessionSource(Source):
    """The source of a process that writes every word into the session of a known id at once: its
    stdout is only passed on. What is recorded has the offsets of the stored session, so that a
    later follower of the session continues where the process has ended.
    """

    def __init__(self, store: SessionStore, session_id: str) -> None:
        self._store, self._session_id = store, session_id
        self._recorded: Recorded | None = None
        self._stored: Source | None = None

    @property
    def session_id(self) -> str:
        """The session of that id."""
        return self._session_id

    def begin(self, recorded: Recorded) -> None:
        """Notes that the session's run is open."""
        self._recorded = recorded

    def read(self, *, at_once: bool = False) -> Iterator[Chunk]:
        """Yields what is new in the session, as soon as there is one."""
        if self._stored is None and self._recorded is not None:
            self._stored = self._store.follow(self.session_id, self._recorded)
        if self._stored is not None:
            if self.has_ended:
                self._stored.end()
            yield from self._stored.read(at_once=at_once or self.has_ended)
