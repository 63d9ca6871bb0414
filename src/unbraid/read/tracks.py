"""Several complete sources of one run, read as one: the sequencer's rules without its waiting.

A track is one source as lines. Tracks of the same run overlap: stdout holds part of what the
transcripts hold, and more. `merge` interleaves them so that everything arrives after what caused
it. What is still being written has to wait for its causes (`unbraid.read.sequencer`); here
everything is there already, so no line is held back and time alone decides. What of a line says
where it belongs is known to its kind of agent, whose tracks bring a function for it (`LineOrder`).

Transcripts and databases date every line. Stdout often does not; such a line takes the time of its
twin in a dated track (the same `key`), or of the next line that has one, so that what stdout hides
comes before the line that reports its end.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from msgspec import Struct

from unbraid.read.lines import LineParts, Lines

NEVER = 1 << 62
# A line without a time waits for one that has it, but not without a limit: it is held in memory.
MAX_WAITING_BYTES = 64 << 20
BEFORE, DATED, AFTER = range(3)


class LineOrder(Struct, frozen=True, gc=False):
    """Where a line belongs, as far as it says so; times in milliseconds since 1970, 0 for none.

    `at` is the line's own time. `about` is when the subject of the line last changed. Lines repeat
    their subjects, so it dates a line only if it is later than all lines before. `key` is shared
    with the line's twin in another track. Neighbours that have a `turn` come in the order of their
    turns. A line of a `chain` belongs to the conversation of the line that it `follows`, by its
    key, or begins one.
    """

    at: int = 0
    about: int = 0
    key: str | None = None
    turn: str | None = None
    chain: bool = False
    follows: str | None = None


UNKNOWN = LineOrder()


class Track(NamedTuple):
    """One source: its name, its bytes (read again at each call), whether it dates its lines, and
    what of a line says where it belongs.

    `many_conversations`: it holds several, one after the other, each in its own order.
    `in_turns`: its lines have turns. `opens`: it says what the run is, before all others.
    """

    name: str
    read: Callable[[], Iterator[bytes]]
    dated: bool
    session: str | None = None
    order: Callable[[bytes], LineOrder] = lambda line: UNKNOWN
    many_conversations: bool = False
    in_turns: bool = False
    opens: bool = False


class RunTracks(Struct, eq=False):
    """The tracks that belong to one run; `live` if its agents may still be at work, None if only
    its last time shows that; `arrives` if one of the tracks is still being sent.
    """

    source: str
    session: str | None
    tracks: list[Track]
    live: bool | None = False
    arrives: bool = False


def split(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yields chunks of bytes as lines, each with its newline; one past the limit in parts."""
    # The translator does the real framing: here lines are only cut apart to be put in order.
    lines = LineParts()
    for chunk in chunks:
        yield from lines.feed(chunk)
    yield from lines.finish()


def first_lines(chunks: Iterable[bytes], count: int) -> Iterator[bytes]:
    """Yields the first lines, without those past the limit: what shows of what kind a source is."""
    lines = Lines()
    for line in chain(chain.from_iterable(map(lines.feed, chunks)), lines.finish()):
        if isinstance(line, bytes):
            yield line + b"\n"
            count -= 1
        if not count:
            return


def merge(tracks: list[Track]) -> Iterator[tuple[str, bytes]]:
    """Yields the bytes of several tracks as (track, bytes), line by line, causes first."""
    for track in tracks:
        if track.opens:
            yield from ((track.name, data) for data in track.read())
    tracks = [track for track in tracks if not track.opens]
    if len(tracks) == 1:
        track = tracks[0]
        alone = (line for _, line in _ordered(track)) if track.in_turns else track.read()
        for data in alone:
            yield track.name, data
        return
    wanted = {
        order.key
        for track in tracks
        if not track.dated
        for order, _ in _ordered(track)
        if order.key is not None and not order.at
    }
    twins: dict[str, int] = {}
    if wanted:
        for track in tracks:
            if track.dated:
                for at, order, _ in _dated(track):
                    if order.key in wanted:
                        twins[order.key] = at
    queues = [_placed(track, rank, twins) for rank, track in enumerate(tracks)]
    for _, _, rank, _, line in heapq.merge(*queues):
        yield tracks[rank].name, line


def _ordered(track: Track) -> Iterator[tuple[LineOrder, bytes]]:
    """Yields a track's lines, each read once for where it belongs; neighbours that have turns in
    turn.
    """
    order_of = track.order
    lines = ((order_of(line), line) for line in split(track.read()))
    return _in_turns(lines) if track.in_turns else lines


def _in_turns(lines: Iterator[tuple[LineOrder, bytes]]) -> Iterator[tuple[LineOrder, bytes]]:
    neighbours: list[tuple[str, LineOrder, bytes]] = []
    for order, line in lines:
        if order.turn is not None:
            neighbours.append((order.turn, order, line))
            continue
        yield from (each[1:] for each in sorted(neighbours, key=itemgetter(0)))
        neighbours.clear()
        yield order, line
    yield from (each[1:] for each in sorted(neighbours, key=itemgetter(0)))


def _placed(
    track: Track, rank: int, twins: dict[str, int]
) -> Iterator[tuple[int, int, int, int, bytes]]:
    dated = ((at, DATED, line) for at, _, line in _dated(track))
    timed = dated if track.dated else _undated(track, twins)
    for number, (at, side, line) in enumerate(timed):
        yield at, side, rank, number, line


def _dated(track: Track) -> Iterator[tuple[int, LineOrder, bytes]]:
    """Yields a track's own times, never going back: its order is its order."""
    if track.many_conversations:
        yield from sorted(_by_chain(track), key=itemgetter(0))
        return
    at = 0
    for order, line in _ordered(track):
        at = max(at, order.at)
        yield at, order, line


def _by_chain(track: Track) -> Iterator[tuple[int, LineOrder, bytes]]:
    latest: dict[str, int] = {}
    chains: dict[str, str] = {}
    for order, line in _ordered(track):
        chain = ""
        if order.chain:
            key = order.key or ""
            chain = chains[key] = chains.get(order.follows or "", key)
        at = latest[chain] = max(latest.get(chain, 0), order.at)
        yield at, order, line


def _undated(track: Track, twins: dict[str, int]) -> Iterator[tuple[int, int, bytes]]:
    at = 0
    waiting: list[bytes] = []
    size = 0
    for order, line in _ordered(track):
        known = order.at or twins.get(order.key or "", 0)
        if not known and order.about > at:
            known = order.about
        if not known:
            waiting.append(line)
            size += len(line)
            if size > MAX_WAITING_BYTES:
                for earlier in waiting:
                    yield at, AFTER, earlier
                waiting.clear()
                size = 0
            continue
        at = max(at, known)
        for earlier in waiting:
            yield at, BEFORE, earlier
        waiting.clear()
        size = 0
        yield at, AFTER, line
    for line in waiting:
        yield NEVER, AFTER, line
