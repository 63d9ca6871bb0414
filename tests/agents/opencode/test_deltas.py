"""What OpenCode's events say about text in small parts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unbraid.agents.opencode.records import delta_in
from unbraid.read.dialects import BlockEnd, Delta

PART = {"id": "p", "sessionID": "s", "messageID": "m", "type": "text", "text": "all"}
GIVEN = {"sessionID": "s", "messageID": "m", "partID": "p"}


@pytest.mark.parametrize("prefix", [b"", b"data: "], ids=["line", "capture"])
@pytest.mark.parametrize(
    ("kind", "properties", "found"),
    [
        ("message.part.delta", {**GIVEN, "delta": "a\n"}, Delta("s", "p", b'"a\\n"')),
        ("message.part.delta", {**GIVEN, "delta": 5}, None),
        ("message.part.updated", {"sessionID": "s", "part": PART}, BlockEnd("s", "p")),
        ("message.part.updated", {"part": PART}, BlockEnd("s", "p")),
        ("session.idle", {"sessionID": "s"}, BlockEnd("s")),
        ("session.updated", {"sessionID": "s"}, None),
    ],
)
def test_an_event(
    prefix: bytes, kind: str, properties: dict[str, Any], found: Delta | BlockEnd | None
) -> None:
    line = prefix + json.dumps({"type": kind, "properties": properties}).encode()
    assert delta_in(line) == found


@pytest.mark.parametrize("line", [b"", b'{"properties"', b'["properties"]', b'{"type":"text"}'])
def test_what_is_no_event(line: bytes) -> None:
    assert delta_in(line) is None
