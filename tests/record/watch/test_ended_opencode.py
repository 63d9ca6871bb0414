"""OpenCode's processes beside a watch, several at one database: each session ends with its own."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from tests.block_rows import joined, logged_rows, rows_of
from tests.ports import free_port
from tests.record.run.agents import TIMEOUT_SECONDS, cli_of, in_order, log_path, logged
from tests.record.run.turns import PROMPTS, three_turns
from tests.record.watch.watching import watched
from unbraid import events as e
from unbraid.log import SqliteLog
from unbraid.record.runs import run_name
from unbraid.testing import (
    Script,
    ScriptedModel,
    ScriptedToolUse,
    assert_fleet,
    bash,
    loopback,
    opencode_launch,
    say,
)
from unbraid.testing.process import Child

pytestmark = [
    pytest.mark.cli,
    pytest.mark.skipif(
        not Path("/proc/locks").exists(), reason="the system does not list its locks"
    ),
]

RUN = ("run", "--model", "scripted/one")
# The first that kept a database, and one of these days: each thing is tried with one of them.
OLD, CURRENT = "1.2.27", "1.18.33"
LISTENING = re.compile(rb"listening on (http://\S+)")
STEPS = [say(f"Step {n}.", bash(f"echo {n}")) for n in range(4)]


def until(name: str) -> ScriptedToolUse:
    """A command that waits for somebody to say so."""
    return bash(f"until [ -e {name} ]; do sleep 0.1; done")


TWO = Script(
    {
        "short": [*STEPS, say("Soon.", until("on")), say("The short way.")],
        "long": [*STEPS, say("And more.", until("go")), say("The long way.")],
    },
    "two-ways",
)
SHORT = "Step 0.Step 1.Step 2.Step 3.Soon.The short way."
LONG = "Step 0.Step 1.Step 2.Step 3.And more.The long way."


class House:
    """One home with a watch, a model, and any number of OpenCode's processes."""

    def __init__(self, version: str, home: Path, model: ScriptedModel) -> None:
        self.version, self.home, self.model = version, home, model

    @asynccontextmanager
    async def started(self, *args: str) -> AsyncIterator[Child]:
        """OpenCode with these arguments."""
        cli = cli_of("opencode", self.version)
        launch = opencode_launch(cli, self.model.url, self.home, args)
        child = await Child.start(launch.argv, launch.env, launch.cwd)
        try:
            yield child
        finally:
            await child.stop()

    async def ran(self, *words: str) -> None:
        """`opencode run`, from its start to its end."""
        async with self.started(*RUN, *words) as child:
            assert await child.wait() == 0

    def say(self, name: str) -> None:
        """Whoever waits for it, goes on."""
        (self.home / "app" / name).touch()

    async def heard(self, words: str) -> str:
        """The run in which somebody says this."""
        log = await SqliteLog.open(log_path(self.home))
        try:
            async for batch in log.follow_all(0):
                for entry in batch:
                    if entry.type == "text" and words.encode() in entry.data:
                        return entry.run
            raise AssertionError("the log ended")
        finally:
            await log.close()

    async def over(self, run: str) -> list[e.FleetEvent]:
        """Its events, when it is over; while the watch runs, which waits for half an hour."""
        log = await SqliteLog.open(log_path(self.home))
        try:
            return [e.decode_event(each.data) async for batch in log.follow(run) for each in batch]
        finally:
            await log.close()

    async def live(self, run: str) -> bool:
        """Whether it has no end yet."""
        return not isinstance((await logged(self.home))[run][-1], e.Done)


@asynccontextmanager
async def house(version: str, script: Script, home: Path) -> AsyncIterator[House]:
    async with asyncio.timeout(TIMEOUT_SECONDS):
        with ScriptedModel(script) as model:
            async with watched(home):
                yield House(version, home, model)


class Server:
    """`opencode serve`, and somebody who talks to it."""

    def __init__(self, url: str, port: int) -> None:
        self.url, self.port = url, port

    async def asked(self, prompt: str, session: str = "") -> None:
        """Asked something, in a new session or in one that is there."""
        if not session:
            made = await loopback.fetch("POST", f"{self.url}/session", {"title": "test"})
            session = made.json()["id"]
        model = {"providerID": "scripted", "modelID": "one"}
        body = {"model": model, "parts": [{"type": "text", "text": prompt}]}
        await loopback.fetch("POST", f"{self.url}/session/{session}/prompt_async", body)


@asynccontextmanager
async def serving(at: House, port: int | None = None) -> AsyncIterator[Server]:
    # Not 0: OpenCode begins with 4096 then, where another test's server may come to stand.
    port = port or free_port()
    async with at.started("serve", "--hostname", "127.0.0.1", "--port", str(port)) as child:
        async for _, line in child.lines():
            if found := LISTENING.search(line):
                yield Server(found[1].decode(), port)
                return
        raise AssertionError(child.stderr)


def texts(events: Sequence[e.FleetEvent]) -> str:
    """All that was said."""
    return "".join(event.delta for event in events if isinstance(event, e.Text))


async def test_two_at_one_database(tmp_path: Path) -> None:
    """One ends while the other works, then the other. The current one: below, beside a server."""
    async with house(OLD, TWO, tmp_path) as at, at.started(*RUN, "[[long]] Go.") as other:
        # Two that make a database at the same time stand in each other's way.
        await at.heard("Step 0.")
        short = asyncio.create_task(at.ran("[[short]] Go."))
        long = await at.heard("And more.")
        first = await at.heard("Soon.")
        at.say("on")
        await short
        assert texts(await at.over(first)) == SHORT
        assert await at.live(long)
        at.say("go")
        assert await other.wait() == 0
        assert texts(await at.over(long)) == LONG
    await whole(tmp_path, first, long)


async def test_one_beside_a_server_is_killed_and_goes_on(tmp_path: Path) -> None:
    """A served session lives for as long as its server, whatever ends at the same database."""
    async with house(CURRENT, TWO, tmp_path) as at:
        async with serving(at) as server:
            at.say("on")
            await server.asked("[[short]] Go.")
            served = await at.heard("The short way.")
            async with at.started(*RUN, "[[long]] Go.") as other:
                long = await at.heard("And more.")
                other.kill()
                events = await at.over(long)
            assert texts(events) == LONG.removesuffix("The long way.")
            assert [end.reason for end in events if isinstance(end, e.StreamEnd)] == ["orphaned"]
            assert await at.live(served)
            await at.ran("--session", long, "And now?")
            assert texts(await at.over(f"{long}.2")) == "The long way."
            assert await at.live(served)
        assert texts(await at.over(served)) == SHORT
    await whole(tmp_path, served, long, f"{long}.2")


async def test_a_server_that_we_listen_to_comes_back(tmp_path: Path) -> None:
    """Each time it tells the whole session, of which the runs before have the most."""
    script = three_turns()
    async with asyncio.timeout(TIMEOUT_SECONDS), AsyncExitStack() as stack:
        at = House(CURRENT, tmp_path, stack.enter_context(ScriptedModel(script)))
        async with serving(at) as server:
            await stack.enter_async_context(watched(tmp_path, "--opencode", server.url))
            await server.asked(PROMPTS[0])
            session = await at.heard("First answer.")
        await at.over(session)
        async with serving(at, server.port):
            # One that is back for nothing.
            pass
        for turn, words in enumerate(("Second answer.", "Third, done."), start=1):
            async with serving(at, server.port):
                await server.asked(PROMPTS[turn], session)
                assert await at.heard(words) == f"{session}.{turn + 1}"
            await at.over(f"{session}.{turn + 1}")
        await stack.aclose()
        truth = at.model.truth
    runs = await logged(tmp_path)
    await whole(tmp_path, *(run_name(session, number) for number in (1, 2, 3)))
    rows = [row for events in in_order(runs) for row in logged_rows(events)]
    assert sorted(joined(rows)) == sorted(joined(rows_of(truth)))


@pytest.mark.parametrize(
    "waits",
    # Turns at whose end the next one waits until the log has it.
    [(0, 1, 2), (0, 2)],
    ids=["after its end", "after its end, and at once"],
)
async def test_a_session_goes_on(waits: Sequence[int], tmp_path: Path) -> None:
    """The current one does so above, and under `unbraid run` (test_watch_clis.py)."""
    said = ("First answer.", "Second answer.", "Third, done.")
    async with house(OLD, three_turns(), tmp_path) as at:
        for turn, prompt in enumerate(PROMPTS):
            await at.ran(*(["--continue"] if turn else []), prompt)
            last = await at.heard(said[turn])
            if turn in waits:
                await at.over(last)
        truth = at.model.truth
    runs = await logged(tmp_path)
    session = min(runs)
    assert {session, f"{session}.2"} <= runs.keys() <= {session, f"{session}.2", f"{session}.3"}
    if len(waits) == len(PROMPTS):
        assert len(runs) == len(PROMPTS)
    await whole(tmp_path, *runs)
    rows = [row for events in in_order(runs) for row in logged_rows(events)]
    assert sorted(joined(rows)) == sorted(joined(rows_of(truth)))


async def whole(home: Path, *runs: str) -> None:
    """These are all runs there are, and each of them is one to its end, which is its last event."""
    found = await logged(home)
    assert sorted(found) == sorted(runs)
    for events in found.values():
        assert_fleet(events)
