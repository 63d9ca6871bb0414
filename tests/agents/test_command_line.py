"""Whose program a person's command line starts, and what options it has."""

from __future__ import annotations

import pytest

from unbraid.agents.claude.process.command import arguments_of
from unbraid.agents.command_line import option
from unbraid.agents.registry import kinds


@pytest.mark.parametrize(
    ("argv", "kind"),
    [
        (["claude", "-p", "x"], "claude"),
        (["/usr/bin/claude"], "claude"),
        (["node", "/x/claude-code/cli.js", "-p"], "claude"),
        (["opencode", "run", "x"], "opencode"),
        (["kilo", "run", "x"], "kilo"),
        (["codex", "exec", "--json", "x"], "codex"),
        (["make", "claude"], None),
        (["echo", "opencode"], None),
    ],
)
def test_whose_command_it_is(argv: list[str], kind: str | None) -> None:
    launchers = {each.name: each.launcher({}) for each in kinds()}
    found = [name for name, launcher in launchers.items() if launcher and launcher.recognizes(argv)]
    assert found == ([] if kind is None else [kind])


def test_where_its_own_arguments_begin() -> None:
    assert arguments_of(["claude", "-p", "x"]) == 1
    assert arguments_of(["node", "/x/claude-code/cli.js", "-p"]) == 2


async def test_what_draws_on_the_terminal_keeps_it() -> None:
    launcher = next(each.launcher({}) for each in kinds() if each.name == "opencode")
    assert launcher is not None
    assert not (await launcher.command(["opencode", "run", "x"], steered=False)).captured
    argv = ["opencode", "run", "--format", "json", "--session", "ses_1", "x"]
    command = await launcher.command(argv, steered=False)
    assert (command.captured, command.session, command.argv) == (True, "ses_1", argv)


def test_options_end_where_the_prompt_begins() -> None:
    assert option(["-p", "--", "--resume", "x"], "--resume") is None
    assert option(["--resume=x"], "--resume", "-r") == "x"
    assert option(["-r"], "--resume", "-r") == ""
