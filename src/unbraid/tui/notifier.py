"""What a person should know, in a corner of the screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.app import App

from unbraid.errors import UnbraidError
from unbraid.screen import short
from unbraid.timings import NOTICE_REPEAT_SECONDS

MAX_CHARS = 400


class Notifier:
    """Tells at once, or as soon as the view is there."""

    def __init__(self, app: App[Any], clock: Callable[[], float]) -> None:
        self._app, self._clock = app, clock
        self._early: list[str] = []
        self._told = ("", 0.0)

    def begin(self) -> None:
        """The view is there."""
        early, self._early = self._early, []
        for text in early:
            self.warn(text)

    def warn(self, text: str) -> None:
        """Something that is not as it should be."""
        if self._app.is_running:
            self._app.notify(short(text, MAX_CHARS), severity="warning", markup=False)
        else:
            self._early.append(text)

    def show_error(self, error: UnbraidError) -> None:
        """Something that has failed; once, however many try it again and again."""
        told = (str(error), self._clock() // NOTICE_REPEAT_SECONDS)
        if told != self._told:
            self._told = told
            self._app.notify(short(str(error), MAX_CHARS), severity="error", markup=False)
