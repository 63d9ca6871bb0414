"""A watch beside an orchestrator: what agents say in a CLI's own sessions is logged once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.orchestrate.fleets import fleet
from tests.polling import until
from tests.record.run.agents import cli_of
from unbraid.agents.opencode.backend import OpenCodeBackend
from unbraid.log import SqliteLog
from unbraid.log.leases import FileLeases
from unbraid.orchestrate.orchestrator import Orchestrator
from unbraid.record.watcher import Watcher, watch_until
from unbraid.testing import Script, ScriptedModel, opencode_launch, say
from unbraid.testing.process import Child

pytestmark = pytest.mark.cli


@pytest.mark.parametrize("kept", [False, True], ids=["forgotten", "kept"])
async def test_a_session_of_an_orchestrated_agent_is_no_run_of_its_own(
    kept: bool, tmp_path: Path
) -> None:
    script = Script(
        {
            "main": [
                say("/agent helper [[helper]] go", chunk_delay_seconds=0.1),
                say("The helper was right, as always. " * 8, chunk_delay_seconds=0.3),
            ],
            "helper": [say("It is so. " * 30, chunk_delay_seconds=0.3)],
            "other": [say("I am somebody else.")],
        }
    )
    cli = cli_of("opencode", "1.2.27")
    log = await SqliteLog.open(tmp_path / "log.db")
    ours, theirs, over = FileLeases(tmp_path), FileLeases(tmp_path), asyncio.Event()
    with ScriptedModel(script) as model:
        args = ["run", "--format", "json", "--model", "scripted/one", "[[other]] Go."]
        launch = opencode_launch(cli, model.url, tmp_path, args)
        backend = OpenCodeBackend(cli.command, env=launch.env, cwd=launch.cwd, keeps_sessions=kept)
        watch = Watcher(log, theirs, launch.env)
        task = asyncio.create_task(watch_until(watch, over))
        try:
            async with asyncio.timeout(120):
                await watch.ready.wait()
                async with Orchestrator(
                    fleet("helper"), backends={"cli": backend}, backend="cli",
                    log=log, leases=ours, cwd=tmp_path, env={},
                ) as orchestrator:  # fmt: skip
                    events = [event async for event in orchestrator.run("[[main]] Go.")]
                # Somebody else's session afterwards: when that is there, the watch has seen all.
                child = await Child.start(launch.argv, launch.env, launch.cwd)
                await child.wait()
                await child.stop()
                await until(lambda: log.runs(limit=100), lambda found: len(found) >= 2)
        finally:
            over.set()
            await task
            await ours.close(ended=True)
            await theirs.close(ended=True)
        runs = await log.runs(limit=100)
        (other,) = [run.run for run in runs if run.run.startswith("ses")]
        said = b"".join([entry.data for entry in await log.read(other)])
        await log.close()
    assert events[-1].type == "done"
    assert sorted(run.run.partition("-")[0].partition("_")[0] for run in runs) == ["ask", "ses"]
    assert b"[[other]]" in said
