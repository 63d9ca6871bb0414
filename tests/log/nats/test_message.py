"""What stands around a record in a message."""

from __future__ import annotations

import base64

import pytest

from unbraid.log.nats.stream import (
    PartJoiner,
    headers_of,
    message_position,
    part_numbers,
)
from unbraid.log.replicated.journal import StoredRecord


@pytest.mark.parametrize(
    ("raw", "headers"),
    [
        (
            b"NATS/1.0\r\nNats-Batch-Id: 1\r\nUnbraid-Id: a.1\r\n\r\n",
            {"Nats-Batch-Id": "1", "Unbraid-Id": "a.1"},
        ),
        (b"NATS/1.0\r\nName:Value\r\nName-2:\tv: w \r\n\r\n", {"Name": "Value", "Name-2": "v: w"}),
        (b"NATS/1.0\r\nno header\r\nOther: \xff\r\n\r\n", {"Other": "\ufffd"}),
        (b"NATS/1.0\r\n\r\n", {}),
        (b"", {}),
    ],
)
def test_headers_of_a_stored_message(raw: bytes, headers: dict[str, str]) -> None:
    assert headers_of(base64.b64encode(raw).decode()) == headers
    assert headers_of(None) == {}


def test_parts_are_joined_and_what_is_between_them_breaks_one_record_alone() -> None:
    parts = PartJoiner()

    def joined(
        seq: int, header: str | None, id: str = "w.1", subject: str = "s"
    ) -> list[StoredRecord]:
        return parts.joined(header, StoredRecord(seq, id, subject, b"<%d>" % seq))

    def records(*found: list[StoredRecord]) -> list[tuple[int, bytes]]:
        return [(part.seq, part.record) for each in found for part in each]

    assert records(joined(1, None), joined(2, "1/2"), joined(3, "2/2")) == [
        (1, b"<1>"),
        (3, b"<2><3>"),
    ]
    # A part without its first, one that is followed by another's, and one that begins anew.
    assert records(joined(4, "2/2")) == [(4, b"")]
    assert records(joined(5, "1/2"), joined(6, None, "v.1")) == [(5, b""), (6, b"<6>")]
    assert records(joined(7, "1/3"), joined(8, "2/3", "v.1")) == [(7, b""), (8, b"")]
    assert records(joined(9, "1/2"), joined(10, "1/2"), joined(11, "2/2")) == [
        (9, b""),
        (11, b"<10><11>"),
    ]
    for header in ("x", "1", "0/2", "3/2", "-1/2", "1/1000000"):
        assert part_numbers(header) == (1, 1)


def test_the_place_of_a_message_is_in_its_reply_subject() -> None:
    old, new = "$JS.ACK.S.c.1.20.3.1700.7", "$JS.ACK._.hash.S.c.1.20.3.1700.7.x"
    assert message_position(old) == message_position(new) == (20, 3, 7)
    for other in ("", "_INBOX.1", "$JS.ACK.S.c.1", "$JS.ACK.S.c.1.x.3.1700.7"):
        assert message_position(other) is None
