"""OpenCode as a backend: the real CLIs, an old one and a current one."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path

import pytest

from tests.agents.claude.backend_cli import said, text
from tests.agents.opencode.backend_cli import real
from tests.record.run.agents import cli_of
from unbraid import events as e
from unbraid.agents.agent_spec import AgentSpec
from unbraid.agents.opencode.backend import OpenCodeBackend, own_server
from unbraid.errors import BackendError
from unbraid.testing import HttpError, Script, ScriptedModel, Spawn, bash, opencode_launch, say

pytestmark = pytest.mark.cli

OLD, CURRENT = "1.2.27", "1.18.33"
versions = pytest.mark.parametrize("version", [OLD, CURRENT])
LONG = "A text that is long enough to come in several pieces, one after the other. " * 4
ANYONE = AgentSpec("anyone")


@versions
async def test_a_conversation_with_agents_of_its_own(version: str, tmp_path: Path) -> None:
    script = Script(
        {
            "main": [
                say(LONG, Spawn("kid"), Spawn("twin")),
                say("Both are done."),
                say("And one more thing."),
            ],
            "kid": [say("The kid speaks.", bash("echo one")), say("The kid is done.")],
            "twin": [say("The twin is done.")],
            "sibling": [say("I am the sibling."), say("I still am.")],
        }
    )
    agent = AgentSpec("anyone", prompt="You are brief.\nAlways.", model="scripted/one")
    async with real(version, script, tmp_path) as (backend, model):

        async def ask(name: str) -> list[list[e.RelayEvent]]:
            async with backend.open(agent) as conversation:
                first = await said(conversation.say(f"[[{name}]] Go."))
                return [first, await said(conversation.say("And now?"))]

        (first, second), sibling = await asyncio.gather(ask("main"), ask("sibling"))
    assert text(first) == LONG + "Both are done."
    assert text(second) == "And one more thing."
    assert [text(turn) for turn in sibling] == ["I am the sibling.", "I still am."]
    assert sum(isinstance(event, e.TextDelta) for event in first if not event.context) > 5
    for turn in (first, second, *sibling):
        assert [event for event in turn if isinstance(event, e.TurnComplete)] == [turn[-1]]
        assert isinstance(turn[-1], e.TurnComplete)
        assert turn[-1].ok
    children = {event.context for event in first if isinstance(event, e.SubAgentSpawned)}
    assert children == {event.context for event in first if isinstance(event, e.SubAgentEnded)}
    output = {text(first, context) for context in children}
    assert output == {"The kid speaks.The kid is done.", "The twin is done."}
    shown = [json.dumps(each["messages"]) for each in model.requests]
    assert all("You are brief.\\nAlways." in each for each in shown if "[[main]]" in each)
    assert not any("[[main]]" in each and "[[sibling]]" in each for each in shown)


@versions
async def test_an_agent_has_the_tools_it_was_given_asks_and_its_turn_may_fail(
    version: str, tmp_path: Path
) -> None:
    agents = (
        AgentSpec("some", tools=("Read", "Bash(git status)", "/agent")),
        AgentSpec("none", tools=()),
        AgentSpec("all"),
        AgentSpec("most", denied=("Bash", "/fetch")),
    )
    refusal = HttpError(400, "invalid_request_error", "not today", times=None)
    script = Script(
        {
            **{agent.name: [say("Hello.")] for agent in agents},
            "refused": [say("Never said.", failure=refusal)],
            "unknown": [say("Never said.")],
            "main": [say(bash("touch allowed.txt")), say(bash("touch denied.txt")), say("So.")],
        }
    )
    asked, events = [], []
    async with real(version, script, tmp_path, asks=True) as (backend, model):
        for agent in agents:
            async with backend.open(agent) as conversation:
                await said(conversation.say(f"[[{agent.name}]] Go."))
        async with backend.open(ANYONE) as conversation:
            refused = await said(conversation.say("[[refused]] Go."))
        async with backend.open(AgentSpec("anyone", model="scripted/none")) as conversation:
            unknown = await said(conversation.say("[[unknown]] Go."))
        async with backend.open(ANYONE) as conversation:
            async for event in conversation.say("[[main]] Go."):
                events.append(event)
                if isinstance(event, e.PermissionAsked):
                    asked.append(event.tool)
                    behavior = "allow" if len(asked) == 1 else "deny"
                    await conversation.answer(event.request_id, behavior, "Not that.")
    had = {
        name: {
            tool["function"]["name"]
            for each in model.requests
            if f"[[{name}]]" in json.dumps(each["messages"])
            for tool in each.get("tools") or []
        }
        for name in script.agents
    }
    assert had["some"] == {"read", "bash"}
    assert had["none"] == set()
    assert had["all"] > {"read", "bash", "write", "task"}
    assert "question" not in had["all"]
    assert had["most"] == had["all"] - {"bash"}
    for failed, words in ((refused, "not today"), (unknown, "scripted/none")):
        last = failed[-1]
        assert isinstance(last, e.TurnComplete)
        assert not last.ok
        assert words in "".join(event.message for event in failed if isinstance(event, e.Error))
    assert asked == ["bash", "bash"]
    assert (tmp_path / "app" / "allowed.txt").exists()
    assert not (tmp_path / "app" / "denied.txt").exists()
    assert [event.ok for event in events if isinstance(event, e.ToolResult)] == [True, False]
    assert [event.behavior for event in events if isinstance(event, e.PermissionReplied)] == [
        "allow",
        "deny",
    ]


async def test_cancelled_or_aborted_it_stops_and_the_others_go_on(tmp_path: Path) -> None:
    """Killed, it says so, and another takes its place."""
    script = Script(
        {
            "slow": [say("Wait.", bash("sleep 1000"))],
            "long": [say(LONG, chunk_delay_seconds=0.05), say("Here I am.")],
            "killed": [say("Wait.", bash("sleep 1000"))],
            "later": [say("I came later.")],
        }
    )
    there = asyncio.Event()
    async with real(CURRENT, script, tmp_path) as (backend, _):

        async def wait() -> None:
            async with backend.open(ANYONE) as conversation:
                async for event in conversation.say("[[slow]] Go."):
                    if isinstance(event, e.ToolUse):
                        there.set()

        task = asyncio.create_task(wait())
        async with backend.open(ANYONE) as conversation:
            turn = conversation.say("[[long]] Go.")
            async for event in turn:
                if isinstance(event, e.TextDelta):
                    break
            await turn.aclose()
            await there.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            again = await said(conversation.say("Are you there?"))
        assert text(again) == "Here I am."
        async with backend.open(ANYONE) as conversation:
            with pytest.raises(BackendError, match="was ended by SIGKILL"):
                async for event in conversation.say("[[killed]] Go."):
                    if isinstance(event, e.ToolUse):
                        assert backend.pid is not None
                        os.kill(backend.pid, signal.SIGKILL)
        async with backend.open(ANYONE) as conversation:
            assert text(await said(conversation.say("[[later]] Hello?"))) == "I came later."


async def test_a_server_that_runs_already_is_used_and_left_alone(tmp_path: Path) -> None:
    cli = cli_of("opencode", CURRENT)
    with ScriptedModel(Script({"main": [say("Hello.")]})) as model:
        launch = opencode_launch(cli, model.url, tmp_path)
        env = {**launch.env, "OPENCODE_SERVER_PASSWORD": "secret"}
        async with (
            asyncio.timeout(120),
            own_server(cli.command, env=env, cwd=launch.cwd, start_seconds=60) as link,
        ):
            kept = ""
            for keeps in (True, False):
                backend = OpenCodeBackend(
                    url=link.url, env=env, cwd=launch.cwd, keeps_sessions=keeps
                )
                async with backend.open(ANYONE) as conversation:
                    assert text(await said(conversation.say("[[main]] Go."))) == "Hello."
                    there = {each["id"] for each in await link.call("GET", "/session")}
                    assert conversation.session in there
                await backend.close()
                left = [each["id"] for each in await link.call("GET", "/session")]
                assert left == [conversation.session if keeps else kept]
                kept = left[0]
            stranger = OpenCodeBackend(url=link.url, env=launch.env, cwd=launch.cwd)
            with pytest.raises(BackendError, match="401"):
                async with stranger.open(ANYONE):
                    raise AssertionError
            await stranger.close()
