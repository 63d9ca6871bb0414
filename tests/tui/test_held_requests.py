"""Requests of sessions that were started elsewhere, answered in the terminal view."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from msgspec import Raw
from textual.app import App

from unbraid.agents.claude.hooks.session import HookedSession, HookRequest
from unbraid.control.controllers import Controllers
from unbraid.log import MemoryLog
from unbraid.system.clock import now_ms
from unbraid.tui.run_control import RunControl
from unbraid.tui.services import ViewServices

SESSION = "11111111-2222-4333-8444-555555555555"
OFFER = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}


async def answered(
    keys: list[str], given: dict[str, Any], *, tool: str = "Bash", in_terminal: bool = True
) -> tuple[Any, str]:
    """What the hook answers when these keys are pressed, and what the log is given."""
    controllers, session = Controllers(), HookedSession(SESSION, lambda name: None)
    controllers.register("r", session)
    session.run = "r"
    app: App[None] = App()
    control = RunControl(app, ViewServices(MemoryLog(), controllers, None))
    async with app.run_test(size=(100, 30)) as pilot:
        request = HookRequest(
            tool, Raw(json.dumps(given).encode()), [OFFER], agent_id=None, agent_type=None
        )
        until = None if in_terminal else now_ms() + 300_000
        _, answer = session.hold(request, in_terminal=in_terminal, held_until=until)
        await control.refresh()
        await control.toggle_answering()
        assert controllers.attendance.seconds > 0
        [asked] = control.waiting()
        await control.answer(asked, "A title")
        await pilot.pause()
        await pilot.press(*keys)
        async with asyncio.timeout(30):
            data = await answer
    lines = b"".join(session.lines.take_answers()).decode()
    return json.loads(data)["hookSpecificOutput"]["decision"] if data else None, lines


async def test_every_answer_has_a_key() -> None:
    given = {"command": "ls"}
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
    asked = {"questions": [question]}
    decision, _ = await answered(["2"], asked, tool="AskUserQuestion")
    assert decision["updatedInput"] == {**asked, "answers": {"Which?": "B"}}
