"""Steering runs of ours from another terminal, with the real CLIs."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from tests.access import TOKEN, client_at
from tests.block_rows import CLEAN
from tests.polling import until
from tests.record.run.agents import UNBRAID, cli_of, log_path, logged, play, verdict
from tests.steer.talk import Talk
from unbraid import events as e
from unbraid.agents.claude.process import stdin as claude_input
from unbraid.log import SqliteLog
from unbraid.serve import ServeConfig, new_token, serving
from unbraid.testing import Script, ScriptedModel, Spawn, assert_fleet, claude_launch, say, scenario
from unbraid.testing.process import Child

pytestmark = pytest.mark.cli

# What one of them shows in one way of being steered is not shown with it in the other one again.
OLDEST, OLD, CURRENT = "1.0.128", "2.0.76", "2.1.325"
LISTENING = (
    "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
    "--permission-prompt-tool", "stdio",
)  # fmt: skip
STEERED = ("-p", "[[main]] Go.")


@contextlib.asynccontextmanager
async def talking(
    version: str,
    script: Script,
    home: Path,
    *,
    asks: bool,
    steered: bool = False,
    options: Sequence[str] = (),
) -> AsyncIterator[Talk]:
    """A run that is talked to by whoever started it; or, `steered`, only from elsewhere."""
    cli = cli_of("claude", version)
    log = await SqliteLog.open(log_path(home))
    try:
        async with asyncio.timeout(90):
            with ScriptedModel(script) as model:
                args = STEERED if steered else LISTENING
                launch = claude_launch(cli, model.url, home, args, asks=asks)
                steering = ["--steer"] if steered else []
                argv = [UNBRAID, "run", *steering, *options, "--", *launch.argv]
                child = await Child.start(argv, launch.env, launch.cwd, reads_stdin=not steered)
                try:
                    if not steered:
                        await child.write(claude_input.initialize("first"))
                        await child.write(claude_input.prompt("[[main]] Go."))
                    yield Talk(child, launch, log, model)
                finally:
                    await child.stop()
    finally:
        await log.close()


async def test_permission_is_given_and_refused(tmp_path: Path) -> None:
    async with talking(CURRENT, scenario("permission"), tmp_path, asks=True) as talk:
        for number, verb in enumerate(("approve", "deny"), 1):
            asked = await talk.logged(e.FleetPermissionAsked, number)
            assert isinstance(asked, e.FleetPermissionAsked)
            assert asked.request_id in await talk.order("approve")
            await talk.order(verb, asked.request_id)
        assert await talk.order("approve") == ""
        assert (await talk.read_until("result"))["result"] == "One yes, one no."
        talk.child.end_input()
        assert await talk.child.wait() == 0
    assert (tmp_path / "app" / "allowed.txt").exists()
    assert not (tmp_path / "app" / "denied.txt").exists()


async def test_an_interrupt_and_a_message(tmp_path: Path) -> None:
    async with talking(OLD, scenario("interrupt"), tmp_path, asks=False) as talk:
        await talk.model.reached("main", 0, chunks=5)
        await talk.logged(e.RequestReceived)
        await talk.order("interrupt", talk.run)
        assert (await talk.read_until("result"))["subtype"] == "error_during_execution"
        await talk.order("send", talk.run, "Go on.")
        assert (await talk.read_until("result"))["result"] == "After the interrupt."
        talk.child.end_input()
        assert await talk.child.wait() == 0


async def test_one_sub_agent_is_stopped(tmp_path: Path) -> None:
    slow = say("Counting " + "1 " * 2000, chunk_chars=8, chunk_delay_seconds=0.05)
    script = Script(
        {"main": [say("Send it.", Spawn("kid", background=True)), say("Gone."), say("Over.")],
         "kid": [slow]}
    )  # fmt: skip
    async with talking(CURRENT, script, tmp_path, asks=False) as talk:
        await talk.model.reached("kid", 0, chunks=3)
        start = await talk.logged(e.StreamStart, 2)
        await talk.logged(e.FleetTurnComplete)
        await talk.order("stop", f"{talk.run}/{start.stream_id}")
        end = await talk.logged(e.StreamEnd)
        assert isinstance(end, e.StreamEnd)
        assert (end.stream_id, end.reason) == (start.stream_id, "cancelled")
        await talk.order("stop", talk.run)
        assert await talk.child.wait() != 0


@pytest.mark.parametrize("version", [OLDEST, CURRENT])
async def test_a_prompt_can_be_followed_by_more(version: str, tmp_path: Path) -> None:
    script = scenario("interrupt")
    async with talking(version, script, tmp_path, asks=False, steered=True) as talk:
        await talk.model.reached("main", 0, chunks=5)
        await talk.logged(e.RequestReceived)
        await talk.order("interrupt", talk.run)
        await talk.logged(e.FleetTurnComplete)
        # Whoever interrupts has more to say, and takes the time that it takes.
        await talk.order("send", talk.run, "Go on.")
        shown = [line async for _, line in talk.child.lines()]
        assert await talk.child.wait() == 0
    assert shown[-1] == b"After the interrupt."


async def test_a_run_that_is_sent_to_a_server_is_answered_there(tmp_path: Path) -> None:
    secret, token = new_token("laptop", ["ingest"])
    there = await SqliteLog.open(tmp_path / "server.db")
    async with (
        serving(ServeConfig(port=0, tokens=(TOKEN, token)), there) as server,
        client_at(server.url) as client,
        talking(
            CURRENT, scenario("permission"), tmp_path, asks=True, steered=True,
            options=("--to", server.url, "--token", secret),
        ) as talk,
    ):  # fmt: skip
        for number, behavior in enumerate(("allow", "deny"), 1):
            asked = await talk.logged(e.FleetPermissionAsked, number)
            assert isinstance(asked, e.FleetPermissionAsked)
            path = f"/v1/permissions/{asked.request_id}"
            # It is on its way there.
            await until(
                partial(client.post, path, json={"behavior": behavior}),
                lambda answer: answer.status_code != 404,
            )
        shown = [line async for _, line in talk.child.lines()]
        assert await talk.child.wait() == 0
    assert shown == [b"One yes, one no."]
    assert (tmp_path / "app" / "allowed.txt").exists()
    assert not (tmp_path / "app" / "denied.txt").exists()
    await there.close()


@pytest.mark.parametrize("version", [OLDEST, OLD, CURRENT])
async def test_a_prompt_on_the_command_line_asks_for_leave(version: str, tmp_path: Path) -> None:
    script = scenario("permission")
    async with talking(version, script, tmp_path, asks=True, steered=True) as talk:
        for number, verb in enumerate(("approve", "deny"), 1):
            asked = await talk.logged(e.FleetPermissionAsked, number)
            assert isinstance(asked, e.FleetPermissionAsked)
            await talk.order(verb, asked.request_id)
        shown = [line async for _, line in talk.child.lines()]
        assert await talk.child.wait() == 0
    assert shown == [b"One yes, one no."]
    assert (tmp_path / "app" / "allowed.txt").exists()
    assert not (tmp_path / "app" / "denied.txt").exists()


@pytest.mark.parametrize(
    ("version", "name"),
    [
        (OLDEST, "nested"),
        (CURRENT, "nested"),
        (CURRENT, "api-error"),
        (CURRENT, "background"),
    ],
)
async def test_steered_by_nobody_it_runs_as_ever(version: str, name: str, tmp_path: Path) -> None:
    steer = (UNBRAID, "run", "--steer", "--")
    plain = await play(version, name, tmp_path / "a", STEERED, prefix=())
    ours = await play(version, name, tmp_path / "b", STEERED, prefix=steer)
    assert (ours.stdout, ours.exit) == (plain.stdout, plain.exit)
    (events,) = (await logged(tmp_path / "b")).values()
    assert_fleet(events)
    output = verdict(ours, events, tmp_path / "recording")
    # 1.0 writes a sub-agent's words down when it is over.
    assert (output._replace(disordered=[]) if version.startswith("1.0") else output) == CLEAN


async def test_what_cannot_be_steered_runs_all_the_same(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "UNBRAID_HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    child = await Child.start([UNBRAID, "run", "--steer", "--", "echo", "hi"], env, tmp_path)
    try:
        assert [line async for _, line in child.lines()] == [b"hi"]
        assert await child.wait() == 0
    finally:
        await child.stop()
    assert child.stderr == (
        b"unbraid: this command cannot be steered; running it without --steer\n"
    )
