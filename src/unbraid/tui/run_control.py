"""Steering runs from the terminal view: a dialog asks the person first, then the run is steered."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from textual.app import App

from unbraid.agents.control_port import AnswerDetails, Controller, SteeringRequest
from unbraid.agents.registry import tools
from unbraid.errors import CallerError, UnbraidError
from unbraid.log.summary import RunSummary
from unbraid.screen import short
from unbraid.steer.hints import steering_hint
from unbraid.steer.permissions import OpenRequests, PermissionRequest
from unbraid.timings import ATTENDANCE_SECONDS
from unbraid.tui.dialogs import (
    EDIT,
    REASON,
    Confirm,
    Dialog,
    PermissionDialog,
    TextDialog,
    choices_of,
    details_of,
    edited,
)
from unbraid.tui.services import ViewServices


class RunControl:
    """The runs that can be steered, as of the last refresh."""

    def __init__(self, app: App[Any], services: ViewServices) -> None:
        self._app, self._services = app, services
        self._controllers: dict[str, Controller] = {}
        self._open = OpenRequests()
        self._answers_here = False

    async def refresh(self) -> None:
        """Reads again which runs can be steered, and repeats that a person answers here."""
        if self._answers_here:
            await self._services.attend(ATTENDANCE_SECONDS)
        self._controllers = await self._services.steerable()
        self._open = await self._services.open_requests()

    def verbs(self, run: str) -> list[str]:
        """Returns what can be asked of a run: some of message, interrupt, stop and cancel."""
        held = self._controllers.get(run)
        return [] if held is None else held.verbs()

    def waiting_text(
        self, waiting: list[PermissionRequest], chosen: RunSummary | None
    ) -> str | None:
        """Returns which agent waits, and for what: what can be answered here; or what the chosen
        run waits for, and why it cannot be answered from here. None if no agent waits.
        """
        if waiting:
            first = waiting[0]
            about = tools().summary(first.tool, first.input)
            others = len(waiting) - 1 + self._open.unlisted
            more = f" (and {others} more)" if others else ""
            return f"◐ p answers{more}: {short(f'{first.tool} {about}', 300)}"
        if chosen is None or chosen.waiting is None:
            return None
        hint = steering_hint(chosen, self.verbs(chosen.run))
        return None if hint is None else short(f"◐ {chosen.waiting}. {hint}", 300)

    def waiting(self, run: str = "") -> list[PermissionRequest]:
        """Returns the pending permission requests, those of `run` first."""
        return sorted(self._open.requests, key=lambda request: request.run != run)

    async def answer(self, asked: PermissionRequest, title: str) -> None:
        """Asks a person to allow or deny a permission request."""

        async def send(
            behavior: str, message: str | None = None, details: AnswerDetails | None = None
        ) -> None:
            given = details or details_of()
            request = SteeringRequest(
                "answer", message, request_id=asked.request_id, behavior=behavior, details=given
            )
            await self._steer(asked.run, request, behavior)
            await self.refresh()

        async def change(text: str) -> None:
            if (changed := edited(text)) is None:
                self._app.notify("This is not a JSON object.", severity="error", markup=False)
            else:
                await send("allow", None, details_of(input=changed))

        async def then(answer: str) -> None:
            if answer == REASON:
                dialog = TextDialog("Reason, sent to the agent", can_be_empty=True)
                await self._ask(dialog, lambda reason: send("deny", reason or None))
            elif answer == EDIT:
                # All but ASCII as escapes: some of it no screen would show.
                text = json.dumps(asked.input)
                await self._ask(TextDialog("Input to use instead, as JSON", text), change)
            elif answer.isdecimal():
                choice = choices_of(asked)[int(answer) - 1]
                await send("allow", None, choice.details)
            else:
                await send(answer)

        await self._ask(PermissionDialog(asked, title), then)

    async def toggle_answering(self) -> None:
        """Says that permission requests are answered here, or no longer."""
        self._answers_here = not self._answers_here
        await self._services.attend(ATTENDANCE_SECONDS if self._answers_here else 0)
        said = "Permission requests are no longer answered here."
        if self._answers_here:
            said = "Permission requests are answered here: those of background agents are held."
        self._app.notify(said, markup=False)

    async def message(self, run: str) -> None:
        """Asks a person for a message to a run's main agent."""
        if run in self._controllers:
            await self._ask(
                TextDialog("Message to the main agent"),
                lambda text: self._steer(run, SteeringRequest("message", text)),
            )

    async def interrupt(self, run: str) -> None:
        """Interrupts the main agent after a person has confirmed it."""
        question = "Interrupt the main agent? It then waits for the next message."
        await self._steer_if(run, question, SteeringRequest("interrupt"))

    async def stop(self, run: str, stream: int) -> None:
        """Stops an agent, or the whole run if it is the main agent, after a person has confirmed
        it.
        """
        if stream:
            request = SteeringRequest("stop", stream_id=stream)
            await self._steer_if(run, f"Stop agent {stream}?", request)
        else:
            await self._steer_if(run, "End the whole run?", SteeringRequest("cancel"))

    async def _steer_if(self, run: str, question: str, request: SteeringRequest) -> None:
        if run in self._controllers:
            await self._ask(Confirm(question), lambda yes: self._steer(run, request))

    async def _ask(self, dialog: Dialog, then: Callable[[str], Awaitable[None]]) -> None:
        async def answered(answer: str | None) -> None:
            if answer is not None:
                await then(answer)

        await self._app.push_screen(dialog, answered)

    async def _steer(self, run: str, request: SteeringRequest, name: str = "") -> None:
        try:
            if run not in self._controllers:
                raise CallerError(f"run {run} can no longer be steered")
            await self._controllers[run].carry_out(request)
        except UnbraidError as error:
            self._app.notify(short(str(error), 400), severity="error", markup=False)
        else:
            self._app.notify(f"{name or request.verb}: done", markup=False)
