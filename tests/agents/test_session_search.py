"""A file is searched only if it may hold the words, however its bytes come."""

from __future__ import annotations

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from unbraid.agents.files import may_hold, stored_block
from unbraid.events import Prompt, TextDelta, ThinkingDelta, ToolResult, ToolUse


@given(
    st.from_regex(r"[^\W_]{1,8}", fullmatch=True),
    st.text(max_size=20),
    st.booleans(),
    st.lists(st.integers(min_value=0, max_value=60)),
)
def test_words_are_never_missed_wherever_the_bytes_are_cut(
    needle: str, before: str, is_ascii: bool, cuts: list[int]
) -> None:
    needle = needle.lower()
    line = json.dumps({"text": before + needle}, ensure_ascii=is_ascii).encode("utf-8", "replace")
    at = sorted([0, len(line), *(min(cut, len(line)) for cut in cuts)])
    chunks = [line[begin:end] for begin, end in pairwise(at)]
    assert may_hold(chunks, needle)


def test_what_no_spelling_of_the_words_is_in_is_ruled_out() -> None:
    for needle in ("beta", "語"):
        assert not may_hold([b'{"text":"alp', b'ha"}'], needle)
        assert may_hold([b'{"text":"BET', b"A \\u8A", b'9E"}'], needle)


def test_what_was_said_asked_or_called_is_searched_and_not_what_a_call_gave() -> None:
    events = [
        TextDelta(context="", ts=1, message_id="m", block=0, delta="a"),
        ThinkingDelta(context="", ts=2, message_id="m", block=1, delta="b"),
        ToolUse(context="", ts=3, message_id="m", block=2, tool_use_id="t", tool="Bash"),
        Prompt(context="", ts=4, text="c"),
        ToolResult(context="", ts=5, tool_use_id="t", ok=True, content_json=Raw(b'"d"')),
    ]
    found = [stored_block(event, session_id="s", agent_id="x") for event in events]
    assert [block and (block.kind, block.ts, block.text) for block in found] == [
        ("text", 1, "a"),
        ("thinking", 2, "b"),
        ("tool_use", 3, "Bash {}"),
        ("prompt", 4, "c"),
        None,
    ]
