"""`unbraid run --steer -- codex exec …`: the real Codex, steered from another terminal."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from tests.agents.codex.open_script import OpenScript
from tests.agents.codex.test_codex_clis import cli_of, every_version
from tests.block_rows import logged_rows, rows_of
from tests.polling import until
from tests.record.run.agents import UNBRAID, log_path, logged
from tests.steer.talk import Talk
from unbraid import events as e
from unbraid.agents.codex.records import THREAD_ID
from unbraid.agents.codex.sessions import CodexSessions
from unbraid.agents.control_port import SteeringRequest
from unbraid.log import SqliteLog
from unbraid.record.runs import open_run
from unbraid.steer.controllers import Controllers, OtherProcesses
from unbraid.system.sockets import SocketChannel
from unbraid.testing import (
    CODEX_VERSIONS,
    HttpError,
    Script,
    ScriptedModel,
    ScriptedThinking,
    ScriptedToolUse,
    Spawn,
    Wait,
    assert_fleet,
    bash,
    codex_launch,
    say,
)
from unbraid.testing.process import Child

pytestmark = [pytest.mark.cli, pytest.mark.timeout(120)]

EXEC = ("exec", "--skip-git-repo-check")
ASKING = ("-s", "read-only", "-c", 'approval_policy="on-request"')


def asks_to(command: str) -> ScriptedToolUse:
    """A command that has to be approved."""
    given = {"sandbox_permissions": "require_escalated", "justification": f"May I {command}?"}
    return ScriptedToolUse("exec_command", {"cmd": command, **given})


async def asked_of(talk: Talk, request: SteeringRequest) -> None:
    """Does what our commands do, without starting one."""
    home = log_path(talk.launch.cwd.parent).parent
    found = await Controllers(OtherProcesses(SocketChannel(home))).find(talk.run)
    await found.carry_out(request)


async def asked_with(model: ScriptedModel, words: str) -> None:
    """Waits until the model is asked with these words."""
    await until(lambda: str(model.requests[-1]), lambda asked: words in asked)


@contextlib.asynccontextmanager
async def steered(
    version: str, script: Script, home: Path, args: Sequence[str]
) -> AsyncIterator[Talk]:
    log = await SqliteLog.open(log_path(home))
    try:
        async with asyncio.timeout(90):
            with ScriptedModel(script) as model:
                launch = codex_launch(cli_of(version), model.url, home, args)
                argv = [UNBRAID, "run", "--steer", "--", *launch.argv]
                child = await Child.start(argv, launch.env, launch.cwd)
                try:
                    yield Talk(child, launch, log, model)
                finally:
                    await child.stop()
    finally:
        await log.close()


@every_version
async def test_everything_that_can_be_asked_of_it(version: str, tmp_path: Path) -> None:
    # How often it asks the model is up to it: there is more to say than it can ask for.
    slow = say("word " * 120, chunk_delay_seconds=0.05, chunk_chars=5)
    kid = say("child " * 4000, chunk_delay_seconds=0.05, chunk_chars=6)
    answers = OpenScript(*[kid] * 4)
    arguments = [*EXEC, *ASKING, "[[main]] Go."]
    async with steered(version, answers.script, tmp_path, arguments) as talk:
        answers.add(
            talk.model,
            say("One file.", asks_to("touch allowed.txt")),
            say("Another.", asks_to("touch denied.txt")),
            say("A helper.", Spawn("kid")),
            *[slow] * 8,
        )
        for number, verb in enumerate(("approve", "deny"), 1):
            asked = await talk.logged(e.FleetPermissionAsked, number)
            assert isinstance(asked, e.FleetPermissionAsked)
            shown = await talk.order("approve")
            assert asked.request_id in shown
            assert ("allowed.txt" if verb == "approve" else "denied.txt") in shown
            await talk.order(verb, asked.request_id)

        await talk.model.reached("kid", 0, chunks=20)
        start = await talk.logged(e.StreamStart, 2)
        await asked_of(talk, SteeringRequest("message", "Hear, kid.", stream_id=start.stream_id))
        await asked_of(talk, SteeringRequest("stop", stream_id=start.stream_id))
        end = await talk.logged(e.StreamEnd)
        assert isinstance(end, e.StreamEnd)
        assert (end.stream_id, end.reason) == (start.stream_id, "interrupted")

        await talk.order("send", talk.run, "Listen to this.")
        await asked_with(talk.model, "Listen to this.")
        await asked_of(talk, SteeringRequest("interrupt"))
        turn = await talk.logged(e.FleetTurnComplete)
        assert isinstance(turn, e.FleetTurnComplete)
        assert not turn.ok

        answers.add(talk.model, say("After the interrupt."))
        await asked_of(talk, SteeringRequest("message", "Go on."))
        shown_lines = [line async for _, line in talk.child.lines()]
        assert await talk.child.wait() == 0
    assert shown_lines == [b"After the interrupt."]
    assert (tmp_path / "app" / "allowed.txt").exists()
    assert not (tmp_path / "app" / "denied.txt").exists()
    ((run, events),) = (await logged(tmp_path)).items()
    assert_fleet(events)
    assert run == talk.run
    replies = [x.behavior for x in events if isinstance(x, e.FleetPermissionReplied)]
    assert replies == ["allow", "deny"]


@every_version
async def test_steered_by_nobody_it_prints_what_exec_prints(version: str, tmp_path: Path) -> None:
    script = Script(
        {
            "main": [
                say(ScriptedThinking("Hm."), "One.", bash("echo one")),
                say("Two.", bash("echo two >&2; exit 3")),
                say("A helper.", Spawn("kid")),
                say(Wait("kid")),
                say("All done."),
            ],
            "kid": [say("kid works", bash("echo kid")), say("kid is done")],
        }
    )
    arguments = [*EXEC, "--json", "[[main]] Go."]
    with ScriptedModel(script) as model:
        launch = codex_launch(cli_of(version), model.url, tmp_path, arguments)
        plain = await Child.start(launch.argv, launch.env, launch.cwd)
        wanted = [line async for _, line in plain.lines()]
        assert await plain.wait() == 0
        await plain.stop()
    async with steered(version, script, tmp_path, arguments) as talk:
        printed = [line async for _, line in talk.child.lines()]
        assert await talk.child.wait() == 0
    assert until_done(printed) == until_done(wanted)
    assert [json.loads(lines[-1])["type"] for lines in (printed, wanted)] == ["turn.completed"] * 2
    ((run, events),) = (await logged(tmp_path)).items()
    assert json.loads(printed[0])["thread_id"] == run
    assert_fleet(events)
    assert Counter(logged_rows(events)) == Counter(rows_of(talk.model.truth))
    # Every agent is there word by word, and its end with it.
    ends = {x.stream_id: x.reason for x in events if isinstance(x, e.StreamEnd)}
    assert ends == {0: "completed", 1: "completed"}
    await continued(version, tmp_path, run, run)
    (kid,) = {x.agent_id for x in events if isinstance(x, e.StreamStart) and x.stream_id}
    await continued(version, tmp_path, run, str(kid))


async def continued(version: str, home: Path, session: str, thread: str) -> None:
    """A thread of the session once more, steered: its run has only what is new, and nobody who
    follows the session afterwards finds anything that is not recorded.
    """
    before = await logged(home)
    script = Script({"main": [say("unheard")] * 9})
    arguments = [*EXEC, "resume", thread, "And now?"]
    async with steered(version, script, home, arguments) as talk:
        printed = [line async for _, line in talk.child.lines()]
        assert await talk.child.wait() == 0
        _, recorded = await open_run(talk.log, session)
        follower = CodexSessions(talk.launch.env).follow(session, recorded)
    (events,) = [found for run, found in (await logged(home)).items() if run not in before]
    assert_fleet(events)
    # What the thread had used before is not counted again.
    used = [x for x in events if isinstance(x, e.FleetTokenUsage)]
    assert len(used) == len(talk.model.requests)
    assert [x.reason for x in events if isinstance(x, e.StreamEnd)][-1] == "completed"
    assert [x.delta.encode() for x in events if isinstance(x, e.Text)] == printed
    assert follower is not None
    follower.end()
    assert [chunk.data for chunk in follower.read()] == []


def until_done(lines: list[bytes]) -> list[str]:
    """The lines up to the last message of the script, without the names of threads, and without
    how far an agent is that was just started.
    """
    last = next(number for number, line in enumerate(lines) if b"All done." in line)
    kept = [line.decode().replace("pending_init", "running") for line in lines[: last + 1]]
    return [THREAD_ID.sub("thread", line) for line in kept]


@every_version
async def test_ctrl_c_interrupts_every_agent(version: str, tmp_path: Path) -> None:
    slow = say("word " * 4000, chunk_delay_seconds=0.05, chunk_chars=5)
    script = Script({"main": [say("A helper.", Spawn("kid")), slow, slow], "kid": [slow, slow]})
    arguments = [*EXEC, "--json", "[[main]] Go."]
    async with steered(version, script, tmp_path, arguments) as talk:
        await talk.model.reached("kid", 0, chunks=20)
        await talk.model.reached("main", 1, chunks=20)
        talk.child.interrupt()
        printed = [line async for _, line in talk.child.lines()]
        assert await talk.child.wait() == 1
    assert b"turn.completed" not in printed[-1]
    ((_, events),) = (await logged(tmp_path)).items()
    assert_fleet(events)
    ends = {x.stream_id: x.reason for x in events if isinstance(x, e.StreamEnd)}
    assert ends == {0: "interrupted", 1: "interrupted"}


async def test_a_turn_that_fails_is_the_end(tmp_path: Path) -> None:
    refused = HttpError(status=400, error="invalid_request_error", message="no", times=None)
    script = Script({"main": [say("never", failure=refused)]})
    async with steered(CODEX_VERSIONS[-1], script, tmp_path, [*EXEC, "[[main]] Go."]) as talk:
        assert [line async for _, line in talk.child.lines()] == []
        assert await talk.child.wait() == 1
    assert b"ERROR: " in talk.child.stderr
    ((_, events),) = (await logged(tmp_path)).items()
    done = events[-1]
    assert isinstance(done, e.Done)
    assert not done.ok
