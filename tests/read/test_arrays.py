"""Arrays of records: every object of them, however they are cut, indented or broken."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from unbraid.read.arrays import as_lines, elements

values = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
objects = st.lists(st.dictionaries(st.text(), values, max_size=4), max_size=6)


@given(objects, st.sampled_from([None, 0, 3]))
def test_every_object_as_it_stands(given: list[dict[str, Any]], indent: int | None) -> None:
    text = json.dumps(given, indent=indent, ensure_ascii=False).encode("utf-8", "replace")
    found = list(elements(text))
    assert [json.loads(raw) for _, raw in found] == json.loads(text)
    assert all(text[start:].startswith(raw) for start, raw in found)
    assert [json.loads(line) for line in as_lines(text)] == json.loads(text)
    assert all(line.count(b"\n") == 1 for line in as_lines(text))


@given(objects, st.integers(0, 400))
def test_one_that_was_cut_off_has_all_that_came_before(
    given: list[dict[str, Any]], cut: int
) -> None:
    text = json.dumps(given).encode()
    whole = sum(start + len(raw) <= cut for start, raw in elements(text))
    found = [raw for _, raw in elements(text[:cut])]
    assert [json.loads(raw) for raw in found[:whole]] == given[:whole]


@given(st.binary(max_size=60))
def test_of_any_bytes_none_is_given_twice_and_only_punctuation_is_left_out(data: bytes) -> None:
    end = 0
    for start, raw in elements(data):
        assert start >= end
        assert not data[end:start].strip(b"[], \t\r\n")
        end = start + len(raw)
    assert not data[end:].strip(b"[], \t\r\n")


def test_a_string_that_never_ends_is_read_once() -> None:
    # Looked at again from every quotation mark in it, this would take hours.
    text = b'[{"a": "' + b'\\"' * 2_000_000
    assert list(elements(text)) == [(0, text)]


def test_lines_that_follow_an_array_are_kept() -> None:
    text = b' [{"a": 1}, 2]\n{"b":\n[{}]}\n[] nothing\n'
    assert list(as_lines(text)) == [b'{"a":1}\n', b"2]\n", b'{"b":[{}]}\n', b"[] nothing\n"]
