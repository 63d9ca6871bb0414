"""Requests of sessions that were started elsewhere, answered in the terminal view."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec import Raw
from textual.app import App
from textual.containers import Vertical
from textual.pilot import Pilot

from tests.polling import until
from tests.steer.steered_run import asked
from unbraid.agents.claude.hooks.decisions import offers
from unbraid.agents.claude.hooks.session import HookedSession, HookInput
from unbraid.log import MemoryLog
from unbraid.steer.controllers import Controllers
from unbraid.steer.permissions import PermissionRequest
from unbraid.system.clock import now_ms
from unbraid.testing.sample_runs import sample_run
from unbraid.tui import dialogs
from unbraid.tui.dialogs import PermissionDialog
from unbraid.tui.run_control import RunControl
from unbraid.tui.services import ViewServices

SESSION = "11111111-2222-4333-8444-555555555555"
OFFER = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request can be answered almost as soon as it is on the screen."""
    monkeypatch.setattr(dialogs, "REQUEST_ARMED_SECONDS", 0.01)


async def armed(pilot: Pilot[None]) -> None:
    """Waits until the request on the screen can be answered."""
    async with asyncio.timeout(30):
        dialog = pilot.app.screen
        while not (isinstance(dialog, PermissionDialog) and dialog.is_armed):
            await pilot.pause(0.02)
            dialog = pilot.app.screen


async def answered(
    keys: list[str], given: dict[str, Any], *, tool: str = "Bash", in_terminal: bool = True
) -> tuple[Any, str]:
    """What the hook answers when these keys are pressed, and what the log is given."""
    controllers, session = Controllers(), HookedSession(SESSION, lambda name: None)
    controllers.register("r", session)
    log, app = MemoryLog(), App[None]()
    await log.append("r", sample_run(["x"])[:3])
    control = RunControl(app, ViewServices(log, controllers, None))
    async with app.run_test(size=(100, 30)) as pilot:
        request = HookInput(
            SESSION,
            tool_name=tool,
            tool_input=Raw(json.dumps(given).encode()),
            permission_suggestions=[OFFER],
        )
        until = None if in_terminal else now_ms() + 300_000
        name, answer = session.hold(request, in_terminal=in_terminal, held_until=until)
        waits = asked(4, name)
        waits.tool, waits.input_json = tool, request.tool_input
        waits.always, waits.can_edit = offers([OFFER]), True
        waits.also_in_terminal, waits.held_until = in_terminal, until
        await log.append("r", [waits])
        await control.refresh()
        await control.toggle_answering()
        assert controllers.attendance.seconds > 0
        [shown] = control.waiting()
        await control.answer(shown, "A title")
        await armed(pilot)
        await pilot.press(*keys)
        async with asyncio.timeout(30):
            data = await answer
    lines = b"".join(session.lines.take_answers()).decode()
    return json.loads(data)["hookSpecificOutput"]["decision"] if data else None, lines


async def test_every_answer_has_a_key() -> None:
    given: dict[str, Any] = {"command": "ls"}
    decision, logged = await answered(["a"], given)
    assert decision == {"behavior": "allow"}
    assert '"where":"top"' in logged
    decision, _ = await answered(["1"], given)
    assert decision == {"behavior": "allow", "updatedPermissions": [OFFER]}
    decision, _ = await answered(["r", "n", "o", "enter"], given)
    assert decision == {"behavior": "deny", "message": "no"}
    decision, _ = await answered(["r", "enter"], given)
    assert decision == {"behavior": "deny", "message": "Not allowed."}
    assert (await answered(["g"], given, in_terminal=False))[0] is None
    keys = ["e", "ctrl+u", *'{"a":1}', "enter"]
    decision, _ = await answered(keys, given)
    assert decision == {"behavior": "allow", "updatedInput": {"a": 1}}
    question = {"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}
    given = {"questions": [question]}
    decision, _ = await answered(["2"], given, tool="AskUserQuestion")
    assert decision["updatedInput"] == {**given, "answers": {"Which?": "B"}}


class Answers(App[None]):
    """A terminal in which one request after the other is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[str | None] = []

    def ask(self, command: str) -> None:
        """Asks the next."""
        asked = PermissionRequest("r", command, "Bash", {"command": command}, can_edit=True)
        self.push_screen(PermissionDialog(asked, command), self.given.append)


async def test_a_key_that_was_meant_for_the_request_before_does_not_answer_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = Answers()
    async with app.run_test(size=(100, 30)) as pilot:
        app.ask("ls")
        await armed(pilot)
        await pilot.press("a")
        assert app.given == ["allow"]
        monkeypatch.setattr(dialogs, "REQUEST_ARMED_SECONDS", 3600)
        app.ask("rm -rf ~")
        await pilot.pause()
        await pilot.press("a", "1", "d", "r", "e", "g", "a")
        assert app.given == ["allow"]
        assert "not ready yet" in str(app.screen.query_one(Vertical).border_subtitle)
        # It can always be closed.
        await pilot.press("escape")
        assert app.given == ["allow", None]


class StoppedTimer:
    """A timer whose time passes only where a test says so."""

    def __init__(self, seconds: float, callback: Callable[[], object]) -> None:
        self._seconds, self._left, self._callback = seconds, seconds, callback

    def reset(self) -> None:
        """Begins anew."""
        self._left = self._seconds

    def passes(self, seconds: float) -> None:
        """Lets time pass."""
        self._left -= seconds
        if self._left <= 0:
            self._callback()


async def test_a_key_that_is_held_down_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    timers: list[StoppedTimer] = []

    def set_timer(dialog: object, seconds: float, callback: Callable[[], object]) -> StoppedTimer:
        timers.append(StoppedTimer(seconds, callback))
        return timers[-1]

    monkeypatch.setattr(PermissionDialog, "set_timer", set_timer)
    app = Answers()
    async with app.run_test(size=(100, 30)) as pilot:
        app.ask("ls")
        await until(lambda: timers)
        for _ in range(3):
            await pilot.press("a")
            timers[0].passes(0.9 * dialogs.REQUEST_ARMED_SECONDS)
        assert app.given == []
        timers[0].passes(0.1 * dialogs.REQUEST_ARMED_SECONDS)
        await pilot.press("a")
        assert app.given == ["allow"]
