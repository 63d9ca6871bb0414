"""Codex as a backend of the orchestrator: the real CLIs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.agents.claude.backend_cli import said, text
from tests.agents.codex.open_script import OpenScript
from tests.agents.codex.test_codex_clis import cli_of, every_version
from unbraid import events as e
from unbraid.agents.agent_spec import AgentSpec
from unbraid.agents.codex.backend import CodexBackend
from unbraid.errors import BackendError
from unbraid.testing import ScriptedModel, Spawn, Wait, bash, codex_launch, say

pytestmark = [pytest.mark.cli, pytest.mark.timeout(120)]

LONG = "A text that is long enough to come in several pieces, one after the other. " * 4


@every_version
async def test_a_conversation_with_an_agent_of_its_own(version: str, tmp_path: Path) -> None:
    slow = say("word " * 2000, chunk_delay_seconds=0.05, chunk_chars=5)
    answers = OpenScript(say("The kid speaks.", bash("echo one")), say("The kid is done."))
    with ScriptedModel(answers.script) as model:
        answers.add(model, say(LONG, Spawn("kid")), say(Wait("kid")), say("It is done."))
        launch = codex_launch(cli_of(version), model.url, tmp_path)
        backend = CodexBackend(launch.argv, env=launch.env, cwd=launch.cwd)
        agent = AgentSpec("anyone", prompt="You are brief.")
        async with asyncio.timeout(60), backend.open(agent) as conversation:
            first = await said(conversation.say("[[main]] Go."))
            assert text(first) == answers.said(model, since=0)
            answers.add(model, say("And one more thing."))
            second = await said(conversation.say("And now?"))
            answers.add(model, slow)
            turn = conversation.say("Count.")
            async for event in turn:
                if isinstance(event, e.TextDelta):
                    break
            await turn.aclose()
            answers.add(model, say("I was interrupted."))
            last = await said(conversation.say("What was that?"))
        assert "You are brief." in str(model.requests[0])
    assert text(first).startswith(LONG + "It is done.")
    assert sum(isinstance(event, e.TextDelta) for event in first if not event.context) > 5
    (kid,) = [event for event in first if isinstance(event, e.SubAgentSpawned)]
    assert "".join(
        event.delta for event in first if isinstance(event, e.TextDelta) and event.context
    ) == ("The kid speaks.The kid is done.")
    assert [x.ok for x in first if isinstance(x, e.SubAgentEnded)] == [True]
    assert kid.parent_tool_id is not None
    assert text(second) == "And one more thing."
    assert text(last).endswith("I was interrupted.")
    for turn_events in (first, second, last):
        assert isinstance(turn_events[-1], e.TurnComplete)


async def test_an_agent_with_some_tools_only_is_refused() -> None:
    with pytest.raises(BackendError, match="some tools"):
        async with CodexBackend(["codex"], env={}).open(AgentSpec("anyone", tools=("Read",))):
            pass
