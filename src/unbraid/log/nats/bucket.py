"""A bucket of keys on JetStream, written only after a known state of each.

The client's own buckets cannot give a key that is updated a time to live, and take the mark of an
expired key for a value; what is needed of a bucket is little.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any, NamedTuple

import msgspec

from unbraid.log.nats.connection import NatsConnection, NoAnswer, Refused
from unbraid.log.nats.message import EXPECTED, TTL
from unbraid.log.nats.stream import open_stream, stored_message, stream_settings
from unbraid.timings import (
    BUCKET_DEADLINE_SECONDS,
    DELETED_KEY_SECONDS,
    NATS_LONGEST_RETRY_SECONDS,
)

_OPERATION = "KV-Operation"
_WRONG_LAST = (10071, 10164)


class BucketEntry(NamedTuple):
    """What a bucket has of a key: the sequence of its last change, and its value; nothing if it was
    deleted, has expired, or was never there.
    """

    seq: int
    value: bytes


class _Ack(msgspec.Struct):
    seq: int


_ack = msgspec.json.Decoder(_Ack).decode


def bucket_settings(name: str, replicas: int) -> dict[str, Any]:
    """Returns the settings of the stream of a bucket."""
    return stream_settings(f"KV_{name}", f"$KV.{name}.>", replicas) | {"max_msgs_per_subject": 1}


class Bucket:
    """Keys and values. It is made when it is first used."""

    def __init__(self, connection: NatsConnection, name: str, replicas: int) -> None:
        self.address = connection.address.shown
        self._connection, self._name, self._replicas = connection, name, replicas
        self._is_open = False

    async def get(self, key: str) -> BucketEntry:
        """Returns what is kept of a key. Raises LogUnusable if no node answers."""
        await self._open()
        subject = f"$KV.{self._name}.{key}"
        until = time.monotonic() + BUCKET_DEADLINE_SECONDS
        while True:
            try:
                found = await stored_message(
                    self._connection, f"KV_{self._name}", {"last_by_subj": subject}
                )
            except (Refused, NoAnswer) as error:
                problem = error
            else:
                if found is None:
                    return BucketEntry(0, b"")
                return BucketEntry(found.seq, b"" if _OPERATION in found.headers else found.data)
            await self._pause(problem, until)

    async def put(
        self, key: str, value: bytes, *, after: int, ttl_seconds: int | None = None
    ) -> int | None:
        """Writes a value if the key's last change is at `after`. Returns the sequence of this
        change; None if another writer was first.
        """
        headers = {EXPECTED: str(after)}
        if ttl_seconds is not None:
            headers[TTL] = str(ttl_seconds)
        return await self._write(key, value, headers)

    async def delete(self, key: str, *, after: int) -> None:
        """Deletes a key if its last change is at `after`."""
        headers = {
            EXPECTED: str(after),
            _OPERATION: "DEL",
            TTL: str(round(DELETED_KEY_SECONDS)),
        }
        await self._write(key, b"", headers)

    async def all(self, prefix: str) -> dict[str, BucketEntry]:
        """Returns what there is below a prefix, by the last part of the keys."""
        await self._open()
        # By the leader: a consumer may be on a node that lags behind it.
        wanted = {"subjects_filter": f"$KV.{self._name}.{prefix}.*"}
        try:
            info = await self._connection.ask(f"STREAM.INFO.KV_{self._name}", wanted)
        except (Refused, NoAnswer) as error:
            raise self._connection.unusable(error) from error
        found: dict[str, BucketEntry] = {}
        for subject in info["state"].get("subjects") or {}:
            name = subject.rpartition(".")[2]
            found[name] = await self.get(f"{prefix}.{name}")
        return {name: kept for name, kept in found.items() if kept.value}

    async def _write(self, key: str, value: bytes, headers: dict[str, str]) -> int | None:
        await self._open()
        subject = f"$KV.{self._name}.{key}"
        until, ours = time.monotonic() + BUCKET_DEADLINE_SECONDS, False
        while True:
            try:
                answer = await self._connection.request(subject, value, headers=headers)
                return _ack(answer).seq
            except Refused as error:
                if error.problem.err_code in _WRONG_LAST:
                    # After a timeout it may be ours that is there.
                    kept = await self.get(key) if ours else BucketEntry(0, b"")
                    return kept.seq if ours and kept.value == value and value else None
                problem: Refused | NoAnswer = error
            except NoAnswer as error:
                problem, ours = error, True
            await self._pause(problem, until)

    async def _pause(self, problem: Refused | NoAnswer, until: float) -> None:
        passing = isinstance(problem, NoAnswer) or problem.problem.code >= 500
        if not passing or time.monotonic() > until:
            raise self._connection.unusable(problem) from problem
        await asyncio.sleep(NATS_LONGEST_RETRY_SECONDS)

    async def _open(self) -> None:
        if not self._is_open:
            try:
                self._connection.check_made()
            except NoAnswer as error:
                raise self._connection.unusable(error) from error
            await open_stream(self._connection, bucket_settings(self._name, self._replicas))
            self._is_open = True
