"""Whatever an agent says, it is drawn as text: bounded, within the width, never acted on."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from tests.cli.test_hostile import ACTED_ON, HOSTILE
from unbraid import events as e
from unbraid.fold.conversation import StreamConversation
from unbraid.tui.item_renderer import render_item
from unbraid.tui.transcript import LIMITS

MARKUP = "[red]x[/red] [@click=app.quit]press[/] [/] [b"
COMMON: dict[str, Any] = {"ts": 0, "stream_id": 0, "depth": 0, "agent": "main"}


def everything(text: str) -> list[e.FleetEvent]:
    """Events that hold a text wherever an agent can put one."""
    raw = Raw(json.dumps({text: text}).encode())
    texts = {"filePath": text, "oldString": text, "newString": f"{text}!"}
    edit = Raw(json.dumps(texts).encode())
    content = Raw(json.dumps(text).encode())
    return [
        e.StreamStart(seq=1, parent_stream_id=None, prompt=text, **COMMON),
        e.FleetPrompt(seq=2, text=text, **COMMON),
        e.Text(seq=3, delta=text, message_id="m", block=0, **COMMON),
        e.Thinking(seq=4, delta=text, message_id="m", block=1, **COMMON),
        e.FleetToolUse(seq=5, tool_use_id="t", tool=text, input_json=raw, **COMMON),
        e.FleetToolResult(seq=6, tool_use_id="t", ok=False, content_json=content, **COMMON),
        e.FleetToolResult(seq=7, tool_use_id="u", ok=True, content_json=content, **COMMON),
        e.FleetPermissionAsked(seq=8, request_id="r", tool=text, input_json=raw, **COMMON),
        e.FleetPermissionReplied(seq=9, request_id="r", behavior=text, **COMMON),
        e.FleetTurnComplete(seq=10, ok=False, subtype=text, **COMMON),
        e.ToolCall(seq=11, tool=text, ok=True, **COMMON),
        e.FleetError(seq=12, message=text, **COMMON),
        e.FleetMalformed(seq=13, raw=text, reason=text, offset=0, **COMMON),
        e.FleetUnrecognized(seq=14, raw=raw, **COMMON),
        e.FleetToolUse(seq=15, tool_use_id="v", tool="edit", input_json=edit, **COMMON),
        e.StreamEnd(seq=16, ok=True, reason=text, **COMMON),
    ]


def lines(text: str, width: int, *, whole: bool) -> list[str]:
    conversation = StreamConversation(limits=LIMITS)
    conversation.feed(everything(text))
    return [
        line.plain for item in conversation.items for line in render_item(item, width, whole=whole)
    ]


@pytest.mark.parametrize("whole", [False, True], ids=["folded", "whole"])
@pytest.mark.parametrize("text", [*HOSTILE.values(), MARKUP], ids=[*HOSTILE, "markup"])
def test_nothing_hostile_is_drawn_raw(text: str, whole: bool) -> None:
    shown = "".join(lines(text, 60, whole=whole))
    assert [c for c in shown if ord(c) in ACTED_ON] == []
    assert MARKUP not in text or shown.count("[@click=app.quit]press[/]") > 5


@given(st.text(), st.integers(20, 120), st.booleans())
def test_nothing_at_all_is_drawn_raw(text: str, width: int, whole: bool) -> None:
    assert [c for c in "".join(lines(text, width, whole=whole)) if ord(c) in ACTED_ON] == []


@given(st.lists(st.text(max_size=20), max_size=30))
def test_however_a_block_is_cut_it_is_drawn_once(deltas: list[str]) -> None:
    conversation = StreamConversation(limits=LIMITS)
    conversation.feed(
        e.Text(seq=i + 1, delta=delta, message_id="m", block=0, **COMMON)
        for i, delta in enumerate(deltas)
    )
    assert [item.text for item in conversation.items] == (["".join(deltas)] if deltas else [])


def test_what_is_held_is_bounded_and_says_what_it_left_out() -> None:
    most, most_result = LIMITS.text_chars or 0, LIMITS.result_chars or 0
    huge = "x" * (most * 3)
    conversation = StreamConversation(limits=LIMITS)
    conversation.feed(everything(huge))
    words = [item for item in conversation.items if item.kind in ("prompt", "text", "thinking")]
    assert [len(item.text or "") for item in words] == [most] * 4
    assert {item.left_out for item in words} == {len(huge) - most}
    for item in conversation.items:
        assert len(item.text or "") <= most
        assert len(item.result or "") <= most_result
    shown = "\n".join(lines(huge, 80, whole=True))
    assert f"{len(huge) - most:,} more characters" in shown


PATCH = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Add File: b\n+z\n*** End Patch\n"


@pytest.mark.parametrize(
    ("tool", "given_input", "shown"),
    [
        ("Edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, ["- x", "+ y"]),
        ("edit", {"filePath": "a", "oldString": "x", "newString": "y"}, ["- x", "+ y"]),
        ("apply_patch", {"input": PATCH}, ["a", "- x", "+ y", "b", "+ z"]),
    ],
)
def test_an_edit_of_every_kind_is_drawn_as_changes(
    tool: str, given_input: dict[str, str], shown: list[str]
) -> None:
    conversation = StreamConversation(limits=LIMITS)
    raw = Raw(json.dumps(given_input).encode())
    call = e.FleetToolUse(seq=1, tool_use_id="t", tool=tool, input_json=raw, **COMMON)
    conversation.feed([call])
    _, *changes = render_item(conversation.items[0], 60, whole=False)
    assert [line.plain.removeprefix("  │ ").strip() for line in changes if line.plain] == shown


def test_what_was_taken_back_is_struck_through() -> None:
    conversation = StreamConversation(limits=LIMITS)
    said = e.Text(seq=1, delta="wrong", message_id="m", block=0, **COMMON)
    conversation.feed([said, e.FleetRetracted(seq=2, message_ids=["m"], **COMMON)])
    (line, *_) = render_item(conversation.items[0], 40, whole=False)
    assert line.plain == "wrong"
    assert "strike" in str(line.style)
