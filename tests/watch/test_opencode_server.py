"""A watch of a running server of OpenCode's: live words, and its sessions in our hands."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import urllib.request
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.block_rows import joined, rows_of, told
from tests.launch.agents import UNBRAID, cli_of
from unbraid import events as e
from unbraid.control.controllers import Controllers, NotControlled
from unbraid.log import SqliteLog
from unbraid.log.leases import FileLeases
from unbraid.record.runs import run_name
from unbraid.testing import Script, ScriptedModel, opencode_launch, say, scenario
from unbraid.testing.process import Child
from unbraid.timings import IDLE_RUN_TIMEOUT_SECONDS
from unbraid.watch.watcher import Watcher, watch_until

pytestmark = pytest.mark.cli

LISTENING = re.compile(rb"listening on (http://\S+)")


class Served:
    """A server that is watched."""

    def __init__(
        self, url: str, log: SqliteLog, model: ScriptedModel, env: Mapping[str, str]
    ) -> None:
        self.url, self.log, self.model, self.env = url, log, model, env
        self.controllers = Controllers()
        self.events: list[e.FleetEvent] = []

    def post(self, path: str, body: object) -> Any:
        data = json.dumps(body).encode()
        head = {"Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(self.url + path, data, head)) as answer:
            printed = answer.read()
        return json.loads(printed) if printed else None

    async def begin(self) -> str:
        """A session with its first prompt; its id."""
        session: str = (await asyncio.to_thread(self.post, "/session", {"title": "test"}))["id"]
        parts = [{"type": "text", "text": "[[main]] Go."}]
        model = {"providerID": "scripted", "modelID": "one"}
        body = {"model": model, "parts": parts}
        await asyncio.to_thread(self.post, f"/session/{session}/prompt_async", body)
        return session

    async def until(self, run: str, kind: type[e.FleetEvent], words: str = "") -> e.FleetEvent:
        """The next event of a kind whose text has these words."""
        since = self.events[-1].seq if self.events else 0
        async for batch in self.log.follow(run, since):
            for entry in batch:
                event = e.decode_event(entry.data)
                self.events.append(event)
                if isinstance(event, kind) and words.encode() in entry.data:
                    return event
        raise AssertionError("the run has ended")


@contextlib.asynccontextmanager
async def served(
    script: Script,
    home: Path,
    *,
    asks: bool,
    database: bool,
    redact: bool = False,
    idle_seconds: float = IDLE_RUN_TIMEOUT_SECONDS,
) -> AsyncIterator[Served]:
    cli = cli_of("opencode", "1.18.33")
    log = await SqliteLog.open(home / "log.db")
    async with asyncio.timeout(120):
        with ScriptedModel(script) as model:
            serve = ["serve", "--hostname", "127.0.0.1", "--port", "0"]
            launch = opencode_launch(cli, model.url, home, serve, asks=asks)
            child = await Child.start(launch.argv, launch.env, launch.cwd)
            until, task = asyncio.Event(), None
            leases = FileLeases(home)
            try:
                url = ""
                async for _, line in child.lines():
                    if found := LISTENING.search(line):
                        url = found[1].decode()
                        break
                server = Served(url, log, model, launch.env)
                env = launch.env if database else {"HOME": str(home / "nowhere")}
                watch = Watcher(
                    log,
                    leases,
                    env,
                    servers=[url],
                    controllers=server.controllers,
                    redact=redact,
                    idle_seconds=idle_seconds,
                )
                task = asyncio.create_task(watch_until(watch, until))
                await watch.ready.wait()
                yield server
            finally:
                until.set()
                if task is not None:
                    await task
                await child.stop()
                await leases.close(ended=True)
                await log.close()


@pytest.mark.parametrize(
    ("name", "database"),
    [("nested", True), ("fan-same-opening", False)],
    ids=["nested, and its database", "fan-same-opening, alone"],
)
async def test_every_block_once(name: str, database: bool, tmp_path: Path) -> None:
    script = scenario(name)
    async with served(script, tmp_path, asks=False, database=database) as server:
        session = await server.begin()
        last = script.agents["main"][1].blocks[0].text  # type: ignore[union-attr]
        await server.until(session, e.Text, last)
        await server.until(session, e.FleetTokenUsage)
        truth = server.model.truth
    assert sorted(joined(told(server.events))) == sorted(joined(rows_of(truth)))


async def test_permission_is_given_and_refused(tmp_path: Path) -> None:
    async with served(scenario("permission"), tmp_path, asks=True, database=False) as server:
        session = await server.begin()
        for behavior in ("allow", "deny"):
            asked = await server.until(session, e.FleetPermissionAsked)
            assert isinstance(asked, e.FleetPermissionAsked)
            while not server.controllers.pending():  # noqa: ASYNC110 - the log is told first
                await asyncio.sleep(0)
            await server.controllers.answer(asked.request_id, behavior, None)
        await server.until(session, e.FleetPermissionReplied)
    assert (tmp_path / "app" / "allowed.txt").exists()
    assert not (tmp_path / "app" / "denied.txt").exists()


async def test_permission_is_given_and_refused_by_another_process(tmp_path: Path) -> None:
    async with served(scenario("permission"), tmp_path, asks=True, database=True) as server:
        session = await server.begin()
        for command in ("approve", "deny"):
            asked = await server.until(session, e.FleetPermissionAsked)
            assert isinstance(asked, e.FleetPermissionAsked)
            while not server.controllers.pending():  # noqa: ASYNC110 - the log is told first
                await asyncio.sleep(0)
            process = await asyncio.create_subprocess_exec(
                UNBRAID, command, asked.request_id, env=server.env
            )
            assert await process.wait() == 0
        await server.until(session, e.FleetPermissionReplied)
    assert (tmp_path / "app" / "allowed.txt").exists()
    assert not (tmp_path / "app" / "denied.txt").exists()
    assert sockets(tmp_path) == []


def sockets(home: Path) -> list[Path]:
    return list(home.rglob("*.sock"))


async def test_an_interrupt_and_a_message(tmp_path: Path) -> None:
    async with served(scenario("interrupt"), tmp_path, asks=False, database=False) as server:
        session = await server.begin()
        await server.until(session, e.Text)
        controller = server.controllers.of(session)
        await controller.interrupt()
        await server.until(session, e.FleetError)
        await controller.message("Go on.")
        await server.until(session, e.Text, "After")


async def test_the_latest_run_of_a_session_is_steered(tmp_path: Path) -> None:
    words = ("One.", "Two.", "Three.")
    script = Script({"main": [say(each) for each in words]}, "silent-in-between")
    async with served(script, tmp_path, asks=False, database=True, idle_seconds=3) as server:
        session = await server.begin()
        for each in words:
            run = await searchable_text(server.log, each)
            while steered(server, session) < [run]:  # noqa: ASYNC110 - the log is told first
                await asyncio.sleep(0)
            async for _ in server.log.follow(run):
                pass
            (last,) = steered(server, session)
            await server.controllers.of(last).message("And then?")
    assert last != session


async def searchable_text(log: SqliteLog, words: str) -> str:
    """The run in which somebody says this."""
    async for batch in log.follow_all(0):
        for entry in batch:
            if entry.type == "text" and words.encode() in entry.data:
                return entry.run
    raise AssertionError("the log has ended")


def steered(server: Served, session: str) -> list[str]:
    """Those runs of a session that can be told something."""
    return [run for run in (run_name(session, n + 1) for n in range(9)) if has(server, run)]


def has(server: Served, run: str) -> bool:
    try:
        server.controllers.of(run)
    except NotControlled:
        return False
    return True
