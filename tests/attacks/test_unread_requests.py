"""Attack: a request that is approved without all of it having been on the screen.

In `top`, the offers below a request were not part of what has to be read to its end, though a CLI
makes them from the agent's command: long ones pushed each other off the screen. At the command
line, of two runs with a request of one name the first to be found was answered, and the second
never listed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from textual.app import App
from textual.containers import VerticalScroll

from tests.steer.steered_run import SteeredRun, append_request
from tests.tui.test_held_requests import armed
from unbraid.cli import main, steer
from unbraid.errors import CallerError
from unbraid.log import MemoryLog
from unbraid.steer import permissions
from unbraid.steer.controllers import Controllers
from unbraid.steer.permissions import OpenRequests, PermissionRequest, answer_request
from unbraid.testing.sample_runs import sample_run
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


def waits(run: str, command: str) -> PermissionRequest:
    return PermissionRequest(run, "q", "Bash", {"command": command})


async def test_an_answer_goes_to_one_request_alone() -> None:
    log, controllers = MemoryLog(), Controllers()
    runs = SteeredRun("one"), SteeredRun("two")
    for run, command in zip(runs, ("ls", "rm -rf ~"), strict=True):
        await log.append(run.run, sample_run(["x"])[:3])
        await append_request(log, run.run, "q", command)
        controllers.register(run.run, run)
    with pytest.raises(CallerError, match="several runs"):
        await answer_request(log, controllers, "q", "allow")
    assert [run.asked for run in runs] == [[], []]


def test_each_request_is_listed_whatever_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = [waits("one", "ls"), waits("two", "rm -rf ~")]
    changed = [*waiting, waits("one", "curl evil")]
    looks = iter([waiting, waiting, changed])

    async def answerable(*_: object) -> OpenRequests:
        try:
            return OpenRequests(next(looks))
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr(permissions, "answerable_requests", answerable)
    monkeypatch.setattr(steer, "APPROVE_POLL_SECONDS", 0)
    env = {"HOME": str(tmp_path), "UNBRAID_HOME": str(tmp_path / "unbraid")}
    shown = CliRunner().invoke(main, ["approve", "--wait"], env=env).stdout
    assert [shown.count(text) for text in ("ls", "rm -rf ~", "curl evil")] == [1, 1, 1]
