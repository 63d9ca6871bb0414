"""The protocol's gotchas, by name."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.agents.claude.records import Block, Task, fingerprint, parse_double_encoded
from unbraid.read.content import extract_content, split_content

IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "eA=="}}
REFERENCE = {"type": "tool_reference", "tool_name": "WebFetch"}

anything = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "text", "thinking", "id", "x"]), inner)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("content", "text", "parts"),
    [
        ("file contents here", "file contents here", None),
        ([{"type": "text", "text": "File edited successfully"}], "File edited successfully", None),
        (None, "", None),
        ([], "", None),
        ("", "", None),
        (["2 + 2 = 4"], "2 + 2 = 4", None),
        ([{"type": "text", "text": "a"}, "b", {"type": "text", "text": "c"}], "a\nb\nc", None),
        ([IMAGE], "", [IMAGE]),
        ([{"type": "text", "text": "see"}, IMAGE, REFERENCE], "see", [IMAGE, REFERENCE]),
        ([None], "", None),
        ([{"type": "text", "text": None}], "", [{"type": "text", "text": None}]),
        ([{"type": "text"}], "", [{"type": "text"}]),
        ({"type": "text", "text": "alone"}, "alone", None),
        ({}, "", [{}]),
        (7, "", [7]),
        ([["nested"]], "", [["nested"]]),
    ],
)
def test_a_tool_result_in_each_of_its_shapes(
    content: Any, text: str, parts: list[Any] | None
) -> None:
    assert extract_content(content) == text
    assert split_content(content) == (text, parts)


@given(anything)
def test_no_content_ever_raises_and_no_part_is_dropped(content: Any) -> None:
    text, parts = split_content(content)
    assert extract_content(content) == text
    if isinstance(content, list):
        strings = [part for part in content if isinstance(part, str)]
        assert all(string in text for string in strings)
        others = [p for p in content if isinstance(p, dict) and p.get("type") != "text"]
        assert all(part in (parts or []) for part in others)


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ('"The actual text here"', "The actual text here"),
        ("plain", "plain"),
        ("", ""),
        (None, ""),
        ('"', '"'),
        ('""', ""),
        ('"a" and "b"', '"a" and "b"'),
        ('"broken \\x"', '"broken \\x"'),
        ('"line\\nbreak \\u00e9"', "line\nbreak é"),
        ('{"answer": 42}', '{"answer": 42}'),
        ("[1]", "[1]"),
        ("null", "null"),
        ({"answer": 42}, '{"answer":42}'),
        (7, "7"),
        (True, "true"),
    ],
)
def test_a_result_may_be_encoded_twice(result: Any, text: str) -> None:
    assert parse_double_encoded(result) == text


@given(st.text())
def test_whatever_was_encoded_twice_comes_back(text: str) -> None:
    assert parse_double_encoded(json.dumps(text)) == text


@given(anything)
def test_no_result_ever_raises(result: Any) -> None:
    assert isinstance(parse_double_encoded(result), str)


@pytest.mark.parametrize(
    ("block", "mark"),
    [
        ({"type": "tool_use", "id": "toolu_1", "name": "Bash"}, "tool_use:toolu_1"),
        ({"type": "text", "text": "Searching..."}, "text:Searching..."),
        ({"type": "text", "text": "x" * 70}, "text:" + "x" * 64),
        ({"type": "text", "text": None}, "text:"),
        ({"type": "text", "text": 7}, "text:"),
        ({"type": "thinking", "thinking": "plan..."}, "thinking:plan..."),
        ({"type": "thinking", "text": "plan..."}, "thinking:plan..."),
        ({"type": "thinking", "thinking": "", "text": "other"}, "thinking:"),
        ({"type": "tool_result", "tool_use_id": "toolu_1"}, "tool_result:toolu_1"),
        ({"type": "image"}, "image:unknown"),
        ({}, "unknown:unknown"),
    ],
)
def test_a_fingerprint_is_a_calls_id_or_how_a_block_opens(block: dict[str, Any], mark: str) -> None:
    assert fingerprint(block) == mark
    if all(isinstance(value, str) for value in block.values()):
        assert fingerprint(msgspec.convert(block, Block)) == mark


@given(anything)
def test_no_block_is_without_a_fingerprint(block: Any) -> None:
    assert isinstance(fingerprint(block), str)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"thinking": "a"}, "a"),
        ({"text": "a"}, "a"),
        ({"thinking": "a", "text": "b"}, "a"),
        ({"thinking": None, "text": "b"}, "b"),
        ({}, ""),
    ],
)
def test_thinking_sits_in_either_field(fields: dict[str, Any], words: str) -> None:
    assert msgspec.convert({"type": "thinking", **fields}, Block).words == words


@pytest.mark.parametrize(
    ("fields", "is_agent"),
    [
        ({"task_type": "local_agent"}, True),
        ({"task_type": "local_workflow"}, False),
        ({"task_type": "local_bash"}, False),
        ({"subagent_type": "Explore"}, True),
        ({}, False),
    ],
)
def test_a_task_is_an_agent_or_something_else(fields: dict[str, Any], is_agent: bool) -> None:
    assert msgspec.convert(fields, Task).is_agent is is_agent
