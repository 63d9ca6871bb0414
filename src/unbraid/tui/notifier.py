"""Warnings and errors, shown in a corner of the screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.app import App

from unbraid.errors import UnbraidError
from unbraid.fold.alerts.monitor import AlertMessage
from unbraid.log.remote.ingest import ServerUnreachable
from unbraid.screen import short

# The same error is shown again only after this long.
NOTICE_REPEAT_SECONDS = 30.0

MAX_CHARS = 400


class Notifier:
    """Shows messages at once, or, before the view has started, as soon as it has."""

    def __init__(self, app: App[Any], clock: Callable[[], float]) -> None:
        self._app, self._clock = app, clock
        self._early: list[str] = []
        self._shown_at: dict[str, float] = {}

    def begin(self) -> None:
        """Shows the messages that came before the view had started."""
        early, self._early = self._early, []
        for text in early:
            self.warn(text)

    def warn(self, text: str) -> None:
        """Shows a warning."""
        if self._app.is_running:
            self._app.notify(short(text, MAX_CHARS), severity="warning", markup=False)
        else:
            self._early.append(text)

    def alert(self, given: AlertMessage) -> None:
        """Shows an alert."""
        if self._app.is_running:
            title, body = short(given.title, MAX_CHARS), short(given.body, MAX_CHARS)
            self._app.notify(body, title=title, severity="warning", markup=False)

    def show_error(self, error: UnbraidError) -> None:
        """Shows an error; the same one again only after a while."""
        # Those who ask a server that has gone away find different reasons at different moments.
        same = "unreachable" if isinstance(error, ServerUnreachable) else str(error)
        now = self._clock()
        recent = {k: at for k, at in self._shown_at.items() if now - at < NOTICE_REPEAT_SECONDS}
        self._shown_at = {same: now} | recent
        if same not in recent:
            self._app.notify(short(str(error), MAX_CHARS), severity="error", markup=False)
