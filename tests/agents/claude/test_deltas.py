"""What Claude Code's lines say about text in small parts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unbraid.agents.claude.records import delta_in
from unbraid.read.dialects import BlockEnd, Delta


def event(parent: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"type": "stream_event", "event": fields, "parent_tool_use_id": parent}


@pytest.mark.parametrize(
    ("record", "found"),
    [
        (
            event(type="content_block_delta", index=2, delta={"type": "text_delta", "text": "a\n"}),
            Delta("", 2, b'"a\\n"'),
        ),
        (
            event("t", type="content_block_delta", index=0, delta={"thinking": "so"}),
            Delta("t", 0, b'"so"'),
        ),
        (
            event(type="content_block_delta", index=1, delta={"partial_json": '{"a'}),
            Delta("", 1, b'"{\\"a"'),
        ),
        (event(type="content_block_start", index=1), BlockEnd("", 1)),
        (event("t", type="content_block_stop", index=0), BlockEnd("t", 0)),
        (event("t", type="message_stop"), BlockEnd("t")),
        (event(type="message_delta", delta={"stop_reason": "end_turn"}), None),
        ({"type": "assistant", "parent_tool_use_id": "t", "message": {}}, BlockEnd("t")),
        ({"type": "result", "subtype": "success"}, BlockEnd()),
        ({"type": "user", "message": {"content": "the assistant"}}, None),
        ({"type": "stream_event"}, None),
        (["stream_event"], None),
    ],
)
def test_a_line(record: Any, found: Delta | BlockEnd | None) -> None:
    assert delta_in(json.dumps(record).encode()) == found


@pytest.mark.parametrize("line", [b"", b'{"type":"stream_event"', b'"stream_event"'])
def test_what_is_no_record(line: bytes) -> None:
    assert delta_in(line) is None
