"""What stands around a record in a message, as the client reads it and as we do."""

from __future__ import annotations

from nats.aio.client import Client

from unbraid.log.nats.message import headers_of, parsed_headers, place_of_message


def test_headers_are_read_as_the_client_reads_them() -> None:
    # If the client renames what we replace, ours is never asked, and all is slow again.
    theirs = Client._parse_header_lines
    for raw in (
        b"Nats-Batch-Id: 1\r\nUnbraid-Id: a.1\r\n\r\n",
        b"Name:Value\r\nName-2:\tv: w \r\n\r\n",
        b"\r\nno header\r\nStatus: \xff\r\n",
        b"",
    ):
        assert parsed_headers(raw) == theirs(raw)
    assert headers_of(None) == {}


def test_the_place_of_a_message_is_in_its_reply_subject() -> None:
    old, new = "$JS.ACK.S.c.1.20.3.1700.7", "$JS.ACK._.hash.S.c.1.20.3.1700.7.x"
    assert place_of_message(old) == place_of_message(new) == (20, 3, 7)
    for other in ("", "_INBOX.1", "$JS.ACK.S.c.1", "$JS.ACK.S.c.1.x.3.1700.7"):
        assert place_of_message(other) is None
