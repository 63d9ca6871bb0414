"""When a receiver gets its next message: alerts of one moment are one message, and however many
come, messages keep their distance.
"""

from __future__ import annotations

from unbraid.alerts.monitor import Alert
from unbraid.timings import ALERT_GATHER_MS, ALERT_INTERVAL_MS

MAX_WAITING = 10_000


class MessageSchedule:
    """The alerts that wait for one receiver."""

    def __init__(self) -> None:
        self._waiting: list[Alert] = []
        self._due = 0
        self._last = -ALERT_INTERVAL_MS

    def add(self, alert: Alert, now_ms: int) -> None:
        """Adds an alert to the next message."""
        if not self._waiting:
            self._due = max(now_ms + ALERT_GATHER_MS, self._last + ALERT_INTERVAL_MS)
        if len(self._waiting) < MAX_WAITING:
            self._waiting.append(alert)

    def take(self, now_ms: int, *, at_once: bool = False) -> list[Alert]:
        """Returns the alerts of the message that is to be sent now; none if none is."""
        if not self._waiting or (now_ms < self._due and not at_once):
            return []
        taken, self._waiting = self._waiting, []
        self._last = now_ms
        return taken
