"""The events of a run as the items that a person reads, stream by stream.

Deltas are joined to blocks by (stream, message, block), results to their calls, answers to their
permission requests. An item is changed in place when a later event belongs to it, and its
`last_seq` is the event that changed it last: a view draws an item again when that number has
grown. Nothing is removed: what an agent's CLI retracted stays, marked.

Blocks are not copied at every delta: the deltas are joined when `items` is read or `settle` is
called. With `keep=False`, only open items are kept, for callers that print or index each item once;
then a block is open until its stream begins to say something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from msgspec import UNSET, Raw, Struct, UnsetType

from unbraid import events as e
from unbraid.events.parts import decoded
from unbraid.fold.tool_formats import ToolTable
from unbraid.screen import token_count


class ItemLimits(Struct, frozen=True):
    """How much of one item is kept; None is everything."""

    text_chars: int | None = None
    result_chars: int | None = None
    input_bytes: int | None = None


WHOLE_ITEMS = ItemLimits()


class Item(Struct, omit_defaults=True, eq=False):
    """One thing to read; `seq` and `ts` are those of its first event.

    `kind` is one of: prompt, text, thinking, tool, permission, response (a sub-agent's answer, as
    its parent gets it), turn, error, compacted, retracted, unrecognized, malformed, end.
    """

    kind: str
    seq: int
    ts: int
    last_seq: int
    text: str | None = None
    message_id: str | None = None
    retracted: bool = False
    tool: str | None = None
    tool_use_id: str | None = None
    input: Any = None
    result: str | None = None
    parts: list[Any] | None = None
    ok: bool | None = None
    duration_ms: int | None = None
    child: int | None = None
    """The stream that this call has started."""
    request_id: str | None = None
    behavior: str | None = None
    """The answer to a permission request; None while nobody has answered."""
    by: str | None = None
    resumes: int | None = None
    repeats: int | None = None
    """The seq of the block that says the same as this answer."""
    message_ids: list[str] | None = None
    reason: str | None = None
    before_tokens: int | None = None
    """What a context had before it was compacted; then, after."""
    after_tokens: int | None = None
    offset: int | None = None
    raw: Raw | UnsetType = UNSET
    left_out: int = 0
    """How many characters of the text or result were more than the limit."""

    @property
    def arguments(self) -> Any:
        """The input of a call or request, decoded."""
        return decoded(bytes(self.input)) if isinstance(self.input, Raw) else self.input

    @property
    def raw_text(self) -> str:
        """The JSON of an unrecognized record."""
        return "" if self.raw is UNSET else bytes(self.raw).decode("utf-8", "replace")


@dataclass(slots=True)
class _Growing:
    """A block, and the deltas that are not yet part of its text."""

    item: Item
    chars: int = 0
    deltas: list[str] = field(default_factory=list)


class StreamConversation:
    """The items of one stream, or of a part of it."""

    def __init__(
        self,
        *,
        limits: ItemLimits = WHOLE_ITEMS,
        children: Mapping[str, int] | None = None,
        since: int = 0,
        keep: bool = True,
    ) -> None:
        self.last_seq = since
        self._limits, self._keep = limits, keep
        self._children = {} if children is None else children
        self._items: list[Item] = []
        self._said: Item | None = None  # the latest text
        self._received: Item | None = None  # the run's first prompt, before its stream starts
        self._blocks: dict[tuple[type[e.FleetEvent], str, int], _Growing] = {}
        self._unsettled: dict[int, _Growing] = {}
        self._calls: dict[str, Item] = {}
        self._requests: dict[str, Item] = {}
        self._by_message: dict[str, list[Item]] = {}

    @property
    def items(self) -> list[Item]:
        """The items so far; the list is the conversation's own."""
        self.settle()
        return self._items

    def feed(self, events: Iterable[e.FleetEvent]) -> None:
        """Applies more events, and skips those that were applied before."""
        for event in events:
            if event.seq > self.last_seq:
                self.apply(event)

    def apply(self, event: e.FleetEvent) -> Item | None:
        """Applies the next event. Returns the item that it begins or changes."""
        self.last_seq = event.seq
        fold = _FOLDS.get(type(event))
        return None if fold is None else fold(self, event)

    def grow(self, event: e.Text | e.Thinking) -> Item:
        """Applies an event as `apply` does, for the text of a block. Returns its item."""
        self.last_seq = event.seq
        key = (type(event), event.message_id, event.block)
        block = self._blocks.get(key)
        if block is None:
            is_text = type(event) is e.Text
            kind = "text" if is_text else "thinking"
            item = self._add(event, kind, text="", message_id=event.message_id)
            block = self._blocks[key] = _Growing(item)
            if is_text:
                self._said = item
        item, delta, most = block.item, event.delta, self._limits.text_chars
        item.last_seq = event.seq
        chars = block.chars + len(delta)
        if most is not None and chars > most:
            delta = delta[: max(most - block.chars, 0)]
            item.left_out += chars - block.chars - len(delta)
            chars = block.chars + len(delta)
        if delta:
            if not block.deltas:
                self._unsettled[item.seq] = block
            block.chars = chars
            block.deltas.append(delta)
        return item

    def spawned(self, tool_use_id: str, child: int, seq: int) -> None:
        """Notes that the call `tool_use_id` has started the stream `child`, by the event `seq`."""
        call = self._calls.get(tool_use_id)
        if call is not None:
            call.child, call.last_seq = child, seq

    def settle(self) -> None:
        """Joins the deltas that have come since the last call."""
        for block in self._unsettled.values():
            block.item.text = "".join((block.item.text or "", *block.deltas))
            block.deltas.clear()
        self._unsettled.clear()

    def forget(self, before: int) -> None:
        """Drops the items that have not changed since the event `before`."""
        self.settle()
        self._items = [item for item in self._items if item.last_seq >= before]
        self._calls = {k: item for k, item in self._calls.items() if item.last_seq >= before}
        self._requests = {k: item for k, item in self._requests.items() if item.last_seq >= before}
        self._blocks = {k: b for k, b in self._blocks.items() if b.item.last_seq >= before}
        self._by_message.clear()
        for item in self._items:
            self._index(item)

    def _begin(self, event: e.RequestReceived | e.StreamStart) -> Item | None:
        resumes = event.resumes if isinstance(event, e.StreamStart) else None
        if not event.prompt and resumes is None:
            return None
        last, prompt = self._received, event.prompt or ""
        self._received = None
        if last is not None and last.text == self._cut(prompt)["text"]:
            # The log states a run's first prompt twice: when it is received, and when the root
            # stream starts. It is one prompt, and it belongs where the stream starts.
            last.seq = last.last_seq = event.seq
            last.ts, last.resumes = event.ts, resumes
            return last
        item = self._words(event, "prompt", prompt)
        item.resumes = resumes
        if isinstance(event, e.RequestReceived):
            self._received = item
        return item

    def _call(self, event: e.FleetToolUse) -> Item:
        item = self._add(event, "tool", tool=event.tool, message_id=event.message_id)
        item.tool_use_id, item.input = event.tool_use_id, self._input(event.input_json)
        item.child = self._children.get(event.tool_use_id)
        self._calls[event.tool_use_id] = item
        return item

    def _result(self, event: e.FleetToolResult) -> Item:
        # A call that was answered stays known where items are kept: some results come twice.
        calls = self._calls
        item = calls.get(event.tool_use_id) if self._keep else calls.pop(event.tool_use_id, None)
        lasted = event.duration_ms
        if item is None:
            item = self._add(
                event, "tool", beside=True, tool="result", tool_use_id=event.tool_use_id
            )
        elif lasted is None and item.ts and event.ts:
            lasted = event.ts - item.ts
        content, most = event.content, self._limits.result_chars
        item.result, item.left_out = content[:most], 0 if most is None else len(content[most:])
        item.ok, item.duration_ms, item.last_seq = event.ok, lasted, event.seq
        item.child = self._children.get(event.tool_use_id, item.child)
        item.parts = event.parts if most is None else [_type_of(part) for part in event.parts or ()]
        return item

    def _answer(self, event: e.SubAgentResponse) -> Item:
        self.settle()
        item, said = self._words(event, "response", event.content), self._said
        # A CLI may cut the line ends of an answer that it passes on.
        same = said is not None and (said.text or "").strip() == (item.text or "").strip()
        if said is not None and same and said.left_out == item.left_out:
            item.repeats = said.seq
        return item

    def _turn(self, event: e.FleetTurnComplete) -> Item:
        # The result of a turn that went well is what the agent has just said.
        words = "" if event.ok else event.result
        if not words and event.reason == "failed" and event.subtype != event.reason:
            words = event.subtype
        text = self._cut(words) if words else {}
        return self._add(event, "turn", beside=True, ok=event.ok, reason=event.reason, **text)

    def _asked(self, event: e.FleetPermissionAsked) -> Item:
        item = self._add(
            event, "permission", beside=True, tool=event.tool, request_id=event.request_id
        )
        item.tool_use_id, item.input = event.tool_use_id, self._input(event.input_json)
        self._requests[event.request_id] = item
        return item

    def _replied(self, event: e.FleetPermissionReplied) -> Item:
        item = self._requests.pop(event.request_id, None)
        if item is None:
            item = self._add(event, "permission", beside=True, request_id=event.request_id)
        item.behavior, item.by, item.last_seq = event.behavior, event.by, event.seq
        return item

    def _retract(self, event: e.FleetRetracted) -> Item:
        for message_id in event.message_ids:
            for item in self._by_message.get(message_id, ()):
                item.retracted, item.last_seq = True, event.seq
        return self._add(event, "retracted", beside=True, message_ids=event.message_ids)

    def _compacted(self, event: e.FleetCompacted) -> Item:
        item = self._add(event, "compacted", beside=True, reason=event.trigger)
        item.before_tokens, item.after_tokens = event.before_tokens, event.after_tokens
        return item

    def _asked_again(self, event: e.FleetPrompt) -> Item:
        return self._words(event, "prompt", event.text)

    def _error(self, event: e.FleetError) -> Item:
        return self._add(event, "error", beside=True, **self._cut(event.message))

    def _command(self, event: e.ToolCall) -> Item:
        return self._add(event, "tool", beside=True, tool=event.tool, ok=event.ok)

    def _malformed(self, event: e.FleetMalformed) -> Item:
        item = self._add(event, "malformed", beside=True, **self._cut(event.raw))
        item.reason, item.offset = event.reason, event.offset
        return item

    def _unrecognized(self, event: e.FleetUnrecognized) -> Item:
        return self._add(event, "unrecognized", beside=True, raw=event.raw)

    def _end(self, event: e.StreamEnd) -> Item:
        return self._add(event, "end", ok=event.ok, reason=event.reason)

    def _words(self, event: e.FleetEvent, kind: str, text: str) -> Item:
        return self._add(event, kind, **self._cut(text))

    def _add(self, event: e.FleetEvent, kind: str, *, beside: bool = False, **fields: Any) -> Item:
        """Begins an item, and returns it. If only open blocks are kept, this ends the blocks before
        it, unless it comes `beside` them.
        """
        if not self._keep and self._blocks and not beside:
            self.settle()
            self._blocks.clear()
        item = Item(kind, event.seq, event.ts, last_seq=event.seq, **fields)
        if self._keep:
            self._items.append(item)
            self._index(item)
        return item

    def _index(self, item: Item) -> None:
        if item.message_id is not None:
            self._by_message.setdefault(item.message_id, []).append(item)

    def _cut(self, text: str) -> dict[str, Any]:
        kept = text[: self._limits.text_chars]
        return {"text": kept, "left_out": len(text) - len(kept)}

    def _input(self, given: Raw) -> Any:
        most = self._limits.input_bytes
        if most is None or len(given_bytes := bytes(given)) <= most:
            return given
        # The beginning of JSON is no JSON, but says enough.
        return given_bytes[:most].decode("utf-8", "replace") + "…"


# Tables and not chains of patterns: this runs for every event that is appended to a log.
_BOUNDS = frozenset((e.StreamStart, e.StreamEnd))
_FOLDS: dict[type[e.FleetEvent], Callable[[StreamConversation, Any], Item | None]] = {
    e.Text: StreamConversation.grow,
    e.Thinking: StreamConversation.grow,
    e.FleetToolUse: StreamConversation._call,
    e.FleetToolResult: StreamConversation._result,
    e.RequestReceived: StreamConversation._begin,
    e.StreamStart: StreamConversation._begin,
    e.FleetPrompt: StreamConversation._asked_again,
    e.SubAgentResponse: StreamConversation._answer,
    e.FleetError: StreamConversation._error,
    e.FleetTurnComplete: StreamConversation._turn,
    e.ToolCall: StreamConversation._command,
    e.FleetPermissionAsked: StreamConversation._asked,
    e.FleetPermissionReplied: StreamConversation._replied,
    e.FleetRetracted: StreamConversation._retract,
    e.FleetCompacted: StreamConversation._compacted,
    e.FleetMalformed: StreamConversation._malformed,
    e.FleetUnrecognized: StreamConversation._unrecognized,
    e.StreamEnd: StreamConversation._end,
}


class RunConversation:
    """The conversations of all streams of a run."""

    def __init__(self, *, limits: ItemLimits = WHOLE_ITEMS, keep: bool = True) -> None:
        self.streams: dict[int, StreamConversation] = {}
        self._limits, self._keep = limits, keep
        self._children: dict[str, int] = {}

    def apply(self, event: e.FleetEvent) -> Item | None:
        """Applies the run's next event. Returns the item that it begins or changes."""
        stream_id = event.stream_id
        stream = self.streams.get(stream_id)
        if stream is None:
            stream = self.streams[stream_id] = StreamConversation(
                limits=self._limits, children=self._children, keep=self._keep
            )
        item = stream.apply(event)
        if type(event) in _BOUNDS:
            self._bound(event)
        return item

    def _bound(self, event: e.FleetEvent) -> None:
        if isinstance(event, e.StreamStart) and event.tool_use_id:
            self._children[event.tool_use_id] = event.stream_id
            parent = self.streams.get(event.parent_stream_id or 0)
            if parent is not None:
                parent.spawned(event.tool_use_id, event.stream_id, event.seq)
        elif isinstance(event, e.StreamEnd) and not self._keep:
            del self.streams[event.stream_id]

    def settle(self) -> None:
        """Joins the deltas of every open block."""
        for stream in self.streams.values():
            stream.settle()


def _type_of(part: Any) -> dict[str, Any]:
    """Returns what kind of part it is, without its data, which may be a large image."""
    return {"type": part.get("type") if isinstance(part, dict) else None}


# One line for an item that is an occurrence rather than text: the same in every view.
#
# The text may hold what an agent or a person wrote: a caller that prints it must make it safe.

MAX_RAW_CHARS = 200
ANSWERS = {"allow": "allowed", "deny": "denied"}

Tone = Literal["good", "bad", "waiting", "quiet"]


class Note(NamedTuple):
    """What happened, and how it is to be coloured."""

    text: str
    tone: Tone


def note_of(item: Item, tools: ToolTable) -> Note | None:
    """Returns the line that stands for an item; None for words and tool calls."""
    match item.kind:
        case "permission":
            return Note(_permission(item, tools), "waiting")
        case "turn" if item.ok:
            return Note("— turn complete", "quiet")
        case "turn" if item.reason == "interrupted":
            return Note("■ turn interrupted", "bad")
        case "turn":
            return Note(": ".join(filter(None, ("✘ turn failed", item.text))), "bad")
        case "response":
            answer = "" if item.repeats is not None else f": {item.text}"
            return Note(f"↩ answered its parent{answer}", "quiet")
        case "error":
            return Note(f"✘ {item.text}", "bad")
        case "compacted":
            return Note(_compacted(item), "quiet")
        case "retracted":
            count = len(item.message_ids or ())
            return Note(f"✘ retracted {count} message{'s'[: count != 1]}", "bad")
        case "malformed":
            raw = (item.text or "")[:MAX_RAW_CHARS]
            return Note(f"✘ unreadable at byte {item.offset}: {item.reason}: {raw}", "bad")
        case "unrecognized":
            return Note(f"· unrecognized: {item.raw_text[:MAX_RAW_CHARS]}", "quiet")
        case "end":
            return Note(f"■ {item.reason}", "good" if item.ok else "bad")
    return None


def _compacted(item: Item) -> str:
    before, after = item.before_tokens, item.after_tokens
    if before is None or after is None:
        return "— context compacted"
    return f"— context compacted: {token_count(before)} → {token_count(after)} tokens"


def _permission(item: Item, tools: ToolTable) -> str:
    answer = item.behavior or "requested"
    state = ANSWERS.get(answer, answer) + (f" by {item.by}" if item.by else "")
    if item.tool is None:
        return f"? permission {state}"
    return f"? permission {state}: {item.tool} {tools.summary(item.tool, item.arguments)}".rstrip()
