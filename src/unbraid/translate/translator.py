"""The translator: any bytes or records of one run in, relay events out."""

from __future__ import annotations

from collections.abc import Iterable

from unbraid.agents.claude.dialect import Claude
from unbraid.agents.claude.snapshots import Snapshots
from unbraid.agents.opencode.dialect import OpenCode
from unbraid.events import Malformed, RelayEvent
from unbraid.translate.blocks import STDOUT
from unbraid.wire.lines import DEFAULT_MAX_LINE_BYTES, HEAD_BYTES, Lines, Overlong
from unbraid.wire.record import BAD_JSON, MISSING, Record, decode, read_line


class Translator:
    """Turns the sources of one run into what its agents newly said, each block once.

    `feed` takes bytes of a named source in any chunking and `finish` ends it all; `translate` takes
    single records. Several sources of the same run (stdout, transcripts, a database) may be fed
    in any order. Content never raises: bad lines become `malformed` events.
    """

    def __init__(self, *, max_line_bytes: int = DEFAULT_MAX_LINE_BYTES) -> None:
        self._max_line_bytes = max_line_bytes
        self._sources = {"stdout": Lines(max_line_bytes)}
        self._claude = Claude()
        self._snapshots = Snapshots()
        self._opencode: OpenCode | None = None
        self._finished = False

    @property
    def outcome(self) -> tuple[bool, str]:
        """How the main agent has ended, as far as is known: ok, and the reason."""
        family = self._opencode or self._claude
        return family.outcome or (False, "orphaned")

    @property
    def family(self) -> str:
        """Whose words these are: `claude` or `opencode`."""
        return "claude" if self._opencode is None else "opencode"

    @property
    def ts(self) -> int:
        """The latest time that a source told, in milliseconds since 1970; 0 if none did."""
        return max(self._claude.ts, self._opencode.ts if self._opencode is not None else 0)

    def translate(self, record: Record) -> list[RelayEvent]:
        """What is new in one record."""
        out: list[RelayEvent] = []
        self._translate(record, out)
        return out

    def feed(self, data: bytes, source: str = "stdout") -> list[RelayEvent]:
        """What is new in more bytes of a source."""
        if isinstance(data, str):
            raise TypeError("a stream is bytes, not text: open it in binary mode, or encode it")
        lines = self._sources.get(source)
        if lines is None:
            lines = self._sources[source] = Lines(self._max_line_bytes)
        out: list[RelayEvent] = []
        self._read(lines, lines.feed(data), out)
        return out

    def finish(self) -> list[RelayEvent]:
        """The end of all sources: the last lines, and what was still open."""
        out: list[RelayEvent] = []
        if self._finished:
            return out
        self._finished = True
        for lines in self._sources.values():
            self._read(lines, lines.finish(), out)
        self._claude.finish(out)
        if self._opencode is not None:
            self._opencode.finish(out)
        return out

    def _read(
        self, source: Lines, lines: Iterable[bytes | Overlong], out: list[RelayEvent]
    ) -> None:
        """Read lines of a source as it gives them."""
        translate, snapshot = self._claude.translate, self._snapshots.decode
        dialect = self._claude.dialects[STDOUT]
        for line in lines:
            if isinstance(line, Overlong):
                reason = f"a line of {line.length} bytes, over the limit of {self._max_line_bytes}"
                out.append(self._malformed(line.head, reason, source.offset))
                continue
            try:
                # Asked anew for each: one feed may hold a whole run, and teach us its dialect.
                record = snapshot(line) if dialect.cumulative else decode(line)
            except BAD_JSON:
                self._read_slowly(line, source.offset, out)
                continue
            if record.session_id_opencode is None and record.properties is MISSING:
                translate(record, out)
            else:
                self._translate(record, out)

    def _read_slowly(self, line: bytes, offset: int, out: list[RelayEvent]) -> None:
        for item in read_line(line):
            if isinstance(item, Record):
                self._translate(item, out)
            else:
                out.append(self._malformed(item.raw[:HEAD_BYTES], item.reason, offset + item.start))

    def _translate(self, record: Record, out: list[RelayEvent]) -> None:
        if record.session_id_opencode is None and record.properties is MISSING:
            self._claude.translate(record, out)
            return
        if self._opencode is None:
            self._opencode = OpenCode()
        self._opencode.translate(record, out)

    def _malformed(self, raw: bytes, reason: str, offset: int) -> Malformed:
        return Malformed("", self.ts, raw.decode("utf-8", "replace"), reason, offset)
