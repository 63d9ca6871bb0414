"""Redacts the lines of one source, or the events of one run.

A line that stands for itself is redacted at once. An agent that prints in small parts cuts a secret
over many lines: there the text of each block is put together, and a line whose part may turn out to
be the beginning of a secret waits until more of its block, or the end of the block, decides. Lines
come out in the order in which they came in, each as long as it was, and read once, however long
they wait.

The lines of one secret come out together. So what has come out shows by itself whether it ends
within a secret, and after a restart `skip`, given the redacted lines, knows as much as before.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw, Struct

from unbraid.events import FleetEvent, decode_event, encode
from unbraid.read.dialects import BlockEnd, Delta, Dialect
from unbraid.read.record import BAD_JSON
from unbraid.redact.anchors import Anchors
from unbraid.redact.keys import LONGEST
from unbraid.redact.secrets import anchors_with, hidden, redact, secret_ranges, undecided_from

# As much of a block as is needed to know that it ends within a secret.
CONTEXT_BYTES = 2 * LONGEST
# More than this does not wait: the parts of a block seldom stand so far apart, and a sender that
# repeats what waits must not delay others.
HELD_BYTES = 1 << 20
HELD_BLOCKS = 256
MAX_PLACES = 8

Read = Callable[[bytes], Delta | BlockEnd | None]

_LONG_STARS = re.compile(rb"\*{17,}")


class _Format(NamedTuple):
    """How some lines carry parts of blocks, and the words, in small letters, of which each line has
    one that says something about blocks, or carries a part of one.
    """

    read: Read
    signs: frozenset[bytes]
    part_signs: frozenset[bytes]


class LineFormats:
    """How the lines of all kinds carry parts of blocks, and what finds all that matters in them."""

    def __init__(self, formats: Iterable[Dialect[Any] | EventDeltas]) -> None:
        self.formats = [
            _Format(each.delta, _lower(each.delta_signs), _lower(each.part_signs))
            for each in formats
        ]
        words = [each.signs | each.part_signs for each in self.formats]
        self.anchors = anchors_with(frozenset().union(*words))

    def may_begin(self, anchors: Anchors) -> bool:
        """Returns whether a text that has these anchors may have a part of a block."""
        return any(_may_have(anchors, each.part_signs) for each in self.formats)

    def readers(self, anchors: Anchors) -> list[Read]:
        """Returns what may read lines that have these anchors."""
        return [each.read for each in self.formats if _may_have(anchors, each.signs)]


_NOTHING = Raw(b"")
TEXTS = frozenset(("text", "thinking"))
# These may come while a block is in the middle of a word.
WITHIN_BLOCKS = frozenset(("progress", "session_meta", "unrecognized", "malformed"))


class _Event(Struct):
    type: str = ""
    # Raw, so that no line of an agent is misread for one of these.
    stream_id: Raw = _NOTHING
    message_id: Raw = _NOTHING
    block: Raw = _NOTHING
    delta: Raw = _NOTHING


_decode = msgspec.json.Decoder(_Event).decode


class EventDeltas:
    """A block belongs to its stream, and is whole when the stream says something else."""

    delta_signs = b'"stream_id"', b'"done"'
    part_signs = (b'"delta"',)

    def delta(self, line: bytes) -> Delta | BlockEnd | None:
        """Returns what an event says about blocks."""
        if b'"stream_id"' not in line and b'"done"' not in line:
            return None
        try:
            read = _decode(line)
        except BAD_JSON:
            return None
        if read.type == "done":
            return BlockEnd()
        if not read.stream_id or read.type in WITHIN_BLOCKS:
            return None
        owner = bytes(read.stream_id).decode()
        text = bytes(read.delta)
        if read.type in TEXTS and text.startswith(b'"'):
            block = f"{read.type} {bytes(read.message_id).decode()} {bytes(read.block).decode()}"
            return Delta(owner, block, text, alone=True)
        return BlockEnd(owner)


class _DeltaLine:
    """A line with a part of a block in it: `text`, the JSON string as it stands there. `until` is
    the number of the last line with a part of the same secret.
    """

    __slots__ = ("data", "decided", "reads", "text", "until")

    def __init__(self, data: bytes, text: bytes, reads: Sequence[Read]) -> None:
        self.data, self.text, self.reads = data, text, reads
        self.decided, self.until = False, -1

    def decide(self, shown: bytes) -> None:
        """Replaces the text by another one of the same length."""
        self.decided = True
        hidden, at = b'"' + shown + b'"', -1
        if self.text == hidden:
            return
        for _ in range(MAX_PLACES):
            at = self.data.find(self.text, at + 1)
            if at < 0:
                return
            changed = self.data[:at] + hidden + self.data[at + len(hidden) :]
            # The same words may stand elsewhere in the line; only one of the places is the right.
            found = _read(changed, self.reads)
            if isinstance(found, Delta) and found.text == hidden:
                self.data = changed
                return
        # A line that was made to have them in thousands of places.
        self.data = self.data.replace(self.text, hidden)


class _Block:
    """The end of what was given out of a block, then the text that waits, with its lines: the
    number of each, the line, and where its part begins in `text`.
    """

    __slots__ = ("context", "spans", "text")

    def __init__(self) -> None:
        self.context = b""
        self.text = bytearray()
        self.spans: list[tuple[int, _DeltaLine, int]] = []

    def wait(self, number: int, line: _DeltaLine) -> None:
        self.spans.append((number, line, len(self.text)))
        self.text += line.text[1:-1]


class LineRedactor:
    """Redacts lines that follow each other."""

    def __init__(self, formats: LineFormats) -> None:
        self._formats = formats
        self._open: dict[str, dict[str | int, _Block]] = {}
        self._queue: deque[bytes | _DeltaLine] = deque()
        # The numbers of the first line in the queue, of the first that is undecided, and of the
        # first that has to wait for it; and up to where the secrets of the lines before reach.
        self._first = self._decided = self._whole = 0
        self._until = -1
        self.size = 0  # of the lines in the queue, with their ends, in bytes
        # Blocks with text that waits; those that got some since the last look; those that ended.
        self._waiting: dict[_Block, None] = {}
        self._touched: dict[_Block, None] = {}
        self._ended: list[_Block] = []

    def push(self, lines: Sequence[bytes]) -> None:
        """Adds the next lines, without their ends."""
        text = b"\n".join(lines)
        self.size += len(text) + 1 if lines else 0
        anchors = self._formats.anchors(lower := text.lower())
        if not self._open and not self._formats.may_begin(anchors):
            # No block is open, and none begins.
            redacted = redact(text, anchors, lower)
            self._queue.extend(lines if redacted is text else redacted.split(b"\n"))
            return
        reads = self._formats.readers(anchors)
        found = [_read(line, reads) for line in lines]
        # The text of a part is redacted with its block, and nothing else of its line is.
        whole = [line for line, read in zip(lines, found, strict=True) if type(read) is not Delta]
        shown = iter(redact(b"\n".join(whole)).split(b"\n"))
        for line, read in zip(lines, found, strict=True):
            if type(read) is Delta:
                self._add(line, read, reads)
                continue
            if read is not None:
                self._end(*read)
            self._queue.append(next(shown))

    def pop(self, *, last: bool = False, expired: bool = False) -> list[bytes]:
        """Returns the first lines, as far as they are decided. `last`: nothing more will come.
        `expired`: nothing waits any longer, and what may become a secret is redacted like one.
        """
        self._decide(
            self._waiting if last or expired else self._touched, last=last, expired=expired
        )
        queue = self._queue
        while self._decided < self._first + len(queue):
            line = queue[self._decided - self._first]
            if isinstance(line, _DeltaLine):
                if not line.decided:
                    break
                self._until = max(self._until, line.until)
            self._decided += 1
            if self._until < self._decided:
                self._whole = self._decided
        out = list[bytes]()
        while self._first < self._whole:
            line = queue.popleft()
            out.append(line.data if isinstance(line, _DeltaLine) else line)
            self._first += 1
        self.size -= sum(map(len, out)) + len(out)
        return out

    @property
    def full(self) -> bool:
        """Whether more waits than should."""
        return self.size > HELD_BYTES or len(self._waiting) > HELD_BLOCKS

    def skip(self, lines: Sequence[bytes]) -> None:
        """Takes lines that came before and are not given out, of blocks of which nothing waits."""
        if not lines:
            return
        self.push(lines)
        for line in lines:
            self._queue.pop()
            self.size -= len(line) + 1
        # The next part may continue a word of which too little is known yet.
        self._decide(self._touched, expired=True)

    def _decide(
        self, blocks: Iterable[_Block], *, last: bool = False, expired: bool = False
    ) -> None:
        for block in self._ended:
            _redact_block(block, last=True)
        for block in list(blocks):
            _redact_block(block, last=last, expired=expired)
            if not block.spans:
                del self._waiting[block]
        self._ended.clear()
        self._touched.clear()

    def _add(self, line: bytes, read: Delta, reads: Sequence[Read]) -> None:
        blocks = self._open.setdefault(read.owner, {})
        if read.alone and blocks and (len(blocks) > 1 or read.block not in blocks):
            for other in [name for name in blocks if name != read.block]:
                self._close(blocks.pop(other))
        block = blocks.get(read.block)
        if block is None:
            block = blocks[read.block] = _Block()
        part = _DeltaLine(line, read.text, reads)
        block.wait(self._first + len(self._queue), part)
        self._queue.append(part)
        self._waiting[block] = self._touched[block] = None

    def _end(self, owner: str | None, name: str | int | None) -> None:
        """Closes blocks. Each is closed once, so that the work is linear in the lines."""
        if owner is None:
            for blocks in self._open.values():
                for block in blocks.values():
                    self._close(block)
            self._open.clear()
        elif owner in self._open:
            if name is None:
                for block in self._open.pop(owner).values():
                    self._close(block)
            elif name in (blocks := self._open[owner]):
                self._close(blocks.pop(name))
                if not blocks:
                    del self._open[owner]

    def _close(self, block: _Block) -> None:
        self._ended.append(block)
        self._waiting.pop(block, None)
        self._touched.pop(block, None)


def _read(line: bytes, reads: Sequence[Read]) -> Delta | BlockEnd | None:
    for read in reads:
        if (found := read(line)) is not None:
            return found
    return None


def _lower(signs: Iterable[bytes]) -> frozenset[bytes]:
    return frozenset(sign.lower() for sign in signs)


def _may_have(anchors: Anchors, words: frozenset[bytes]) -> bool:
    return not words or not words.isdisjoint(anchors)


def _redact_block(block: _Block, *, last: bool = False, expired: bool = False) -> None:
    """Redacts a block's lines, as far as they are decided."""
    before, text = len(block.context), block.context + block.text
    ranges = secret_ranges(text)
    redacted = shown = hidden(text, ranges)
    start, count = None if last else undecided_from(text), len(block.spans)
    starts = [before + at for _, _, at in block.spans]
    # Which lines each secret is in, the last one first.
    torn = [
        (bisect_right(starts, first) - 1, bisect_left(starts, end) - 1)
        for first, end in reversed(ranges)
        if first >= before
    ]
    if start is not None and expired:
        # What follows it must still find its beginning.
        redacted = redacted[:start] + text[start:]
        shown = redacted[:start] + b"*" * (len(text) - start)
    elif start is not None:
        count = max(0, bisect_right(starts, start) - 1)
        for first, end_line in torn:
            count = min(count, first) if end_line >= count else count
    for first, end_line in torn:
        if end_line < count:
            line = block.spans[first][1]
            line.until = max(line.until, block.spans[end_line][0])
    if not count:
        return
    for _, line, at in block.spans[:count]:
        line.decide(shown[before + at : before + at + len(line.text) - 2])
    reached = before + block.spans[count - 1][2] + len(block.spans[count - 1][1].text) - 2
    block.context = _context(redacted[:reached])
    del block.text[: reached - before]
    del block.spans[:count]
    block.spans = [(number, line, at - reached + before) for number, line, at in block.spans]


def _context(text: bytes) -> bytes:
    text = _LONG_STARS.sub(b"*" * 16, text)
    if len(text) <= CONTEXT_BYTES:
        return text
    start, most = undecided_from(text), len(text) - CONTEXT_BYTES
    return text[most if start is None else min(start, most) :]


def redact_event(event: FleetEvent) -> FleetEvent:
    """Returns an event without the secrets that it has in one piece."""
    data = encode(event)
    redacted = redact(data)
    return event if redacted == data else decode_event(redacted)
