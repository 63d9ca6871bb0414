"""Leases on the runs of a log in memory: between the parts of one process, as between processes."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

from unbraid.errors import LogError
from unbraid.log.leases import UNNAMED
from unbraid.wire.names import names_run


@dataclass
class LeaseTable:
    """The holders of the leases in one log; None if the holder stopped before the end."""

    holders: dict[str, MemoryLeases | None] = field(default_factory=dict)
    parts: set[str] = field(default_factory=set)
    numbers: count[int] = field(default_factory=lambda: count(1))


class MemoryLeases:
    """The leases of one part of a process."""

    def __init__(self, table: LeaseTable) -> None:
        self._table = table

    async def acquire(self, name: str) -> bool:
        """Acquires a lease that no one holds. Returns whether it could."""
        return self._take(name)

    def _take(self, name: str) -> bool:
        if not names_run(name):
            raise LogError(f"not the name of a run: {name[:80]!r}")
        if self._table.holders.get(name) not in (None, self):
            return False
        self._table.holders[name] = self
        return True

    async def release(self, name: str) -> None:
        """Releases a lease."""
        if self._table.holders.get(name) is self:
            del self._table.holders[name]

    def is_held(self, name: str) -> bool:
        """Returns whether anybody holds a lease."""
        return self._table.holders.get(name) is not None

    def acquire_unnamed(self) -> str:
        """Acquires a lease under a name that was never used, and returns the name."""
        name = f"{UNNAMED}{next(self._table.numbers)}"
        self._take(name)
        return name

    def another_is_starting(self) -> bool:
        """Returns whether another holder does not know its session yet."""
        return any(
            name.startswith(UNNAMED) and holder not in (None, self)
            for name, holder in self._table.holders.items()
        )

    def mark_part_of_other_run(self, name: str) -> None:
        """Notes that a session is part of another run."""
        self._table.parts.add(name)

    def is_part_of_other_run(self, name: str) -> bool:
        """Returns whether a session is part of another run."""
        return name in self._table.parts

    async def abandoned(self) -> list[str]:
        """Returns the names whose holders stopped before the end."""
        held = self._table.holders.items()
        return [name for name, holder in held if holder is None and not name.startswith(UNNAMED)]

    async def close(self, *, ended: bool) -> None:
        """Lets go of every lease."""
        for name, holder in list(self._table.holders.items()):
            if holder is self and ended:
                del self._table.holders[name]
            elif holder is self:
                self._table.holders[name] = None
