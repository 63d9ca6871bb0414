"""Watches this machine: every session that changes is followed into the log.

Each kind of agent reports which of its sessions may have said something, and reads them. A session
is followed while it changes; after a long silence, or when its process is gone, its run is ended,
and what is said in it later is a run of its own.

Everything can be killed at any moment: the log says where to continue (see `Recorder`).
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing

from unbraid.agents.port import SessionState, SessionWatch, WatchOptions
from unbraid.agents.registry import is_kind, stores
from unbraid.errors import LogError, SourceError
from unbraid.log.leases import Leases
from unbraid.log.port import Log, every_run
from unbraid.read.notes import RunNote
from unbraid.read.reader import import_dialects
from unbraid.record.followed_session import FollowedSession, finish_despite_cancel
from unbraid.record.recorder import TranslationTurns
from unbraid.record.runs import begins_run, end_unfinished, latest_run
from unbraid.steer.controllers import Controllers
from unbraid.steer.hooks import HookService, SteeredRuns
from unbraid.system.home import data_folder
from unbraid.timings import CHILD_FILE_SETTLE_SECONDS, PROCESS_CHECK_SECONDS

# A run whose session says nothing for this long is taken to have ended.
IDLE_RUN_TIMEOUT_SECONDS = 1800.0
# A session with old times is over only if its files rest this long: its clock may be wrong.
RESTORED_QUIET_SECONDS = 60.0
# A watch tries again this soon for a session that another process records.
WATCH_RETRY_SECONDS = 0.25
# Stopping a watch does not wait for a backlog: the next start records what is left by then.
WATCH_STOP_SECONDS = 1.0
# What was left unfinished in a shared log that is away at the start is asked for again this often.
WATCH_RESUME_SECONDS = 1.0
# Of several that watch, the one that hooks call takes a new session first; the others wait so long.
HOOK_LISTENER_FIRST_SECONDS = 0.6

TOGETHER = 16
# A silence may be noticed late by this share of it.
SILENCE_CHECK_SHARE = 0.1


class Watcher:
    """Follows everything, or `only` one session; `run` until cancelled, then `close`."""

    def __init__(
        self,
        log: Log,
        leases: Leases,
        env: Mapping[str, str],
        *,
        warn: Callable[[str], None] = lambda text: None,
        idle_seconds: float = IDLE_RUN_TIMEOUT_SECONDS,
        inotify: bool = True,
        servers: Sequence[str] = (),
        controllers: Controllers | None = None,
        redact: bool = False,
        only: str | None = None,
    ) -> None:
        self._log, self._leases, self._warn = log, leases, warn
        self._redact, self._only, self._idle_seconds = redact, only, idle_seconds
        self._warned: set[str] = set()
        options = WatchOptions(self._warn_once, only, inotify, servers)
        self._watches = {
            kind: store.watch(options)
            for kind, store in stores(env).items()
            if only is None or store.is_session_id(only)
        }
        self._states: dict[SessionWatch, dict[str, SessionState]] = {}  # when last asked
        self._watch_of: dict[str, SessionWatch] = {}
        self._followed: dict[str, FollowedSession] = {}
        self._dirty: dict[str, None] = {}
        # Others have them, or the log would not take them: they are looked at again soon.
        self._retried: set[str] = set()
        controllers = controllers or Controllers()
        self._steered = SteeredRuns(log, controllers)
        self._hooks = HookService(
            log,
            controllers,
            data_folder(env),
            run_now=self._run_now,
            look=self._mark_hooked,
        )
        controllers.add_notes(self.note)
        # When sessions were first seen that another process may want to record.
        self._first_seen: dict[str, float] = {}
        self._wake, self._turns = asyncio.Event(), TranslationTurns()
        self.ready = asyncio.Event()
        self._closing = self._is_cut = False
        self._last_look: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Follows the sessions that are live now, and those that become live later."""
        import_dialects()
        async with asyncio.TaskGroup() as tasks:
            looks = [asyncio.Event() for _ in self._watches]
            for watch, looked in zip(self._watches.values(), looks, strict=True):
                tasks.create_task(self._listen(watch, looked))
            for looked in looks:
                await looked.wait()
            if not await self._resumed():
                tasks.create_task(self._resume_later())
            tasks.create_task(self._tick())
            if self._only is None:
                tasks.create_task(self._hooks.run(self._watches))
            self.ready.set()
            while True:
                await self._wake.wait()
                self._wake.clear()
                await self._work()

    async def close(self) -> None:
        """Takes a last look at what is followed. Its runs are not over: they may continue later."""
        self._closing = True
        self._last_look = asyncio.create_task(self._look_last())
        if self._is_cut:
            self._last_look.cancel()
        try:
            await self._last_look
        except asyncio.CancelledError:
            if not self._is_cut:
                raise

    def cut(self) -> None:
        """Stops reading and recording at once, however much is left: the next start continues where
        the log ends. It is to be closed all the same.
        """
        self._is_cut = True
        for followed in self._followed.values():
            followed.cut()
        if self._last_look is not None:
            self._last_look.cancel()

    async def _look_last(self) -> None:
        for watch in self._watches.values():
            try:
                for session in await asyncio.to_thread(watch.look):
                    self._mark(session, watch)
            except SourceError as error:
                self._warn_once(str(error))
        self._dirty.update(dict.fromkeys(self._followed))
        await self._work()

    # --- what has changed ---

    async def _listen(self, watch: SessionWatch, looked: asyncio.Event) -> None:
        async with aclosing(watch.changes()) as changes:
            async for sessions in changes:
                for session in sessions:
                    self._mark(session, watch)
                looked.set()

    async def _resumed(self) -> bool:
        try:
            await self._resume()
        except LogError as error:
            self._warn_once(str(error))
            return False
        return True

    async def _resume_later(self) -> None:
        """Tries again to continue unfinished runs: a shared log may be unreachable when the watch
        begins. What is new is followed meanwhile.
        """
        while not await self._resumed():  # noqa: ASYNC110 - nothing says when it is back
            await asyncio.sleep(WATCH_RESUME_SECONDS)

    async def _resume(self) -> None:
        """Continues the runs that were left unfinished, and ends those with nothing more to
        read.
        """
        live = [run async for run in every_run(self._log, status="live")]
        abandoned = set(await self._leases.abandoned())
        unfinished = abandoned | {run.session_id for run in live if run.session_id is not None}
        for session in sorted(unfinished) if self._only is None else [self._only]:
            for watch in self._watches.values():
                if await asyncio.to_thread(watch.has, session):
                    self._mark(session, watch)
                    break
            else:
                if session in abandoned:
                    await self._end(session)

    async def _tick(self) -> None:
        looked = time.monotonic()
        while True:
            await asyncio.sleep(PROCESS_CHECK_SECONDS)
            await self._end_gone()
            # A silence is long: there may be thousands, and asking each every time would cost more
            # than all else that is done while nothing happens.
            quiet_seconds = min(self._idle_seconds, RESTORED_QUIET_SECONDS)
            if time.monotonic() - looked >= quiet_seconds * SILENCE_CHECK_SHARE:
                looked = time.monotonic()
                await self._end_silent()

    async def _end_gone(self) -> None:
        """Ends the runs of processes that are gone: no one else would."""
        # Those that follow nothing are not asked: looking at all processes has its price.
        followed_by: dict[SessionWatch, list[str]] = {}
        for session in self._followed:
            followed_by.setdefault(self._watch_of[session], []).append(session)
        for watch, names in followed_by.items():
            states = await asyncio.to_thread(watch.states, names)
            before, self._states[watch] = self._states.get(watch, {}), states
            for session, state in states.items():
                if (followed := self._followed.get(session)) is None:
                    continue
                if not state.alive:
                    await finish_despite_cancel(self._finish(session, followed))
                elif state != before.get(session):
                    self._mark(session, watch)

    async def _end_silent(self) -> None:
        """Ends the runs of sessions that have been silent for long, unless their processes live."""
        now = time.monotonic()
        for session, followed in list(self._followed.items()):
            # First what costs nothing: there may be thousands.
            if now - followed.changed_at <= self._idle_seconds:
                continue
            if now - followed.grew_at <= min(self._idle_seconds, RESTORED_QUIET_SECONDS):
                continue
            state = self._states.get(self._watch_of[session], {}).get(session)
            if state is None or not state.alive:
                await finish_despite_cancel(self._finish(session, followed))

    async def note(self, run: str, note: RunNote) -> bool:
        """Puts a note into the log of a run that is recorded here; returns whether it is."""
        for session, followed in list(self._followed.items()):
            if self._run_now(session) == run:
                try:
                    await followed.note(note)
                except LogError as error:
                    self._warn_once(str(error))
                return True
        return False

    def _run_now(self, session: str) -> str | None:
        followed = self._followed.get(session)
        if followed is None or followed.recorder.over or not followed.has_begun:
            return None
        return followed.recorder.run

    def _mark_hooked(self, kind: str, session: str) -> None:
        self._mark(session, self._watches[kind])

    def _mark(self, session: str, watch: SessionWatch) -> None:
        if self._only in (None, session):
            self._watch_of[session] = watch
            self._dirty[session] = None
            self._wake.set()

    # --- what is done about it ---

    async def _work(self) -> None:
        while self._dirty:
            batch = list(self._dirty)[:TOGETHER]
            for session in batch:
                del self._dirty[session]
            try:
                await asyncio.gather(*map(self._look, batch))
            except asyncio.CancelledError:
                # One that was being opened is not followed yet: the last look is to find it.
                self._dirty.update(dict.fromkeys(batch))
                raise

    async def _look(self, session: str) -> None:
        watch = self._watch_of[session]
        try:
            followed = self._followed.get(session) or await self._open(session, watch)
            if followed is None:
                watch.forget(session)
                return
            await followed.look(at_once=self._closing)
            follower = followed.follower
            if follower.unsettled or followed.recorder.over:
                # If it was ended while this change was on its way, the next run begins with it.
                loop = asyncio.get_running_loop()
                loop.call_later(CHILD_FILE_SETTLE_SECONDS, self._mark, session, watch)
            elif not followed.has_begun:
                # The process that had it has recorded all: the next run may be another process's
                # again.
                await self._drop(session)
                return
            self._steered.note(watch, session, followed.recorder.run)
            for path, problem in follower.problems.items():
                self._warn_once(f"{path}: {problem}")
        except (LogError, SourceError) as error:
            # The log is full, locked or gone: forget what was held, and continue from it later.
            self._warn_once(str(error))
            await self._drop(session)
            self._retry(session)

    async def _open(self, session: str, watch: SessionWatch) -> FollowedSession | None:
        if not await asyncio.to_thread(watch.has, session):
            return None
        if self._leases.is_part_of_other_run(session):
            return None
        if self._hooks.is_others:
            # The process that answers its hooks should record it, if it does so soon.
            first_seen = self._first_seen.setdefault(session, time.monotonic())
            if time.monotonic() - first_seen < HOOK_LISTENER_FIRST_SECONDS:
                self._retry(session)
                return None
        starting = self._leases.another_is_starting() and await begins_run(self._log, session)
        if starting or not await self._leases.acquire(session):
            self._retry(session)
            return None
        self._first_seen.pop(session, None)
        followed = await FollowedSession.open(
            self._log, session, watch.follow, redact=self._redact, turns=self._turns
        )
        if followed is None:
            await self._leases.release(session)
            return None
        self._followed[session] = followed
        return followed

    def _retry(self, session: str) -> None:
        if not self._retried:
            asyncio.get_running_loop().call_later(WATCH_RETRY_SECONDS, self._mark_retried)
        self._retried.add(session)

    def _mark_retried(self) -> None:
        retried, self._retried = self._retried, set()
        for session in retried:
            self._mark(session, self._watch_of[session])

    async def _finish(self, session: str, followed: FollowedSession) -> None:
        try:
            await followed.close()
        except LogError as error:
            self._warn_once(str(error))
        await self._drop(session)

    async def _end(self, session: str) -> None:
        """Ends a run that was left unfinished, and of which there is nothing more to read."""
        run = await latest_run(self._log, session)
        if run is not None and not is_kind(run.source):
            return  # not made of an agent's bytes: another process ends it
        if not await self._leases.acquire(session):
            return
        try:
            if run is not None and not run.over:
                await end_unfinished(self._log, run, redact=self._redact)
        except LogError as error:
            self._warn_once(str(error))
        finally:
            await self._leases.release(session)

    async def _drop(self, session: str) -> None:
        self._followed.pop(session, None)
        self._watch_of[session].forget(session)
        self._steered.note_silent(session)
        await self._leases.release(session)

    def _warn_once(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self._warn(text)


async def watch_until(
    watch: Watcher, until: asyncio.Event, *, stop_seconds: float = WATCH_STOP_SECONDS
) -> None:
    """Watches until the event is set, and then looks a last time, so that nothing is left out
    except what takes longer than `stop_seconds` to record: the next start reads that.
    """
    task = asyncio.create_task(watch.run())
    stopping = asyncio.create_task(until.wait())
    try:
        await asyncio.wait([task, stopping], return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            await task
    finally:
        stopping.cancel()
        task.cancel()
        cut = asyncio.get_running_loop().call_later(stop_seconds, watch.cut)
        with contextlib.suppress(asyncio.CancelledError):
            await task
        await watch.close()
        cut.cancel()
