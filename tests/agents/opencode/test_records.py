"""OpenCode's rows and exports as `/event` lines, in the order in which things happened."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.agents.opencode.records import Part, error_text, export_as_lines, rows_as_lines

anything = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["info", "messages", "parts", "id", "time", "state", "status", "error"]
            ),
            inner,
        )
    ),
    max_leaves=12,
)


def kinds(lines: list[bytes]) -> list[tuple[str, int]]:
    events = [json.loads(line) for line in lines]
    return [(event["type"], event["timestamp"]) for event in events]


def test_rows_come_in_the_order_in_which_things_happened() -> None:
    task = {"id": "p1", "messageID": "m1", "began": 30, "type": "tool"}
    state = {"status": "completed", "output": "done", "time": {"start": 30, "end": 90}}
    lines = rows_as_lines(
        [{"id": "root", "time": {"created": 10}}, {"id": "child", "time": {"created": 40}}],
        [{"id": "m2", "time": {"created": 50}}, {"id": "m1", "time": {"created": 20}}],
        [{"id": "p2", "began": 60, "type": "text"}, task | {"state": state}],
    )
    assert kinds(lines) == [
        ("session.created", 10),
        ("message.updated", 20),
        ("message.part.updated", 30),
        ("session.created", 40),
        ("message.updated", 50),
        ("message.part.updated", 60),
        ("message.part.updated", 90),
    ]
    running, over = (json.loads(lines[n])["properties"]["part"]["state"] for n in (2, 6))
    assert running == {"status": "running", "time": {"start": 30, "end": 90}}
    assert over == state


def test_a_message_that_failed_says_so_when_it_is_over() -> None:
    error = {"name": "APIError", "data": {"message": "overloaded"}}
    info = {"id": "m", "sessionID": "s", "time": {"created": 1, "completed": 5}, "error": error}
    lines = rows_as_lines([], [info], [])
    assert kinds(lines) == [("message.updated", 1), ("message.updated", 5)]
    assert "error" not in json.loads(lines[0])["properties"]["info"]
    assert json.loads(lines[1])["properties"] == {"info": info}


def test_an_export_is_its_session_its_messages_and_their_parts() -> None:
    exported = {
        "info": {"id": "ses_1", "time": {"created": 1}},
        "messages": [
            {
                "info": {"id": "m1", "sessionID": "ses_1", "time": {"created": 2}},
                "parts": [{"id": "p1", "type": "text", "text": "a", "time": {"start": 3}}],
            }
        ],
    }
    assert kinds(export_as_lines(exported)) == [
        ("session.created", 1),
        ("message.updated", 2),
        ("message.part.updated", 3),
    ]


def test_parts_that_have_no_time_keep_their_order() -> None:
    parts = [{"id": name, "type": "text"} for name in ("p1", "p2", "p3")]
    messages = [{"info": {"id": "m", "time": {"created": 7}}, "parts": parts}]
    lines = export_as_lines({"info": {"id": "s"}, "messages": messages})
    output = [json.loads(line)["properties"].get("part", {}).get("id") for line in lines]
    assert output == [None, None, "p1", "p2", "p3"]


@given(st.dictionaries(st.sampled_from(["info", "messages"]), anything))
def test_no_export_ever_raises(exported: dict[str, Any]) -> None:
    for line in export_as_lines(exported):
        assert line.endswith(b"\n")
        assert json.loads(line)["type"]


@pytest.mark.parametrize(
    ("metadata", "child"),
    [
        ({"sessionId": "ses_1"}, "ses_1"),
        ({"sessionID": "ses_1"}, "ses_1"),
        ({"sessionId": 7}, None),
        ({}, None),
        (None, None),
        ([], None),
        ("ses_1", None),
    ],
)
def test_a_task_part_names_the_session_it_started(metadata: Any, child: str | None) -> None:
    part = msgspec.convert({"type": "tool", "state": {"metadata": metadata}}, Part)
    assert part.child_session == child
    assert Part().child_session is None


@pytest.mark.parametrize(
    ("error", "text"),
    [
        ("plain", "plain"),
        ({"name": "APIError", "data": {"message": "overloaded"}}, "overloaded"),
        ({"name": "APIError", "message": "no"}, "no"),
        ({"name": "MessageAbortedError", "data": {}}, "MessageAbortedError"),
        ({"data": 7}, '{"data":7}'),
        (None, "null"),
        ([1], "[1]"),
    ],
)
def test_an_error_in_one_line(error: Any, text: str) -> None:
    assert error_text(error) == text
