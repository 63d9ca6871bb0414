"""Redacts the lines of one source, or the events of one run.

A line that stands for itself is redacted at once. An agent that prints in small parts cuts a secret
over many lines: there the text of each block is put together, and a line whose part may turn out to
be the beginning of a secret waits until more of its block, or the end of the block, decides. Lines
come out in the order in which they came in, each as long as it was.

Two ways to wait:

- `push` and `pop` keep here what is undecided. Each line is read once, however long it waits.
- `lines` keeps nothing: it takes as much as is decided, and the sender sends the rest again.
  What is taken shows by itself where it ends within a secret, so that after a restart `seen`, given
  the redacted lines, knows as much as before.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

from unbraid.agents.port import BlockEnd, Delta, DeltaFormat
from unbraid.redact.anchors import Present
from unbraid.redact.secrets import anchors_with, redact, secret_ranges, undecided_from
from unbraid.redact.tokens import LONGEST
from unbraid.wire.lines import LineParts

# As much of a block as is needed to know that it ends within a secret.
CONTEXT_BYTES = 2 * LONGEST
# More than this does not wait: the parts of a block seldom stand so far apart, and a sender that
# repeats what waits must not delay others.
HELD_BYTES = 1 << 20
HELD_BLOCKS = 256

Read = Callable[[bytes], Delta | BlockEnd | None]

_LONG_STARS = re.compile(rb"\*{17,}")


class LineFormats(NamedTuple):
    """How lines carry parts of blocks: readers, their signs, and what finds all that matters."""

    reads: tuple[Read, ...]
    signs: tuple[frozenset[bytes], ...]
    part_signs: tuple[frozenset[bytes], ...]
    anchors: Present

    @classmethod
    def of(cls, formats: Iterable[DeltaFormat]) -> LineFormats:
        """Returns what all of some formats say."""
        known = tuple(formats)
        signs = tuple(_words_in(each, "signs") for each in known)
        part_signs = tuple(_words_in(each, "part_signs") for each in known)
        anchors = anchors_with(frozenset().union(*signs, *part_signs))
        return cls(tuple(each.read for each in known), signs, part_signs, anchors)


class _DeltaLine:
    """A line with a part of a block in it: `text`, the JSON string as it stands there."""

    __slots__ = ("data", "decided", "reads", "text")

    def __init__(self, data: bytes, text: bytes, reads: Sequence[Read]) -> None:
        self.data, self.text, self.reads = data, text, reads
        self.decided = False

    def decide(self, shown: bytes) -> None:
        """Replaces the text by another one of the same length."""
        self.decided = True
        hidden, at = b'"' + shown + b'"', -1
        while self.text != hidden and (at := self.data.find(self.text, at + 1)) >= 0:
            changed = self.data[:at] + hidden + self.data[at + len(hidden) :]
            # The same words may stand elsewhere in the line; only one of the places is the right.
            found = _read(changed, self.reads)
            if isinstance(found, Delta) and found.text == hidden:
                self.data = changed
                return


class _Block:
    """The end of what was given out of a block, then the text that waits, with its lines: the
    number of each, the line, and where its part begins in `text`.
    """

    __slots__ = ("context", "known", "name", "owner", "spans", "text")

    def __init__(self, owner: str, name: str | int) -> None:
        self.owner, self.name = owner, name
        self.known = False  # something of it was given out
        self.context = b""
        self.text = bytearray()
        self.spans: list[tuple[int, _DeltaLine, int]] = []

    def wait(self, number: int, line: _DeltaLine) -> None:
        self.spans.append((number, line, len(self.text)))
        self.text += line.text[1:-1]

    def whole(self) -> bytes:
        return self.context + self.text

    def forget(self) -> None:
        self.text.clear()
        self.spans.clear()


class LineRedactor:
    """Redacts lines that follow each other."""

    def __init__(self, formats: LineFormats) -> None:
        self._reads, self._signs, self._part_signs, self._anchors = formats
        self._open: dict[str, dict[str | int, _Block]] = {}
        self._queue: deque[bytes | _DeltaLine] = deque()
        self._first = 0  # the number of the first line in the queue
        self.size = 0  # of the lines in the queue, with their ends, in bytes
        # Blocks with text that waits; those that got some since the last look; those that ended.
        self._waiting: dict[_Block, None] = {}
        self._touched: dict[_Block, None] = {}
        self._ended: list[_Block] = []
        self._seen = LineParts()

    def push(self, lines: Sequence[bytes]) -> None:
        """Adds the next lines, without their ends."""
        text = b"\n".join(lines)
        self.size += len(text) + 1 if lines else 0
        anchors = self._anchors(lower := text.lower())
        if not self._open and not _may_have(anchors, self._part_signs):
            # No block is open, and none begins.
            redacted = redact(text, anchors, lower)
            self._queue.extend(lines if redacted is text else redacted.split(b"\n"))
            return
        signs = zip(self._signs, self._reads, strict=True)
        reads = [read for words, read in signs if _may_have(anchors, (words,))]
        found = [_read(line, reads) for line in lines]
        # The text of a part is redacted with its block, and nothing else of its line is.
        whole = [line for line, read in zip(lines, found, strict=True) if type(read) is not Delta]
        # Another text: where the anchors are in it is not known.
        shown = iter(redact(b"\n".join(whole), frozenset(anchors)).split(b"\n"))
        for line, read in zip(lines, found, strict=True):
            if type(read) is Delta:
                self._add(line, read)
                continue
            if read is not None:
                self._end(*read)
            self._queue.append(next(shown))

    def pop(self, *, last: bool = False, expired: bool = False) -> list[bytes]:
        """Returns the first lines, as far as they are decided. `last`: nothing more will come.
        `expired`: nothing waits any longer, and what may become a secret is redacted like one.
        """
        for block in self._ended:
            _settle(block, None)
        for block in list(self._waiting if last or expired else self._touched):
            _settle(block, None if last or expired else _cut(block), expired=expired)
            if not block.spans:
                del self._waiting[block]
        self._ended.clear()
        self._touched.clear()
        out: list[bytes] = []
        queue = self._queue
        while queue:
            line = queue[0]
            if isinstance(line, _DeltaLine):
                if not line.decided:
                    break
                line = line.data
            out.append(line)
            queue.popleft()
        self._first += len(out)
        self.size -= sum(map(len, out)) + len(out)
        return out

    @property
    def full(self) -> bool:
        """Whether more waits than should."""
        return self.size > HELD_BYTES or len(self._waiting) > HELD_BLOCKS

    def lines(self, data: bytes, *, end: bool) -> bytes:
        """Returns as much of the next bytes as is decided, redacted, not one byte more or less."""
        whole = len(data) if end else data.rfind(b"\n") + 1
        lines = data[:whole].split(b"\n")
        self.push(lines)
        if self.full and not end:
            return b"\n".join(self.pop(expired=True))
        if not end and (taken := self._decided()) < len(lines):
            self._undo()
            lines = lines[:taken]
            self.push(lines)
            return b"".join(line + b"\n" for line in self.pop(last=True))
        return b"\n".join(self.pop(last=True))

    def seen(self, data: bytes) -> None:
        """Takes bytes that were given out before a restart, in any chunks, and continues there."""
        # A part that does not end its line belongs to a line that is too long to be held.
        self.skip([line[:-1] for line in self._seen.feed(data) if line.endswith(b"\n")])

    def skip(self, lines: Sequence[bytes]) -> None:
        """Takes lines that came before and are not given out, of blocks of which nothing waits."""
        self.push(lines)
        for line in lines:
            self._queue.pop()
            self.size -= len(line) + 1
        for block in self._ended:
            _settle(block, None)
        for block in self._touched:
            # The next part may continue a word of which too little is known yet.
            _settle(block, None, expired=True)
            del self._waiting[block]
        self._ended.clear()
        self._touched.clear()

    def _add(self, line: bytes, read: Delta) -> None:
        blocks = self._open.setdefault(read.owner, {})
        if read.alone and blocks and (len(blocks) > 1 or read.block not in blocks):
            for other in [name for name in blocks if name != read.block]:
                self._close(blocks.pop(other))
        block = blocks.get(read.block)
        if block is None:
            block = blocks[read.block] = _Block(read.owner, read.block)
        part = _DeltaLine(line, read.text, self._reads)
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

    def _decided(self) -> int:
        """Returns how many of the lines in the queue can be given out."""
        held = self._first + len(self._queue)
        for block in self._waiting:
            held = _undecided(block, held)
        # The line in which a secret begins waits with the last of its lines, and so does what
        # follows it, which may be the middle of another secret. From the last line back, each is
        # looked at once.
        torn = [lines for block in (*self._ended, *self._waiting) for lines in _torn_lines(block)]
        for first, last in sorted(torn, key=itemgetter(1), reverse=True):
            if last < held:
                break
            held = min(held, first)
        return held - self._first

    def _undo(self) -> None:
        """As before the lines in the queue came."""
        for block in self._waiting:
            block.forget()
            if not block.known:
                self._drop(block)
        # The first that ended under a name is the one that was open before.
        for block in reversed(self._ended):
            block.forget()
            if block.known:
                self._open.setdefault(block.owner, {})[block.name] = block
        self._queue.clear()
        self.size = 0
        self._waiting.clear()
        self._touched.clear()
        self._ended.clear()

    def _drop(self, block: _Block) -> None:
        blocks = self._open[block.owner]
        del blocks[block.name]
        if not blocks:
            del self._open[block.owner]


def _read(line: bytes, reads: Sequence[Read]) -> Delta | BlockEnd | None:
    for read in reads:
        if (found := read(line)) is not None:
            return found
    return None


def _words_in(deltas: DeltaFormat, name: str) -> frozenset[bytes]:
    """Returns the signs of a format in small letters; none if it has none of that name."""
    signs: tuple[bytes, ...] = getattr(deltas, name, ())
    return frozenset(sign.lower() for sign in signs)


def _may_have(anchors: frozenset[bytes], signs: Iterable[frozenset[bytes]]) -> bool:
    """Returns whether one of these formats may read a text that has these anchors."""
    return any(not words or not anchors.isdisjoint(words) for words in signs)


def _settle(block: _Block, cut: int | None, *, expired: bool = False) -> None:
    """Redacts a block's lines before the number `cut`, and notes how far the block is settled."""
    before, text = len(block.context), block.whole()
    redacted = shown = redact(text)
    start = undecided_from(text) if expired else None
    if start is not None:
        # What follows it must still find its beginning.
        redacted = redacted[:start] + text[start:]
        shown = redacted[:start] + b"*" * (len(text) - start)
    reached = kept = 0
    for number, line, at in block.spans:
        if cut is not None and number >= cut:
            break
        end = at + len(line.text) - 2
        line.decide(shown[before + at : before + end])
        reached, kept = before + end, kept + 1
    if kept:
        block.known = True
        block.context = _context(redacted[:reached])
        del block.text[: reached - before]
        del block.spans[:kept]
        block.spans = [(number, line, at - reached + before) for number, line, at in block.spans]


def _context(text: bytes) -> bytes:
    text = _LONG_STARS.sub(b"*" * 16, text)
    if len(text) <= CONTEXT_BYTES:
        return text
    start, most = undecided_from(text), len(text) - CONTEXT_BYTES
    return text[most if start is None else min(start, most) :]


def _cut(block: _Block) -> int | None:
    """Returns the number of the first line of a block that has to wait."""
    last = block.spans[-1][0] + 1
    held = _undecided(block, last)
    if held == last:
        return None
    for first, last in sorted(_torn_lines(block), key=itemgetter(1), reverse=True):
        if last < held:
            break
        held = min(held, first)
    return held


def _undecided(block: _Block, held: int) -> int:
    """Returns the first line, before `held`, of which it is not known whether it has a secret."""
    start = undecided_from(block.whole())
    return held if start is None else min(held, _line_at(block, start, held))


def _torn_lines(block: _Block) -> list[tuple[int, int]]:
    """Returns the first and the last line of each secret that is in several of the lines that wait.

    What is given out must show by itself that it ends within a secret: a few stars do not.
    """
    if len(block.spans) < 2:
        return []
    before, torn = len(block.context), list[tuple[int, int]]()
    starts = [before + at for _, _, at in block.spans]
    for start, end in secret_ranges(block.whole()):
        if start >= before:
            first, last = bisect_right(starts, start) - 1, bisect_left(starts, end) - 1
            if first < last:
                torn.append((block.spans[first][0], block.spans[last][0]))
    return torn


def _line_at(block: _Block, offset: int, none: int) -> int:
    before = len(block.context) - 2
    ends = (number for number, line, at in block.spans if before + at + len(line.text) > offset)
    return next(ends, none)
