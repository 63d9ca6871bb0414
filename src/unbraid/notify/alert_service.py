"""Alerts of a whole log: follows it, determines which alerts are due, sends and shows them.

Several processes may do so at once. Marks in our folder ensure that only one of them sends an
alert; each shows alerts on its own screen.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path

from unbraid.agents.registry import tools
from unbraid.alerts.conditions import APPLIED, STANDING
from unbraid.alerts.messages import AlertMessage, message
from unbraid.alerts.monitor import Alert, AlertMonitor
from unbraid.alerts.rules import BROWSER, BUILT_IN, TERMINAL, AlertRules, Receiver
from unbraid.alerts.schedule import MessageSchedule
from unbraid.control.controllers import Controllers
from unbraid.errors import LogError
from unbraid.log.entry import Entry
from unbraid.log.port import Log, every_run, run_pages
from unbraid.notify.budget_stop import BudgetStops
from unbraid.notify.outgoing_alerts import OutgoingAlerts
from unbraid.notify.page_alerts import PageAlerts
from unbraid.notify.senders import sender_of
from unbraid.notify.sent_marks import SentMarks
from unbraid.notify.user_rules import LoadedRules, UserRules
from unbraid.system.clock import now_ms
from unbraid.timings import (
    ALERT_FIRST_RETRY_SECONDS,
    ALERT_LINGER_SECONDS,
    ALERT_STALE_MS,
    ALERT_TICK_SECONDS,
    HUB_FEED_RETRY_SECONDS,
)

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
        self._log, self._env, self._warn = log, env, warn
        self._show, self._pages = show, pages or PageAlerts()
        self._user_rules = UserRules(env)
        self._marks = SentMarks(home)
        self._stops = BudgetStops(
            log=log, controllers=controllers, env=env, marks=self._marks, warn=warn
        )
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
        cursor = (await self._log.bounds())[1]
        tasks = [asyncio.create_task(self._follow(cursor)), asyncio.create_task(self._tick())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._finish()

    async def _follow(self, cursor: int) -> None:
        has_begun = False
        while True:
            try:
                if not has_begun:
                    await self._begin()
                    has_begun = True
                async for batch in self._log.follow_all(cursor):
                    for entry in batch:
                        self._take(entry)
                    cursor = batch[-1].cursor if batch else cursor
            except LogError:
                # The part that records or shows the log reports it.
                await asyncio.sleep(HUB_FEED_RETRY_SECONDS)

    async def _begin(self) -> None:
        """Reads where the runs that are not over stand."""
        await asyncio.to_thread(self._marks.prune)
        async for run in every_run(self._log, status="live"):
            seen = 0
            async for page in run_pages(self._log, run.run, types=STANDING):
                for entry in page:
                    self._monitor.apply(entry.run, entry.event)
                seen = page[-1].seq
            self._seen[run.run] = seen
            self._monitor.reach(run.run, run.updated)

    def _take(self, entry: Entry) -> None:
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
            self._monitor.apply(entry.run, entry.event)
        else:
            self._monitor.note(entry.run, entry.stream_id, entry.ts)

    async def _tick(self) -> None:
        looked = time.monotonic()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._tick_seconds):
                    await self._spent.wait()
                self._spent.clear()
            # Also while something is spent all the time.
            is_due = time.monotonic() - looked >= self._tick_seconds
            looked = time.monotonic() if is_due else looked
            if is_due and self._user_rules.changed():
                await self._use_changed_rules()
            self._look()
            for stop in self._monitor.take_stops():
                condition = await self._stops.stop(stop)
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
            receiver = receiver_named(self._rules, name)
            if receiver != outgoing.receiver:
                # What waits for it is not lost.
                outgoing.use(receiver, sender_of(receiver, self._env))

    def _look(self) -> None:
        now = now_ms()
        self._give(self._monitor.due(now, minute_of_day()))
        if self._show is not None and (alerts := self._shown.take(now)):
            self._show(message(alerts))
        for outgoing in self._outgoing.values():
            outgoing.tick(now)

    def _give(self, alerts: list[Alert]) -> None:
        now = now_ms()
        for alert in alerts:
            if alert.receiver == TERMINAL:
                self._shown.add(alert, now)
            elif alert.receiver == BROWSER or self._marks.take(alert.id):
                self._outgoing_to(alert.receiver).add(alert, now)

    def _outgoing_to(self, name: str) -> OutgoingAlerts:
        found = self._outgoing.get(name)
        if found is None:
            receiver = receiver_named(self._rules, name)
            sender = self._pages if name == BROWSER else sender_of(receiver, self._env)
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


def receiver_named(rules: AlertRules, name: str) -> Receiver:
    """Returns the receiver of a name: a person's own, or one that is built in."""
    return Receiver(name) if name in BUILT_IN else rules.receivers[name]


def minute_of_day() -> int:
    """Returns the minute of the day, in local time."""
    now = datetime.fromtimestamp(time.time())
    return now.hour * 60 + now.minute
