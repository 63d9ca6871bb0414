"""Lines to records, whichever kind of agents they belong to.

The dialects are asked which of them owns a line; the one that owned the line before is asked first.
Lines that none of them can read at once are taken apart: framing of server-sent events, an array of
records on one line, a cut-off record with the next one glued on. What is left over is reported as
damage.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import msgspec

from unbraid.read.arrays import begins_array, elements
from unbraid.read.dialects import Dialect, with_defaults
from unbraid.read.record import BAD_JSON, Damage, Record, any_json, coerce
from unbraid.read.sse import data_of

BYTE_ORDER_MARK = "\ufeff".encode()
MAX_SALVAGE_TRIES = 256
# Each try reads the line again: a long one with many beginnings would take minutes.
MAX_SALVAGE_BYTES = 64 << 20
# Mending makes objects of everything in a line, twenty times its size.
MAX_MENDED_BYTES = 8 << 20


# The name of the kind that a record belongs to, or nothing; and the record.
Owned = tuple[str | None, Record]

_bare = msgspec.json.Decoder(Record).decode


def registered_dialects() -> Mapping[str, Callable[[], Dialect[Any]]]:
    """Returns the dialects of all kinds of agents, by name."""
    # Late, because the kinds are built on this package: only a translator needs all of them.
    from unbraid.agents.registry import kinds

    return {kind.name: kind.dialect for kind in kinds()}


def import_dialects() -> None:
    """Imports the modules of all dialects. A process that translates while others wait does this
    first: among busy threads, each module takes long to import.
    """
    for make in registered_dialects().values():
        make()


class RecordReader:
    """Asks the dialects of one run, which `factories` make by the names of their kinds, which of
    them owns a line.

    They are made when they are first asked. Most runs are of the first kind: a watch over thousands
    of them would hold the others for nothing.
    """

    def __init__(self, factories: Mapping[str, Callable[[], Dialect[Any]]]) -> None:
        self._factories = factories
        self._made: dict[str, Dialect[Any]] = {}
        self._order = list(factories)
        self.kinds = frozenset(factories)
        self._source, self.arrived = "", 0

    def dialect(self, kind: str) -> Dialect[Any]:
        """Returns the dialect of a kind."""
        known = self._made.get(kind)
        if known is None:
            known = self._made[kind] = with_defaults(self._factories[kind]())
            known.reading(self._source)
            known.arrive(self.arrived)
        return known

    @property
    def first(self) -> str:
        """The name of the kind that is asked first."""
        return self._order[0]

    @property
    def ts(self) -> int:
        """The latest time that a source has given, in milliseconds since 1970; 0 if none did."""
        return max((dialect.ts for dialect in self._made.values()), default=0)

    def turn_to(self, source: str, now: int) -> None:
        """Notes from which source the next lines come, and when they have arrived."""
        if now != self.arrived:
            self.arrived = now
            for dialect in self._made.values():
                dialect.arrive(now)
        if source != self._source:
            self._source = source
            for dialect in self._made.values():
                dialect.reading(source)

    def prefer(self, kind: str) -> None:
        """Moves a kind to the front: its dialect is asked first."""
        self._order.remove(kind)
        self._order.insert(0, kind)

    def owned(self, text: bytes) -> Owned:
        """Returns a whole object as a record of the kind that owns it. Raises one of `BAD_JSON` if
        it is no object, or if no dialect owns it and at least one could not read it.
        """
        trouble: Exception | None = None
        for kind in self._order:
            try:
                record = self.dialect(kind).decode(text)
            except BAD_JSON as error:
                trouble = trouble or error
                continue
            if record is not None:
                return kind, record
        if trouble is not None:
            raise trouble
        unowned = _bare(text)
        unowned.raw = text
        return None, unowned

    def read(self, line: bytes) -> Iterator[Owned | Damage]:
        """Yields every record and every damaged stretch of one line; nothing for a blank one.

        A line may be an array of records: all that a run printed, given out at its end.
        """
        text = data_of(line.strip(b" \t\r\n\0").removeprefix(BYTE_ORDER_MARK))
        if not text:
            return
        start = line.find(text)
        if not begins_array(text):
            yield from self._object(text, start)
            return
        for at, element in elements(text):
            yield from self._object(element, start + at)

    def _object(self, text: bytes, start: int) -> Iterator[Owned | Damage]:
        reason = ""
        try:
            if text.startswith(b"{"):
                yield self.owned(text)
                return
            _bare(text)  # no record: asking every dialect would only take time
        except BAD_JSON as error:
            reason = str(error)
        if len(text) > MAX_MENDED_BYTES:
            yield Damage(text, reason, start)
            return
        value = any_json(text)
        if isinstance(value, dict):
            owned, whole = self._mended(value)
            yield owned
            if not whole:
                yield Damage(text, reason, start)
        elif value is not None:
            yield Damage(text, "not a JSON object", start)
        elif (salvaged := self._salvaged(text)) is not None:
            cut, owned = salvaged
            yield Damage(text[:cut], "cut off, the next record follows on the same line", start)
            yield owned
        else:
            yield Damage(text, reason, start)

    def _mended(self, value: dict[str, Any]) -> tuple[Owned, bool]:
        """Returns a record with defaults where its types are wrong, and whether it is whole."""
        raw = json.dumps(value, ensure_ascii=False).encode()
        try:
            return self.owned(raw), True  # only its text was broken
        except BAD_JSON:
            pass  # types are wrong
        for kind in self._order:
            mended = self.dialect(kind).mend(value)
            if mended is not None:
                record, whole = mended
                record.raw = raw
                return (kind, record), whole
        unowned, whole = coerce(Record, value)
        unowned.raw = raw
        return (None, unowned), whole

    def _salvaged(self, text: bytes) -> tuple[int, Owned] | None:
        """Returns the whole record at the end of a line that starts with a cut-off one, and
        where.
        """
        at = 0
        for _ in range(min(MAX_SALVAGE_TRIES, MAX_SALVAGE_BYTES // (len(text) + 1))):
            at = text.find(b'{"', at + 1)
            if at < 0:
                return None
            try:
                kind, record = self.owned(text[at:])
            except BAD_JSON:
                continue
            # A block of the cut-off record has a type too; a record also names its session.
            if kind is not None and record.type and record.is_identified:
                return at, (kind, record)
        return None


@cache
def _registered_reader() -> RecordReader:
    return RecordReader(registered_dialects())


def read_line(line: bytes) -> Iterator[Record | Damage]:
    """Yields every record and every damaged stretch of one line, for all kinds of agents.

    A record that no dialect owns is a plain `Record`.
    """
    for item in _registered_reader().read(line):
        yield item if isinstance(item, Damage) else item[1]


def parse_line(line: bytes | str) -> Record | None:
    """Returns the record in a line, of whichever kind owns it; None if there is none."""
    data = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
    return next((item for item in read_line(data) if isinstance(item, Record)), None)
