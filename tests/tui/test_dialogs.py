"""What a person is asked is all of it, and nothing else."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.cli.test_hostile import ACTED_ON
from unbraid.screen import safe
from unbraid.tui.dialogs import tool_input_text

ARGUMENTS = st.dictionaries(st.from_regex(r"[a-z_]{1,20}", fullmatch=True), st.text(), max_size=5)


@given(ARGUMENTS)
def test_every_argument_is_shown_whole_and_none_passes_for_another(given: dict[str, str]) -> None:
    shown = tool_input_text(given)
    assert [c for c in shown if ord(c) in ACTED_ON - {0x09}] == []
    heads = [line for line in shown.split("\n") if not line.startswith("    ")] if given else []
    assert [head.partition(":")[0] for head in heads] == list(given)
    for name, value in given.items():
        assert f"{name}: " + safe(value).replace("\n", "\n    ") in shown


def test_other_shapes_are_shown_as_json() -> None:
    shapes: list[Any] = [None, [1, 2], "text", {"a": {"b": [True]}}]
    assert [tool_input_text(shape) for shape in shapes] == [
        ": null", ": [1,2]", ": text", 'a: {"b":[true]}',
    ]  # fmt: skip


def test_a_huge_argument_is_shown_whole() -> None:
    assert tool_input_text({"content": "x" * 50_000}).count("x") == 50_000
