"""Claude Code as a backend: the real CLIs, an old one and a current one."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.agents.claude.backend_cli import real, said, text
from unbraid import events as e
from unbraid.agents.agent_spec import AgentSpec
from unbraid.errors import BackendError
from unbraid.testing import HttpError, Script, ScriptedModel, ScriptedThinking, Spawn, bash, say

pytestmark = pytest.mark.cli

OLD, CURRENT = "1.0.128", "2.1.325"
versions = pytest.mark.parametrize("version", [OLD, CURRENT])
LONG = "A text that is long enough to come in several pieces, one after the other. " * 4
ANYONE = AgentSpec("anyone")


def asked_by(model: ScriptedModel, marker: str) -> list[dict[str, Any]]:
    """The requests of one agent's conversation."""
    return [each for each in model.requests if marker in json.dumps(each["messages"])]


@versions
async def test_a_conversation_with_agents_of_its_own(version: str, tmp_path: Path) -> None:
    script = Script(
        {
            "main": [
                say(ScriptedThinking("Hm."), LONG, Spawn("kid"), Spawn("twin")),
                say("Both are done."),
                say("And one more thing."),
            ],
            "kid": [say("The kid speaks.", bash("echo one")), say("The kid is done.")],
            "twin": [say("The twin is done.")],
        }
    )
    agent = AgentSpec("anyone", prompt="-You are brief.\nAlways.", model="sonnet")
    async with asyncio.timeout(120):
        with real(version, script, tmp_path) as (backend, model):
            async with backend.open(agent) as conversation:
                first = await said(conversation.say("[[main]] Go."))
                second = await said(conversation.say("/clear and now?"))
    assert text(first) == LONG + "Both are done."
    assert text(second) == "And one more thing."
    assert sum(isinstance(event, e.TextDelta) for event in first if not event.context) > 5
    for turn in (first, second):
        assert [event for event in turn if isinstance(event, e.TurnComplete)] == [turn[-1]]
        assert isinstance(turn[-1], e.TurnComplete)
        assert turn[-1].ok
    children = {event.context for event in first if isinstance(event, e.SubAgentSpawned)}
    ended = {event.context for event in first if isinstance(event, e.SubAgentEnded)}
    assert len(children) == 2
    assert children == ended
    assert {event.tool for event in first if isinstance(event, e.ToolUse) and event.context} == {
        "Bash"
    }
    if version == CURRENT:
        output = {text(first, context) for context in children}
        assert output == {"The kid speaks.The kid is done.", "The twin is done."}
    mine = asked_by(model, "[[main]]")
    assert all(
        agent.prompt in json.dumps(each["system"], ensure_ascii=False).replace("\\n", "\n")
        for each in mine
    )
    assert all("sonnet" in each["model"] for each in mine)


async def test_siblings_share_nothing_and_speak_at_once(tmp_path: Path) -> None:
    script = Script(
        {name: [say(f"I am {name}."), say(f"Still {name}.")] for name in ("rome", "oslo")}
    )

    async with asyncio.timeout(120):
        with real(CURRENT, script, tmp_path) as (backend, model):

            async def ask(name: str) -> list[str]:
                async with backend.open(ANYONE) as conversation:
                    first = text(await said(conversation.say(f"[[{name}]] Who are you?")))
                    return [first, text(await said(conversation.say("Still?")))]

            answers = await asyncio.gather(ask("rome"), ask("oslo"))
    assert list(answers) == [[f"I am {name}.", f"Still {name}."] for name in ("rome", "oslo")]
    for request in asked_by(model, "[[rome]]"):
        assert "oslo" not in json.dumps(request)


@versions
async def test_an_agent_has_the_tools_it_was_given(version: str, tmp_path: Path) -> None:
    agents = (
        AgentSpec("some", tools=("Read", "Bash(git status)", "/agent"), denied=("/fetch",)),
        AgentSpec("none", tools=()),
        AgentSpec("most", denied=("Bash",)),
    )
    script = Script({agent.name: [say("Hello.")] for agent in agents})
    async with asyncio.timeout(120):
        with real(version, script, tmp_path) as (backend, model):

            async def ask(agent: AgentSpec) -> None:
                async with backend.open(agent) as conversation:
                    await said(conversation.say(f"[[{agent.name}]] Go."))

            await asyncio.gather(*map(ask, agents))
    had = {
        name: {
            tool["name"]
            for each in asked_by(model, f"[[{name}]]")
            for tool in each.get("tools") or []
        }
        - {"DeferredToolPlaceholder"}
        for name in script.agents
    }
    assert had["some"] == {"Read", "Bash"}
    assert had["none"] == set()
    assert "Read" in had["most"]
    assert "Bash" not in had["most"]


@versions
async def test_permission_is_asked_for_and_answered(version: str, tmp_path: Path) -> None:
    script = Script(
        {
            "main": [
                say(bash("touch allowed.txt")),
                say(bash("touch denied.txt")),
                say("All asked."),
            ]
        }
    )
    async with asyncio.timeout(120):
        with real(version, script, tmp_path, asks=True) as (backend, _):
            async with backend.open(ANYONE) as conversation:
                asked = []
                events = []
                async for event in conversation.say("[[main]] Go."):
                    events.append(event)
                    if isinstance(event, e.PermissionAsked):
                        asked.append(event.input["command"])
                        behavior = "allow" if len(asked) == 1 else "deny"
                        await conversation.answer(event.request_id, behavior, "Not that.")
    assert asked == ["touch allowed.txt", "touch denied.txt"]
    assert text(events) == "All asked."
    assert (tmp_path / "app" / "allowed.txt").exists()
    assert not (tmp_path / "app" / "denied.txt").exists()
    results = [event for event in events if isinstance(event, e.ToolResult)]
    assert [result.ok for result in results] == [True, False]


async def test_one_that_is_killed_in_the_middle_says_so(tmp_path: Path) -> None:
    script = Script({"main": [say("Wait.", bash("sleep 1000"))]})
    async with asyncio.timeout(120):
        with real(CURRENT, script, tmp_path) as (backend, _):
            async with backend.open(ANYONE) as conversation:
                with pytest.raises(BackendError, match="was ended by SIGKILL"):
                    async for event in conversation.say("[[main]] Go."):
                        if isinstance(event, e.ToolUse):
                            os.kill(conversation.pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("version", "when"), [(OLD, "tool_use"), (CURRENT, "tool_use"), (CURRENT, "text_delta")]
)
async def test_cancelled_in_the_middle_it_leaves_nobody(
    version: str, when: str, tmp_path: Path
) -> None:
    script = Script({"main": [say(LONG, bash("sleep 1000"), chunk_delay_seconds=0.01)]})
    there = asyncio.Event()
    async with asyncio.timeout(120):
        with real(version, script, tmp_path) as (backend, _):

            async def talk() -> None:
                async with backend.open(ANYONE) as conversation:
                    async for event in conversation.say("[[main]] Go."):
                        if event.type == when:
                            there.set()

            task = asyncio.create_task(talk())
            await there.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task


@versions
async def test_an_interrupted_conversation_goes_on(version: str, tmp_path: Path) -> None:
    script = Script({"main": [say(LONG, chunk_delay_seconds=0.05), say("Here I am.")]})
    async with asyncio.timeout(120):
        with real(version, script, tmp_path) as (backend, _):
            async with backend.open(ANYONE) as conversation:
                turn = conversation.say("[[main]] Go.")
                async for event in turn:
                    if isinstance(event, e.TextDelta):
                        break
                await turn.aclose()
                assert text(await said(conversation.say("Are you there?"))) == "Here I am."


async def test_a_model_that_refuses_is_a_turn_that_is_not_ok(tmp_path: Path) -> None:
    refusal = HttpError(400, "invalid_request_error", "not today", times=None)
    script = Script({"main": [say("Never said.", failure=refusal)]})
    async with asyncio.timeout(120):
        with real(CURRENT, script, tmp_path) as (backend, _):
            async with backend.open(ANYONE) as conversation:
                events = await said(conversation.say("[[main]] Go."))
    last = events[-1]
    assert isinstance(last, e.TurnComplete)
    assert not last.ok
    assert "not today" in (last.result or "")
