"""The stream that holds a log: created with the settings that the guarantees need, and refused with
any other, never changed silently. Its messages: what stands around a record, its headers, its
parts, its place. And how it is read.

A feed is an ephemeral pull consumer, which sends what was asked for and no more, so a slow reader
fills no buffer. Each message has the consumer's own number, which must be the last plus one; stream
sequences have holes where runs were replaced. Any gap or silence ends the feed, and the next one
begins after what its reader has taken over.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import secrets
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error

from unbraid.log.nats.connection import NatsConnection, NoAnswer, Refused
from unbraid.log.port import LogUnusable
from unbraid.log.replicated.journal import MAX_RECORD_BYTES, FeedBroken, StoredRecord
from unbraid.timings import (
    FOLD_RETRY_SECONDS,
    NATS_FIRST_RETRY_SECONDS,
    NATS_PLACEMENT_SECONDS,
    NATS_RETRY_SECONDS,
    READ_DEADLINE_SECONDS,
)

# A leader hears of the others every second; from those that it has not heard of, it is cut off.
NATS_QUORUM_SECONDS = 5.0
# A feed asks for more at least this often, and is alive as long as heartbeats come.
FEED_REQUEST_SECONDS = 30.0
FEED_HEARTBEAT_SECONDS = 0.5
FEED_SILENCE_SECONDS = 1.5

REPLICAS = 3
NOT_FOUND, _NOT_CLUSTERED, _NO_PEERS = 10059, 10074, (10005, 10023)
_NOT_FOR_ACCOUNT, _MESSAGE_NOT_FOUND = 10039, 10037
# Another message is the last of its subject, or one is on its way.
WRONG_LAST = (10071, 10164)
_NEEDED = ("allow_atomic", "allow_msg_ttl", "allow_rollup_hdrs")
# With any other of these, records go that were acknowledged, or do not come in.
_FIXED = (
    "subjects storage retention discard compression max_msgs max_msgs_per_subject max_age".split()
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
            problem = f"has no stream {name}, and refuses to make it: {error.why}"
        except NoAnswer as error:
            passing, problem = True, f"JetStream does not answer ({error.why}): is it enabled?"
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


class _Ack(Struct):
    seq: int


_ack = msgspec.json.Decoder(_Ack).decode


def acked_seq(answer: bytes) -> int:
    """Returns where a message was stored; of a batch, its last one."""
    return _ack(answer).seq


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


BATCH = 500
BATCH_BYTES = 4 << 20
_NANO = 1_000_000_000
_ENDED = ("404", "408")
# A consumer that was just made may not be known everywhere yet.
UNKNOWN_TRIES = 30


async def read_to_end(
    connection: NatsConnection, stream: str, subject: str
) -> AsyncGenerator[list[StoredRecord], None]:
    """Yields the records of one subject that are there. A feed that breaks is made anew; raises
    LogUnusable if that does not help for long.
    """
    after, until = 0, time.monotonic() + READ_DEADLINE_SECONDS
    while True:
        feed = NatsFeed(connection, stream, first=after + 1, subject=subject)
        try:
            async with aclosing(feed.records(to_end=True)) as records:
                async for batch in records:
                    yield batch
                    after, until = batch[-1].seq, time.monotonic() + READ_DEADLINE_SECONDS
            return
        except FeedBroken as error:
            if time.monotonic() > until:
                problem = f"cannot be read ({error})"
                raise LogUnusable(connection.address.shown, "away", problem) from error
        await asyncio.sleep(FOLD_RETRY_SECONDS)


class NatsFeed:
    """Messages of a stream from a sequence on, of all runs or of one subject."""

    def __init__(
        self, connection: NatsConnection, stream: str, *, first: int, subject: str | None = None
    ) -> None:
        self._connection, self._stream = connection, stream
        self._first, self._subject = first, subject
        self._name = f"unbraid-{secrets.token_hex(8)}"
        self._inbox = connection.client.new_inbox()
        self._received: list[Msg] = []
        self._arrived = asyncio.Event()
        self._wanted = 0  # of the last request
        self._unknown = 0
        self._next = 1  # the consumer's number of the next message
        self._parts = PartJoiner()

    async def records(self, *, to_end: bool = False) -> AsyncGenerator[list[StoredRecord], None]:
        """Yields records as they come; with `to_end`, only those that are there. Raises
        FeedBroken.
        """
        subscription = None
        try:
            self._connection.check_made()
            if not to_end and (first := await self._first_records()):
                yield first
            subscription = await self._subscribe()
            pending = await self._create()
            while pending or not to_end:
                messages = await self._receive()
                records = list[StoredRecord]()
                for message in messages:
                    seq, pending = self._checked(message)
                    headers = message.headers or {}
                    records += self._records(
                        StoredMessage(seq, message.subject, headers, message.data)
                    )
                if records:
                    yield records
        except (Refused, NoAnswer) as error:
            raise FeedBroken(str(error)) from error
        except (Error, OSError) as error:
            raise FeedBroken(f"{self._connection.address.shown}: {error}") from error
        finally:
            await self._end(subscription)

    async def _first_records(self) -> list[StoredRecord]:
        """Returns the records that end with the first message. That is asked for by itself, because
        it may be the one at which the client gave up in the feed before; this answer is JSON.
        """
        wanted = {"seq": max(self._first, 1), "next_by_subj": ">"}
        found = await stored_message(self._connection, self._stream, wanted)
        if found is None:
            return []
        self._first = found.seq + 1
        return self._records(found)

    async def _subscribe(self) -> Subscription:
        async def receive(message: Msg) -> None:
            self._received.append(message)
            self._arrived.set()

        return await self._connection.client.subscribe(self._inbox, cb=receive)

    async def _create(self) -> int:
        config: dict[str, Any] = {
            "name": self._name,
            "ack_policy": "none",
            "deliver_policy": "by_start_sequence",
            "opt_start_seq": max(self._first, 1),
            "mem_storage": True,
            "num_replicas": 1,
            "inactive_threshold": round(FEED_REQUEST_SECONDS * _NANO),
        }
        subject = f"CONSUMER.CREATE.{self._stream}.{self._name}"
        if self._subject is not None:
            config["filter_subject"] = self._subject
            subject = f"{subject}.{self._subject}"
        made = await self._connection.ask(subject, {"stream_name": self._stream, "config": config})
        return int(made["num_pending"])

    async def _ask_for_more(self) -> None:
        self._wanted = BATCH
        request = {
            "batch": BATCH,
            "max_bytes": BATCH_BYTES,
            "expires": round(FEED_REQUEST_SECONDS * _NANO),
            "idle_heartbeat": round(FEED_HEARTBEAT_SECONDS * _NANO),
        }
        await self._connection.client.publish(
            f"$JS.API.CONSUMER.MSG.NEXT.{self._stream}.{self._name}",
            msgspec.json.encode(request),
            reply=self._inbox,
        )

    async def _receive(self) -> list[Msg]:
        """Returns what has come: at least one message."""
        found: list[Msg] = []
        while not found:
            if self._wanted <= 0:
                if self._unknown:
                    await asyncio.sleep(NATS_FIRST_RETRY_SECONDS)
                await self._ask_for_more()
            try:
                async with asyncio.timeout(FEED_SILENCE_SECONDS):
                    await self._arrived.wait()
            except TimeoutError:
                raise FeedBroken(f"{self._connection.address.shown}: silence") from None
            messages, self._received = self._received, []
            self._arrived.clear()
            for message in messages:
                headers = message.headers or {}
                if "Status" not in headers or not self._is_status(headers):
                    self._wanted -= 1
                    found.append(message)
        return found

    def _is_status(self, headers: dict[str, str]) -> bool:
        status, about = headers["Status"], headers.get("Description", "")
        # All that was asked for has come, and was counted; the next request may be on its way. If
        # the bytes were too many before that, some messages are left.
        completed = status == "409" and about == "Batch Completed"
        if completed and headers.get("Nats-Pending-Messages", "0") == "0":
            return True
        if completed or status in _ENDED or (status == "409" and "MaxBytes" in about):
            self._wanted = 0  # this request is answered, and the next one is due
        elif status == "503" and self._next == 1 and self._unknown < UNKNOWN_TRIES:
            self._wanted, self._unknown = 0, self._unknown + 1
        elif status != "100":
            raise FeedBroken(f"{self._connection.address.shown}: {status} {about}")
        return True

    def _checked(self, message: Msg) -> tuple[int, int]:
        position = message_position(message.reply)
        if position is None or position.consumer_seq != self._next:
            raise FeedBroken(f"{self._connection.address.shown}: a gap before {message.reply}")
        self._next += 1
        return position.stream_seq, position.pending

    def _records(self, found: StoredMessage) -> list[StoredRecord]:
        headers, run = found.headers, run_of(found.subject)
        part = StoredRecord(found.seq, headers.get(ID, ""), run, record=found.data)
        return self._parts.joined(headers.get(PARTS), part)

    async def _end(self, subscription: Subscription | None) -> None:
        # What stays behind on a server that is away goes by its threshold.
        with contextlib.suppress(Exception):
            if subscription is not None:
                await subscription.unsubscribe()
        with contextlib.suppress(Exception):
            await self._connection.client.publish(
                f"$JS.API.CONSUMER.DELETE.{self._stream}.{self._name}"
            )
