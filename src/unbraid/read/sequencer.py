"""Orders items of several sources so that causes come first: what has to wait for what.

The places where one run is written down are written one by one: a parent's transcript reports the
end of a child whose own last words are not on disk yet, stdout prints a result before the
transcript has what led to it, a database stores a call before the text that was said first. A
reader of such sources declares each item as it arrives: its source, what it provides, what it waits
for, and how long it may wait at most. The sequencer says what may go now. It has no clock of its
own: every call says what time it is, in seconds of any clock that does not go back.

Invariants:
- Nothing is lost and nothing comes twice; `finish` gives out the rest.
- The items of a source come in the order in which they were added.
- Until its bound has passed, an item never comes before the item that provides what it waits for,
  if that item has arrived and is not held back itself. If such a provider is held back only
  because no item needs it (`patient`), it and what stands before it in its source come first.
- No item is held back longer than its bound and the bounds of those before it in its source.
- Sources that are named at the start have ranks in that order. Between two calls of `take`, the
  order in which such sources are added to does not matter. Others may come and go: they rank behind
  those, in the order in which something of them is held.

All of this is for sources that are still being written. Sources that are complete need no waiting:
`unbraid.read.tracks` interleaves those by the times of their lines.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from typing import Any, Generic, NamedTuple, TypeVar

from msgspec import Struct

V = TypeVar("V")


class After(NamedTuple):
    """An item that provides `key` has been there for `settle_seconds`, and goes first."""

    key: str
    settle_seconds: float = 0.0


class Closed(NamedTuple):
    """What `key` stands for is not open; the sequencer's `is_open` knows what that means."""

    key: Any


class Quiet(NamedTuple):
    """None of `sources`, named at the start, has brought anything for `seconds`, counted from the
    item's own arrival.
    """

    sources: tuple[str, ...]
    seconds: float


class Emptied(NamedTuple):
    """Nothing of `source` is held back."""

    source: str


class Aged(NamedTuple):
    """The item itself has been there for `seconds`."""

    seconds: float


class Either(NamedTuple):
    """One of two conditions is met."""

    first: Condition
    second: Condition


Condition = After | Closed | Quiet | Emptied | Aged | Either


class SourceItem(Struct, Generic[V], frozen=True):
    """One thing that a source brings, and what it declares.

    It goes when everything in `waits_for` is met, or when it has been here for `max_wait_seconds`.
    With a bound of 0 it never waits, but what it depends on goes first if that is there.

    A `patient` item is held back only while no other item needs it: an item that comes `After` it
    takes it along, whatever it waits for. It cannot be `After` anything itself.
    """

    source: str
    value: V
    provides: tuple[str, ...] = ()
    waits_for: tuple[Condition, ...] = ()
    max_wait_seconds: float = math.inf
    patient: bool = False


class _WaitingItem(Struct, Generic[V], frozen=True):
    item: SourceItem[V]
    arrived: float


class Sequencer(Generic[V]):
    """Items of several sources in; what may go now out."""

    def __init__(
        self,
        sources: Iterable[str] = (),
        *,
        is_open: Callable[[Any], bool] = lambda key: False,
    ) -> None:
        self._is_open = is_open
        self._named = frozenset(ranked := tuple(sources))
        self._queues: dict[str, deque[_WaitingItem[V]]] = {source: deque() for source in ranked}
        self._latest: dict[str, float] = {}  # source: when it last brought something
        self._since: dict[str, float] = {}  # key: when it was first provided
        self._providers: dict[str, str] = {}  # key: the source in which its provider is held

    def add(self, item: SourceItem[V], now: float) -> None:
        """Adds an item, behind all others of its source."""
        assert not (item.patient and any(_keys(item))), "a patient item depends on nobody"
        source = item.source
        self._queues.setdefault(source, deque()).append(_WaitingItem(item, now))
        if source in self._named:
            self._latest[source] = now
        for key in item.provides:
            self._since.setdefault(key, now)
            self._providers.setdefault(key, source)

    def note(self, source: str, provides: Iterable[str], now: float) -> None:
        """Notes that a source has brought something that does not wait and bypasses the
        sequencer.
        """
        if source in self._named:
            self._latest[source] = now
        for key in provides:
            self._since.setdefault(key, now)

    def holds(self, source: str | None = None) -> bool:
        """Returns whether anything is held back: of one source, or at all."""
        return any(self._queues.values()) if source is None else bool(self._queues.get(source))

    def take(self, now: float) -> Iterator[V]:
        """Gives out what may go now. `is_open` is called again for each item, so the consumer of
        this may note what has gone before the next item is decided.
        """
        moved = True
        while moved and any(self._queues.values()):
            moved = False
            for source, queue in list(self._queues.items()):
                while queue and self._may_go(queue[0], now):
                    moved = True
                    if queue[0].item.waits_for and self._providers:
                        for key in _keys(queue[0].item):
                            if key in self._providers and self._within_reach(key):
                                yield from self._taken_along(key)
                    yield self._pop(queue)
                # The consumer of this may add and forget in between.
                if not queue and source not in self._named and self._queues.get(source) is queue:
                    del self._queues[source]

    def finish(self) -> Iterator[V]:
        """Gives out everything: nothing that is waited for will come any more."""
        return self.take(math.inf)

    def forget(self, source: str) -> None:
        """Drops what is held of a source, for a caller that has read it another way."""
        queue = self._queues.get(source, deque())
        while queue:
            self._pop(queue)
        if source not in self._named:
            self._queues.pop(source, None)

    def _may_go(self, held: _WaitingItem[V], now: float) -> bool:
        if now - held.arrived >= held.item.max_wait_seconds:
            return True
        return all(self._met(condition, held, now) for condition in held.item.waits_for)

    def _met(self, condition: Condition, held: _WaitingItem[V], now: float) -> bool:
        match condition:
            case After(key, seconds):
                since = self._since.get(key)
                return since is not None and now - since >= seconds and self._within_reach(key)
            case Closed(key):
                return not self._is_open(key)
            case Quiet(sources, seconds):
                assert self._named.issuperset(sources), "only of named sources the times are kept"
                grown = max(self._latest.get(source, -math.inf) for source in sources)
                return now - max(grown, held.arrived) >= seconds
            case Emptied(source):
                return not self._queues.get(source)
            case Aged(seconds):
                return now - held.arrived >= seconds
            case Either(first, second):
                return self._met(first, held, now) or self._met(second, held, now)

    def _within_reach(self, key: str) -> bool:
        """Returns whether the provider of a key has gone, or goes as soon as it is needed."""
        source = self._providers.get(key)
        if source is None:
            return True
        queue = self._queues[source]
        before = takewhile(lambda held: key not in held.item.provides, queue)
        return all(held.item.patient for held in before) and next(
            held.item.patient for held in queue if key in held.item.provides
        )

    def _taken_along(self, key: str) -> Iterator[V]:
        source = self._providers[key]
        while self._providers.get(key) == source:
            yield self._pop(self._queues[source])

    def _pop(self, queue: deque[_WaitingItem[V]]) -> V:
        item = queue.popleft().item
        for key in item.provides:
            if self._providers.get(key) == item.source:
                del self._providers[key]
        return item.value


def _keys(item: SourceItem[V]) -> Iterator[str]:
    """Yields what an item comes after, if that is there."""
    waiting = list(item.waits_for)
    while waiting:
        condition = waiting.pop(0)
        if isinstance(condition, After):
            yield condition.key
        elif isinstance(condition, Either):
            waiting += condition
