"""The text of agents as whole blocks: the unit of search.

Deltas cut words anywhere, so a search over events would miss most of them. A block is complete when
its stream says something else or ends, and only then is it returned. What is held is what is open:
`open_from` is the first seq that a restart must read again to hold the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Raw, Struct
from msgspec.structs import replace

from unbraid import events as e
from unbraid.events.parts import call_text
from unbraid.fold.conversation import Item, ItemLimits, RunConversation
from unbraid.fold.query import Query, Rank
from unbraid.log.port import Found, LogReader, every_run, run_pages

MAX_BLOCK_CHARS = 256 * 1024

# What people search for: what was said, asked for and reported. Results are left out, because they
# are far more than all the rest, and most are files that can be searched themselves.
_INDEXED = frozenset(("prompt", "tool", "permission", "response", "error", "malformed"))
_KINDS = {"tool": "tool_use"}
_WORDS = (e.Text, e.Thinking)
_OPENING = frozenset((*_WORDS, e.RequestReceived))
# What these belong to was indexed when it began.
_UNINDEXED = frozenset((e.FleetToolResult, e.FleetPermissionReplied))
# And these have no text, and do not change any.
_UNREAD = frozenset(
    (
        e.FleetTokenUsage,
        e.FleetProgress,
        e.AgentStart,
        e.ToolCall,
        e.FleetTurnComplete,
        e.FleetCompacted,
        e.FleetUnrecognized,
    )
)
RETRACTED = "retracted"


class IndexedBlock(Struct, frozen=True, gc=False):
    """One block that an agent said or was given, whole (or its first `MAX_BLOCK_CHARS`).

    Its kind is `RETRACTED` where the agent's CLI has withdrawn the message.
    """

    stream_id: int
    seq: int
    ts: int
    kind: str
    text: str
    message_id: str | None = None

    def is_of(self, event: e.FleetRetracted) -> bool:
        """Returns whether this is a part of a message that an event withdraws."""
        return self.stream_id == event.stream_id and self.message_id in event.message_ids

    def result(self, run: str, snippet: str) -> Found:
        """Returns this as a search result."""
        return Found(
            run=run,
            stream_id=self.stream_id,
            seq=self.seq,
            kind=self.kind,
            ts=self.ts,
            snippet=snippet,
        )


class RankedResult(NamedTuple):
    """A search result, and how well it matches."""

    rank: Rank
    result: Found


def max_results_per_run(limit: int) -> int:
    """Returns how many results of one run come before those of others, or one that says it often
    would hide them.
    """
    return max(1, limit // 5)


def best_first(found: Iterable[RankedResult], limit: int) -> list[Found]:
    """Returns up to `limit` results as they are shown: best first, then latest first."""
    ranked = sorted(found, key=lambda each: (each.rank, -each.result.ts, -each.result.seq))
    most, of_run, others = max_results_per_run(limit), Counter[tuple[Rank, str]](), list[bool]()
    for rank, result in ranked:
        of_run[rank, result.run] += 1
        others.append(of_run[rank, result.run] > most)
    numbers = sorted(range(len(ranked)), key=lambda number: (ranked[number].rank, others[number]))
    return [ranked[number].result for number in sorted(numbers[:limit])]


async def search_by_reading(
    log: LogReader, query: str, *, run: str | None, limit: int
) -> list[Found]:
    """Returns where agents said it, best first, from all events of the log or of one run."""
    wanted, found = Query(query), list[RankedResult]()
    if not wanted:
        return []
    names = [run] if run is not None else [each.run async for each in every_run(log)]
    for name in names:
        for block in await _blocks_of(log, name):
            if (match := wanted.match(block.text)) is not None:
                found.append(RankedResult(match.rank, block.result(name, match.snippet)))
    return best_first(found, limit)


async def _blocks_of(log: LogReader, run: str) -> list[IndexedBlock]:
    blocks, complete = SearchBlocks(), list[IndexedBlock]()
    async for page in run_pages(log, run):
        for event in (entry.event for entry in page):
            complete += blocks.feed(event)
            if isinstance(event, e.FleetRetracted):
                complete = [
                    replace(block, kind=RETRACTED) if block.is_of(event) else block
                    for block in complete
                ]
    return complete


class SearchBlocks:
    """The open blocks of one run."""

    __slots__ = ("_conversation", "_open", "last_seq")

    def __init__(self) -> None:
        limits = ItemLimits(text_chars=MAX_BLOCK_CHARS, result_chars=0)
        self._conversation = RunConversation(limits=limits, keep=False)
        self._open: dict[int, Item] = {}
        self.last_seq = 0

    @property
    def open_from(self) -> int:
        """Where to begin reading to rebuild this state."""
        # A plain loop: it is asked at every append, and `min` takes three times as long.
        first = self.last_seq + 1
        for block in self._open.values():
            if block.seq < first:
                first = block.seq
        return first

    def feed(self, event: e.FleetEvent) -> list[IndexedBlock]:
        """Applies the next event. Returns the blocks that it completes."""
        self.last_seq = event.seq
        kind, stream_id = type(event), event.stream_id
        if isinstance(event, _WORDS):
            item = self._conversation.grow(event)
        elif kind in _UNREAD:
            return []
        else:
            item = self._conversation.apply(event)
        if kind in _OPENING:
            if item is self._open.get(stream_id) or item is None:
                return []
            # The stream that a request starts states its prompt again: it waits for that.
            complete = self._close(stream_id)
            self._open[stream_id] = item
            return complete
        if kind in _UNINDEXED:
            return []
        match event:
            case e.FleetToolUse():
                return self._close(stream_id) + _whole(stream_id, item)
            case e.FleetRetracted():
                # Blocks that are complete are in the index, where its owner marks them.
                block = self._open.get(stream_id)
                if block is not None and block.message_id in event.message_ids:
                    block.retracted = True
                return []
            case e.FleetPermissionAsked() | e.FleetError() | e.FleetMalformed():
                return _whole(stream_id, item)  # the block around them continues
            case e.StreamStart() | e.StreamEnd():
                if item is not None and item is self._open.get(stream_id):
                    del self._open[stream_id]  # the request's prompt, which is now complete
                return self._close(stream_id) + _whole(stream_id, item)
            case e.Done():
                self._conversation.settle()
                return self.close()
        if item is None or item.kind not in _INDEXED:
            return []
        return self._close(stream_id) + _whole(stream_id, item)

    def close(self) -> list[IndexedBlock]:
        """Returns the blocks that are open, as far as they are known."""
        return [said for stream_id in list(self._open) for said in self._close(stream_id)]

    def _close(self, stream_id: int) -> list[IndexedBlock]:
        block = self._open.pop(stream_id, None)
        if block is None or not block.text:
            return []
        kind = RETRACTED if block.retracted else block.kind
        return [
            IndexedBlock(
                stream_id=stream_id,
                seq=block.seq,
                ts=block.ts,
                kind=kind,
                text=block.text,
                message_id=block.message_id,
            )
        ]


def _whole(stream_id: int, item: Item | None) -> list[IndexedBlock]:
    # An answer that says what the agent has just said is found there.
    if item is None or item.kind not in _INDEXED or item.repeats is not None:
        return []
    text = item.text or ""
    if item.kind in ("tool", "permission"):
        given = bytes(item.input) if isinstance(item.input, Raw) else b""
        text = call_text(item.tool or "", given)[:MAX_BLOCK_CHARS]
    kind = _KINDS.get(item.kind, item.kind)
    return [
        IndexedBlock(
            stream_id=stream_id,
            seq=item.seq,
            ts=item.ts,
            kind=kind,
            text=text,
            message_id=item.message_id,
        )
    ]
