"""What stands around a record in a message: its headers, its parts, its place."""

from __future__ import annotations

import base64
from typing import NamedTuple

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
        stream_seq, consumer_seq, _, pending = (int(token) for token in tokens[at + 1 : at + 5])
    except ValueError:
        return None
    return MessagePlace(stream_seq, consumer_seq, pending)


def part_numbers(header: str | None) -> tuple[int, int]:
    """Returns which part of how many a message is."""
    number, _, count = (header or "1/1").partition("/")
    return int(number), int(count)


def headers_of(encoded: str | None) -> dict[str, str]:
    """Returns the headers of a message that was asked for by its place."""
    lines = base64.b64decode(encoded or "").decode(errors="replace").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    return {name: value.strip() for name, separator, value in pairs if separator}


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
