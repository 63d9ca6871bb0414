"""One session that is being followed into the log: what reads it, and its run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

from unbraid.agents.source import Recorded, Source
from unbraid.log.port import Log
from unbraid.read.notes import RunNote
from unbraid.record.recorder import Recorder, TranslationTurns
from unbraid.record.runs import open_run
from unbraid.system.clock import now_ms

# What files get this soon after they were found may have been copied with the rest of them.
RESTORED_FILE_SECONDS = 10.0


async def finish_despite_cancel(
    work: Coroutine[Any, Any, None] | asyncio.Task[None],
) -> None:
    """Runs something to its end; a cancellation that comes meanwhile takes effect after it."""
    doing = asyncio.ensure_future(work)
    try:
        await asyncio.shield(doing)
    except asyncio.CancelledError:
        await doing
        raise


class FollowedSession:
    """A session, its run, and when it last said something (`changed_at`) and last grew (`grew_at`),
    both by the monotonic clock.

    For records that exist when following begins, their own times count: a session that was copied
    or restored has new files although no process writes it. Later records count as new, whatever
    clock their times are from.

    A cancellation takes effect when what was read is recorded. Without `shielded`, it takes effect
    at once: use that only for a session that is not read again.
    """

    def __init__(self, recorder: Recorder, follower: Source, *, shielded: bool = True) -> None:
        self.recorder, self.follower = recorder, follower
        self._first_look_at: float | None = None
        self.changed_at, self.grew_at = self._said_at(), time.monotonic()
        recorder.on_new = self._note_change
        self._lock = asyncio.Lock()
        self._doing: set[asyncio.Task[None]] = set()
        self._is_cut, self._shielded = False, shielded

    @classmethod
    async def open(
        cls,
        log: Log,
        session: str,
        follow: Callable[[str, Recorded], Source | None],
        *,
        redact: bool = False,
        awaits_words: bool = False,
        turns: TranslationTurns | None = None,
    ) -> FollowedSession | None:
        """Opens the run of a session, and what reads the session from where that run ends, which
        `follow` returns. None if there is nothing to read. Its lease has to be held.
        """
        recorder, recorded = await open_run(
            log, session, redact=redact, awaits_words=awaits_words, turns=turns
        )
        follower = await asyncio.to_thread(follow, session, recorded)
        return None if follower is None else cls(recorder, follower)

    @property
    def has_begun(self) -> bool:
        """Whether anything of it is in its run."""
        return self.recorder.has_begun

    async def look(self, *, at_once: bool = False) -> None:
        """Records what is new; with `at_once`, without waiting for what may still settle."""
        # What was read is not read again: a cancellation in between would lose it.
        await self._whole(self._look(at_once=at_once, last=False))

    async def note(self, note: RunNote) -> None:
        """Records a note of ours."""
        await self._whole(self._note(note))

    async def close(self) -> None:
        """Records what will never be complete and ends the run: the session is taken to be over."""
        # If a cancellation cut the end short, nothing would show whether it is in the log; and
        # nothing may follow it.
        await self._whole(self._close())

    def cut(self) -> None:
        """Stops what is being recorded, and records nothing more, as a kill would: the process that
        opens the run again continues where the log ends.
        """
        self._is_cut = True
        for task in self._doing:
            task.cancel()

    async def _whole(self, work: Coroutine[Any, Any, None]) -> None:
        if self._is_cut:
            work.close()
            return
        if not self._shielded:
            await work
            return
        doing = asyncio.create_task(work)
        self._doing.add(doing)
        doing.add_done_callback(self._doing.discard)
        await finish_despite_cancel(doing)

    async def _look(self, *, at_once: bool, last: bool) -> None:
        # One at a time, because the order is part of what is recorded.
        async with self._lock:
            # If it has ended meanwhile, the next run begins with this.
            if not self.recorder.over:
                if last:
                    self.follower.end()
                await self.recorder.record(self.follower.read(at_once=at_once))
                self._first_look_at = self._first_look_at or time.monotonic()

    async def _note(self, note: RunNote) -> None:
        async with self._lock:
            if not self.recorder.over:
                await self.recorder.note([note])

    async def _close(self) -> None:
        await self._look(at_once=False, last=True)
        async with self._lock:
            if self.has_begun:  # a run in which nothing was said is none
                # Its own last time, not ours: that it is over is often seen long after its end.
                await self.recorder.finish(0)

    def _note_change(self) -> None:
        self.changed_at, self.grew_at = self._said_at(), time.monotonic()

    def _said_at(self) -> float:
        now, latest_ms = time.monotonic(), self.recorder.latest_ms
        # A long file may be copied in parts.
        is_new = now - (self._first_look_at or now) >= RESTORED_FILE_SECONDS
        return now if is_new or not latest_ms else now - max(now_ms() - latest_ms, 0) / 1000
