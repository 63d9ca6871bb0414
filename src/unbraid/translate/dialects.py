"""The dialects of one run, each created when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard, runtime_checkable

if TYPE_CHECKING:
    from unbraid.agents.port import Dialect


@runtime_checkable
class SourceAwareDialect(Protocol):
    """A dialect with sources whose lines do not name their agent: the source's name does."""

    def reading(self, source: str) -> None:
        """Notes from which source the next lines come, by its name."""
        ...


@runtime_checkable
class ArrivalDatingDialect(Protocol):
    """A dialect that dates records without a time of their own by their arrival. For one that does
    not do this, they happened when the record before them did.
    """

    def arrive(self, now: int) -> None:
        """Notes when the records that follow have arrived, in milliseconds since 1970; 0 if they
        are not read as they come.
        """
        ...


class Dialects(Mapping[str, "Dialect[Any]"]):
    """Dialects by the names of their kinds, in the order in which they are asked. Most runs are of
    the first kind: a watch over thousands of them would hold the others for nothing.
    """

    def __init__(self, factories: Mapping[str, Callable[[], Dialect[Any]]]) -> None:
        self._factories = factories
        self._made: dict[str, Dialect[Any]] = {}
        self._source, self.arrived = "", 0
        self._source_aware: list[SourceAwareDialect] = []
        self._arrival_dating: list[ArrivalDatingDialect] = []

    def __getitem__(self, kind: str) -> Dialect[Any]:
        known = self._made.get(kind)
        return known if known is not None else self._make(kind)

    def _make(self, kind: str) -> Dialect[Any]:
        made = self._made[kind] = self._factories[kind]()
        if _is_source_aware(made):
            made.reading(self._source)
            self._source_aware.append(made)
        if _is_arrival_dating(made):
            made.arrive(self.arrived)
            self._arrival_dating.append(made)
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(self._factories)

    def __len__(self) -> int:
        return len(self._factories)

    def __contains__(self, kind: object) -> bool:
        return kind in self._factories

    @property
    def ts(self) -> int:
        """The latest time that a source has given, in milliseconds since 1970; 0 if none did."""
        return max((dialect.ts for dialect in self._made.values()), default=0)

    def turn_to(self, source: str, now: int) -> None:
        """Notes from which source the next lines come, and when they have arrived."""
        if now != self.arrived:
            self.arrived = now
            for dating in self._arrival_dating:
                dating.arrive(now)
        if source != self._source:
            self._source = source
            for aware in self._source_aware:
                aware.reading(source)


# By its class, which remembers the answer: asking an object takes as long as reading lines.


def _is_source_aware(dialect: object) -> TypeGuard[SourceAwareDialect]:
    return issubclass(type(dialect), SourceAwareDialect)


def _is_arrival_dating(dialect: object) -> TypeGuard[ArrivalDatingDialect]:
    return issubclass(type(dialect), ArrivalDatingDialect)
