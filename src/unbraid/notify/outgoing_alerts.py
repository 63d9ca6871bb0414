"""The messages of one receiver on their way. A receiver that is down delays no other receiver, and
is tried again within bounds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec.structs import replace

from unbraid.alerts.conditions import DETAIL_CHARS
from unbraid.alerts.messages import AlertMessage, message
from unbraid.alerts.monitor import Alert
from unbraid.alerts.rules import Receiver
from unbraid.alerts.schedule import MessageSchedule
from unbraid.fleet.title import TITLE_CHARS
from unbraid.notify.senders import AlertSender, DeliveryError
from unbraid.timings import ALERT_FIRST_RETRY_SECONDS, ALERT_LONGEST_RETRY_SECONDS

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
        alerts = self._schedule.take(now_ms, at_once=at_once)
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
        pause = self._retry_seconds
        name = self.receiver.name
        for number in range(1, MAX_TRIES + 1):
            try:
                await self._sender.send(given)
                self._is_down = False
                return
            except DeliveryError as error:
                self._is_down = True
                if error.is_final or number == MAX_TRIES:
                    self._warn(f"no alert reached {name}: {error} ({given.title})")
                    return
                if number == 1:
                    self._warn(f"{name} did not accept an alert: {error}. It will be retried.")
            await asyncio.sleep(pause)
            pause = min(pause * 4, ALERT_LONGEST_RETRY_SECONDS)


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
