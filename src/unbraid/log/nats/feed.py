"""Records of a stream in order, without a gap: an ephemeral pull consumer.

A pull consumer sends what was asked for and no more, so a slow reader fills no buffer. Each message
has the consumer's own number, which must be the last plus one; stream sequences have holes where
runs were replaced. Any gap or silence ends the feed, and the next one begins after what its reader
has taken over.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import msgspec
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error

from unbraid.log.nats.connection import NatsConnection, NoAnswer, Refused
from unbraid.log.nats.stream import (
    ID,
    PARTS,
    PartJoiner,
    message_position,
    run_of,
    stored_message,
)
from unbraid.log.port import LogUnusable
from unbraid.log.replicated.journal import FeedBroken, StoredRecord
from unbraid.timings import FOLD_RETRY_SECONDS, NATS_FIRST_RETRY_SECONDS, READ_DEADLINE_SECONDS

# A feed asks for more at least this often, and is alive as long as heartbeats come.
FEED_REQUEST_SECONDS = 30.0
FEED_HEARTBEAT_SECONDS = 0.5
FEED_SILENCE_SECONDS = 1.5

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
                    records += self._records(seq, message.subject, headers, message.data)
                if records:
                    yield records
        except (Refused, NoAnswer, Error, OSError) as error:
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
        return self._records(found.seq, found.subject, found.headers, found.data)

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

    def _records(
        self, seq: int, subject: str, headers: dict[str, str], data: bytes
    ) -> list[StoredRecord]:
        part = StoredRecord(seq, headers.get(ID, ""), run_of(subject), record=data)
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
