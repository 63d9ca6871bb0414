"""The real Kilo, against a scripted model: started by `unbraid run`, and beside a watch."""

from __future__ import annotations

from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.agents.claude.backend_cli import said, text
from tests.agents.codex.test_codex_clis import ended
from tests.block_rows import joined, logged_rows, rows_of
from tests.record.run.agents import UNBRAID
from tests.record.watch.watching import watched
from tests.tui.tmux import terminal
from unbraid import events as e
from unbraid.agents.agent_spec import AgentSpec
from unbraid.agents.kilo.kind import KILO
from unbraid.agents.opencode.backend import OpenCodeBackend
from unbraid.testing import (
    KILO_VERSIONS,
    CliUnavailable,
    Script,
    ScriptedModel,
    Spawn,
    bash,
    clis,
    say,
    scenario,
)
from unbraid.testing.launch import opencode_arguments, opencode_launch
from unbraid.testing.process import Child

pytestmark = [pytest.mark.cli, pytest.mark.timeout(240)]

every_version = pytest.mark.parametrize("version", KILO_VERSIONS)


@every_version
async def test_a_fleet_of_kilo(version: str, tmp_path: Path) -> None:
    """One start for both: `unbraid run` has it, and a watch with a log of its own is beside it."""
    cli = cli_of(version)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(watched(tmp_path, apart=tmp_path / "apart"))
        model = stack.enter_context(ScriptedModel(scenario("fan-same-opening")))
        arguments = opencode_arguments("run", "[[main]] Go.")
        launch = opencode_launch(cli, model.url, tmp_path, arguments)
        argv = [UNBRAID, "run", "--", *launch.argv]
        child = await Child.start(argv, launch.env, launch.cwd)
        stack.push_async_callback(child.stop)
        lines = [line async for _, line in child.lines()]
        assert await child.wait() == 0
        assert lines
        logs = [await ended(home) for home in (tmp_path, tmp_path / "apart")]
    for events in logs:
        judged(events, model, agents=3)


@every_version
async def test_a_server_of_kilo_as_a_backend(version: str, tmp_path: Path) -> None:
    """One start for both: the orchestrator has a conversation on a `kilo serve`, and a watch is
    beside it.
    """
    script = Script(
        {
            "main": [say("A helper.", Spawn("kid")), say("It is done."), say("One more thing.")],
            "kid": [say("The kid speaks.", bash("echo one")), say("The kid is done.")],
        }
    )
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(watched(tmp_path))
        model = stack.enter_context(ScriptedModel(script))
        launch = opencode_launch(cli_of(version), model.url, tmp_path)
        backend = OpenCodeBackend(
            launch.argv, env=launch.env, cwd=launch.cwd, edition=KILO, keeps_sessions=True
        )
        stack.push_async_callback(backend.close)
        async with backend.open(AgentSpec("anyone", model="scripted/one")) as conversation:
            first = await said(conversation.say("[[main]] Go."))
            second = await said(conversation.say("And now?"))
        await backend.close()
        events = await ended(tmp_path)
    assert (text(first), text(second)) == ("A helper.It is done.", "One more thing.")
    (kid,) = [event for event in first if isinstance(event, e.SubAgentSpawned)]
    assert text(first, kid.context) == "The kid speaks.The kid is done."
    assert [event.ok for event in first if isinstance(event, e.SubAgentEnded)] == [True]
    judged(events, model, agents=2)


@every_version
async def test_the_interactive_kilo_has_the_terminal(version: str, tmp_path: Path) -> None:
    script = Script(
        {
            "main": [say("Plan.", Spawn("a")), say("All done here.")],
            "a": [say("a works", bash("echo a")), say("a is done")],
        }
    )
    with ScriptedModel(script) as model:
        arguments = ["--model", "scripted/one", "--prompt", "[[main]] Go."]
        launch = opencode_launch(cli_of(version), model.url, tmp_path, arguments)
        argv = [UNBRAID, "run", "--", *launch.argv]
        async with terminal(argv, launch.env, launch.cwd, (140, 45)) as screen:
            # Its start takes it seconds of a processor, which others may have.
            await model.reached("main", 1)
            assert "Plan." in await screen.until("All done here.")
            await screen.leave()
            events = await ended(tmp_path)
    judged(events, model, agents=2)


def judged(events: list[e.FleetEvent], model: ScriptedModel, *, agents: int) -> None:
    """A run has what the model said, each agent has ended well, and it is known to be Kilo's."""
    begun = events[0]
    assert isinstance(begun, e.RequestReceived)
    assert begun.source == "kilo"
    assert Counter(joined(logged_rows(events))) == Counter(joined(rows_of(model.truth)))
    assert [x.reason for x in events if isinstance(x, e.StreamEnd)] == ["completed"] * agents


def cli_of(version: str) -> clis.Cli:
    try:
        return clis.kilo(version)
    except CliUnavailable as reason:
        pytest.skip(str(reason))
