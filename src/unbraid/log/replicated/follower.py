"""Keeps a copy up to date with its journal, in one process of a machine at a time.

All processes of a machine share one copy. The process that gets the lock beside it applies the
records; the others read the result, and one of them takes over when the holder is gone.

Before each start, the journal must be the one that was copied, and still have what was copied. If
it does not, acknowledged appends are lost there: the copy stays as it is, perhaps the last that has
them, and says so.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from pathlib import Path
from typing import IO

from unbraid.errors import LogError
from unbraid.log.port import LogUnusable
from unbraid.log.replicated.copy import JournalCopy
from unbraid.log.replicated.journal import FeedBroken, RecordJournal
from unbraid.system.locks import locked_file
from unbraid.system.tasks import end_task
from unbraid.timings import (
    FOLD_LOCK_RETRY_SECONDS,
    FOLD_RETRY_SECONDS,
    FORGOTTEN_KEPT_SECONDS,
    NATS_LOST_SECONDS,
)

# So many of the remembered records are looked for; what retention has replaced is not there.
LOOKED_FOR = 8


class JournalFollower:
    """The task that folds a journal into its copy."""

    def __init__(self, journal: RecordJournal, view: JournalCopy, lock_path: Path) -> None:
        self._journal, self._view, self._lock_path = journal, view, lock_path
        self._applied = 0
        self.folds = False
        self.problem: LogUnusable | None = None
        self.hindrance: LogUnusable | None = None
        self.connected = False
        self.restarts = 0
        self._shorter_since: float | None = None
        self._closed = False
        self._lock = self._try_lock()
        # Records of deletions since then may have expired, so the copy must be built again.
        self._outdated = self._lock is not None and view.idle_seconds > FORGOTTEN_KEPT_SECONDS
        self._task = asyncio.create_task(self._work())
        self._guard = asyncio.create_task(self._watch_file())

    async def applied(self) -> int:
        """Returns the sequence number of the last record that the copy has."""
        if not (self.folds or self._outdated):
            progress = await self._view.progress()
            self._applied = 0 if progress is None else progress.seq
        return self._applied

    async def reached(self, seq: int, seconds: float, *, even_hindered: bool = False) -> bool:
        """Waits until the copy has a record; returns False if that takes longer than this, or if
        something hinders the copy itself.
        """
        if self._applied >= seq:
            return True
        signal = self._view.log.signal
        try:
            async with asyncio.timeout(seconds):
                while even_hindered or self.hindrance is None:
                    version = signal.version
                    if await self.applied() >= seq:
                        return True
                    await signal.changed(version)
        except TimeoutError:
            pass
        return False

    async def checked(self) -> bool:
        """Returns whether the journal has lost what was copied. Only the process that applies
        records finds that out, so this looks itself.
        """
        while True:
            try:
                await self._verify()
                return False
            except FeedBroken:
                await asyncio.sleep(FOLD_RETRY_SECONDS)  # it is known within seconds
            except LogUnusable as error:
                if error.reason != "lost":
                    raise
                return True

    async def close(self) -> None:
        """Stops, and lets another process fold."""
        self._closed = True
        await end_task(self._guard)
        await end_task(self._task)
        self._unlock()

    async def _watch_file(self) -> None:
        """Stops if the copy's file is gone: this process can neither read nor fold what comes, and
        a process that begins a new file needs the lock.
        """
        while self._view.log.replaced() is None:  # noqa: ASYNC110 - a file sends no signal
            await asyncio.sleep(FOLD_LOCK_RETRY_SECONDS)
        problem = "this machine's copy was deleted or replaced meanwhile: start this process again"
        self.problem = LogUnusable(self._journal.address, "io", problem)
        await end_task(self._task)

    async def _work(self) -> None:
        await self._locked()
        try:
            while not self._closed:
                try:
                    self._applied = await self.applied()
                    self.folds = True
                    await self._fold()
                except LogUnusable as error:
                    self.connected = False
                    if error.reason in ("lost", "newer", "corrupt"):
                        self.problem = error if error.reason != "lost" else self._lost(error)
                        return
                    # What hinders the copy itself, such as a full disk; whether the journal
                    # answers, others ask.
                    self.hindrance = error if error.address != self._journal.address else None
                    self._view.log.signal.change()
                except LogError:
                    self.connected = False
                except Exception as error:
                    problem = f"cannot be copied here ({type(error).__name__}: {error})"
                    self.problem = LogUnusable(self._journal.address, "io", problem)
                    raise
                self.restarts += 1
                await asyncio.sleep(FOLD_RETRY_SECONDS)
        finally:
            self.connected = False
            self._unlock()

    async def _fold(self) -> None:
        await self._verify()
        if self._outdated:
            await self._view.clear()
            self._applied, self._outdated = 0, False
        self._view.touch()
        self.connected = True
        async with aclosing(self._journal.follow(self._applied)) as feed:
            async for batch in feed:
                await self._view.fold(batch)
                # Only now: a feed that breaks continues after what was applied, not what was
                # received.
                self._applied, self.hindrance = batch[-1].seq, None
                self._view.log.signal.change()

    async def _verify(self) -> None:
        info = await self._journal.info()
        progress = await self._view.progress()
        if progress is None:
            await self._view.begin(info.created)
            return
        if progress.created != info.created:
            raise self._loss("was made anew")
        if info.last_seq < progress.seq:
            # A node that was cut off may answer with an old number for a while: only one that stays
            # is a loss.
            now = time.monotonic()
            self._shorter_since = self._shorter_since or now
            if now - self._shorter_since > NATS_LOST_SECONDS:
                raise self._loss("has fewer records than were acknowledged")
            raise FeedBroken(f"{self._journal.address} is behind the copy")
        self._shorter_since = None
        if info.is_empty and await self._view.has_runs():
            raise self._loss("was emptied")
        for seq, known in (await self._view.recent())[:LOOKED_FOR]:
            found = await self._journal.record_id(seq)
            if found is not None:
                if found != known:
                    raise self._loss("has another record where one was acknowledged")
                return

    def _loss(self, problem: str) -> LogUnusable:
        return LogUnusable(self._journal.address, "lost", problem)

    def _lost(self, error: LogUnusable) -> LogUnusable:
        kept = "this machine's copy is kept as it is (`unbraid doctor --repair` brings it back)"
        return self._loss(f"{error.detail}: {kept}")

    async def _locked(self) -> None:
        while self._lock is None:
            await asyncio.sleep(FOLD_LOCK_RETRY_SECONDS)
            self._lock = self._try_lock()

    def _try_lock(self) -> IO[bytes] | None:
        self._lock_path.touch(mode=0o600)
        return locked_file(self._lock_path)

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None
