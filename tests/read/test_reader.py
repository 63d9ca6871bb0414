"""A line as a record: what can be kept is kept, what cannot is reported."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from unbraid.agents.claude.records import ClaudeRecord
from unbraid.agents.opencode.records import OpenCodeRecord
from unbraid.read.reader import parse_line, read_line
from unbraid.read.record import Damage, Record

SAID = (
    b'{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"hi"}]},'
    b'"uuid":"u1"}'
)


def words(line: bytes) -> list[str]:
    """What the records of a line say; `-` for damage."""
    found = []
    for item in read_line(line):
        if isinstance(item, Damage):
            found.append("-")
        elif isinstance(item, ClaudeRecord) and item.message is not None:
            content = item.message.content
            assert isinstance(content, list)
            found.append("".join(block.words for block in content))
        else:
            found.append(item.type)
    return found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (SAID, ["hi"]),
        (SAID + b"\r", ["hi"]),
        (b"  " + SAID + b"\t", ["hi"]),
        (b"\0\0\0" + SAID, ["hi"]),
        (SAID + b"\0\0", ["hi"]),
        (b"data: " + SAID, ["hi"]),
        (b"\xef\xbb\xbf" + SAID, ["hi"]),
        (b"", []),
        (b" \r", []),
        (b"\0\0\0\0", []),
        (b"hello", ["-"]),
        (b"7", ["-"]),
        (b"null", ["-"]),
        (b"[1]", ["-"]),
        (b"[]", ["-"]),
        (b"[INFO] " + SAID, ["-", "hi"]),
        (b'[INFO] the "agent" isn"t there: ' + SAID, ["-", "hi"]),
        (b"[" + SAID + b"," + SAID + b"]", ["hi", "hi"]),
        (b"[" + SAID + b", 1, null, " + SAID + b"]", ["hi", "-", "hi"]),
        (b"[" + SAID + b"," + SAID[:40], ["hi", "-"]),
        (b"[" + SAID + b"," + SAID.replace(b"hi", b']}{[\\\\\\"') + b"]", ["hi", ']}{[\\"']),
        (b"[[" + SAID + b"]]", ["-"]),
        (b'"text"', ["-"]),
        (b"{}", [""]),
        (b'{"type":"brand_new","x":1}', ["brand_new"]),
        (SAID[:40], ["-"]),
        (SAID[:40] + SAID, ["-", "hi"]),
        (SAID[:-1] + SAID, ["-", "hi"]),
        (SAID.replace(b"hi", b"h\xff"), ["h\ufffd"]),
        (SAID.replace(b"hi", b"\\ud83d"), ["?"]),
        (SAID.replace(b"hi", b"\\ud83d\\ude00"), ["😀"]),
    ],
)
def test_what_a_line_holds(line: bytes, found: list[str]) -> None:
    assert words(line) == found


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("uuid", 7),
        ("session_id", ["s"]),
        ("timestamp", {}),
        ("parent_tool_use_id", 1.5),
        ("isSidechain", "yes"),
        ("isMeta", "one"),
    ],
)
def test_a_wrong_type_in_a_known_place_costs_only_that_place(field: str, value: Any) -> None:
    line = json.dumps(json.loads(SAID) | {field: value}).encode()
    record, *damage = read_line(line)
    assert isinstance(record, ClaudeRecord)
    assert record.message is not None
    assert record.message.id == "m1"
    assert len(damage) == 1, "what was left out is reported"
    assert json.loads(record.raw)[field] == value, "and survives in raw"


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ([None], []),
        ({}, []),
        ([], []),
        (7, ["7"]),
        (["bare"], ["bare"]),
        ([{"type": "text", "text": 7}], [""]),
        ([{"type": "text", "text": "kept"}, None, 3], ["kept", "3"]),
        ({"type": "text", "text": "alone"}, ["alone"]),
    ],
)
def test_content_of_any_type_is_read(content: Any, texts: list[str]) -> None:
    line = json.dumps({"type": "assistant", "uuid": "u", "message": {"content": content}}).encode()
    record = parse_line(line)
    assert isinstance(record, ClaudeRecord)
    assert record.message is not None
    assert isinstance(record.message.content, list)
    assert [block.words for block in record.message.content] == texts


def test_unknown_fields_survive_in_raw() -> None:
    line = b'{"type":"system","subtype":"next_year","future":{"a":[1,null]}}'
    record = parse_line(line)
    assert isinstance(record, ClaudeRecord)
    assert (record.type, record.subtype, record.raw) == ("system", "next_year", line)


@pytest.mark.parametrize(("name", "value"), [("raw", "aGFja2Vk"), ("raw", 1), ("skipped", 3)])
def test_a_line_cannot_say_what_is_ours_to_say(name: str, value: Any) -> None:
    line = json.dumps(json.loads(SAID) | {f"unbraid.{name}": value}).encode()
    record = parse_line(line)
    assert isinstance(record, ClaudeRecord)
    assert record.skipped == 0
    assert json.loads(record.raw) == json.loads(line)


def test_parse_line_takes_text_too() -> None:
    record = parse_line(SAID.decode())
    assert isinstance(record, ClaudeRecord)
    assert record.uuid == "u1"
    assert parse_line("no record") is None
    assert parse_line("") is None


def test_a_global_event_is_the_event_in_it() -> None:
    inner = b'{"type":"session.idle","properties":{"sessionID":"ses_1"}}'
    record = parse_line(b'{"directory":"/home/dev/app","payload":' + inner + b"}")
    assert isinstance(record, OpenCodeRecord)
    assert record.type == "session.idle"
    assert record.raw == inner


@pytest.mark.parametrize(("before", "after"), [(0, 0), (4000, 0), (0, 4000), (3000, 3000)])
@pytest.mark.parametrize("name", ["tool_use_result", "toolUseResult"])
def test_the_copy_of_a_tools_result_does_not_hide_what_follows_it(
    name: str, before: int, after: int
) -> None:
    said = json.loads(SAID) | {"padding": "x" * before}
    uuid = said.pop("uuid")
    # Whatever the order of the fields, and whatever the copy holds.
    copy = {"a": '},"uuid":"no"', "b": [{"x": 1}], name: {"uuid": "no"}, "padding": "x" * after}
    line = json.dumps(said | {name: copy, "uuid": uuid, "session_id": "s"}, separators=(",", ":"))
    record = parse_line(line)
    assert isinstance(record, ClaudeRecord)
    assert (record.uuid, record.session_id) == ("u1", "s")
    assert record.raw == line.encode()


@given(st.binary(max_size=80))
def test_no_bytes_ever_raise(data: bytes) -> None:
    for item in read_line(data):
        assert isinstance(item, Record | Damage)


@given(st.integers(0, len(SAID)), st.binary(max_size=5))
@example(0, b":")
@example(0, b"id:")
def test_whatever_stands_before_a_record_the_record_is_found(cut: int, junk: bytes) -> None:
    line = SAID[:cut] + junk.replace(b"\n", b"").replace(b"{", b"") + SAID
    assert words(line)[-1] == "hi"


@given(st.integers(0, len(SAID) - 1), st.integers(0, 255))
def test_damage_says_where_it_is(at: int, byte: int) -> None:
    line = b"  " + SAID[:at] + bytes([byte]) + SAID[at + 1 :]
    for item in read_line(line):
        if isinstance(item, Damage):
            assert item.reason
            assert line[item.start :].startswith(item.raw)
