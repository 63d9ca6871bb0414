"""Leases that all machines know: keys of a bucket beside the log's stream.

Each holder has one key that lives for some seconds and is written again and again
(`session.<holder>`). The key of a run (`run.<name>`) names the holder, and is written only if it
has not changed since it was read. So only one process acquires a lease, and a lease whose holder is
gone can be acquired by another process once the holder's own key has expired.

A lease keeps two machines from doing the same work. It does not protect the history: the log
compares before each append, which needs no clock.

How long a key lives is counted by the clocks of the nodes. If those are set back, one that was
written before lives on for as long: so a holder also counts as gone if other machines have
measured, by their monotonic clocks, that its key was not written again.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from unbraid.errors import LogError
from unbraid.log.leases import FileLeases
from unbraid.log.nats.bucket import Bucket, BucketEntry
from unbraid.system.tasks import end_task
from unbraid.timings import LEASE_CLOSE_SECONDS, LEASE_RENEWAL_SECONDS, LEASE_TTL_SECONDS
from unbraid.wire.names import names_run

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


class NatsLeases:
    """The leases of one holder. What concerns only this machine is kept in files, as on a log of
    one machine.
    """

    def __init__(
        self,
        bucket: Bucket,
        local: FileLeases,
        sightings: HolderSightings,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self.changes = 0  # leases taken, given back and lost
        self._on_change = on_change
        self._bucket, self._local, self._sightings = bucket, local, sightings
        self._me = LeaseHolder(secrets.token_hex(8), socket.gethostname(), os.getpid())
        self._held: dict[str, int] = {}
        self._session_seq = 0
        self._renewal: asyncio.Task[None] | None = None

    async def acquire(self, name: str) -> bool:
        """Acquires the lease of a run. Returns False if a living holder has it."""
        if not names_run(name):
            raise LogError(f"not the name of a run: {name[:80]!r}")
        if name in self._held:
            return True
        # First between the processes of this machine, which also see by it that the run is held.
        if not await self._local.acquire(name):
            return False
        taken = False
        try:
            taken = await self._acquire(name)
        finally:
            if not taken:
                await self._local.release(name)
        return taken

    async def _acquire(self, name: str) -> bool:
        await self._begin()
        value = msgspec.json.encode(self._me)
        for _ in range(TRIES):
            kept = await self._bucket.get(_run_key(name))
            holder = _holder_of(kept)
            if holder is not None and await self._another_lives(holder):
                return False
            seq = await self._bucket.put(_run_key(name), value, after=kept.seq)
            if seq is not None:
                self._held[name] = seq
                self._changed()
                return True
        return False

    async def release(self, name: str) -> None:
        """Releases a lease of ours."""
        await self._local.release(name)
        seq = self._held.pop(name, None)
        if seq is not None:
            self._changed()
            # A run that cannot be released now counts as abandoned when this holder is gone.
            with suppress(LogError):
                await self._bucket.delete(_run_key(name), after=seq)

    def is_held(self, name: str) -> bool:
        """Returns whether a process of this machine holds the lease of a run."""
        return self._local.is_held(name)

    def acquire_unnamed(self) -> str:
        """Acquires a lease for a session that is about to begin on this machine, and returns its
        temporary name.
        """
        return self._local.acquire_unnamed()

    def another_is_starting(self) -> bool:
        """Returns whether another process of this machine is about to begin a session."""
        return self._local.another_is_starting()

    def mark_part_of_other_run(self, name: str) -> None:
        """Marks a session of this machine as part of another run."""
        self._local.mark_part_of_other_run(name)

    def is_part_of_other_run(self, name: str) -> bool:
        """Returns whether a session of this machine was so marked."""
        return self._local.is_part_of_other_run(name)

    async def abandoned(self) -> list[str]:
        """Returns the runs whose holders are gone."""
        return sorted(await self._without_holder())

    async def dead(self) -> list[str]:
        """Returns the runs whose holders died."""
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
        """Lets go of every lease, and of this holder's own key."""
        if self._renewal is not None:
            renewal, self._renewal = self._renewal, None
            await end_task(renewal)
        # What cannot be said while the nodes are away, they find out by what expires.
        with suppress(TimeoutError):
            async with asyncio.timeout(LEASE_CLOSE_SECONDS):
                await self._let_go(ended=ended)
        self._held.clear()
        self._session_seq = 0
        await self._local.close(ended=ended)

    async def _let_go(self, *, ended: bool) -> None:
        for name in list(self._held):
            if ended:
                await self.release(name)
            else:
                await self._leave(name)
        if self._session_seq:
            with suppress(LogError):
                await self._bucket.delete(_session_key(self._me.session), after=self._session_seq)

    def _changed(self) -> None:
        self.changes += 1
        self._on_change()

    async def _leave(self, name: str) -> None:
        """Writes that the holder of a run has stopped in good order."""
        seq, left = self._held.pop(name), replace(self._me, left=True)
        with suppress(LogError):
            await self._bucket.put(_run_key(name), msgspec.json.encode(left), after=seq)

    async def _another_lives(self, holder: LeaseHolder) -> bool:
        return holder.session != self._me.session and await self._lives(holder.session)

    async def _lives(self, session: str) -> bool:
        return self._sightings.lives(session, await self._bucket.get(_session_key(session)))

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
        for name in list(self._held):
            holder = _holder_of(await self._bucket.get(_run_key(name)))
            if holder is None or holder.session != self._me.session:
                self._held.pop(name, None)
                await self._local.release(name)
                self._changed()


def _run_key(name: str) -> str:
    return f"run.{name.replace('.', '=')}"


def _session_key(session: str) -> str:
    return f"session.{session}"


def _holder_of(kept: BucketEntry) -> LeaseHolder | None:
    try:
        return _holder(kept.value) if kept.value else None
    except msgspec.MsgspecError:
        return None
