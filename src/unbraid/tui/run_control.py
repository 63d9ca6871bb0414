"""What runs can be told, and how a person tells them: a question first, then the order."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from textual.app import App

from unbraid.agents.control_port import Controller, PermissionRequest
from unbraid.errors import UnbraidError
from unbraid.screen import short
from unbraid.tui.dialogs import Confirm, Dialog, Leave, TextDialog
from unbraid.tui.services import ViewServices


class RunControl:
    """The runs that can be steered, as they were when someone last looked."""

    def __init__(self, app: App[Any], services: ViewServices) -> None:
        self._app, self._services = app, services
        self._controllers: dict[str, Controller] = {}

    async def refresh(self) -> None:
        """Who can be steered now."""
        self._controllers = await self._services.steerable()

    def verbs(self, run: str) -> list[str]:
        """What a run can be told to do."""
        held = self._controllers.get(run)
        return [] if held is None else held.verbs()

    def waiting(self, run: str = "") -> list[PermissionRequest]:
        """The requests that wait for leave, those of `run` first."""
        runs = sorted(self._controllers, key=lambda name: name != run)
        return [
            self._services.redacted_request(request)
            for name in runs
            for request in self._controllers[name].pending()
        ]

    async def answer(self, asked: PermissionRequest, title: str) -> None:
        """Ask a person whether an agent may."""
        held = self._controllers[asked.run]

        async def then(behavior: str) -> None:
            await self._steer(behavior, held.answer(asked.request_id, behavior, None))
            await self.refresh()

        await self._ask(Leave(asked, title), then)

    async def message(self, run: str) -> None:
        """Ask a person what to tell a run's main agent."""
        if (held := self._controllers.get(run)) is not None:
            await self._ask(
                TextDialog("Tell the main agent"),
                lambda text: self._steer("message", held.message(text)),
            )

    async def interrupt(self, run: str) -> None:
        """Interrupt the main agent, if a person is sure."""
        if (held := self._controllers.get(run)) is not None:
            question = "Interrupt what the main agent does now? It takes the next message."
            await self._ask(
                Confirm(question), lambda yes: self._steer("interrupt", held.interrupt())
            )

    async def stop(self, run: str, stream: int) -> None:
        """Stop an agent, or with the main one the run, if a person is sure."""
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
