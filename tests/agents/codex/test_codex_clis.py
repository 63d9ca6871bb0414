"""The real Codex, against a scripted model: started by `unbraid run`, and beside a watch."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.block_rows import logged_rows, rows_of
from tests.polling import until
from tests.record.run.agents import UNBRAID, logged
from tests.record.watch.watching import watched
from unbraid import events as e
from unbraid.agents.codex.sessions import CodexSessions
from unbraid.agents.port import SessionState
from unbraid.testing import (
    CODEX_VERSIONS,
    CliUnavailable,
    HttpError,
    Script,
    ScriptedModel,
    ScriptedThinking,
    ScriptedUsage,
    Spawn,
    Wait,
    assert_fleet,
    bash,
    clis,
    codex_launch,
    say,
)
from unbraid.testing.process import Child

pytestmark = [pytest.mark.cli, pytest.mark.timeout(120)]

EXEC = ("exec", "--json", "--skip-git-repo-check", "[[main]] Go.")
every_version = pytest.mark.parametrize("version", CODEX_VERSIONS)


def fleet() -> Script:
    """Two helpers, of which one has a helper of its own and one fails."""
    refused = HttpError(status=400, error="invalid_request_error", message="no", times=None)
    used = ScriptedUsage(input_tokens=7, cache_read_tokens=5, cache_creation_tokens=0)
    return Script(
        {
            "main": [
                say(ScriptedThinking("Fan out."), "Two helpers.", Spawn("mid"), Spawn("bad")),
                say(Wait("mid"), usage=used),
                say(Wait("bad")),
                say("All are back."),
            ],
            "mid": [say("mid works", Spawn("leaf")), say(Wait("leaf")), say("mid is done")],
            "leaf": [say("leaf works", bash("echo leaf")), say("leaf is done", usage=used)],
            "bad": [say("bad works", bash("echo bad")), say("never", failure=refused)],
        }
    )


def cli_of(version: str) -> clis.Cli:
    try:
        return clis.codex(version)
    except CliUnavailable as reason:
        pytest.skip(str(reason))


class Running:
    """Codex with a scripted model."""

    def __init__(self, child: Child, model: ScriptedModel) -> None:
        self.child, self.model = child, model

    async def finished(self) -> list[bytes]:
        lines = [line async for _, line in self.child.lines()]
        await self.child.wait()
        return lines


async def start(
    stack: AsyncExitStack, version: str, script: Script, home: Path, prefix: Sequence[str]
) -> Running:
    model = stack.enter_context(ScriptedModel(script))
    launch = codex_launch(cli_of(version), model.url, home, EXEC)
    child = await Child.start([*prefix, *launch.argv], launch.env, launch.cwd)
    stack.push_async_callback(child.stop)
    return Running(child, model)


def judged(model: ScriptedModel, events: list[e.FleetEvent]) -> None:
    """Blocks, tree, states and tokens, as the model knows them."""
    truth = model.truth
    blocks = [block for block in truth["blocks"] if block.get("text") != "never"]
    want = rows_of({**truth, "blocks": blocks})
    assert Counter(logged_rows(events)) == Counter(want)
    for agent in {row[0] for row in want}:
        assert [r for r in logged_rows(events) if r[0] == agent] == [
            r for r in want if r[0] == agent
        ]
    starts = {x.tool_use_id: x for x in events if isinstance(x, e.StreamStart)}
    calls = {name: spawn["tool_use_id"] for name, spawn in truth["parents"].items()}
    assert {starts[calls[name]].depth for name in ("mid", "bad")} == {1}
    assert starts[calls["leaf"]].parent_stream_id == starts[calls["mid"]].stream_id
    ends = {x.stream_id: x.reason for x in events if isinstance(x, e.StreamEnd)}
    reasons = {name: ends[starts[call].stream_id] for name, call in calls.items()}
    assert reasons == {"mid": "completed", "bad": "failed", "leaf": "completed"}
    assert ends[0] == "completed"
    used = [x for x in events if isinstance(x, e.FleetTokenUsage)]
    served = [s for s in model.ledger.servings if s.agent and (s.agent, s.turn) != ("bad", 1)]
    given = sum(x.input_tokens + x.cache_read_tokens + x.cache_creation_tokens for x in used)
    turns = [model.script.turn(s.agent, s.turn).usage for s in served]
    wanted = sum(u.input_tokens + u.cache_read_tokens + u.cache_creation_tokens for u in turns)
    assert given == wanted
    assert len(used) == len(served)
    done = events[-1]
    assert isinstance(done, e.Done)
    assert done.ok
    first = min(s.t for s in served) * 1000 + model.began_ms
    last = max(s.t for s in served) * 1000 + model.began_ms
    assert events[0].ts <= first + 5
    assert events[-1].ts >= last - 5


@every_version
async def test_a_fleet_that_unbraid_has_started(version: str, tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        prefix = (UNBRAID, "run", "--")
        running = await start(stack, version, fleet(), tmp_path, prefix)
        lines = [json.loads(line) for line in await running.finished()]
        assert lines[0]["type"] == "thread.started"
        assert lines[-1]["type"] == "turn.completed"
        ((run, events),) = (await logged(tmp_path)).items()
    assert run == lines[0]["thread_id"]
    assert_fleet(events)
    judged(running.model, events)


@every_version
async def test_a_fleet_beside_a_watch_that_knows_nothing_of_it(
    version: str, tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(watched(tmp_path))
        running = await start(stack, version, fleet(), tmp_path, ())
        await running.finished()
        events = await ended(tmp_path)
    judged(running.model, events)


@every_version
async def test_a_process_that_is_killed_has_ended_within_seconds(
    version: str, tmp_path: Path
) -> None:
    """One is interrupted, another one killed, while they speak: the text lasts for minutes."""
    slow = say("word " * 4000, chunk_delay_seconds=0.05, chunk_chars=5)
    script = Script({"main": [say("First.", bash("echo one")), slow]})
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(watched(tmp_path))
        known: set[str] = set()
        for end in (Child.interrupt, Child.kill):
            running = await start(stack, version, script, tmp_path, ())
            await running.model.reached("main", 1, chunks=20)
            await begun(tmp_path, but=known)
            store = CodexSessions({"HOME": str(tmp_path)})
            (live,) = store.states()
            assert store.states()[live] == SessionState(alive=True)
            end(running.child)
            events = await ended(tmp_path, but=known)
            assert store.states([live]) == {live: SessionState(alive=False)}
            known = set(await logged(tmp_path))
            done = events[-1]
            assert isinstance(done, e.Done)
            assert not done.ok
            assert [row[2] for row in logged_rows(events) if row[1] == "text"] == ["First."]


async def begun(home: Path, kind: type[e.FleetEvent] = e.Text, but: Collection[str] = ()) -> None:
    """Waits until the log has an event of that kind, in another run than these."""

    async def kinds() -> set[type[e.FleetEvent]]:
        runs = (await logged(home)).items()
        return {type(event) for run, events in runs if run not in but for event in events}

    await until(kinds, lambda found: kind in found)


async def ended(home: Path, but: Collection[str] = ()) -> list[e.FleetEvent]:
    """The events of the only run but these, once it is over."""

    async def runs() -> list[list[e.FleetEvent]]:
        found = (await logged(home)).items()
        return [events for run, events in found if events and run not in but]

    (events,) = await until(runs, lambda found: found and isinstance(found[0][-1], e.Done))
    return events
