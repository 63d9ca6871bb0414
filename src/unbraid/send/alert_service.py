"""Alerts of a whole log: follows it, determines which alerts are due, sends and shows them.

Several processes may do so at once. Marks in our folder ensure that only one of them sends an
alert; each shows alerts on its own screen and its pages. A receiver that is down delays no other
receiver, and is tried again within bounds.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

from unbraid.agents.registry import tools
from unbraid.fold.alerts.conditions import APPLIED, DETAIL_CHARS, STANDING
from unbraid.fold.alerts.monitor import Alert, AlertMessage, AlertMonitor, MessageSchedule, message
from unbraid.fold.alerts.rules import BROWSER, BUILT_IN, TERMINAL, Receiver
from unbraid.fold.title import TITLE_CHARS
from unbraid.log.consumer import Consumer
from unbraid.log.entry import DamagedEvent, Entry
from unbraid.log.port import Log, every_run, run_pages
from unbraid.send.budgets import stop_at_budget
from unbraid.send.senders import AlertSender, DeliveryError, PageAlerts, SentMarks, sender_of
from unbraid.send.user_rules import LoadedRules, UserRules
from unbraid.steer.controllers import Controllers
from unbraid.system.clock import now_ms
from unbraid.system.tasks import Backoff
from unbraid.timings import ALERT_STALE_MS

# Pauses grow from the first to the longest; then what an alert is about has passed.
ALERT_FIRST_RETRY_SECONDS = 2.0
ALERT_LONGEST_RETRY_SECONDS = 300.0
# How often the program checks which alerts are due. People do not notice a second.
ALERT_TICK_SECONDS = 1.0
# At the end of a command, alerts that wait get this long to be sent.
ALERT_LINGER_SECONDS = 3.0
# Events that a limit may be reached with.
SPENDING = frozenset(("token_usage", "turn_complete", "stream_start"))

Show = Callable[[AlertMessage], None]


class AlertService:
    """Watches a log. `show` shows a message on the screen that this process has, if it has one, and
    `pages` has those for its pages.
    """

    def __init__(
        self,
        log: Log,
        controllers: Controllers,
        env: Mapping[str, str],
        *,
        home: Path,
        warn: Callable[[str], None],
        show: Show | None = None,
        pages: PageAlerts | None = None,
        tick_seconds: float = ALERT_TICK_SECONDS,
        retry_seconds: float = ALERT_FIRST_RETRY_SECONDS,
    ) -> None:
        self._log, self._controllers, self._env, self._warn = log, controllers, env, warn
        self._consumer = Consumer(log, self._apply_batch)
        self._show, self._pages = show, pages or PageAlerts()
        self._user_rules = UserRules(env)
        self._marks = SentMarks(home)
        self._rules = self._load().rules
        self._started_ms = now_ms()
        self._monitor = AlertMonitor(self._rules, self._started_ms, tools())
        self._outgoing: dict[str, OutgoingAlerts] = {}
        self._shown = MessageSchedule()
        self._seen: dict[str, int] = {}  # seq up to which runs were read at the beginning
        self._tick_seconds, self._retry_seconds = tick_seconds, retry_seconds
        self._spent = asyncio.Event()  # something was spent that a budget may not allow

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Alerts while the block runs; what waits at its end is sent, if that takes no time."""
        # Before the block: what happens in it from its beginning on is to be seen.
        await self._consumer.begin()
        tasks = [asyncio.create_task(self._follow()), asyncio.create_task(self._tick())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._finish()

    async def _follow(self) -> None:
        # A log that cannot be read is reported by the part that records or shows it.
        await self._consumer.until_done(self._begin)
        await self._consumer.follow()

    async def _begin(self) -> None:
        """Reads where the runs that are not over stand; called again after a failure, the rest."""
        await asyncio.to_thread(self._marks.prune)
        async for run in every_run(self._log, status="live"):
            seen = self._seen.setdefault(run.run, 0)
            async for page in run_pages(self._log, run.run, seen, types=STANDING):
                for entry in page:
                    self._apply_event(entry)
                self._seen[run.run] = page[-1].seq
            self._monitor.reach(run.run, run.updated)

    async def _apply_batch(self, batch: list[Entry]) -> None:
        for entry in batch:
            self._apply(entry)

    def _apply(self, entry: Entry) -> None:
        seen = self._seen.get(entry.run)
        if seen is not None:
            if entry.seq <= seen:
                return
            del self._seen[entry.run]
        if entry.type in SPENDING and self._rules.budgets:
            self._spent.set()
        # Of what was history when we began, only where a run stands counts.
        is_history = entry.ts < self._started_ms - ALERT_STALE_MS
        if entry.type in (STANDING if is_history else APPLIED):
            self._apply_event(entry)
        else:
            self._monitor.note(entry.run, entry.stream_id, entry.ts)

    def _apply_event(self, entry: Entry) -> None:
        try:
            self._monitor.apply(entry.run, entry.event)
        except DamagedEvent:
            # Whoever shows the run reports it; trying again would hold up all that comes after it.
            self._monitor.note(entry.run, entry.stream_id, entry.ts)

    async def _tick(self) -> None:
        examined_at = time.monotonic()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._tick_seconds):
                    await self._spent.wait()
                self._spent.clear()
            # Also while something is spent all the time.
            is_due = time.monotonic() - examined_at >= self._tick_seconds
            examined_at = time.monotonic() if is_due else examined_at
            if is_due and self._user_rules.changed():
                await self._use_changed_rules()
            self._send_due()
            for stop in self._monitor.pop_stops():
                condition = await stop_at_budget(
                    stop,
                    self._log,
                    self._controllers,
                    self._env,
                    marks=self._marks,
                    warn=self._warn,
                )
                if condition is not None:
                    self._monitor.add(stop.run, condition)

    async def _use_changed_rules(self) -> None:
        self._rules = self._load().rules
        self._monitor.use(self._rules)
        for name, outgoing in list(self._outgoing.items()):
            if name not in BUILT_IN and name not in self._rules.receivers:
                del self._outgoing[name]
                await outgoing.close()
                continue
            receiver = self._rules.receiver(name)
            if receiver != outgoing.receiver:
                # What waits for it is not lost.
                outgoing.use(receiver, sender_of(receiver, self._env))

    def _send_due(self) -> None:
        now = now_ms()
        self._enqueue(self._monitor.due(now, minute_of_day()))
        if self._show is not None and (alerts := self._shown.pop_due(now)):
            self._show(message(alerts))
        for outgoing in self._outgoing.values():
            outgoing.tick(now)

    def _enqueue(self, alerts: list[Alert]) -> None:
        now = now_ms()
        for alert in alerts:
            if alert.receiver == TERMINAL:
                self._shown.add(alert, now)
            elif alert.receiver == BROWSER or self._marks.add(alert.id):
                self._outgoing_to(alert.receiver).add(alert, now)

    def _outgoing_to(self, name: str) -> OutgoingAlerts:
        found = self._outgoing.get(name)
        if found is None:
            receiver = self._rules.receiver(name)
            sender = self._pages.send if name == BROWSER else sender_of(receiver, self._env)
            found = OutgoingAlerts(receiver, sender, self._warn, retry_seconds=self._retry_seconds)
            self._outgoing[name] = found
        return found

    def _load(self) -> LoadedRules:
        loaded = self._user_rules.load()
        for problem in loaded.problems:
            self._warn(problem)
        return loaded

    async def _finish(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(ALERT_LINGER_SECONDS):
                now = now_ms()
                await asyncio.gather(*(each.finish(now) for each in self._outgoing.values()))
        for each in self._outgoing.values():
            await each.close()


def minute_of_day() -> int:
    """Returns the minute of the day, in local time."""
    now = datetime.fromtimestamp(time.time())
    return now.hour * 60 + now.minute


MAX_TRIES = 6


class OutgoingAlerts:
    """What waits for one receiver, and the message that is being sent to it."""

    def __init__(
        self,
        receiver: Receiver,
        sender: AlertSender,
        warn: Callable[[str], None],
        *,
        retry_seconds: float = ALERT_FIRST_RETRY_SECONDS,
    ) -> None:
        self.receiver, self._sender, self._warn = receiver, sender, warn
        self._schedule = MessageSchedule()
        self._retry_seconds = retry_seconds
        self._sending: asyncio.Task[None] | None = None
        self._is_down = False

    def use(self, receiver: Receiver, sender: AlertSender) -> None:
        """Continues with a receiver that a person has changed meanwhile."""
        self.receiver, self._sender = receiver, sender

    def add(self, alert: Alert, now_ms: int) -> None:
        """Adds an alert to the next message."""
        self._schedule.add(alert, now_ms)

    def tick(self, now_ms: int, *, at_once: bool = False) -> None:
        """Begins to send what is due, unless the message before is still on its way."""
        if self._sending is not None and not self._sending.done():
            return
        alerts = self._schedule.pop_due(now_ms, at_once=at_once)
        if alerts:
            self._sending = asyncio.create_task(self._send(alerts))

    async def finish(self, now_ms: int) -> None:
        """Sends what waits, and waits until that is done; not for a receiver that is down."""
        if not self._is_down and self._sending is not None:
            await self._sending
        self.tick(now_ms, at_once=True)
        if not self._is_down and self._sending is not None:
            await self._sending

    async def close(self) -> None:
        """Stops trying."""
        if self._sending is not None:
            self._sending.cancel()
            await asyncio.gather(self._sending, return_exceptions=True)

    async def _send(self, alerts: list[Alert]) -> None:
        # In a thread, because what redacts takes long to import.
        given = await asyncio.to_thread(_redacted_message, alerts)
        backoff = Backoff(self._retry_seconds, ALERT_LONGEST_RETRY_SECONDS, factor=4)
        name = self.receiver.name
        for number in range(1, MAX_TRIES + 1):
            try:
                await self._sender(given)
                self._is_down = False
                return
            except DeliveryError as error:
                self._is_down = True
                if error.is_final or number == MAX_TRIES:
                    self._warn(f"no alert reached {name}: {error} ({given.title})")
                    return
                if number == 1:
                    self._warn(f"{name} did not accept an alert: {error}. It will be retried.")
            await backoff.wait()


def _redacted_message(alerts: list[Alert]) -> AlertMessage:
    return message([redacted(each) for each in alerts])


def redacted(alert: Alert) -> Alert:
    """Returns an alert without secrets: it leaves this machine. Before the text is shortened: a
    secret that was cut could no longer be recognized.
    """
    # Its rules take longer to import than everything else here.
    from unbraid.redact.secrets import redact_words

    run, condition = alert.run, alert.condition
    title = redact_words(run.title, cut=len(run.title) >= TITLE_CHARS)
    detail = redact_words(condition.detail, cut=len(condition.detail) >= DETAIL_CHARS)
    run = replace(run, title=title, cwd=redact_words(run.cwd, cut=False))
    agent = redact_words(condition.agent, cut=False)
    return replace(alert, run=run, condition=replace(condition, detail=detail, agent=agent))
