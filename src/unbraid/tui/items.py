"""One stream as the things a person reads: what was said, each call with its result, what befell.

Deltas are joined to blocks and results to their calls. Nothing here grows without end: a block or a
result keeps its beginning, and knows how much it left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from unbraid import events as e

MAX_WORDS_CHARS = 64 * 1024
MAX_RESULT_CHARS = 16 * 1024
MAX_INPUT_BYTES = 16 * 1024


@dataclass(slots=True, eq=False)
class Item:
    """Something to read: its first event, its latest, and how often it has changed."""

    seq: int
    last_seq: int = 0
    version: int = 0


@dataclass(slots=True, eq=False)
class Words(Item):
    """A block of text or thinking, or a prompt."""

    kind: str = "text"
    message_id: str = ""
    text: str = ""
    left_out: int = 0
    retracted: bool = False

    def grow(self, delta: str) -> None:
        """More of it."""
        room = MAX_WORDS_CHARS - len(self.text)
        self.text += delta[:room] if room > 0 else ""
        self.left_out += max(0, len(delta) - max(room, 0))


@dataclass(slots=True, eq=False)
class Call(Item):
    """A tool call, and what came of it."""

    tool: str = ""
    input: Any = None
    spawns: bool = False  # it starts an agent, whose words stand in that one's own stream
    ok: bool | None = None
    result: str = ""
    left_out: int = 0
    duration_ms: int | None = None


@dataclass(slots=True, eq=False)
class Note(Item):
    """Anything else, in a line; `mood` is good, bad, asking or quiet."""

    text: str = ""
    mood: str = "quiet"


class Conversation:
    """The items of one stream, or of a part of it; `feed` takes more events."""

    def __init__(self, since: int = 0, spawning: Collection[str] = ()) -> None:
        self.items: list[Item] = []
        self._spawning = spawning
        self.last_seq = since
        self._words: dict[tuple[str, str, int], Words] = {}
        self._calls: dict[str, Call] = {}

    def feed(self, events: Iterable[e.FleetEvent]) -> None:
        """Take more events in; what is known already is passed over."""
        for event in events:
            if event.seq > self.last_seq:
                self.last_seq = event.seq
                self._take(event)

    def forget(self, before: int) -> None:
        """Let go of what was over before an event."""
        self.items = [item for item in self.items if item.last_seq >= before]
        self._words = {k: item for k, item in self._words.items() if item.last_seq >= before}
        self._calls = {k: item for k, item in self._calls.items() if item.last_seq >= before}

    def _take(self, event: e.FleetEvent) -> None:
        match event:
            case e.Text() | e.Thinking():
                self._said(event)
            case e.FleetToolUse():
                call = Call(event.seq, tool=event.tool, input=_input(event))
                self._calls[event.tool_use_id] = self._add(call, event)
            case e.FleetToolResult():
                self._result(event)
            case e.StreamStart() if event.prompt:
                self._add(_prompt(event.seq, event.prompt), event)
            case e.FleetPrompt():
                self._add(_prompt(event.seq, event.text), event)
            case e.FleetRetracted():
                for words in self._words.values():
                    if words.message_id in event.message_ids:
                        words.retracted = True
                        words.version += 1
                self._note(event, "took back its last words", "bad")
            case _:
                told = _told(event)
                if told is not None:
                    self._note(event, *told)

    def _said(self, event: e.Text | e.Thinking) -> None:
        key = (event.type, event.message_id, event.block)
        words = self._words.get(key)
        if words is None:
            words = Words(event.seq, kind=event.type, message_id=event.message_id)
            self._words[key] = self._add(words, event)
        words.grow(event.delta)
        words.last_seq, words.version = event.seq, words.version + 1

    def _result(self, event: e.FleetToolResult) -> None:
        call = self._calls.get(event.tool_use_id)
        if call is None:
            # Its call is on an earlier page.
            call = self._add(Call(event.seq, tool="…"), event)
        content = event.content
        call.ok, call.duration_ms = event.ok, event.duration_ms
        call.spawns = event.tool_use_id in self._spawning
        call.result, call.left_out = content[:MAX_RESULT_CHARS], len(content[MAX_RESULT_CHARS:])
        if event.parts:
            call.result += f"\n[{len(event.parts)} more part(s) that are no text]"
        call.last_seq, call.version = event.seq, call.version + 1

    def _note(self, event: e.FleetEvent, text: str, mood: str) -> None:
        self._add(Note(event.seq, text=text, mood=mood), event)

    def _add(self, item: Any, event: e.FleetEvent) -> Any:
        item.last_seq = event.seq
        self.items.append(item)
        return item


def _told(event: e.FleetEvent) -> tuple[str, str] | None:
    match event:
        case e.FleetPermissionAsked():
            return f"? may it use {event.tool}", "asking"
        case e.FleetPermissionReplied():
            return f"? {event.behavior}", "asking"
        case e.FleetTurnComplete() if not event.ok:
            return f"✘ turn ended: {event.subtype}", "bad"
        case e.ToolCall():
            return f"{'✔' if event.ok else '✘'} {event.tool}", "good" if event.ok else "bad"
        case e.FleetError():
            return f"✘ {event.message}", "bad"
        case e.FleetMalformed():
            return f"✘ unreadable at byte {event.offset}: {event.reason}", "bad"
        case e.FleetUnrecognized():
            raw = bytes(event.raw)[:200].decode("utf-8", "replace")
            return f"· no name for this: {raw}", "quiet"
        case e.StreamEnd():
            return f"■ {event.reason}", "good" if event.ok else "bad"
    return None


def _prompt(seq: int, text: str) -> Words:
    words = Words(seq, kind="prompt")
    words.grow(text)
    return words


def _input(event: e.FleetToolUse) -> Any:
    raw = bytes(event.input_json)
    if len(raw) > MAX_INPUT_BYTES:
        # Too long to be shown whole; its beginning is no JSON any more.
        return raw[:MAX_INPUT_BYTES].decode("utf-8", "replace") + "…"
    return event.input
