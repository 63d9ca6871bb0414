"""A script's blocks in the tools of each CLI."""

from __future__ import annotations

from typing import Any

import pytest

from unbraid.testing import ScriptedToolUse, SendMessage, Spawn, bash
from unbraid.testing.model_request import ModelRequest, adapt_block, agent_id
from unbraid.testing.script import Block


def fitted(block: Block, **tools: Any) -> tuple[str, dict[str, Any]]:
    schemas = {
        name: {"name": name, "input_schema": {"properties": {key: {} for key in known}}}
        for name, known in tools.items()
    }
    call = adapt_block(block, ModelRequest("main", tools=schemas), {"kid": "a123"})
    return call["name"], call["input"]


def test_the_spawning_tool_is_the_clis_own() -> None:
    given = {"description": "run kid", "prompt": "[[kid]] Do your part."}
    claude, opencode = "general-purpose", "general"
    assert fitted(Spawn("kid"), Task=[]) == ("Task", {**given, "subagent_type": claude})
    assert fitted(Spawn("kid"), Agent=[], Bash=[]) == ("Agent", {**given, "subagent_type": claude})
    assert fitted(Spawn("kid"), task=[]) == ("task", {**given, "subagent_type": opencode})


@pytest.mark.parametrize("background", [True, False])
def test_background_only_where_the_tool_knows_it(background: bool) -> None:
    spawn = Spawn("kid", background=background)
    assert fitted(spawn, Agent=["run_in_background"])[1]["run_in_background"] is background
    assert "run_in_background" not in fitted(spawn, Task=[])[1]


def test_names_and_parameters_follow_the_cli() -> None:
    read = ScriptedToolUse("Read", {"file_path": "x"})
    assert fitted(read, Read=["file_path"]) == ("Read", {"file_path": "x"})
    assert fitted(read, read=["filePath"]) == ("read", {"filePath": "x"})
    assert fitted(bash("true"), bash=["command", "description"])[0] == "bash"


def test_an_unknown_kind_of_agent_becomes_the_usual_one() -> None:
    tool = {"name": "Task", "description": "Kinds: general-purpose"}
    spawn = adapt_block(
        Spawn("kid", subagent_type="Explore"), ModelRequest("main", tools={"Task": tool}), {}
    )
    assert spawn["input"]["subagent_type"] == "general-purpose"
    tool = {"name": "task", "description": "Kinds: general, explore"}
    spawn = adapt_block(
        Spawn("kid", subagent_type="Explore"), ModelRequest("main", tools={"task": tool}), {}
    )
    assert spawn["input"]["subagent_type"] == "explore"


def test_going_on_with_an_agent_is_each_clis_way() -> None:
    name, given = fitted(SendMessage("kid"), Agent=[], SendMessage=[])
    assert (name, given["to"]) == ("SendMessage", "a123")
    name, given = fitted(SendMessage("kid"), Task=["resume"])
    assert (name, given["resume"]) == ("Task", "a123")
    name, given = fitted(SendMessage("kid"), task=["task_id"])
    assert (name, given["task_id"]) == ("task", "a123")
    assert fitted(SendMessage("kid"), Task=[])[0] == "SendMessage"


@pytest.mark.parametrize(
    ("result", "known"),
    [
        ("done\nagentId: a1b2c3d (for resuming to continue)", "a1b2c3d"),
        ("Async agent launched. agentId: aa7c2817f44980bbf", "aa7c2817f44980bbf"),
        ("task_id: ses_1aB (for resuming)\n\n<task_result>…", "ses_1aB"),
        ("nothing of the kind", None),
    ],
)
def test_the_agents_id_is_in_the_calls_result(result: str, known: str | None) -> None:
    assert agent_id(result) == known
