"""The stream that holds a log: created with the settings that the guarantees need, and refused with
any other, never changed silently. And its messages: what stands around a record, its headers, its
parts, its place.
"""

from __future__ import annotations

import asyncio
import base64
import time
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from unbraid.log.nats.connection import NatsConnection, NoAnswer, Refused
from unbraid.log.port import LogUnusable
from unbraid.log.replicated.journal import MAX_RECORD_BYTES, StoredRecord
from unbraid.timings import NATS_PLACEMENT_SECONDS, NATS_RETRY_SECONDS

# A leader hears of the others every second; from those that it has not heard of, it is cut off.
NATS_QUORUM_SECONDS = 5.0

REPLICAS = 3
NOT_FOUND, _NOT_CLUSTERED, _NO_PEERS = 10059, 10074, (10005, 10023)
_NOT_FOR_ACCOUNT, _MESSAGE_NOT_FOUND = 10039, 10037
# Another message is the last of its subject, or one is on its way.
WRONG_LAST = (10071, 10164)
_NEEDED = ("allow_atomic", "allow_msg_ttl", "allow_rollup_hdrs")
# With any other of these, records go that were acknowledged, or do not come in.
_FIXED = (
    "subjects",
    "storage",
    "retention",
    "discard",
    "compression",
    "max_msgs",
    "max_msgs_per_subject",
    "max_age",
)


def run_subject(prefix: str, run: str) -> str:
    """Returns the subject of a run. A dot would part it, and no run has an equals sign."""
    return f"{prefix}.run.{run.replace('.', '=')}"


def run_of(subject: str) -> str:
    """Returns the run of a subject."""
    return subject.rpartition(".")[2].replace("=", ".")


def log_settings(name: str, prefix: str, replicas: int) -> dict[str, Any]:
    """Returns the settings of the stream of a log.

    Without compression: with it, nodes of 2.15 that were killed came back without their data.
    """
    return stream_settings(name, f"{prefix}.run.*", replicas) | {
        "compression": "none",
        "allow_atomic": True,
        "max_msgs_per_subject": -1,
    }


def stream_settings(name: str, subject: str, replicas: int) -> dict[str, Any]:
    """Returns the settings that all streams have: on disk, for ever, and nothing is dropped."""
    return {
        "name": name,
        "subjects": [subject],
        "storage": "file",
        "retention": "limits",
        "discard": "new",
        "num_replicas": replicas,
        "allow_direct": True,
        "allow_rollup_hdrs": True,
        "allow_msg_ttl": True,
        "duplicate_window": 1_000_000_000,
        "max_msgs": -1,
        "max_bytes": -1,
        "max_age": 0,
        "max_consumers": -1,
        "max_msg_size": -1,
    }


async def open_stream(connection: NatsConnection, settings: dict[str, Any]) -> dict[str, Any]:
    """Returns what the stream is, after making it if it is not there. A cluster that has just
    started gets some time to find its leader.
    """
    name, until = settings["name"], time.monotonic() + NATS_PLACEMENT_SECONDS
    while True:
        try:
            return await _found_or_made(connection, name, settings)
        except Refused as error:
            passing = error.problem.code == 503 or error.problem.err_code in _NO_PEERS
            passing = passing and error.problem.err_code != _NOT_FOR_ACCOUNT
            problem = f"has no stream {name}, and refuses to make it: {error}"
        except NoAnswer as error:
            passing, problem = True, f"JetStream does not answer ({error}): is it enabled?"
        if not passing or time.monotonic() > until:
            raise LogUnusable(connection.address.shown, "away" if passing else "io", problem)
        await asyncio.sleep(NATS_RETRY_SECONDS)


async def _found_or_made(
    connection: NatsConnection, name: str, settings: dict[str, Any]
) -> dict[str, Any]:
    try:
        return await connection.ask(f"STREAM.INFO.{name}")
    except Refused as error:
        if error.problem.err_code != NOT_FOUND:
            raise
    try:
        return await connection.ask(f"STREAM.CREATE.{name}", settings)
    except Refused as error:
        if error.problem.err_code != _NOT_CLUSTERED:
            raise
        return await connection.ask(f"STREAM.CREATE.{name}", {**settings, "num_replicas": 1})


class StoredMessage(NamedTuple):
    """A message of a stream, and its sequence there."""

    seq: int
    subject: str
    headers: dict[str, str]
    data: bytes


async def stored_message(
    connection: NatsConnection, stream: str, wanted: dict[str, Any]
) -> StoredMessage | None:
    """Returns the message that is asked for, as the stream's leader has it; None if there is none.
    Raises Refused, or NoAnswer.
    """
    try:
        answer = await connection.ask(f"STREAM.MSG.GET.{stream}", wanted)
    except Refused as error:
        if error.problem.err_code == _MESSAGE_NOT_FOUND:
            return None
        raise
    found = answer["message"]
    headers, data = headers_of(found.get("hdrs")), base64.b64decode(found.get("data") or "")
    return StoredMessage(found["seq"], found["subject"], headers, data=data)


def setting_problems(info: dict[str, Any], settings: dict[str, Any]) -> list[str]:
    """Returns what is wrong with the settings of a stream, and what to do about each."""
    config = info["config"]
    name = config["name"]
    problems = [
        f"stream {name} lacks {each}: edit the stream, or upgrade nats-server to 2.12 or later"
        for each in _NEEDED
        if not config.get(each)
    ]
    problems += [
        f"stream {name} has {each} {config[each]}: edit it to {settings[each]}, or make it anew"
        for each in _FIXED
        if config.get(each, settings[each]) != settings[each]
    ]
    nodes = 1 + len((info.get("cluster") or {}).get("replicas") or [])
    if "cluster" in info and info["cluster"].get("name") and config["num_replicas"] < REPLICAS:
        problems.append(
            f"stream {name} has {nodes} copy in a cluster: edit it to {REPLICAS} replicas"
        )
    return problems


def is_cut_off(info: dict[str, Any]) -> bool:
    """Returns whether the node that has answered is alone: it knows no leader, or leads, and has
    not heard of most others for a while. It answers all the same, with what it last knew.
    """
    cluster = info.get("cluster") or {}
    replicas = cluster.get("replicas") or []
    if not replicas:
        return False
    heard = sum(each.get("active", 0) < NATS_QUORUM_SECONDS * 1e9 for each in replicas)
    return not cluster.get("leader") or 2 * (heard + 1) <= len(replicas) + 1


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


class PartJoiner:
    """Joins the parts of records; they are neighbours in their stream."""

    def __init__(self) -> None:
        self._held: list[StoredRecord] = []

    def joined(self, header: str | None, part: StoredRecord) -> list[StoredRecord]:
        """Takes one more message; returns the records that end with it. A record that others have
        broken into has nothing in it: its writer has to know where it was.
        """
        number, count = part_numbers(header)
        last = self._held[-1] if self._held else None
        done: list[StoredRecord] = []
        if last and (number != len(self._held) + 1 or (part.id, part.run) != (last.id, last.run)):
            done.append(last._replace(record=b""))
            self._held = []
        if count == 1:
            return [*done, part]
        if number != len(self._held) + 1:
            return [*done, part._replace(record=b"")]
        self._held.append(part)
        if number < count:
            return done
        whole, self._held = b"".join([each.record for each in self._held]), []
        return [*done, part._replace(record=whole)]
