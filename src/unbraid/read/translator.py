"""The translator: any bytes or records of one run in, relay events out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from unbraid.events import Malformed, RelayEvent, Unrecognized
from unbraid.read.dialects import Dialect
from unbraid.read.lines import DEFAULT_MAX_LINE_BYTES, HEAD_BYTES, Lines, Overlong
from unbraid.read.notes import NOTES, note_event
from unbraid.read.reader import RecordReader, registered_dialects
from unbraid.read.record import BAD_JSON, Damage, Record, sound

ORPHANED = (False, "orphaned")
# So many bytes are translated before what is too much among the events is summed up.
SLICE_BYTES = 1 << 16

# A newer version of an agent may print many records that we have no name for; malformed lines mean
# that the source is damaged, which a hundred of them show as well as a million.
REPORTED_ALONE: dict[type[RelayEvent], int] = {Malformed: 100, Unrecognized: 1000}
_LIMITED = frozenset(REPORTED_ALONE)
FIRST_SUMMARY = 100


Decode = Callable[[Any], Any]
Translate = Callable[[Any, list[RelayEvent]], None]


class Translator:
    """Turns the sources of one run into what its agents newly said, each block once.

    `feed` takes bytes of a named source in any chunking and `finish` ends it all; `translate` takes
    single records. Several sources of the same run (stdout, transcripts, a database) may be fed
    in any order. Content never raises: bad lines become `malformed` events, and records that no
    kind of agents owns `unrecognized` ones.

    `dialects` makes the dialects that are asked, by the names of their kinds; without it, those of
    all registered kinds are.
    """

    def __init__(
        self,
        *,
        max_line_bytes: int = DEFAULT_MAX_LINE_BYTES,
        dialects: Mapping[str, Callable[[], Dialect[Any]]] | None = None,
    ) -> None:
        self._max_line_bytes = max_line_bytes
        self._sources = {"stdout": Lines(max_line_bytes)}
        self._excess: dict[str, dict[type[RelayEvent], _Excess]] = {}  # by source
        self._reader = RecordReader(registered_dialects() if dialects is None else dialects)
        # The dialects that have owned a record, by kind, in this order; which has owned the latest
        # one; and how it reads the next.
        self._owners: dict[str, Dialect[Any]] = {}
        self._owner = ""
        self._latest: tuple[Decode, Decode, Translate] = _unread, _unread, _untranslated
        self._finished = False

    @property
    def kind(self) -> str:
        """The name of the kind of agents whose words these are: of the first that has owned a
        record, and before that of the kind that is asked first.
        """
        return self._first.program or next(iter(self._owners), self._reader.first)

    @property
    def _first(self) -> Dialect[Any]:
        first = next(iter(self._owners.values()), None)
        return first or self._reader.dialect(self._reader.first)

    @property
    def outcome(self) -> tuple[bool, str]:
        """How the main agent has ended, as far as is known: ok, and the reason."""
        return self._first.outcome or ORPHANED

    @property
    def ts(self) -> int:
        """The latest time that a source has given, in milliseconds since 1970; 0 if none did."""
        return self._reader.ts

    def translate(self, record: Record) -> list[RelayEvent]:
        """Returns what is new in one record."""
        out: list[RelayEvent] = []
        self._translate(record.kind if record.kind in self._reader.kinds else None, record, out)
        return out

    def feed(
        self, data: bytes, source: str = "stdout", now: int = 0, records: Sequence[Record] = ()
    ) -> list[RelayEvent]:
        """Returns what is new in more bytes of a source. `now` is when they have arrived, in
        milliseconds since 1970, where they are read as they come: it dates live records that have
        no time of their own. `records` are those in these bytes, one a line, if the source has
        decoded them already; they only save time.
        """
        if isinstance(data, str):
            raise TypeError("a stream is bytes, not text: open it in binary mode, or encode it")
        lines = self._sources.get(source)
        if lines is None:
            lines = self._sources[source] = Lines(self._max_line_bytes)
        self._reader.turn_to(source, now)
        if len(data) <= SLICE_BYTES:
            return self._read(source, lines, lines.feed(data, records))
        out: list[RelayEvent] = []
        for start in range(0, len(data), SLICE_BYTES):
            out += self._read(source, lines, lines.feed(data[start : start + SLICE_BYTES]))
        return out

    def finish(self) -> list[RelayEvent]:
        """Ends all sources. Returns what is new in the last lines, and what was still open."""
        out: list[RelayEvent] = []
        if self._finished:
            return out
        self._finished = True
        for name, lines in self._sources.items():
            self._reader.turn_to(name, self._reader.arrived)
            out += self._read(name, lines, lines.finish())
        for excess in self._excess.values():
            out += [rest for each in excess.values() if (rest := each.rest()) is not None]
        for owner in self._owners.values():
            owner.finish(out)
        return out

    def _read(
        self, name: str, source: Lines, lines: Iterable[bytes | Record | Overlong]
    ) -> list[RelayEvent]:
        """Returns what is new in lines of a source, as it yields them, without what it reports too
        often.
        """
        if name == NOTES:
            return [note_event(line, source.offset) for line in lines if isinstance(line, bytes)]
        out: list[RelayEvent] = []
        # The hottest loop there is: one decode and one translate a line, looked up once.
        decode, decode_again, translate = latest = self._latest
        for line in lines:
            try:
                if isinstance(line, bytes):
                    record = decode(line)
                elif isinstance(line, Overlong):
                    limit = self._max_line_bytes
                    reason = f"a line of {line.length} bytes, over the limit of {limit}"
                    out.append(self._malformed(line.head, reason, source.offset))
                    continue
                else:
                    record = decode_again(line) if line.kind == self._owner else None
            except BAD_JSON:
                record = None
            if record is not None:
                translate(record, out)
                continue
            text = line.raw if isinstance(line, Record) else line
            assert isinstance(text, bytes)
            self._read_slowly(text, source.offset, out)
            if latest is not self._latest:
                decode, decode_again, translate = latest = self._latest
        return out if _LIMITED.isdisjoint(map(type, out)) else self._limited(name, out)

    def _read_slowly(self, line: bytes, offset: int, out: list[RelayEvent]) -> None:
        """Translates a line that the owner of the latest record does not own, or cannot read."""
        for item in self._reader.read(line):
            if isinstance(item, Damage):
                out.append(self._malformed(item.raw[:HEAD_BYTES], item.reason, offset + item.start))
            else:
                self._translate(*item, out)

    def _translate(self, kind: str | None, record: Record, out: list[RelayEvent]) -> None:
        if kind is None:
            out.append(Unrecognized("", self.ts, sound(record.raw)))
            return
        if kind != self._owner:
            self._owner = kind
            owner = self._owners.setdefault(kind, self._reader.dialect(kind))
            self._latest = owner.decode, owner.decode_again, owner.translate
            self._reader.prefer(kind)
        self._owners[kind].translate(record, out)

    def _limited(self, name: str, events: list[RelayEvent]) -> list[RelayEvent]:
        """Returns events of a source with summaries in place of those that are too many."""
        excess = self._excess.get(name)
        if excess is None:
            excess = {kind: _Excess(alone) for kind, alone in REPORTED_ALONE.items()}
            self._excess[name] = excess
        shown: list[RelayEvent] = []
        for event in events:
            found = excess.get(type(event))
            # What belongs to an agent's conversation stays where it was said.
            reported = event if found is None or event.context else found.report(event)
            if reported is not None:
                shown.append(reported)
        return shown

    def _malformed(self, raw: bytes, reason: str, offset: int) -> Malformed:
        return Malformed(
            context="", ts=self.ts, raw=raw.decode("utf-8", "replace"), reason=reason, offset=offset
        )


def _unread(line: bytes) -> None:
    """Returns None: until a dialect has owned a record, every dialect is asked about each line."""


def _untranslated(record: Any, out: list[RelayEvent]) -> None:
    """Does nothing: no dialect has read a record yet."""


class _Excess(Struct):
    """Sums up what one source repeats too often, of one type: half a megabyte of lines that are no
    records would be a log of many megabytes, one event a line.

    So many are reported `alone`, one by one, and the rest by a few summaries: after the next
    hundred, the next two hundred, and so on, and at the end of the source. When one is due is
    decided by the lines alone, never by how they were cut into chunks.
    """

    alone: int
    count: int = 0
    due: int = FIRST_SUMMARY
    first: RelayEvent | None = None
    last: RelayEvent | None = None

    def report(self, event: RelayEvent) -> RelayEvent | None:
        """Returns what to report now that another event has come."""
        if self.alone:
            self.alone -= 1
            return event
        self.first, self.last, self.count = self.first or event, event, self.count + 1
        if self.count < self.due:
            return None
        self.due *= 2
        return self.rest()

    def rest(self) -> RelayEvent | None:
        """Returns the summary of what was not reported yet, if there is any."""
        first, last, count = self.first, self.last, self.count
        self.first, self.last, self.count = None, None, 0
        if first is None or last is None or count == 1:
            return first
        summary = msgspec.structs.replace(first, ts=last.ts, count=count)
        if isinstance(summary, Malformed) and isinstance(last, Malformed):
            summary.last_offset = last.offset
            summary.reason = f"{count} malformed lines, the first: {summary.reason}"
        return summary
