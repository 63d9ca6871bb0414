"""Server-sent events: a `data:` line is a record, its framing says nothing."""

from __future__ import annotations

import pytest

from unbraid.read.reader import parse_line
from unbraid.read.sse import data_of


@pytest.mark.parametrize(
    ("line", "data"),
    [
        (b'data: {"type":"a"}', b'{"type":"a"}'),
        (b'data:{"type":"a"}', b'{"type":"a"}'),
        (b'data: {"type":"a"}\r', b'{"type":"a"}'),
        (b"data:", b""),
        (b": heartbeat", b""),
        (b":", b""),
        (b"event: message", b""),
        (b"id: 7", b""),
        (b"retry: 1000", b""),
        (b"", b""),
        (b'{"type":"a"}', b'{"type":"a"}'),
        (b'{"data: ":1}', b'{"data: ":1}'),
    ],
)
def test_a_line_gives_its_data(line: bytes, data: bytes) -> None:
    assert data_of(line) == data


@pytest.mark.parametrize("line", [b": ping", b"event: x", b"id: 1", b"retry: 5", b"data:", b"\r"])
def test_framing_is_no_record_and_no_damage(line: bytes) -> None:
    assert parse_line(line) is None
