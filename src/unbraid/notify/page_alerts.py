"""Alerts for the pages that are open: they ask for what is new, and show it as notifications of
their browsers.
"""

from __future__ import annotations

from collections import deque

from msgspec import Struct

from unbraid.alerts.messages import AlertMessage
from unbraid.system.clock import now_ms

MAX_KEPT = 100


class PageAlert(Struct, frozen=True):
    """A message, and the run that it is about first. `id` counts up, also over restarts."""

    id: int
    title: str
    body: str
    run: str


class PageAlerts:
    """The latest messages. Pages that ask too late have missed the others."""

    def __init__(self) -> None:
        self._kept: deque[PageAlert] = deque(maxlen=MAX_KEPT)
        self.last = now_ms()

    async def send(self, message: AlertMessage) -> None:
        """Keeps a message for the pages that ask for it: the `AlertSender` of pages."""
        self.last = max(self.last + 1, now_ms())
        run = message.alerts[0].run if message.alerts else ""
        self._kept.append(PageAlert(self.last, message.title, message.body, run=run))

    def after(self, number: int) -> list[PageAlert]:
        """Returns those that came after a message."""
        return [each for each in self._kept if each.id > number]
