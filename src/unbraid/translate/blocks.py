"""What of a message is new: position and content within it.

The same message reaches us in pieces, and the pieces differ by dialect:

- one block a line: each record holds the *next* block;
- cumulative: each record holds *all* blocks so far, and the last one may have grown in place;
- streamed: deltas by index, then the whole block once more;
- from a second source (the transcript): the same blocks again.

A block is known by its kind and what it says, counted: two equal blocks said by one source are two
blocks, the same block said by two sources is one. Which of the first two readings is right is
learned from the source itself (`Dialect`): a second record that does not repeat the first settles
it one way, one that repeats and adds settles it the other way. Before that, a record that would add
nothing as a snapshot is taken as the next block: a duplicate is safer than a loss.
"""

from __future__ import annotations

from unbraid.wire.claude import Block, Usage

STDOUT = 1
TRANSCRIPT = 2

# A CLI gives every message an id of its own; a proxy may give all of them the same one. Past this
# many blocks the oldest are forgotten.
MAX_BLOCKS = 4096


class Dialect:
    """What has been learned about how a source repeats itself."""

    __slots__ = ("cumulative", "one_block")

    def __init__(self, *, one_block: bool = False) -> None:
        self.one_block = one_block
        self.cumulative = False


class Known:
    """One block of a message, as far as it is known."""

    __slots__ = ("complete", "digest", "index", "kind", "parts", "said", "uuid")

    def __init__(self, kind: str, digest: int, index: int, said: int, uuid: str | None) -> None:
        self.kind = kind
        self.digest = digest
        self.index = index
        self.said = said
        self.uuid = uuid
        self.complete = True
        self.parts: list[str] | None = None  # its words, while it may still grow


# A block, or the growth of one, that nobody had seen: the block, its place, the new words.
Fresh = tuple[Block, int, str]


class MessageState:
    """One message of one agent: its blocks so far, by whom they were said, and its usage."""

    __slots__ = (
        "blocks",
        "closed",
        "id",
        "model",
        "next_index",
        "said",
        "streaming",
        "usage",
        "usage_final",
        "usage_sent",
    )

    def __init__(self, message_id: str) -> None:
        self.id = message_id
        self.model: str | None = None
        self.blocks: list[Known] = []
        self.said: list[list[Known]] = [[], []]
        self.next_index = 0
        self.streaming: dict[int, Known] = {}
        self.closed = False
        self.usage: Usage | None = None
        self.usage_final = False
        self.usage_sent = False

    def absorb(
        self,
        content: list[Block],
        source: int,
        dialect: Dialect,
        uuid: str | None = None,
        index: int | None = None,
        skipped: int = 0,
    ) -> list[Fresh]:
        """Take a record's blocks in; give what is new of them."""
        fresh: list[Fresh] = []
        if dialect.one_block:
            for block in content:
                self._next(block, source, dialect, uuid, index, fresh)
            return fresh
        said = self.said[source - 1]
        if said:
            extends = self.extends(content, source, skipped)
            if extends is not None and (extends or dialect.cumulative):
                if len(content) + skipped > 1:
                    dialect.cumulative = True
                last = said[-1]
                at = len(said) - skipped
                if at > 0 and last.parts is not None:
                    grown = content[at - 1].words
                    known = "".join(last.parts)
                    if len(grown) > len(known):
                        fresh.append((content[at - 1], last.index, grown[len(known) :]))
                        last.parts = [grown]
                        last.digest = hash(grown)
                content = content[max(at, 0) :]
            elif extends is None and not dialect.cumulative:
                dialect.one_block = True
        for block in content:
            self._next(block, source, dialect, uuid, index, fresh)
        return fresh

    def repeat(self, content: list[Block], source: int, dialect: Dialect, uuid: str) -> None:
        """This source has said, too, what a line of this uuid said: count it as said there."""
        said = self.said[source - 1]
        for known in self.blocks:
            if known.uuid == uuid and not known.said & source:
                known.said |= source
                said.append(known)
        if len(said) > len(content) and not dialect.cumulative:
            dialect.one_block = True

    def extends(self, content: list[Block], source: int, skipped: int = 0) -> bool | None:
        """Whether this is a later snapshot of the message: None if not, else if it adds anything."""
        said = self.said[source - 1]
        if len(content) + skipped < len(said):
            return None
        for i in range(skipped, len(said) - 1):
            if not _same(said[i], content[i - skipped]):
                return None
        last = said[-1]
        if skipped < len(said):
            block = content[len(said) - 1 - skipped]
            if not _same(last, block):
                if last.parts is None or last.kind != block.type:
                    return None
                known = "".join(last.parts)
                words = block.words
                return True if len(words) > len(known) and words.startswith(known) else None
        return len(content) + skipped > len(said)

    def _next(
        self,
        block: Block,
        source: int,
        dialect: Dialect,
        uuid: str | None,
        index: int | None,
        fresh: list[Fresh],
    ) -> None:
        kind = block.type
        words = (block.text if block.thinking is None else block.thinking) or ""
        digest = digest_of(block)
        said = self.said[source - 1]
        if len(said) != len(self.blocks) and self._known(block, digest, source, uuid, fresh):
            return
        known = Known(kind, digest, self._place(index, kind), source, uuid)
        if not dialect.one_block:
            if said:
                said[-1].parts = None
            known.parts = [words]
        self.blocks.append(known)
        said.append(known)
        if len(self.blocks) > MAX_BLOCKS:
            del self.blocks[: MAX_BLOCKS // 2], said[: MAX_BLOCKS // 2]
        fresh.append((block, known.index, words))

    def _known(
        self, block: Block, digest: int, source: int, uuid: str | None, fresh: list[Fresh]
    ) -> bool:
        """Whether this block was streamed, or told by another source, before."""
        said = self.said[source - 1]
        for known in self.blocks:
            if known.kind != block.type or known.said & source:
                continue
            if known.complete and known.digest == digest:
                known.said |= source
                said.append(known)
                return True
        if block.type not in ("text", "thinking"):
            return False
        words = block.words
        for known in self.blocks:
            if known.kind == block.type and not known.complete and known.parts is not None:
                so_far = "".join(known.parts)
                if words.startswith(so_far):
                    if len(words) > len(so_far) or not words:
                        fresh.append((block, known.index, words[len(so_far) :]))
                    self._settle(known, words, digest)
                    known.said |= source
                    known.uuid = uuid
                    said.append(known)
                    return True
        return False

    def stream_start(self, index: int, kind: str) -> None:
        """A block of this kind begins to stream at this index."""
        # If another source has already told a block of this kind that stdout has not, this stream
        # is most likely its slower twin: it is collected, and shown only if it turns out different.
        twin = any(k.kind == kind and k.complete and not k.said & STDOUT for k in self.blocks)
        known = Known(kind, 0, self._place(index, kind), 0 if twin else STDOUT, None)
        known.complete = False
        known.parts = []
        self.streaming[index] = known
        if not twin:
            self.blocks.append(known)

    def stream_delta(self, index: int, delta: str) -> Fresh | None:
        """More of a streaming block; what is new of it."""
        known = self.streaming.get(index)
        if known is None or known.parts is None:
            return None
        if known.complete:
            return None  # told whole by another source in the meantime
        known.parts.append(delta)
        if not known.said:
            return None
        return Block(type=known.kind), known.index, delta

    def stream_stop(self, index: int) -> Fresh | None:
        """A streaming block is over; what has to be said of it that nobody else did."""
        known = self.streaming.pop(index, None)
        if known is None or known.complete or known.parts is None:
            return None
        words = "".join(known.parts)
        digest = hash(words)
        if known.said:
            self._settle(known, words, digest)
            return None
        for other in self.blocks:
            if other.kind == known.kind and other.digest == digest:
                other.said |= STDOUT
                return None
        self._settle(known, words, digest)
        known.said = STDOUT
        self.blocks.append(known)
        return Block(type=known.kind), known.index, words

    def _settle(self, known: Known, words: str, digest: int) -> None:
        known.complete = True
        known.digest = digest
        known.parts = None

    def _place(self, index: int | None, kind: str) -> int:
        if index is None or any(k.index == index and k.kind == kind for k in self.blocks):
            index = self.next_index
        self.next_index = max(self.next_index, index + 1)
        return index


def digest_of(block: Block) -> int:
    """What a block says, as a number: a tool call by its id, anything else by its words."""
    if block.id is not None:
        return hash(block.id)
    if block.text is not None or block.thinking is not None:
        return hash(block.text if block.thinking is None else block.thinking)
    return hash(block.tool_use_id)


def _same(known: Known, block: Block) -> bool:
    return known.kind == block.type and known.digest == digest_of(block)
