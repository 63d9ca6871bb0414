"""What stands around a record in a message: its headers, its parts, its place."""

from __future__ import annotations

import base64
from typing import NamedTuple

import msgspec
from msgspec import Struct

EXPECTED = "Nats-Expected-Last-Subject-Sequence"
ROLLUP = "Nats-Rollup"
TTL = "Nats-TTL"
BATCH_ID, BATCH_SEQ, BATCH_COMMIT = "Nats-Batch-Id", "Nats-Batch-Sequence", "Nats-Batch-Commit"
# Who wrote it: the writer's own number, and a number for each append.
ID = "Unbraid-Id"
# "2/3": the second of three parts of one record.
PARTS = "Unbraid-Part"

# Below the servers' own limit of 1 MiB, headers included.
PART_BYTES = 900_000
MAX_PARTS = 1000


class Ack(Struct):
    """Where a message was stored; of a batch, its last one."""

    seq: int
    count: int = 1


ack_of = msgspec.json.Decoder(Ack).decode


class RecordMessage(NamedTuple):
    """A record on its way to the stream, after the message that must be its subject's last."""

    subject: str
    id: str
    record: bytes
    after: int
    headers: dict[str, str]

    def all_headers(self) -> dict[str, str]:
        """Returns what the stream compares, who wrote it, and its own headers."""
        return {EXPECTED: str(self.after), ID: self.id, **self.headers}

    def parts(self) -> list[bytes]:
        """Returns the record in pieces that a server accepts."""
        size = PART_BYTES
        if len(self.record) <= size:
            return [self.record]
        return [self.record[at : at + size] for at in range(0, len(self.record), size)]


class MessagePlace(NamedTuple):
    """Where a message stands in its stream and in its consumer; how many follow it."""

    stream_seq: int
    consumer_seq: int
    pending: int


def place_of_message(reply: str) -> MessagePlace | None:
    """Returns what the reply subject of a delivered message says."""
    tokens = reply.split(".")
    if tokens[:2] != ["$JS", "ACK"]:
        return None
    # In front of it, newer servers name the domain and the account.
    at = 4 if len(tokens) == 9 else 6
    try:
        return MessagePlace(int(tokens[at + 1]), int(tokens[at + 2]), int(tokens[at + 4]))
    except (ValueError, IndexError):
        return None


def part_numbers(header: str | None) -> tuple[int, int]:
    """Returns which part of how many a message is."""
    number, _, count = (header or "1/1").partition("/")
    return int(number), int(count)


def headers_of(encoded: str | None) -> dict[str, str]:
    """Returns the headers of a message that was asked for by its place."""
    return parsed_headers(base64.b64decode(encoded or ""))


def parsed_headers(raw: bytes) -> dict[str, str]:
    """Returns the headers in the bytes before a message."""
    headers = {}
    for line in raw.decode(errors="replace").split("\r\n"):
        name, separator, value = line.partition(":")
        if separator:
            headers[name.strip()] = value.strip()
    return headers


class Parts:
    """Joins the parts of records; they are neighbours in their stream."""

    def __init__(self) -> None:
        self._held: list[bytes] = []

    def joined(self, header: str | None, data: bytes) -> bytes | None:
        """Takes one more message; returns the record that ends with it."""
        number, count = part_numbers(header)
        if number == 1:
            self._held.clear()
        if count == 1:
            return data
        self._held.append(data)
        if number < count:
            return None
        whole, self._held = b"".join(self._held), []
        return whole
