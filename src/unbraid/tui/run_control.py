"""Steering runs from the terminal view: a dialog asks the person first, then the run is steered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from textual.app import App

from unbraid.agents.control_port import Controller, PermissionRequest
from unbraid.control.hints import steering_hint
from unbraid.errors import UnbraidError
from unbraid.log.summary import RunSummary
from unbraid.screen import gist, short
from unbraid.tui.dialogs import Confirm, Dialog, PermissionDialog, TextDialog
from unbraid.tui.services import ViewServices


class RunControl:
    """The runs that can be steered, as of the last refresh."""

    def __init__(self, app: App[Any], services: ViewServices) -> None:
        self._app, self._services = app, services
        self._controllers: dict[str, Controller] = {}

    async def refresh(self) -> None:
        """Reads again which runs can be steered."""
        self._controllers = await self._services.steerable()

    def verbs(self, run: str) -> list[str]:
        """Returns what can be asked of a run: some of message, interrupt, stop and cancel."""
        held = self._controllers.get(run)
        return [] if held is None else held.verbs()

    def waiting_text(
        self, waiting: list[PermissionRequest], chosen: RunSummary | None
    ) -> str | None:
        """Returns who waits, and for what: what can be answered here; or what the chosen run waits
        for, and why nobody can answer it from here. None if nobody waits.
        """
        if waiting:
            first = waiting[0]
            more = f" (and {len(waiting) - 1} more)" if len(waiting) > 1 else ""
            return f"◐ p answers{more}: {short(f'{first.tool} {gist(first.input)}', 300)}"
        if chosen is None or chosen.waiting is None:
            return None
        hint = steering_hint(chosen, self.verbs(chosen.run))
        return None if hint is None else short(f"◐ {chosen.waiting}. {hint}", 300)

    def waiting(self, run: str = "") -> list[PermissionRequest]:
        """Returns the pending permission requests, those of `run` first."""
        runs = sorted(self._controllers, key=lambda name: name != run)
        return [
            self._services.redacted_request(request)
            for name in runs
            for request in self._controllers[name].pending()
        ]

    async def answer(self, asked: PermissionRequest, title: str) -> None:
        """Asks a person to allow or deny a permission request."""
        held = self._controllers[asked.run]

        async def then(behavior: str) -> None:
            await self._steer(behavior, held.answer(asked.request_id, behavior, None))
            await self.refresh()

        await self._ask(PermissionDialog(asked, title), then)

    async def message(self, run: str) -> None:
        """Asks a person for a message to a run's main agent."""
        if (held := self._controllers.get(run)) is not None:
            await self._ask(
                TextDialog("Message to the main agent"),
                lambda text: self._steer("message", held.message(text)),
            )

    async def interrupt(self, run: str) -> None:
        """Interrupts the main agent after a person has confirmed it."""
        if (held := self._controllers.get(run)) is not None:
            question = "Interrupt what the main agent does now? It takes the next message."
            await self._ask(
                Confirm(question), lambda yes: self._steer("interrupt", held.interrupt())
            )

    async def stop(self, run: str, stream: int) -> None:
        """Stops an agent, or the whole run if it is the main agent, after a person has confirmed
        it.
        """
        held = self._controllers.get(run)
        if held is None:
            return
        if stream:
            sure = Confirm(f"Stop agent {stream}?")
            await self._ask(sure, lambda yes: self._steer("stop", held.stop(stream)))
        else:
            sure = Confirm("End the whole run?")
            await self._ask(sure, lambda yes: self._steer("end", held.cancel()))

    async def _ask(self, dialog: Dialog, then: Callable[[str], Awaitable[None]]) -> None:
        async def answered(answer: str | None) -> None:
            if answer is not None:
                await then(answer)

        await self._app.push_screen(dialog, answered)

    async def _steer(self, name: str, doing: Awaitable[None]) -> None:
        try:
            await doing
        except UnbraidError as error:
            self._app.notify(short(str(error), 400), severity="error", markup=False)
        else:
            self._app.notify(f"{name}: done", markup=False)
