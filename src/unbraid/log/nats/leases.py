"""Leases that all machines know: keys of a bucket beside the log's stream, written only after a
known state of each.

Each holder has one key that lives for some seconds and is written again and again
(`session.<holder>`). The key of a run (`run.<name>`) names the holder, and is written only if it
has not changed since it was read. So only one process acquires a lease, and a lease whose holder is
gone can be acquired by another process once the holder's own key has expired.

A lease keeps two machines from doing the same work. It does not protect the history: the log
compares before each append, which needs no clock.

How long a key lives is counted by the clocks of the nodes. If those are set back, one that was
written before lives on for as long: so a holder also counts as gone if other machines have
measured, by their monotonic clocks, that its key was not written again.

The client's own buckets cannot give a key that is updated a time to live, and take the mark of an
expired key for a value; what is needed of a bucket is little.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from unbraid.errors import LogError
from unbraid.log.leases import FileLeases
from unbraid.log.nats.connection import NatsConnection, NoAnswer, Refused
from unbraid.log.nats.stream import (
    EXPECTED,
    REPLICAS,
    TTL,
    WRONG_LAST,
    acked_seq,
    open_stream,
    stored_message,
    stream_settings,
)
from unbraid.system.tasks import end_task
from unbraid.timings import LEASE_RENEWAL_SECONDS, LEASE_TTL_SECONDS, NATS_LONGEST_RETRY_SECONDS

# A process that stops releases all leases within this time, if it can reach the nodes.
LEASE_CLOSE_SECONDS = 4.0
# The mark of a deleted key is needed only by processes that are about to write the key.
DELETED_KEY_SECONDS = 60.0
# A cluster without a leader finds one within 4 to 9 seconds; no caller waits longer.
BUCKET_DEADLINE_SECONDS = 10.0

_OPERATION = "KV-Operation"


class BucketEntry(NamedTuple):
    """What a bucket has of a key: the sequence of its last change, and its value; nothing if it was
    deleted, has expired, or was never there.
    """

    seq: int
    value: bytes


class Bucket:
    """Keys and values. It is made when it is first used."""

    def __init__(self, connection: NatsConnection) -> None:
        self.address = connection.address.shown
        self._connection, self._name = connection, f"{connection.address.stream}_LEASES"
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
                if found is None:
                    return BucketEntry(0, b"")
                return BucketEntry(found.seq, b"" if _OPERATION in found.headers else found.data)
            except (Refused, NoAnswer) as error:
                await self._pause(error, until)

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
        ttl = str(round(DELETED_KEY_SECONDS))
        await self._write(key, b"", {EXPECTED: str(after), _OPERATION: "DEL", TTL: ttl})

    async def all(self, prefix: str) -> dict[str, BucketEntry]:
        """Returns what there is below a prefix, by the last part of the keys."""
        await self._open()
        # By the leader: a consumer may be on a node that lags behind it.
        wanted = {"subjects_filter": f"$KV.{self._name}.{prefix}.*"}
        info = await self._connection.ask(f"STREAM.INFO.KV_{self._name}", wanted)
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
                return acked_seq(answer)
            except Refused as error:
                if error.problem.err_code in WRONG_LAST:
                    # After a timeout it may be ours that is there.
                    kept = await self.get(key) if ours else BucketEntry(0, b"")
                    return kept.seq if ours and kept.value == value and value else None
                await self._pause(error, until)
            except NoAnswer as error:
                ours = True
                await self._pause(error, until)

    async def _pause(self, problem: Refused | NoAnswer, until: float) -> None:
        passing = isinstance(problem, NoAnswer) or problem.problem.code >= 500
        if not passing or time.monotonic() > until:
            raise problem
        await asyncio.sleep(NATS_LONGEST_RETRY_SECONDS)

    async def _open(self) -> None:
        if not self._is_open:
            self._connection.check_made()
            stream, keys = f"KV_{self._name}", f"$KV.{self._name}.>"
            settings = stream_settings(stream, keys, REPLICAS) | {"max_msgs_per_subject": 1}
            await open_stream(self._connection, settings)
            self._is_open = True


# How often a key is read again that another process changes meanwhile.
TRIES = 5


class LeaseHolder(Struct):
    """The holder of a lease; a lease that was `left` has no holder, and its run is to be
    continued.
    """

    session: str
    host: str = ""
    pid: int = 0
    left: bool = False


_holder = msgspec.json.Decoder(LeaseHolder).decode


class HolderSightings:
    """What one process has seen of the keys of all holders."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, float]] = {}

    def lives(self, session: str, kept: BucketEntry) -> bool:
        """Returns whether a holder lives whose key is found like this."""
        now = time.monotonic()
        seq, since = self._seen.get(session, (0, now))
        if not kept.value:
            self._seen.pop(session, None)
        elif kept.seq != seq:
            self._seen[session] = kept.seq, now
        return bool(kept.value) and (kept.seq != seq or now - since < LEASE_TTL_SECONDS)

    def living(self, sessions: Mapping[str, BucketEntry]) -> set[str]:
        """Returns which holders live; these are the keys of all of them."""
        for gone in self._seen.keys() - sessions.keys():
            del self._seen[gone]
        return {session for session, kept in sessions.items() if self.lives(session, kept)}


class NatsLeases(FileLeases):
    """The leases of one holder. What concerns only this machine is kept in files, as on a log of
    one machine.
    """

    def __init__(
        self,
        folder: Path,
        bucket: Bucket,
        sightings: HolderSightings,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(folder)
        self._on_change = on_change  # a lease was acquired, released or lost
        self._bucket, self._sightings = bucket, sightings
        self._me = LeaseHolder(secrets.token_hex(8), socket.gethostname(), os.getpid())
        self._seqs: dict[str, int] = {}  # of the keys of the runs whose leases we hold
        self._session_seq = 0
        self._renewal: asyncio.Task[None] | None = None

    async def acquire(self, name: str) -> bool:
        if name in self._seqs:
            return True
        # First between the processes of this machine, which also see by it that the run is held.
        if not await super().acquire(name):
            return False
        acquired = False
        try:
            acquired = await self._acquire(name)
        finally:
            if not acquired:
                await super().release(name)
        return acquired

    async def _acquire(self, name: str) -> bool:
        await self._begin()
        value = msgspec.json.encode(self._me)
        for _ in range(TRIES):
            kept = await self._bucket.get(_run_key(name))
            holder = _holder_of(kept)
            if holder is not None and holder.session != self._me.session:
                key = await self._bucket.get(_session_key(holder.session))
                if self._sightings.lives(holder.session, key):
                    return False
            seq = await self._bucket.put(_run_key(name), value, after=kept.seq)
            if seq is not None:
                self._seqs[name] = seq
                self._on_change()
                return True
        return False

    async def release(self, name: str) -> None:
        await super().release(name)
        seq = self._seqs.pop(name, None)
        if seq is not None:
            self._on_change()
            # A run that cannot be released now counts as abandoned when this holder is gone.
            with suppress(LogError):
                await self._bucket.delete(_run_key(name), after=seq)

    async def abandoned(self) -> list[str]:
        return sorted(await self._without_holder())

    async def dead(self) -> list[str]:
        """Returns the names whose holders died: those that stopped in good order are not among
        them, though their runs are abandoned, too.
        """
        return sorted(
            name for name, holder in (await self._without_holder()).items() if not holder.left
        )

    async def _without_holder(self) -> dict[str, LeaseHolder]:
        holders = {
            name: holder
            for name, kept in (await self._bucket.all("run")).items()
            if (holder := _holder_of(kept)) is not None
        }
        sessions = await self._bucket.all("session") if holders else {}
        living = self._sightings.living(sessions)
        return {
            name.replace("=", "."): holder
            for name, holder in holders.items()
            if holder.session not in living
        }

    async def close(self, *, ended: bool) -> None:
        if self._renewal is not None:
            renewal, self._renewal = self._renewal, None
            await end_task(renewal)
        # What cannot be said while the nodes are away, they find out by what expires.
        with suppress(TimeoutError):
            async with asyncio.timeout(LEASE_CLOSE_SECONDS):
                await self._let_go(ended=ended)
        self._seqs.clear()
        self._session_seq = 0
        await super().close(ended=ended)

    async def _let_go(self, *, ended: bool) -> None:
        for name in list(self._seqs):
            if ended:
                await self.release(name)
            else:
                await self._leave(name)
        if self._session_seq:
            with suppress(LogError):
                await self._bucket.delete(_session_key(self._me.session), after=self._session_seq)

    async def _leave(self, name: str) -> None:
        """Writes that the holder of a run has stopped in good order."""
        seq, left = self._seqs.pop(name), replace(self._me, left=True)
        with suppress(LogError):
            await self._bucket.put(_run_key(name), msgspec.json.encode(left), after=seq)

    async def _begin(self) -> None:
        if self._session_seq == 0:
            await self._write_session()
        if self._renewal is None:
            self._renewal = asyncio.create_task(self._renew())

    async def _write_session(self) -> bool:
        """Writes this holder's own key. Returns whether it had expired."""
        key, value = _session_key(self._me.session), msgspec.json.encode(self._me)
        ttl = round(LEASE_TTL_SECONDS)
        expired = False
        for _ in range(TRIES):
            seq = await self._bucket.put(key, value, after=self._session_seq, ttl_seconds=ttl)
            if seq is not None:
                self._session_seq = seq
                return expired
            # It has expired, or an answer was lost: no other process writes this key.
            self._session_seq = (await self._bucket.get(key)).seq
            expired = self._session_seq == 0
        raise LogError(f"the lease of this process cannot be renewed at {self._bucket.address}")

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(LEASE_RENEWAL_SECONDS)
            try:
                if await self._write_session():
                    await self._check_held()
            except LogError:
                continue  # away; perhaps others have taken over when it is back

    async def _check_held(self) -> None:
        """Forgets the leases that others have taken over while this holder could not be reached."""
        for name in list(self._seqs):
            holder = _holder_of(await self._bucket.get(_run_key(name)))
            if holder is None or holder.session != self._me.session:
                self._seqs.pop(name, None)
                await super().release(name)
                self._on_change()


def _run_key(name: str) -> str:
    return f"run.{name.replace('.', '=')}"


def _session_key(session: str) -> str:
    return f"session.{session}"


def _holder_of(kept: BucketEntry) -> LeaseHolder | None:
    try:
        return _holder(kept.value) if kept.value else None
    except msgspec.MsgspecError:
        return None
