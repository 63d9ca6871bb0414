"""What stands around a record in a message: its headers, its parts, its place."""

from __future__ import annotations

import base64
from typing import NamedTuple

import msgspec
from msgspec import Struct

from unbraid.log.replicated.record import MAX_RECORD_BYTES

EXPECTED = "Nats-Expected-Last-Subject-Sequence"
ROLLUP = "Nats-Rollup"
TTL = "Nats-TTL"
BATCH_ID, BATCH_SEQ, BATCH_COMMIT = "Nats-Batch-Id", "Nats-Batch-Sequence", "Nats-Batch-Commit"
# The writer: its own number, and a number for each append.
ID = "Unbraid-Id"
# "2/3": the second of three parts of one record.
PARTS = "Unbraid-Part"

# Below the servers' own limit of 1 MiB, headers included.
PART_BYTES = 900_000
# Of the largest record; a batch of the servers can have 1,000.
MAX_PARTS = MAX_RECORD_BYTES // PART_BYTES + 1


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


class MessagePosition(NamedTuple):
    """Where a message stands in its stream and in its consumer; how many follow it."""

    stream_seq: int
    consumer_seq: int
    pending: int


def message_position(reply: str) -> MessagePosition | None:
    """Returns what the reply subject of a delivered message says."""
    tokens = reply.split(".")
    if tokens[:2] != ["$JS", "ACK"]:
        return None
    # In front of it, newer servers name the domain and the account.
    at = 4 if len(tokens) == 9 else 6
    try:
        return MessagePosition(int(tokens[at + 1]), int(tokens[at + 2]), int(tokens[at + 4]))
    except (ValueError, IndexError):
        return None


def part_numbers(header: str | None) -> tuple[int, int]:
    """Returns which part of how many a message is; one that says nothing sensible is a whole."""
    number, _, count = (header or "1/1").partition("/")
    try:
        found = int(number), int(count)
    except ValueError:
        return 1, 1
    return found if 1 <= found[0] <= found[1] <= MAX_PARTS else (1, 1)


def headers_of(encoded: str | None) -> dict[str, str]:
    """Returns the headers of a message that was asked for by its place. Whoever wrote them, a line
    that is not one is left out.
    """
    _, *lines = base64.b64decode(encoded or "").decode(errors="replace").split("\r\n")
    parted = [line.partition(":") for line in lines]
    return {name.strip(): value.strip() for name, separator, value in parted if separator}


class BatchPart(NamedTuple):
    """A message, and the sequence number, writer and subject of it."""

    seq: int
    id: str
    subject: str
    data: bytes


class PartJoiner:
    """Joins the parts of records; they are neighbours in their stream."""

    def __init__(self) -> None:
        self._held: list[BatchPart] = []

    def joined(self, header: str | None, part: BatchPart) -> list[BatchPart]:
        """Takes one more message; returns the records that end with it. A record that others have
        broken into has nothing in it: its writer has to know where it was.
        """
        number, count = part_numbers(header)
        last = self._held[-1] if self._held else None
        done: list[BatchPart] = []
        if last and (number != len(self._held) + 1 or (part.id, part.subject) != last[1:3]):
            done.append(last._replace(data=b""))
            self._held = []
        if count == 1:
            return [*done, part]
        if number != len(self._held) + 1:
            return [*done, part._replace(data=b"")]
        self._held.append(part)
        if number < count:
            return done
        whole, self._held = b"".join([each.data for each in self._held]), []
        return [*done, part._replace(data=whole)]
