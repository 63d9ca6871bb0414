"""What a call is about, by one table of tools; the page is tested against the same calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.agents.registry import kinds, tools
from unbraid.fold.tool_formats import TextChange, ToolFormat, ToolTable

PATH = Path(__file__).parents[2] / "web" / "src" / "model" / "calls.json"
CALLS: list[dict[str, Any]] = json.loads(PATH.read_text("utf-8"))
NAMES = sorted({name for kind in kinds() for each in kind.tools() for name in each.names})


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call['tool']} {call['summary'][:40]}")
def test_a_call_is_about_what_the_table_says(call: dict[str, Any]) -> None:
    assert tools().summary(call["tool"], call["input"]) == call["summary"]
    changes = tools().changes(call["tool"], call["input"])
    assert changes == msgspec.convert(call["changes"], list[TextChange])


def test_the_questions_of_a_call_are_those_of_a_tool_that_asks() -> None:
    (asking,) = (call for call in CALLS if call["tool"] == "AskUserQuestion")
    first, second = tools().questions(asking["tool"], asking["input"])
    assert (first.text, first.labels) == ("Which one?", ["This", "That"])
    assert (second.text, second.labels) == ("Why?", [])
    assert tools().questions("Bash", asking["input"]) == []


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.name)
def test_every_kind_of_ours_says_what_its_tools_are_for(kind: Any) -> None:
    purposes = {each.purpose for each in kind.tools()}
    assert purposes >= {"shell", "edit", "agent", "todo", "other"}


def test_of_two_formats_of_a_tool_the_one_whose_arguments_are_there_counts() -> None:
    table = ToolTable(
        [ToolFormat(("t",), summary=("a",)), ToolFormat(("t",), command=("b",), summary=("c",))]
    )
    assert table.summary("t", {"x": "1", "a": "2"}) == "2"
    assert table.summary("t", {"x": "1", "b": "2"}) == "2"
    assert table.summary("t", {"x": "1"}) == "1"


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
ARGUMENTS = sorted({name for kind in kinds() for each in kind.tools() for name in each.arguments})


@given(st.sampled_from(NAMES), ANYTHING | st.dictionaries(st.sampled_from(ARGUMENTS), ANYTHING))
def test_no_input_breaks_the_summary(tool: str, given_input: Any) -> None:
    assert "\n" not in tools().summary(tool, given_input)
    tools().changes(tool, given_input)
    tools().questions(tool, given_input)
