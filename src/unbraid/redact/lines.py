"""Masks API keys and tokens in what is stored and shown.

In the bytes of a source, line by line, before anything else sees them. An agent that prints bit by
bit cuts a secret over many lines, and the end of what it has printed so far may turn out to be the
beginning of one. Such a line is not taken yet: its sender is asked for it again with what follows,
until it is decided. So whatever is taken is masked, the translator sees the same mask in deltas and
in the whole block that follows them, and nothing unmasked waits anywhere here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import msgspec
from msgspec import Raw, Struct

from unbraid.events import FleetEvent, decode_event, encode
from unbraid.redact.secrets import mask, places, undecided
from unbraid.wire.record import BAD_JSON

# As much of a block as is needed to know that it ends within a secret.
CONTEXT_BYTES = 256
# More than this is not asked for again: the deltas of a block seldom stand so far apart.
HELD_BYTES = 4 << 20

NOTHING = Raw(b"")

_LONG_MASK = re.compile(rb"\*{17,}")

Key = tuple[str, str, int | str]


class _Delta(Struct):
    text: Raw = NOTHING
    thinking: Raw = NOTHING
    partial_json: Raw = NOTHING


class _Event(Struct):
    type: str = ""
    index: int = 0
    delta: _Delta | None = None


class _Part(Struct):
    id: str = ""


class _Properties(Struct):
    delta: Raw = NOTHING
    session_id: str = msgspec.field(default="", name="sessionID")
    part_id: str = msgspec.field(default="", name="partID")
    part: _Part | None = None


class _Line(Struct):
    type: str = ""
    parent_tool_use_id: str | None = None
    event: _Event | None = None
    properties: _Properties | None = None
    # Of an event in the log; raw, so that no line of an agent's is misread for one of these.
    stream_id: Raw = NOTHING
    message_id: Raw = NOTHING
    block: Raw = NOTHING
    delta: Raw = NOTHING


_read = msgspec.json.Decoder(_Line).decode


@dataclass
class _Text:
    """One block's deltas: the end of those before, then each with the line it stands in."""

    text: bytearray
    spans: list[tuple[int, int, int]] = field(default_factory=list)  # line, place in text, size
    closed: int | None = None


class SecretMask:
    """Masks the secrets of one run."""

    def __init__(self) -> None:
        self._open: dict[Key, bytes] = {}
        self._rests: dict[str, bytes] = {}

    def lines(self, source: str, data: bytes, *, end: bool) -> bytes:
        """As much of a source's next bytes as is decided, masked, not one byte more or less."""
        whole = len(data) if end else data.rfind(b"\n") + 1
        return self._mask(source, data[:whole], last=end or whole > HELD_BYTES)

    def seen(self, source: str, data: bytes) -> None:
        """Bytes that were given out before, in any pieces: stand where they have led."""
        data = self._rests.pop(source, b"") + data
        whole = data.rfind(b"\n") + 1
        self._rests[source] = data[whole:]
        self._mask(source, data[:whole], last=True)

    def events(self, events: list[FleetEvent]) -> list[FleetEvent]:
        """Events of the run: what no line had in one piece."""
        return [self._event(event) for event in events]

    def _event(self, event: FleetEvent) -> FleetEvent:
        data = encode(event)
        masked = mask(data)
        return event if masked == data else decode_event(masked)

    def _mask(self, source: str, data: bytes, *, last: bool) -> bytes:
        lines = data.split(b"\n")
        pieces: dict[int, bytes] = {}
        texts: list[tuple[Key, _Text]] = []
        now: dict[Key, _Text] = {}

        def text_of(key: Key) -> _Text:
            if key not in now:
                now[key] = _Text(bytearray(self._open.get(key, b"")))
                texts.append((key, now[key]))
            return now[key]

        for number, line in enumerate(lines):
            read = _try(line)
            piece = None if read is None else _piece(source, read)
            if piece is not None:
                text = text_of(piece[0])
                pieces[number] = piece[1]
                text.spans.append((number, len(text.text), len(piece[1]) - 2))
                text.text += piece[1][1:-1]
            if read is not None:
                for key in {*now, *self._open} if piece is None or read.stream_id else ():
                    if _closes(read, key, source):
                        text_of(key).closed = number
                        now.pop(key, None)
        held = len(lines)
        if not last:
            held = min([held, *(_undecided(text, held) for text in now.values())])
            while (torn := min([held, *(_torn(text, held) for _, text in texts)])) < held:
                held = torn
        for key, text in texts:
            self._settle(key, text, held, lines, pieces)
        taken = [
            line if number in pieces else mask(line) for number, line in enumerate(lines[:held])
        ]
        return b"\n".join(taken if held == len(lines) else [*taken, b""])

    def _settle(
        self, key: Key, text: _Text, held: int, lines: list[bytes], pieces: dict[int, bytes]
    ) -> None:
        """Mask the lines before `held`, and note where the block stands after them."""
        masked, reached = mask(bytes(text.text)), None
        for number, at, size in text.spans:
            if number < held:
                hidden = b'"' + masked[at : at + size] + b'"'
                lines[number] = _replaced(lines[number], pieces[number], hidden)
                reached = at + size
        if text.closed is not None and text.closed < held:
            self._open.pop(key, None)
        elif reached is not None:
            context = _LONG_MASK.sub(b"*" * 16, masked[:reached])
            self._open[key] = context[-CONTEXT_BYTES:]


def _undecided(text: _Text, none: int) -> int:
    """The first line of which it is not known yet whether it holds a secret."""
    start = undecided(bytes(text.text))
    if start is None:
        return none
    return next((line for line, at, size in text.spans if at + size > start), none)


def _torn(text: _Text, held: int) -> int:
    """The line in which a secret begins that lines from `held` on go on with.

    What is taken must show by itself that it ends within a secret: a few stars do not.
    """
    ends = [at for line, at, _ in text.spans if line >= held]
    for start, end in places(bytes(text.text)) if ends else ():
        if text.spans[0][1] <= start < ends[0] < end:
            return next(line for line, at, size in text.spans if at + size > start)
    return held


def _try(line: bytes) -> _Line | None:
    """A line that may tell of deltas: of Claude Code's, of OpenCode's events, or of the log's."""
    if b'"type"' not in line:
        return None
    try:
        return _read(line)
    except BAD_JSON:
        return None


def _piece(source: str, read: _Line) -> tuple[Key, bytes] | None:
    """The delta of a line, as it stands there, and the block that it belongs to."""
    data = b""
    key: Key = (source, "", "")
    if read.event is not None and read.event.delta is not None:
        delta = read.event.delta
        data = bytes(delta.text) or bytes(delta.thinking) or bytes(delta.partial_json)
        key = (source, read.parent_tool_use_id or "", read.event.index)
    elif read.type == "message.part.delta" and read.properties is not None:
        data = bytes(read.properties.delta)
        key = (source, read.properties.session_id, read.properties.part_id)
    elif read.type in ("text", "thinking") and read.stream_id:
        data = bytes(read.delta)
        key = (source, bytes(read.stream_id).decode(), _block(read))
    return (key, data) if data.startswith(b'"') else None


def _block(read: _Line) -> str:
    """The block of a stream that an event of the log is about."""
    return f"{read.type} {bytes(read.message_id).decode()} {bytes(read.block).decode()}"


def _closes(read: _Line, key: Key, source: str) -> bool:
    """Whether a line says that a block is whole."""
    if key[0] != source:
        return False
    if read.stream_id:
        # As in the log: a block is whole when its stream says something else.
        return bytes(read.stream_id).decode() == key[1] and _block(read) != key[2]
    if read.properties is not None and read.properties.part is not None:
        return read.properties.part.id == key[2]
    if read.type == "stream_event" and read.event is not None:
        ends = read.event.type in ("content_block_start", "content_block_stop")
        whole = read.event.type in ("message_start", "message_stop")
        mine = (read.parent_tool_use_id or "") == key[1]
        return mine and (whole or (ends and read.event.index == key[2]))
    if read.type == "assistant":
        return (read.parent_tool_use_id or "") == key[1]
    if read.type == "session.idle" and read.properties is not None:
        # Others of the run may be in the middle of a word.
        return read.properties.session_id == key[1]
    return read.type == "result"


def _replaced(line: bytes, piece: bytes, hidden: bytes) -> bytes:
    """A line with another delta of the same length in the place of its own."""
    at = -1
    while piece != hidden and (at := line.find(piece, at + 1)) >= 0:
        changed = line[:at] + hidden + line[at + len(piece) :]
        # The same words may stand elsewhere in the line; only one of the places is the delta's.
        read = _try(changed)
        found = None if read is None else _piece("", read)
        if found is not None and found[1] == hidden:
            return changed
    return line
