"""What an append makes of a run, the same for every engine: which events are new, the summary, and
the text of agents as whole blocks, the unit of search.

An engine gives the state of the run and the events to a `RunFold`, and stores what that returns
together with the new summary, the offsets and the raw bytes, all in one transaction. It decides
nothing about events itself.

Deltas cut words anywhere, so a search over events would miss most of them. A block is complete when
its stream says something else or ends, and only then is it returned. What is held is what is open:
`open_from` is the first seq that a restart must read again to hold the same.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from msgspec import Raw, Struct
from msgspec.structs import replace

from unbraid import events as e
from unbraid.errors import CallerError
from unbraid.events.codec import encode
from unbraid.events.parts import call_text
from unbraid.fold.conversation import Item, ItemLimits, RunConversation
from unbraid.fold.query import Query, Rank
from unbraid.log.port import Found, LogConflict, LogReader, every_run, run_pages
from unbraid.log.summary import RunSummary
from unbraid.read.names import check_names

Line = tuple[e.FleetEvent, bytes]

INT64 = 2**63
# Others get a turn after each of these.
ENCODED_AT_ONCE = 512


async def checked_append(
    run: str, events: Sequence[e.FleetEvent], sources: Iterable[str]
) -> list[Line]:
    """Returns an append's events with their lines. Raises CallerError if the name of the run or of
    a source is not valid, or a number does not fit a log.
    """
    check_names(run, sources)
    lines: list[Line] = []
    for begin in range(0, len(events), ENCODED_AT_ONCE):
        if begin:
            await asyncio.sleep(0)
        for event in events[begin : begin + ENCODED_AT_ONCE]:
            if event.seq >= INT64 or event.ts >= INT64 or event.stream_id >= INT64:
                raise CallerError("a number of an event does not fit 64 bits")
            lines.append((event, encode(event)))
    return lines


def admit(
    summary: RunSummary, lines: Sequence[Line], stored: Callable[[int, int], dict[int, bytes]]
) -> Sequence[Line]:
    """Returns the lines that continue the run; LogConflict if any neither continues nor repeats it.

    `stored(first, last)` gives what the log has in a range. What retention has cut cannot be
    compared any more and counts as a repeat.
    """
    expected = summary.last_seq + 1
    repeats, fresh = list[Line](), list[Line]()
    for line in lines:
        (fresh if line[0].seq >= expected else repeats).append(line)
    if repeats:
        known = stored(repeats[0][0].seq, summary.last_seq)
        for event, data in repeats:
            if event.seq < 1 or known.get(event.seq, data) != data:
                problem = "another event is there" if event.seq >= 1 else "seq starts at 1"
                raise LogConflict(summary.run, event.seq, expected, problem=problem)
    over = summary.over
    for event, _ in fresh:
        if over:
            raise LogConflict(summary.run, event.seq, expected, problem="the run is over")
        if event.seq != expected:
            raise LogConflict(summary.run, event.seq, expected, problem="out of order")
        over = type(event) is e.Done
        expected += 1
    return fresh


class RunChanges(NamedTuple):
    """What an append changes of a run: the events that are new; of an engine with a search index,
    also the blocks that they complete, and which messages they withdraw.
    """

    lines: Sequence[Line]
    blocks: list[IndexedBlock]
    retractions: list[e.FleetRetracted]


class RunFold:
    """A run as its events so far have made it: its summary and, with `indexed`, the blocks of text
    that are not complete yet.
    """

    __slots__ = ("_blocks", "summary")

    def __init__(self, summary: RunSummary, *, indexed: bool = False) -> None:
        self.summary = summary
        self._blocks = SearchBlocks() if indexed else None

    def restore(self, events: Iterable[e.FleetEvent]) -> None:
        """Reads the events from `open_from` on again: the summary knows them already, and blocks
        that they complete were stored before.
        """
        if self._blocks is not None:
            for event in events:
                self._blocks.feed(event)

    @property
    def open_from(self) -> int:
        """The first event that `restore` needs."""
        if self._blocks is None:
            return 1
        # A plain loop: it is asked at every append, and `min` takes three times as long.
        first = self.summary.last_seq + 1
        for block in self._blocks.open.values():
            if block.seq < first:
                first = block.seq
        return first

    def append(
        self, lines: Sequence[Line], stored: Callable[[int, int], dict[int, bytes]]
    ) -> RunChanges:
        """Applies what is new, and returns it. Raises LogConflict before anything has changed;
        `stored` is as for `admit`.
        """
        fresh = admit(self.summary, lines, stored)
        summary, blocks = self.summary, self._blocks
        changes = RunChanges(fresh, [], [])
        for event, data in fresh:
            summary.fold(event, len(data))
            if blocks is not None:
                changes.blocks.extend(blocks.feed(event))
                if type(event) is e.FleetRetracted:
                    changes.retractions.append(event)
        return changes


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
                place = {"stream_id": block.stream_id, "seq": block.seq, "ts": block.ts}
                result = Found(run=name, kind=block.kind, snippet=match.snippet, **place)
                found.append(RankedResult(match.rank, result))
    return best_first(found, limit)


async def _blocks_of(log: LogReader, run: str) -> list[IndexedBlock]:
    blocks, complete = SearchBlocks(), list[IndexedBlock]()
    async for page in run_pages(log, run):
        for event in (entry.event for entry in page):
            complete += blocks.feed(event)
            if isinstance(event, e.FleetRetracted):
                gone = {(event.stream_id, message) for message in event.message_ids}
                complete = [
                    replace(each, kind=RETRACTED)
                    if (each.stream_id, each.message_id) in gone
                    else each
                    for each in complete
                ]
    return complete


class SearchBlocks:
    """The blocks of one run that are `open`, by stream."""

    __slots__ = ("_conversation", "open")

    def __init__(self) -> None:
        limits = ItemLimits(text_chars=MAX_BLOCK_CHARS, result_chars=0)
        self._conversation = RunConversation(limits=limits, keep=False)
        self.open: dict[int, Item] = {}

    def feed(self, event: e.FleetEvent) -> list[IndexedBlock]:
        """Applies the next event. Returns the blocks that it completes."""
        kind, stream_id = type(event), event.stream_id
        streams = self._conversation.streams
        if isinstance(event, _WORDS) and (stream := streams.get(stream_id)) is not None:
            # In the fastest way: most events are such.
            item: Item | None = stream.grow(event)
        elif kind in _UNREAD:
            return []
        else:
            item = self._conversation.apply(event)
        if kind in _OPENING:
            if item is self.open.get(stream_id) or item is None:
                return []
            # The stream that a request starts states its prompt again: it waits for that.
            complete = self._close(stream_id) if stream_id in self.open else []
            self.open[stream_id] = item
            return complete
        if kind in _UNINDEXED:
            return []
        match event:
            case e.FleetToolUse():
                return self._close(stream_id) + _whole(stream_id, item)
            case e.FleetRetracted():
                # Blocks that are complete are in the index, where its owner marks them.
                block = self.open.get(stream_id)
                if block is not None and block.message_id in event.message_ids:
                    block.retracted = True
                return []
            case e.FleetPermissionAsked() | e.FleetError() | e.FleetMalformed():
                return _whole(stream_id, item)  # the block around them continues
            case e.StreamStart() | e.StreamEnd():
                if item is not None and item is self.open.get(stream_id):
                    del self.open[stream_id]  # the request's prompt, which is now complete
                return self._close(stream_id) + _whole(stream_id, item)
            case e.Done():
                self._conversation.settle()
                return self.close()
        if item is None or item.kind not in _INDEXED:
            return []
        return self._close(stream_id) + _whole(stream_id, item)

    def close(self) -> list[IndexedBlock]:
        """Returns the blocks that are open, as far as they are known."""
        return [block for stream_id in list(self.open) for block in self._close(stream_id)]

    def _close(self, stream_id: int) -> list[IndexedBlock]:
        block = self.open.pop(stream_id, None)
        if block is None or not block.text:
            return []
        kind = RETRACTED if block.retracted else block.kind
        return [_indexed(stream_id, block, kind, block.text)]


def _whole(stream_id: int, item: Item | None) -> list[IndexedBlock]:
    # An answer that says what the agent has just said is found there.
    if item is None or item.kind not in _INDEXED or item.repeats is not None:
        return []
    text = item.text or ""
    if item.kind in ("tool", "permission"):
        given = bytes(item.input) if isinstance(item.input, Raw) else b""
        text = call_text(item.tool or "", given)[:MAX_BLOCK_CHARS]
    return [_indexed(stream_id, item, _KINDS.get(item.kind, item.kind), text)]


def _indexed(stream_id: int, item: Item, kind: str, text: str) -> IndexedBlock:
    return IndexedBlock(
        stream_id=stream_id,
        seq=item.seq,
        ts=item.ts,
        kind=kind,
        text=text,
        message_id=item.message_id,
    )
