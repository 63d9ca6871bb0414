"""The agents of one run of Claude Code: what each has said, and which calls they wait for.

What of a message is new is known by position and content within it. The same message reaches us
in parts, and the parts differ by dialect:

- one block a line: each record holds the *next* block;
- cumulative: each record holds *all* blocks so far, and the last one may have grown in place;
- streamed: deltas by index, then the whole block once more;
- from a second source (the transcript): the same blocks again.

A block is known by its kind and what it says, counted: two equal blocks said by one source are two
blocks, the same block said by two sources is one. Which of the first two readings is right is
learned from the source itself (`Repetition`): a second record that does not repeat the first
settles it one way, one that repeats and adds settles it the other way. Before that, a record that
would add nothing as a snapshot is taken as the next block: a duplicate is safer than a loss; and a
text that begins with a whole sentence before it, its growth or the next one, is `undecided`.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, field

from unbraid.agents.claude.records import Block, MessageUsage
from unbraid.events import RelayEvent
from unbraid.read.clock import Clock
from unbraid.read.contexts import Agents, Context, Contexts
from unbraid.read.seen import forget_oldest

STDOUT = 0
TRANSCRIPT = 1

# A CLI gives every message an id of its own; a proxy may give all of them the same one. Past this
# many blocks the oldest are forgotten.
MAX_BLOCKS = 4096

# Kinds of blocks whose words may grow in place.
GROWING = ("text", "thinking")

# A block, or the growth of one, that was not seen before: the block, its index, the new words.
Fresh = tuple[Block, int, str]


class Repetition(Struct):
    """What has been learned about how a source repeats itself."""

    one_block: bool = False
    cumulative: bool = False
    grows: bool = False


class Streaming(Struct):
    """A block that arrives as deltas; `silent` while it looks like one that is already known."""

    kind: str
    index: int
    silent: bool
    parts: list[str] = field(default_factory=list)
    is_known: bool = False  # whole, from a record


class MessageState(Struct, eq=False):
    """One message of one agent: which blocks each source has said, and its usage."""

    id: str
    said: tuple[list[int], list[int]]  # digests, in order, by source
    model: str | None = None
    uuid: str | None = None  # of its latest line
    next_index: int = 0
    past: bool = False  # whether its transcript has gone on to another message
    growing: Fresh | None = None  # the last block, where it may still grow
    undecided: Block | None = None  # a text that is the growth of the last one, or new
    streaming: dict[int, Streaming] | None = None
    closed: bool = False
    complete: bool = False  # whether the model has ended it, so that its usage is final
    usage: MessageUsage | None = None
    usage_rank: int = 0

    def absorb(
        self,
        content: list[Block],
        digests: list[int],
        source: int,
        repetition: Repetition,
        skipped: int = 0,
    ) -> list[Fresh]:
        """Returns what is new in a record's blocks, and counts them as said."""
        fresh: list[Fresh] = []
        said = self.said[source]
        at = 0
        if skipped and skipped == len(said):
            pass  # known, byte by byte: all that is here is new
        elif said and not repetition.one_block:
            adds = self.extends(content, digests, source, skipped)
            if not (repetition.cumulative or repetition.grows):
                if self.undecided is not None:
                    adds = self._decide(content, adds, fresh, repetition)
                elif (
                    adds
                    and len(content) == 1
                    and self.growing is not None
                    and is_whole(self.growing[2], content[0].words)
                ):
                    # It begins with the one before, which is a whole sentence, and may nevertheless
                    # be the next one: the following record decides.
                    self.undecided = content[0]
                    return fresh
            if adds is None:
                repetition.one_block = not repetition.cumulative
            elif adds or repetition.cumulative:
                repetition.cumulative |= len(content) + skipped > 1
                at = max(len(said) - skipped, 0)
                if at:
                    self._grow(content[at - 1], digests[at - 1], said, fresh)
                    repetition.grows |= bool(fresh)
        for i in range(at, len(content)):
            new = self.next(content[i], digests[i], source)
            if new is not None:
                fresh.append(new)
                if not repetition.one_block:
                    self.growing = new
        return fresh

    def repeat(self, content: list[Block], source: int, repetition: Repetition) -> None:
        """Counts blocks as said here, too, which a line of another source with the same uuid has
        said.
        """
        said = self.said[source]
        said += map(digest_of, content)
        if source == STDOUT and self.streaming:
            for block in content:
                streamed = self._streamed(block, block.words)
                if streamed is not None:
                    streamed.is_known = True
        if len(said) > len(content) and not repetition.cumulative:
            repetition.one_block = True

    def extends(
        self, content: list[Block], digests: list[int], source: int, skipped: int = 0
    ) -> bool | None:
        """Returns whether this is a later snapshot of the message (None: no), and whether it adds
        to it.
        """
        said = self.said[source]
        last = len(said) - 1
        if len(content) + skipped <= last:
            return None
        if said[skipped:last] != digests[: max(last - skipped, 0)]:
            return None
        if skipped <= last and said[last] != digests[last - skipped]:
            block = content[last - skipped]
            if self.growing is None or self.growing[0].type != block.type:
                return None
            if block.type not in GROWING:
                return None
            return True if block.words.startswith(self.growing[2]) else None
        return len(content) + skipped > len(said)

    def settle(self) -> Fresh | None:
        """Ends the message. Returns the text that might have been growth, which was the next block
        after all; None if there is none.
        """
        block, self.undecided = self.undecided, None
        return self.next(block, digest_of(block), STDOUT) if block is not None else None

    def _decide(
        self, content: list[Block], adds: bool | None, fresh: list[Fresh], repetition: Repetition
    ) -> bool | None:
        """Decides by the next record what the undecided text was. Returns whether that record adds
        to the message, or None if it has to be its next block.
        """
        undecided = self.undecided
        if adds and undecided is not None and content[0].words.startswith(undecided.words):
            self.undecided = None
            repetition.grows = True
            return adds
        new = self.settle()
        if new is not None:
            fresh.append(new)
        return None

    def _grow(self, block: Block, digest: int, said: list[int], fresh: list[Fresh]) -> None:
        if self.growing is None:
            return
        _, index, known = self.growing
        words = block.words
        if len(words) > len(known):
            fresh.append((block, index, words[len(known) :]))
            self.growing = (block, index, words)
            said[-1] = digest

    def next(self, block: Block, digest: int, source: int) -> Fresh | None:
        """Takes one more block of a source; returns it if no stream and no other source had it."""
        if source == STDOUT:
            said, other = self.said
        else:
            other, said = self.said
        said.append(digest)
        # Counted, because a message may say the same twice.
        known = other and other.count(digest) >= said.count(digest)
        if len(said) > MAX_BLOCKS:
            del said[: MAX_BLOCKS // 2]
        words = (block.text if block.thinking is None else block.thinking) or ""
        if self.streaming:
            streamed = self._streamed(block, words)
            if streamed is not None:
                streamed.is_known = True
                rest = words if streamed.silent else words[sum(map(len, streamed.parts)) :]
                nothing_new = known or (words and not rest)
                return None if nothing_new else (block, streamed.index, rest)
        if known:
            return None
        index = self.next_index
        self.next_index = index + 1
        return block, index, words

    # --- deltas ---

    def stream_start(self, index: int, kind: str) -> None:
        """Begins a streaming block of this kind at this index."""
        # If the transcript is ahead of stdout, this is most likely the slower twin of a block that
        # is known: it is collected, and shown only if it turns out to be another one.
        silent = len(self.said[TRANSCRIPT]) > len(self.said[STDOUT])
        place = max(index, self.next_index)
        self.next_index = place + 1
        self.streaming = self.streaming or {}
        self.streaming[index] = Streaming(kind, place, silent)

    def stream_delta(self, index: int, delta: str) -> Fresh | None:
        """Takes more of a streaming block; returns what is new of it."""
        streamed = self.streaming.get(index) if self.streaming else None
        if streamed is None or streamed.is_known:
            return None
        streamed.parts.append(delta)
        return None if streamed.silent else (Block(type=streamed.kind), streamed.index, delta)

    def stream_stop(self, index: int) -> Fresh | None:
        """Ends a streaming block; returns what of it was not emitted yet."""
        streaming = self.streaming or {}
        streamed = streaming.get(index)
        fresh = None
        if streamed is not None and not streamed.is_known:
            block = Block(type=streamed.kind, text="".join(streamed.parts))
            new = self.next(block, digest_of(block), STDOUT)
            fresh = new if streamed.silent else None
        streaming.pop(index, None)
        return fresh

    def cut_off(self) -> str:
        """Returns the words of a block that has begun to stream and never came whole."""
        for streamed in (self.streaming or {}).values():
            if not streamed.silent and not streamed.is_known and streamed.parts:
                return "".join(streamed.parts)
        return ""

    def _streamed(self, block: Block, words: str) -> Streaming | None:
        for streamed in (self.streaming or {}).values():
            open_one = streamed.kind == block.type and not streamed.is_known
            if open_one and words.startswith("".join(streamed.parts)):
                return streamed
        return None


def is_whole(before: str, words: str) -> bool:
    """Returns whether the text with which longer words begin ends where a sentence ends."""
    return before.endswith((".", "!", "?")) and words[len(before) :][:1].isspace()


def digest_of(block: Block) -> int:
    """Returns what a block says, as a number: a tool call by its id, anything else by kind and
    words.
    """
    if block.id is not None:
        return hash(block.id)
    if block.thinking is not None:
        return ~hash(block.thinking)
    if block.text is not None:
        return hash(block.text) if block.type == "text" else ~hash(block.text)
    return hash(block.tool_use_id)


# --- agents ---

# How many messages of an agent may still be repeated by another source that lags behind.
RECENT_MESSAGES = 256


class ClaudeContext(Context, eq=False):
    """One agent's conversation, with its messages."""

    interrupted: bool = False
    failure: str | None = None  # the latest error that was printed in place of an answer
    asked_after: object = None  # what it had said when it was asked the last time
    messages: dict[str, MessageState] = field(default_factory=dict)
    # Where each source is now.
    latest: list[MessageState | None] = field(default_factory=lambda: [None, None])
    again: str | None = None  # the latest line that its transcript has only repeated
    live: MessageState | None = None  # the one that is streaming on stdout
    usage_due: MessageState | None = None
    ends_with_text: bool = True  # whether the last block that it has said is text, not a call

    @property
    def has_failed(self) -> bool:
        """Whether the last that it said is an error in place of an answer."""
        return self.failure is not None and self.failure == self.last_text

    @property
    def said_last(self) -> object:
        """Something that differs when it has said more."""
        return [None if state is None else state.id for state in self.latest], self.last_text

    @property
    def has_answered(self) -> bool:
        """Whether it has said anything since it was asked the last time."""
        return any(self.latest) and bool(self.last_text) and self.asked_after != self.said_last

    def message(self, message_id: str) -> MessageState:
        """Returns the state of one of this agent's messages."""
        state = self.messages.get(message_id)
        if state is None:
            state = self.messages[message_id] = MessageState(message_id, ([], []))
            if len(self.messages) > 2 * RECENT_MESSAGES:
                forget_oldest(self.messages, RECENT_MESSAGES)
        return state


class OpenCall(Struct, gc=False):
    """A tool call that has not been answered yet; nothing that it holds leads back to it."""

    context: ClaudeContext
    message: MessageState
    tool: str
    ts: int
    spawns: ClaudeContext | None = None


class ClaudeAgents(Agents[ClaudeContext]):
    """All agents of a run, the `calls` that have not been answered, by id, and what was `seen` of
    the run: uuids, with content where that matters, and calls.
    """

    def __init__(
        self, clock: Clock, before_end: Callable[[ClaudeContext, list[RelayEvent]], None]
    ) -> None:
        super().__init__(Contexts(ClaudeContext), clock, before_end)
        self.calls: dict[str, OpenCall] = {}
        self.seen: dict[int, None] = {}
