"""Sends runs of a log to one server, from the log itself, whatever happens there: one run while it
is recorded, everything that the log gets, or what was left behind.

Of each run only the number of its last acknowledged event is kept, in a ledger; what is sent is
read from the log when it goes out, so neither an outage nor a long history takes memory. Events of
many runs go together in one request, over one connection. A server that is away is tried again and
again, more and more seldom. What was sent and not acknowledged is sent again, and the server skips
what it has. A server that asks for something earlier has lost it, and gets it again. A run that the
server refuses is reported and tried again much later; the others continue.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from unbraid.errors import CallerError, LogError
from unbraid.log.consumer import Consumer, OutboxFile, StoredCursor
from unbraid.log.engines import opened_log
from unbraid.log.entry import Entry
from unbraid.log.leases import is_held
from unbraid.log.origin import this_origin
from unbraid.log.port import Log, every_run
from unbraid.log.remote.ingest import (
    IngestClient,
    PartAnswer,
    RunRefused,
    SentPart,
    ServerUnavailable,
    checked_url,
)
from unbraid.steer.controllers import Controllers
from unbraid.system.tasks import Backoff, beside, cancel_task
from unbraid.timings import SEND_FIRST_RETRY_SECONDS, SEND_LONGEST_RETRY_SECONDS

# When a run is over, a server that does not answer gets this long to accept the rest.
DELIVERY_LINGER_SECONDS = 10.0
# A server that redacts takes the last words when more follows them, or when they are old.
DELIVERY_HOLD_SECONDS = 1.0
# What a server has refused it will hardly accept soon; but a proxy or a version may change.
DELIVERY_REFUSED_RETRY_SECONDS = 60.0
# A delay that is over before a person could read of it is not reported.
DELIVERY_REPORT_SECONDS = 5.0
# At most about so much goes in one request; one event that is larger goes alone.
BATCH_BYTES = 1 << 20
BATCH_RUNS = 256
READ_EVENTS = 500
GONE = "the log here no longer has it"


@dataclass
class _Lag:
    """One run of which something has to be sent."""

    seq: int  # the last event that was acknowledged
    since: float  # when it fell behind, in seconds since 1970
    noted: bool = True  # whether more may have come since it was read last
    alone: bool = False  # whether it goes in a request of its own
    not_before: float = 0.0
    rewound: int | None = None
    problem: str | None = None


@dataclass(frozen=True)
class DeliveryStatus:
    """How far a delivery is: how many runs there are, how many of them have not arrived up to their
    end, since when (in seconds since 1970), and what hinders it. `refused` are those that the
    server does not accept, `events` those that were sent by this process.
    """

    runs: int
    behind: int
    refused: int
    events: int
    since: float | None
    problem: str | None


@dataclass(frozen=True)
class Destination:
    """A server by its address, with the token to come with."""

    url: str
    token: str | None = field(repr=False)
    home: Path
    redact: bool = False

    def __post_init__(self) -> None:
        checked_url(self.url)


class Delivery:
    """Sends the runs of a log that are noted. `run` it in a task."""

    def __init__(
        self,
        to: Destination,
        log: Log,
        log_name: str,
        *,
        ledger: DeliveryLedger,
        on_refused: Callable[[str, str], None],
        on_away: Callable[[str], None] = lambda problem: None,
    ) -> None:
        self._log, self._ledger = log, ledger
        self._entries = self._read
        if to.redact:
            # It may have been written unredacted.
            from unbraid.redact.reader import RedactedLog

            self._entries = RedactedLog(log).read_decided
        self._client = IngestClient(to.url, to.token, user=this_origin().user)
        self._key = (log_name, to.url)
        self._on_refused, self._on_away = on_refused, on_away
        self._behind: dict[str, _Lag] = {}
        self._known = ledger.known(*self._key)
        self._wake, self._moved = asyncio.Event(), asyncio.Condition()
        self._problem: str | None = None
        self._events = 0

    @property
    def status(self) -> DeliveryStatus:
        """How far it is."""
        lags = self._behind.values()
        return DeliveryStatus(
            runs=len(self._known),
            behind=len(lags),
            refused=sum(lag.problem is not None for lag in lags),
            events=self._events,
            since=min((lag.since for lag in lags), default=None),
            problem=self._problem or next((lag.problem for lag in lags if lag.problem), None),
        )

    def note(self, run: str) -> None:
        """Marks that there may be more of a run, which is in the ledger."""
        self._known.add(run)
        lag = self._behind.get(run)
        if lag is None:
            seq = self._ledger.seq(*self._key, run)
            lag = self._behind[run] = _Lag(seq, time.time())
        lag.noted = True
        self._wake.set()

    async def run(self) -> None:
        """Sends until it is cancelled."""
        backoff = Backoff(SEND_FIRST_RETRY_SECONDS, SEND_LONGEST_RETRY_SECONDS)
        try:
            while True:
                self._wake.clear()
                try:
                    sent = await self._send()
                except (ServerUnavailable, LogError) as error:
                    await self._away(str(error))
                    await backoff.wait()
                    continue
                async with self._moved:
                    self._moved.notify_all()
                if sent:
                    self._problem = None
                    backoff.reset()
                else:
                    await self._wait()
        finally:
            await self._client.close()

    async def arrival(self, run: str, seconds: float | None = None) -> bool:
        """Waits until all of a run has arrived. Returns False as soon as the server refuses it, or
        if it takes longer than so many seconds.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds), self._moved:
                while (lag := self._behind.get(run)) is not None:
                    if lag.problem is not None:
                        return False
                    await self._moved.wait()
                return True
        return False

    async def all_sent(self) -> None:
        """Waits until nothing is behind, or nothing can be sent now."""
        async with self._moved:
            while self._problem is None and any(not lag.problem for lag in self._behind.values()):
                await self._moved.wait()

    async def _away(self, problem: str) -> None:
        was_away, self._problem = self._problem is not None, problem
        if not was_away:
            self._on_away(problem)
        async with self._moved:
            self._moved.notify_all()

    async def _wait(self) -> None:
        """Waits for more to send, or for the time to try something again."""
        at = min((lag.not_before for lag in self._behind.values()), default=None)
        seconds = None if at is None else max(0.0, at - time.monotonic())
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wake.wait()

    async def _send(self) -> bool:
        """Sends one request. Returns False if there is nothing to send now."""
        parts = await self._gather()
        if not parts:
            return False
        try:
            answers = await self._client.post(parts)
        except RunRefused as error:
            for part in parts:
                lag = self._behind[part.run]
                lag.noted = True
                if len(parts) > 1:
                    # One of them may be the reason: the others are not to wait for it.
                    lag.alone = True
                else:
                    self._refuse(part.run, str(error))
            return True
        acknowledged: list[tuple[str, int, bool]] = []
        for part in parts:
            seq = await self._accepted(part, answers.get(part.run))
            if seq is not None:
                acknowledged.append((part.run, seq, False))
        self._ledger.acknowledge(*self._key, acknowledged)
        return True

    async def _gather(self) -> list[SentPart]:
        parts: list[SentPart] = []
        size, now = 0, time.monotonic()
        for run, lag in list(self._behind.items()):
            if lag.not_before > now or (parts and lag.alone):
                continue
            lag.noted = False  # before it is read: what comes from now on is noted again
            entries = await self._entries(run, lag.seq)
            if not entries:
                await self._end_lag(run, lag)
                continue
            if entries[0].seq != lag.seq + 1:
                self._refuse(run, f"the log here no longer has its event {lag.seq + 1}")
                continue
            lines: list[bytes] = []
            for entry in entries:
                if size and size + len(entry.data) > BATCH_BYTES:
                    break
                lines.append(entry.data)
                size += len(entry.data)
            if lines:
                parts.append(SentPart(run, lag.seq, lines))
                # The next request begins with the others.
                self._behind[run] = self._behind.pop(run)
            if size >= BATCH_BYTES or len(parts) >= BATCH_RUNS or lag.alone or not lines:
                break
        return parts

    async def _read(self, run: str, since: int = 0) -> list[Entry]:
        return await self._log.read(run, since, READ_EVENTS)

    async def _end_lag(self, run: str, lag: _Lag) -> None:
        """Ends a run's lag, if the log has no more of it."""
        summary = await self._log.run(run)
        if summary is None:
            if lag.seq:
                self._refuse(run, GONE)
            elif not lag.noted:
                del self._behind[run]  # it has not begun
        elif summary.last_seq > lag.seq:
            # Of its last words it is not decided yet whether they belong to a secret.
            lag.not_before = time.monotonic() + DELIVERY_HOLD_SECONDS
        elif not lag.noted:
            del self._behind[run]
            if summary.over:
                self._ledger.acknowledge(*self._key, [(run, lag.seq, True)])

    async def _accepted(self, part: SentPart, answer: PartAnswer | None) -> int | None:
        """Returns up to where a run has arrived by the server's word; None if that is no use."""
        lag = self._behind[part.run]
        if answer is None or (answer.problem is None and answer.seq is None):
            self._refuse(part.run, "200 (not the answer of an unbraid server)")
            return None
        if answer.problem is not None or answer.seq is None:
            if answer.passing:
                lag.not_before = time.monotonic() + SEND_LONGEST_RETRY_SECONDS
            else:
                self._refuse(part.run, answer.problem or "")
            return None
        seq = answer.seq
        summary = await self._log.run(part.run) if seq > part.last else None
        if seq < 0 or (seq > part.last and (summary is None or seq > summary.last_seq)):
            self._refuse(part.run, "it acknowledges events that were never sent")
            return None
        if seq <= part.after:
            if answer.waits:
                lag.not_before = time.monotonic() + DELIVERY_HOLD_SECONDS
            elif lag.rewound == seq:
                self._refuse(part.run, f"it asks for event {seq + 1} again and again")
                return None
            else:
                lag.rewound = seq
        else:
            lag.rewound, lag.problem, lag.alone = None, None, False
            self._events += min(seq, part.last) - part.after
        lag.seq = seq
        return seq

    def _refuse(self, run: str, problem: str) -> None:
        lag = self._behind[run]
        lag.not_before = time.monotonic() + DELIVERY_REFUSED_RETRY_SECONDS
        # Should it be tried again, then from where it was.
        lag.rewound = None
        if lag.problem != problem:
            lag.problem = problem
            self._on_refused(run, problem)


class SentRun(NamedTuple):
    """A run on its way: which log it is in, which server gets it, and the last event that this has
    acknowledged. What was to be redacted on its way stays so.
    """

    log: str
    url: str
    run: str
    seq: int
    redact: bool


class DeliveryLedger:
    """How far runs have arrived at servers: tables of the outbox. Without a data folder, a ledger
    that lives in this process.

    A run is in it from the moment at which it is to be sent, and what a server has not acknowledged
    is removed only by a person. The ledger may be behind: what was acknowledged and not noted, as
    after a kill, is sent again, and the server skips it.
    """

    def __init__(self, home: Path | None) -> None:
        self._file = OutboxFile(home, _TABLES)
        self.close = self._file.close

    def machine_names(self, current: str | None) -> set[str | None]:
        """Stores how this machine is called; returns that and all names that it had before."""
        with self._file.transaction() as database:
            database.execute("INSERT OR IGNORE INTO machines VALUES (?)", (current,))
        return {name for (name,) in self._file.rows("SELECT name FROM machines")}

    def add(self, log: str, url: str, runs: Iterable[str], *, redact: bool = False) -> None:
        """Adds runs that are to be sent."""
        with self._file.transaction() as database:
            database.executemany(
                "INSERT INTO runs (log, url, run, redact) VALUES (?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET arrived = 0, redact = max(redact, excluded.redact)",
                [(log, url, run, redact) for run in runs],
            )

    def acknowledge(self, log: str, url: str, seqs: Iterable[tuple[str, int, bool]]) -> None:
        """Stores up to where runs have arrived, and whether that is all of them."""
        rows = [(seq, arrived, log, url, run) for run, seq, arrived in seqs]
        with self._file.transaction() as database:
            database.executemany(
                "UPDATE runs SET seq = ?, arrived = ? WHERE log = ? AND url = ? AND run = ?", rows
            )

    def seq(self, log: str, url: str, run: str) -> int:
        """Returns the last event of a run that was acknowledged."""
        query = "SELECT seq FROM runs WHERE log = ? AND url = ? AND run = ?"
        rows = self._file.rows(query, log, url, run)
        return int(rows[0][0]) if rows else 0

    def known(self, log: str, url: str) -> set[str]:
        """Returns all runs of a log that were to be sent to a server, arrived or not."""
        query = "SELECT run FROM runs WHERE log = ? AND url = ?"
        return {str(run) for (run,) in self._file.rows(query, log, url)}

    def waiting(self) -> list[SentRun]:
        """Returns the runs that have not arrived wholly."""
        query = "SELECT log, url, run, seq, redact FROM runs WHERE NOT arrived ORDER BY rowid"
        return [
            SentRun(log=str(log), url=str(url), run=str(run), seq=int(seq), redact=bool(redact))
            for log, url, run, seq, redact in self._file.rows(query)
        ]

    def discard(self, waiting: SentRun) -> None:
        """Gives up what is left of a run."""
        with self._file.transaction() as database:
            where = "log = ? AND url = ? AND run = ?"
            database.execute(f"DELETE FROM runs WHERE {where}", waiting[:3])


_TABLES = """
CREATE TABLE IF NOT EXISTS runs (
    log TEXT, url TEXT, run TEXT, seq INTEGER NOT NULL DEFAULT 0,
    arrived INTEGER NOT NULL DEFAULT 0, redact INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (log, url, run)
);
CREATE TABLE IF NOT EXISTS machines (name TEXT UNIQUE);
CREATE INDEX IF NOT EXISTS runs_waiting ON runs (arrived) WHERE NOT arrived;
"""


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
            if log.shared:
                raise CallerError("its log is already shared: omit --to")
            ledger = self._ledger = DeliveryLedger(None if log_name is None else self._to.home)
            ledger.add(log_name or "", self._to.url, [run], redact=self._to.redact)
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
        from unbraid.steer.servers import SteeringLink

        return SteeringLink(self._to.url, self._to.token, controllers).open()

    def note(self) -> None:
        """Marks that the log has more of the run."""
        if self._delivery is not None:
            self._delivery.note(self._run)

    async def finish(self) -> None:
        """Waits a little at the end of the run for the rest to arrive; else the ledger says that it
        is to be sent.
        """
        if self._delivery is None or self._task is None:
            return
        arrived = await self._delivery.arrival(self._run, self._linger_seconds)
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
        if log.shared:
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
        with closing(self._ledger), self._cursor.held() as is_held:
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
        """Marks what is to be sent at once."""
        wanted: list[str] = []
        if await self._consumer.begin():
            wanted = [run.run async for run in every_run(self._log, status="live")]
        if self._since_ms is not None:
            known = self._ledger.known(self._name, self._to.url)
            async for run in every_run(self._log):
                if run.updated >= self._since_ms and run.run not in known:
                    wanted.append(run.run)
        await self._add_ours(wanted)
        self._consumer.store()
        for waiting in self._ledger.waiting():
            if (waiting.log, waiting.url) == (self._name, self._to.url):
                self._delivery.note(waiting.run)

    async def _note(self, batch: list[Entry]) -> None:
        for run in await self._add_ours({entry.run for entry in batch}):
            self._delivery.note(run)

    async def _add_ours(self, runs: Iterable[str]) -> list[str]:
        """Puts the runs of this machine into the ledger, and returns them."""
        ours = [run for run in runs if await self._is_ours(run)]
        self._ledger.add(self._name, self._to.url, ours, redact=self._to.redact)
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
        reported: tuple[str | None, bool] | None = None
        while True:
            await asyncio.sleep(DELIVERY_REPORT_SECONDS)
            status = self.status
            late = status.since is not None and status.since < time.time() - DELIVERY_REPORT_SECONDS
            state = (status.problem, late)
            if state != reported and (late or reported is not None):
                self._warn(self.line())
            reported = state if late or reported is not None else None

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
    with closing(DeliveryLedger(home)) as ledger:
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
        async with beside(delivery.run()):
            return await delivery.arrival(waiting.run, seconds)
