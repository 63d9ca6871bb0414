"""Attack: a request that is approved without all of it having been on the screen.

In `top`, the offers below a request were not part of what has to be read to its end, though a CLI
makes them from the agent's command: long ones pushed each other off the screen. At the command
line, of two runs with a request of one name the first to be found was answered, and the second
never listed.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.containers import VerticalScroll

from tests.tui.test_held_requests import armed
from unbraid.agents.control_port import PermissionRequest
from unbraid.cli import approve
from unbraid.control.sockets import answer, steerable
from unbraid.errors import CallerError
from unbraid.tui.dialogs import PermissionDialog, tool_input_text

RULE = "\n".join(f"Bash(step {number})" for number in range(200))


class Screen(App[None]):
    """A terminal that asks one request."""

    def __init__(self, asked: PermissionRequest) -> None:
        super().__init__()
        self.asked, self.answers = asked, list[str | None]()

    def ask(self) -> None:
        """Puts the request on the screen."""
        self.push_screen(PermissionDialog(self.asked, "main"), self.answers.append)


def request(command: str, **more: Any) -> PermissionRequest:
    return PermissionRequest("r", "q", "Bash", {"command": command}, **more)


@pytest.mark.parametrize("key", ["1", "a"])
async def test_an_offer_is_read_to_its_end_before_it_is_taken(key: str) -> None:
    app = Screen(request("ls", always=[RULE]))
    async with app.run_test(size=(100, 30)) as pilot:
        app.ask()
        await armed(pilot)
        await pilot.press(key)
        assert app.answers == []
        app.screen.query_one(VerticalScroll).scroll_end(animate=False)
        await pilot.pause()
        await pilot.press(key)
        await pilot.pause()
    assert app.answers == ["1" if key == "1" else "allow"]


def test_a_tool_and_its_arguments_are_named_whole() -> None:
    name = "harmless_" * 20 + "evil"
    assert name in tool_input_text({name: "x"})


class Asking:
    """A run that waits for an answer."""

    def __init__(self, run: str, command: str) -> None:
        self.run, self.command, self.given = run, command, list[str]()

    def verbs(self) -> list[str]:
        return ["answer"]

    def pending(self) -> list[PermissionRequest]:
        return [PermissionRequest(self.run, "q", "Bash", {"command": self.command})]

    async def answer(self, request_id: str, behavior: str, *more: object) -> None:
        self.given.append(behavior)


async def test_an_answer_goes_to_one_request_alone(tmp_path: Path) -> None:
    runs = Asking("one", "ls"), Asking("two", "rm -rf ~")
    async with AsyncExitStack() as stack:
        for run in runs:
            await stack.enter_async_context(steerable(tmp_path, run, run.run))  # type: ignore[arg-type]
        with pytest.raises(CallerError, match="several runs"):
            await answer(tmp_path, "q", behavior="allow", message=None)
    assert [run.given for run in runs] == [[], []]


async def test_each_request_is_listed_whatever_it_is_called(
    capsys: pytest.CaptureFixture[str],
) -> None:
    waiting = [Asking("one", "ls").pending()[0], Asking("two", "rm -rf ~").pending()[0]]
    changed = [*waiting, Asking("one", "curl evil").pending()[0]]
    looks = iter([waiting, waiting, changed])

    async def attend(seconds: float) -> None:
        """Somebody is there."""

    async def look() -> list[PermissionRequest]:
        try:
            return next(looks)
        except StopIteration:
            raise asyncio.CancelledError from None

    with pytest.raises(asyncio.CancelledError):
        await approve._wait_for(attend, look, as_json=False)
    shown = capsys.readouterr().out
    assert [shown.count(text) for text in ("ls", "rm -rf ~", "curl evil")] == [1, 1, 1]
