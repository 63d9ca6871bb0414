"""A server that runs of this machine are sent to: one run, or everything that its log has."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path

from unbraid.control.controllers import Controllers
from unbraid.errors import CallerError, LogError
from unbraid.log.consumer import Consumer, OutboxFile, StoredCursor
from unbraid.log.engines import opened_log
from unbraid.log.entry import Entry
from unbraid.log.leases import is_held
from unbraid.log.port import Log, SharedLog, every_run
from unbraid.record.origin import this_origin
from unbraid.remote.delivery import (
    GONE,
    Delivery,
    DeliveryLedger,
    DeliveryStatus,
    Destination,
    SentRun,
)
from unbraid.system.tasks import cancel_task
from unbraid.timings import (
    DELIVERY_LINGER_SECONDS,
    DELIVERY_REPORT_SECONDS,
)

Warn = Callable[[str], None]


class RunDelivery:
    """Sends the run that a process records while it does so; a failure is reported once."""

    def __init__(
        self,
        destination: Destination,
        warn: Warn,
        *,
        linger_seconds: float = DELIVERY_LINGER_SECONDS,
    ) -> None:
        self._to, self._warn, self._linger_seconds = destination, warn, linger_seconds
        self._delivery: Delivery | None = None
        self._ledger: DeliveryLedger | None = None
        self._task: asyncio.Task[None] | None = None
        self._run, self._warned = "", False

    def begin(self, log: Log, log_name: str | None, run: str) -> None:
        """Begins to send a run, now that it has a name. A log without one is gone with the
        process.
        """
        try:
            if isinstance(log, SharedLog):
                raise CallerError("its log is already shared: omit --to")
            ledger = self._ledger = DeliveryLedger(None if log_name is None else self._to.home)
            ledger.note(log_name or "", self._to.url, [run], redact=self._to.redact)
            self._delivery = Delivery(
                self._to,
                log,
                log_name or "",
                ledger=ledger,
                on_refused=self._refused,
                on_away=self._away,
            )
        except (LogError, CallerError) as error:
            self._warn(f"this run is not sent: {error}")
            return
        self._run = run
        self._delivery.note(run)
        self._task = asyncio.create_task(self._delivery.run())

    def steering(self, controllers: Controllers) -> AbstractAsyncContextManager[None]:
        """Returns a context in which the server can steer the runs of this process."""
        from unbraid.remote.steering import SteeringLink

        return SteeringLink(self._to.url, self._to.token, controllers).open()

    def note(self) -> None:
        """Notes that the log has more of the run."""
        if self._delivery is not None:
            self._delivery.note(self._run)

    async def finish(self) -> None:
        """Waits a little at the end of the run for the rest to arrive; else the ledger says that it
        is to be sent.
        """
        if self._delivery is None or self._task is None:
            return
        arrived = False
        with suppress(TimeoutError):
            async with asyncio.timeout(self._linger_seconds):
                arrived = await self._delivery.arrival(self._run)
        await cancel_task(self._task)
        if self._ledger is not None:
            self._ledger.close()
        if not arrived:
            # Also if it was refused: that may be the fault of an address, a proxy or a version.
            self._warn("this run was not sent completely; `unbraid deliver` sends the rest")

    def _refused(self, run: str, problem: str) -> None:
        self._warn(f"{self._to.url} rejected this run: {problem}")

    def _away(self, problem: str) -> None:
        if not self._warned:
            self._warned = True
            self._warn(f"{self._to.url} cannot be reached, trying again: {problem}")


class LogDelivery:
    """Sends everything that a log gets: the runs that are live when that begins, and all that is
    recorded from then on, also while no process was sending; older runs with `since_ms`.
    """

    def __init__(
        self,
        destination: Destination,
        log: Log,
        log_name: str,
        *,
        warn: Warn,
        since_ms: int | None = None,
    ) -> None:
        if isinstance(log, SharedLog):
            raise CallerError("--to sends the log of this machine; this log is already shared")
        self._to, self._log, self._name, self._warn = destination, log, log_name, warn
        self._since_ms = since_ms
        self._ledger = DeliveryLedger(destination.home)
        self._cursor = StoredCursor(destination.home, log_name, destination.url)
        self._consumer = Consumer(log, self._note, cursor=self._cursor, on_problem=self._report_log)
        self._refusals: set[str] = set()
        self._ours: dict[str, bool] = {}
        # A laptop may have another name in another network: its runs stay its own.
        self._machines = {None, *self._ledger.machine_names(this_origin().machine)}
        self._delivery = Delivery(
            destination, log, log_name, ledger=self._ledger, on_refused=self._refused
        )

    @property
    def status(self) -> DeliveryStatus:
        """How far it is."""
        return self._delivery.status

    @asynccontextmanager
    async def sending(self) -> AsyncIterator[None]:
        """Sends while the block runs, and a little longer if the server is there."""
        with contextlib.closing(self._ledger), self._cursor.held() as is_held:
            if not is_held:
                self._warn(f"another process on this machine is already sending to {self._to.url}")
                yield
                return
            await self._begin()
            tasks = [
                asyncio.create_task(work)
                for work in (self._consumer.follow(), self._delivery.run(), self._report())
            ]
            try:
                yield
            finally:
                with suppress(TimeoutError):
                    async with asyncio.timeout(DELIVERY_LINGER_SECONDS):
                        await self._consumer.reach_end()
                        await self._delivery.all_sent()
                for task in tasks:
                    await cancel_task(task)
                if self.status.behind:
                    self._warn(f"{self.line()}; the next start sends the rest")

    def line(self) -> str:
        """Returns how far it is, as people read it."""
        status = self.status
        runs = f"{status.runs} {'run' if status.runs == 1 else 'runs'}"
        if status.since is None:
            return f"{self._to.url}: {runs}, all sent"
        since = time.strftime("%H:%M:%S", time.localtime(status.since))
        refused = f", {status.refused} refused" if status.refused else ""
        problem = f": {status.problem}" if status.problem else ""
        return f"{self._to.url}: {runs}, {status.behind} behind{refused}, since {since}{problem}"

    async def _begin(self) -> None:
        """Notes what is to be sent at once."""
        wanted: list[str] = []
        if await self._consumer.begin():
            wanted = [run.run async for run in every_run(self._log, status="live")]
        if self._since_ms is not None:
            known = self._ledger.known(self._name, self._to.url)
            async for run in every_run(self._log):
                if run.updated >= self._since_ms and run.run not in known:
                    wanted.append(run.run)
        await self._put(wanted)
        self._consumer.store()
        for waiting in self._ledger.waiting():
            if (waiting.log, waiting.url) == (self._name, self._to.url):
                self._delivery.note(waiting.run)

    async def _note(self, batch: list[Entry]) -> None:
        for run in await self._put({entry.run for entry in batch}):
            self._delivery.note(run)

    async def _put(self, runs: Iterable[str]) -> list[str]:
        """Puts the runs of this machine into the ledger, and returns them."""
        ours = [run for run in runs if await self._is_ours(run)]
        self._ledger.note(self._name, self._to.url, ours, redact=self._to.redact)
        return ours

    async def _is_ours(self, run: str) -> bool:
        """Returns whether a run is of this machine: what others have sent here is theirs to
        send on.
        """
        if run not in self._ours:
            summary = await self._log.run(run)
            self._ours[run] = summary is not None and summary.machine in self._machines
        return self._ours[run]

    async def _report(self) -> None:
        """Says when runs have been behind for a while, for what reason, and when they have
        arrived.
        """
        said: tuple[str | None, bool] | None = None
        while True:
            await asyncio.sleep(DELIVERY_REPORT_SECONDS)
            status = self.status
            late = status.since is not None and status.since < time.time() - DELIVERY_REPORT_SECONDS
            state = (status.problem, late)
            if state != said and (late or said is not None):
                self._warn(self.line())
            said = state if late or said is not None else None

    def _report_log(self, problem: LogError) -> None:
        self._refused("", f"the log here cannot be read: {problem}")

    def _refused(self, run: str, problem: str) -> None:
        if problem not in self._refusals:
            self._refusals.add(problem)
            self._warn(f"{self._to.url}: run {run} was not accepted: {problem}")


async def deliver(
    home: Path, token: str | None, warn: Warn, seconds: float, *, discarded: str | None = None
) -> AsyncIterator[tuple[SentRun, bool]]:
    """Sends what other processes have left behind. Yields each run, and whether it has arrived;
    only what is to be `discarded` is given up if it has not.
    """
    if not OutboxFile.exists(home):
        return
    with contextlib.closing(DeliveryLedger(home)) as ledger:
        for waiting in ledger.waiting():
            with StoredCursor(home, waiting.log, waiting.url).held() as is_held:
                if not is_held:
                    continue  # a process that watches sends all of this log
                arrived = await _delivered(
                    home, token, warn=warn, seconds=seconds, waiting=waiting, ledger=ledger
                )
            if arrived is None:
                continue
            if not arrived and waiting.run == discarded:
                ledger.discard(waiting)
            yield waiting, arrived


async def _delivered(
    home: Path,
    token: str | None,
    warn: Warn,
    seconds: float,
    waiting: SentRun,
    ledger: DeliveryLedger,
) -> bool | None:
    """Returns whether a run has arrived; None if it is still being recorded, and its process sends
    it.
    """
    destination = Destination(waiting.url, token, home=home, redact=waiting.redact)

    def away(problem: str) -> None:
        warn(f"{waiting.url} cannot be reached, trying again: {problem}")

    def refused(run: str, problem: str) -> None:
        warn(f"{waiting.url} rejected run {run}: {problem}")

    async with opened_log(waiting.log) as log:
        summary = await log.run(waiting.run)
        if summary is None:
            refused(waiting.run, GONE)
            return False
        if not summary.over and is_held(home, summary.session_id or ""):
            return None
        delivery = Delivery(
            destination, log, waiting.log, ledger=ledger, on_refused=refused, on_away=away
        )
        delivery.note(waiting.run)
        task = asyncio.create_task(delivery.run())
        arrived = False
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                arrived = await delivery.arrival(waiting.run)
        await cancel_task(task)
        return arrived
