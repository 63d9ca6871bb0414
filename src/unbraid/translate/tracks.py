"""Several sources of one run, read as one.

A track is one source as lines. Tracks of the same run overlap: stdout holds part of what the
transcripts hold, and more. `merge` interleaves them so that everything arrives after what caused
it. Transcripts and databases date every line. Stdout often does not; such a line takes the time of
its twin in a transcript (the same `uuid`), or of the next line that has one, so that what stdout
hides comes before the line that reports its end. OpenCode's events date what they are about, and
are told again later: only a time that is new dates the event itself.

1.0 writes a sub-agent's lines into the session's file when the agent is over, so that file's times
go back and forth: its lines are sorted, each chain in its own order.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import msgspec
from msgspec import Struct, field

from unbraid.wire.lines import Lines, Overlong
from unbraid.wire.record import BAD_JSON, milliseconds
from unbraid.wire.sse import data_of

NEVER = 1 << 62
BEFORE, DATED, AFTER = range(3)


class Track(NamedTuple):
    """One source: its name, its bytes (read anew at each call), and whether it dates its lines.

    With `by_request`, an answer counts from when it was asked for, not from when it came: the
    agents of a workflow share one call, and are told in the order in which the script asked them.
    """

    name: str
    read: Callable[[], Iterator[bytes]]
    dated: bool
    session: str | None = None
    by_request: bool = False
    sidechains: bool = False


class Run:
    """The tracks that belong to one run; `live` if its agents may still be at work."""

    def __init__(self, source: str, session: str | None, tracks: list[Track]) -> None:
        self.source = source
        self.live = False
        self.session = session
        self.tracks = tracks


class Moments(Struct, gc=False):
    """When the session, message, part or call that an event is about was begun and changed."""

    created: float | None = None
    updated: float | None = None
    completed: float | None = None
    start: float | None = None
    end: float | None = None

    @property
    def latest(self) -> int:
        """The last of them."""
        known = (self.created, self.updated, self.completed, self.start, self.end)
        return max(map(milliseconds, known))


class Subject(Struct, gc=False):
    """What an event of OpenCode's is about."""

    time: Moments | None = None
    state: Subject | None = None

    @property
    def latest(self) -> int:
        """When it last changed, as far as it tells."""
        own = self.time.latest if self.time is not None else 0
        return max(own, self.state.latest if self.state is not None else 0)


class Properties(Struct, gc=False):
    """The subjects of an event."""

    info: Subject | None = None
    part: Subject | None = None

    @property
    def latest(self) -> int:
        """When the last of them changed."""
        return max(subject.latest for subject in (self.info, self.part, _NOTHING) if subject)


_NOTHING = Subject()


class Peek(Struct):
    """The little of a line that orders it."""

    type: str | None = None
    timestamp: str | int | float | None = None
    properties: Properties | None = None
    payload: Peek | None = None  # of `/global/event`
    uuid: str | None = None
    parent_uuid: str | None = field(default=None, name="parentUuid")
    is_sidechain: bool | None = field(default=None, name="isSidechain")


_peek = msgspec.json.Decoder(Peek).decode


def peek(line: bytes) -> Peek:
    """A line's time and id, as far as they can be read."""
    try:
        head = _peek(data_of(line))
    except BAD_JSON:
        return Peek()
    return head.payload or head


def split(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Chunks of bytes as lines, each with its newline; over-long ones are passed on as they are."""
    # The translator does the real framing: here lines are only cut apart to be put in order.
    lines = Lines(NEVER)
    for chunk in chunks:
        for line in lines.feed(chunk):
            assert not isinstance(line, Overlong)
            yield line + b"\n"
    for line in lines.finish():
        assert not isinstance(line, Overlong)
        yield line


def merge(tracks: list[Track]) -> Iterator[tuple[str, bytes]]:
    """The bytes of several tracks as (track, bytes), line by line, causes first."""
    if len(tracks) == 1:
        track = tracks[0]
        for chunk in track.read():
            yield track.name, chunk
        return
    wanted = {
        head.uuid
        for track in tracks
        if not track.dated
        for head in map(peek, split(track.read()))
        if head.uuid is not None and head.timestamp is None
    }
    twins: dict[str, int] = {}
    if wanted:
        for track in tracks:
            if track.dated:
                for at, _, line in _dated(track):
                    uuid = peek(line).uuid
                    if uuid in wanted:
                        twins[uuid] = at
    queues = [_ranked(track, rank, twins) for rank, track in enumerate(tracks)]
    for _, _, rank, _, line in heapq.merge(*queues):
        yield tracks[rank].name, line


def _ranked(
    track: Track, rank: int, twins: dict[str, int]
) -> Iterator[tuple[int, int, int, int, bytes]]:
    timed = _dated(track) if track.dated else _undated(track, twins)
    for number, (at, turn, line) in enumerate(timed):
        yield at, turn, rank, number, line


def _dated(track: Track) -> Iterator[tuple[int, int, bytes]]:
    """A track's own times, never going back: its order is its order."""
    if track.sidechains:
        yield from sorted(_by_chain(track), key=lambda timed: timed[0])
        return
    at = 0
    for line in split(track.read()):
        head = peek(line)
        if not track.by_request or head.type != "assistant":
            at = max(at, milliseconds(head.timestamp))
        yield at, DATED, line


def _by_chain(track: Track) -> Iterator[tuple[int, int, bytes]]:
    latest: dict[str, int] = {}
    chains: dict[str, str] = {}
    for line in split(track.read()):
        head = peek(line)
        chain = ""
        if head.is_sidechain:
            uuid = head.uuid or ""
            chain = chains[uuid] = chains.get(head.parent_uuid or "", uuid)
        at = latest[chain] = max(latest.get(chain, 0), milliseconds(head.timestamp))
        yield at, DATED, line


def _undated(track: Track, twins: dict[str, int]) -> Iterator[tuple[int, int, bytes]]:
    at = 0
    waiting: list[bytes] = []
    for line in split(track.read()):
        head = peek(line)
        known = milliseconds(head.timestamp) or twins.get(head.uuid or "", 0)
        if not known and head.properties is not None and head.properties.latest > at:
            known = head.properties.latest
        if not known:
            waiting.append(line)
            continue
        at = max(at, known)
        for earlier in waiting:
            yield at, BEFORE, earlier
        waiting.clear()
        yield at, AFTER, line
    for line in waiting:
        yield NEVER, AFTER, line
