"""The translator asks its dialects whose a line is: any kind's, several kinds', nobody's."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from unbraid import parse_line
from unbraid.events import Malformed, RelayEvent, SubAgentSpawned, TextDelta, ToolUse, Unrecognized
from unbraid.read.reader import registered_dialects
from unbraid.read.record import Record
from unbraid.read.translator import Translator


class Note(Record):
    """A toy kind's record."""

    kind = "toy"

    note: str = ""
    message: str = ""  # of another type than any other kind's


class ToyDialect:
    """All that a kind of agents has to bring to be translated: the form of a `Dialect` suffices."""

    ts = 0
    outcome = (True, "completed")

    def decode(self, line: bytes) -> Note | None:
        record = msgspec.json.decode(line, type=Note)
        record.raw = line
        return record if record.type == "toy.note" else None

    def translate(self, record: Note, out: list[RelayEvent]) -> None:
        out.append(TextDelta("", 0, "toy", 0, record.note + record.message))

    def finish(self, out: list[RelayEvent]) -> None:
        out.append(TextDelta("", 0, "toy", 1, "bye"))


WITH_TOY: dict[str, Callable[[], Any]] = {**registered_dialects(), "toy": ToyDialect}


def line(**fields: Any) -> bytes:
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


NOTE = line(type="toy.note", note="hi")
CLAUDE = line(type="assistant", message={"id": "m", "content": "hello"}, uuid="u", session_id="s")
OPENCODE = line(
    type="text", sessionID="ses", part={"id": "p", "messageID": "m", "type": "text", "text": "hey"}
)


def words(events: list[RelayEvent]) -> list[str]:
    return [event.delta for event in events if isinstance(event, TextDelta)]


def test_a_third_kind_needs_its_dialect_alone() -> None:
    translator = Translator(dialects=WITH_TOY)
    assert words(translator.feed(NOTE + line(type="toy.note", message="!"))) == ["hi", "!"]
    assert translator.kind == "toy"
    assert words(translator.finish()) == ["bye"]
    assert translator.outcome == (True, "completed")


def test_nobody_else_owns_its_records() -> None:
    events = Translator().feed(NOTE)
    assert [type(event) for event in events] == [Unrecognized]


def test_several_kinds_may_speak_in_one_run() -> None:
    translator = Translator(dialects=WITH_TOY)
    data = CLAUDE + NOTE + OPENCODE + NOTE + CLAUDE.replace(b'"m"', b'"n"').replace(b'"u"', b'"v"')
    assert words(translator.feed(data)) == ["hello", "hi", "hey", "hi", "hello"]
    assert translator.kind == "claude", "the first one names the run"
    assert words(translator.finish()) == ["bye"]


def test_a_dialect_is_made_when_it_is_needed_and_knows_what_the_others_know() -> None:
    made = []

    class Aware(ToyDialect):
        def __init__(self) -> None:
            made.append(self)
            self.noted: list[object] = []

        def reading(self, source: str) -> None:
            self.noted.append(source)

        def arrive(self, now: int) -> None:
            self.noted.append(now)

    with_aware: dict[str, Callable[[], Any]] = {**registered_dialects(), "toy": Aware}
    translator = Translator(dialects=with_aware)
    translator.feed(CLAUDE, now=1)
    assert made == [], "a watch holds thousands of runs, each of one kind"
    translator.feed(CLAUDE, "main.jsonl", now=2)
    assert words(translator.feed(NOTE, "main.jsonl", now=3)) == ["hi"]
    translator.feed(NOTE, "other.jsonl", now=4)
    assert [each.noted for each in made] == [["main.jsonl", 3, 4, "other.jsonl"]]


@pytest.mark.parametrize("data", [CLAUDE, OPENCODE, NOTE])
def test_a_single_record_goes_to_its_kind(data: bytes) -> None:
    translator = Translator(dialects=WITH_TOY)
    record = Note(note="hi") if data is NOTE else parse_line(data)
    assert record is not None
    assert len(words(translator.translate(record))) == 1
    assert translator.kind == record.kind


def test_what_nobody_owns_is_unrecognized_and_what_nobody_can_decode_malformed() -> None:
    translator = Translator()
    events = translator.feed(line(type="brand.new", x=1) + b"{}\nno json\n" + line(type=7))
    kinds = [type(event) for event in events]
    assert kinds == [Unrecognized, Unrecognized, Malformed, Unrecognized, Malformed]
    assert translator.kind == next(iter(registered_dialects())), (
        "no record yet: the kind that is asked first"
    )
    assert translator.finish() == []
    assert translator.outcome == (False, "orphaned")


def test_an_error_belongs_to_whose_session_it_names() -> None:
    translator = Translator()
    translator.feed(line(type="error", timestamp=1, sessionID="ses", error={"name": "Unknown"}))
    assert translator.kind == "opencode"
    translator = Translator()
    translator.feed(line(type="error", error="no"))
    assert translator.kind == "claude"


def test_what_was_held_does_not_turn_back_the_time_of_what_follows() -> None:
    held = {
        "type": "user",
        "isSidechain": True,
        "agentId": "a1",
        "sessionId": "s",
        "uuid": "u1",
        "timestamp": "2026-01-01T08:00:00.000Z",
        "message": {"role": "user", "content": "First."},
    }
    calls = [
        {
            "type": "tool_use",
            "id": f"t{n}",
            "name": "Task",
            "input": {"prompt": prompt, "description": prompt},
        }
        for n, prompt in enumerate(("First.", "Second."))
    ]
    spawning = {
        "type": "assistant",
        "uuid": "u2",
        "session_id": "s",
        "timestamp": "2026-01-01T09:00:00.000Z",
        "message": {"id": "m1", "content": calls},
    }
    translator = Translator()
    translator.feed(line(**held), "agent-a1.jsonl")
    events = translator.feed(line(**spawning))
    called = {e.tool_use_id: e.ts for e in events if isinstance(e, ToolUse)}
    started = {e.parent_tool_id: e.ts for e in events if isinstance(e, SubAgentSpawned)}
    assert called.keys() == started.keys() == {"t0", "t1"}
    assert started == called, "an agent starts when it is called, not an hour before"
