"""A watch of a running server of OpenCode's: live words, and its sessions in our hands."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import urllib.request
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.block_rows import joined, logged_rows, rows_of
from tests.record.run.agents import UNBRAID, cli_of
from unbraid import events as e
from unbraid.agents.control_port import AnswerDetails
from unbraid.log import SqliteLog, data_folder
from unbraid.log.leases import FileLeases
from unbraid.record.runs import run_name
from unbraid.record.watcher import IDLE_RUN_TIMEOUT_SECONDS, Watcher, watch_until
from unbraid.steer.controllers import Controllers, channels_of
from unbraid.steer.permissions import answer_request
from unbraid.testing import (
    Script,
    ScriptedModel,
    ScriptedToolUse,
    Turn,
    bash,
    opencode_launch,
    say,
    scenario,
)
from unbraid.testing.process import Child

pytestmark = pytest.mark.cli

LISTENING = re.compile(rb"listening on (http://\S+)")


class Served:
    """A server that is watched."""

    def __init__(
        self, url: str, log: SqliteLog, model: ScriptedModel, env: Mapping[str, str]
    ) -> None:
        self.url, self.log, self.model, self.env = url, log, model, env
        self.controllers = Controllers()
        self.output: dict[str, list[e.FleetEvent]] = defaultdict(list)  # by run

    def post(self, path: str, body: object) -> Any:
        data = json.dumps(body).encode()
        head = {"Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(self.url + path, data, head)) as answer:
            printed = answer.read()
        return json.loads(printed) if printed else None

    async def begin(self, agent: str = "main") -> str:
        """A session of an agent with its first prompt; its id."""
        session: str = (await asyncio.to_thread(self.post, "/session", {"title": "test"}))["id"]
        parts = [{"type": "text", "text": f"[[{agent}]] Go."}]
        model = {"providerID": "scripted", "modelID": "one"}
        body = {"model": model, "parts": parts}
        await asyncio.to_thread(self.post, f"/session/{session}/prompt_async", body)
        return session

    async def until(self, run: str, kind: type[e.FleetEvent], words: str = "") -> e.FleetEvent:
        """The next event of a kind whose text has these words."""
        output = self.output[run]
        async for batch in self.log.follow(run, output[-1].seq if output else 0):
            for entry in batch:
                event = e.decode_event(entry.data)
                output.append(event)
                if isinstance(event, kind) and words.encode() in entry.data:
                    return event
        raise AssertionError("the run has ended")

    async def asked(self, run: str) -> str:
        """The next request for permission, once it can be answered."""
        asked = await self.until(run, e.FleetPermissionAsked)
        assert isinstance(asked, e.FleetPermissionAsked)
        while run not in self.controllers.own():  # noqa: ASYNC110 - the log gets it first
            await asyncio.sleep(0)
        return asked.request_id

    @contextlib.asynccontextmanager
    async def watched(self, home: Path, *, redact: bool = False) -> AsyncIterator[Served]:
        """The same server, watched once more: without its database, and with a log in `home`."""
        nowhere = {"HOME": str(home / "nowhere")}
        async with watching(self.url, self.model, nowhere, home, redact=redact) as server:
            yield server


@contextlib.asynccontextmanager
async def watching(
    url: str,
    model: ScriptedModel,
    env: Mapping[str, str],
    home: Path,
    *,
    redact: bool = False,
    idle_seconds: float = IDLE_RUN_TIMEOUT_SECONDS,
) -> AsyncIterator[Served]:
    """A watch of a server, and of what else is found in this environment."""
    log, leases = await SqliteLog.open(home / "log.db"), FileLeases(home)
    server, until, task = Served(url, log, model, env), asyncio.Event(), None
    try:
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
        async with server.controllers.answering(*channels_of(log, data_folder(env))):
            yield server
    finally:
        until.set()
        if task is not None:
            await task
        await leases.close(ended=True)
        await log.close()


@contextlib.asynccontextmanager
async def served(
    script: Script,
    home: Path,
    *,
    asks: bool = False,
    redact: bool = False,
    idle_seconds: float = IDLE_RUN_TIMEOUT_SECONDS,
) -> AsyncIterator[Served]:
    """A server that is watched, and its database too."""
    cli = cli_of("opencode", "1.18.33")
    async with asyncio.timeout(120):
        with ScriptedModel(script) as model:
            serve = ["serve", "--hostname", "127.0.0.1", "--port", "0"]
            launch = opencode_launch(cli, model.url, home, serve, asks=asks)
            child = await Child.start(launch.argv, launch.env, launch.cwd)
            try:
                url = ""
                async for _, line in child.lines():
                    if found := LISTENING.search(line):
                        url = found[1].decode()
                        break
                async with watching(
                    url, model, launch.env, home, redact=redact, idle_seconds=idle_seconds
                ) as server:
                    yield server
            finally:
                await child.stop()


async def test_every_block_once(tmp_path: Path) -> None:
    """Of agents below agents, and of two that begin alike; from the server and its database, and
    from the server alone.
    """
    nested, fan = scenario("nested").agents, scenario("fan-same-opening").agents
    sessions = {"main": {*nested}, "fan": {*fan, "fan"} - {"main"}}
    script = Script({**fan, **nested, "fan": fan["main"]})
    async with (
        served(script, tmp_path) as server,
        server.watched(tmp_path / "alone") as alone,
    ):
        for first, agents in sessions.items():
            session = await server.begin(first)
            last = script.agents[first][1].blocks[0].text  # type: ignore[union-attr]
            for watch in (server, alone):
                await watch.until(session, e.Text, last)
                await watch.until(session, e.FleetTokenUsage)
            truth = server.model.truth
            truth["blocks"] = [block for block in truth["blocks"] if block["agent"] in agents]
            for watch in (server, alone):
                rows = logged_rows(watch.output[session])
                assert sorted(joined(rows)) == sorted(joined(rows_of(truth)))


def asking(allowed: str, denied: str) -> list[Turn]:
    """Two tools that ask."""
    write = ScriptedToolUse("Write", {"file_path": denied, "content": "no"})
    return [say("May I?", bash(f"touch {allowed}")), say("And this?", write), say("So.")]


async def test_a_session_is_in_our_hands(tmp_path: Path) -> None:
    """Permission is given and refused, by us and by another process; an interrupt, a message."""
    script = Script(
        {
            "ours": asking("a-yes.txt", "a-no.txt"),
            "theirs": asking("b-yes.txt", "b-no.txt"),
            "main": scenario("interrupt").agents["main"],
        }
    )
    async with (
        served(script, tmp_path, asks=True) as server,
        server.watched(tmp_path / "alone") as alone,
    ):
        session = await alone.begin("ours")
        for behavior in ("allow", "deny"):
            request = await alone.asked(session)
            details = AnswerDetails(by="me")
            await answer_request(alone.log, alone.controllers, request, behavior, details=details)
        replied = await alone.until(session, e.FleetPermissionReplied)
        assert isinstance(replied, e.FleetPermissionReplied) and replied.by == "me"
        session = await server.begin("theirs")
        for command in ("approve", "deny"):
            request = await server.asked(session)
            process = await asyncio.create_subprocess_exec(
                UNBRAID, command, request, "--log", str(tmp_path / "log.db"), env=server.env
            )
            assert await process.wait() == 0
        await server.until(session, e.FleetPermissionReplied)
        session = await alone.begin()
        await alone.until(session, e.Text)
        controller = alone.controllers.own()[session]
        await controller.interrupt()
        await alone.until(session, e.FleetError)
        await controller.message("Go on.")
        await alone.until(session, e.Text, "After")
    made = sorted(path.name for path in (tmp_path / "app").glob("*.txt"))
    assert made == ["a-yes.txt", "b-yes.txt"]
    assert sockets(tmp_path) == []


def sockets(home: Path) -> list[Path]:
    return list(home.rglob("*.sock"))


async def test_the_latest_run_of_a_session_is_steered(tmp_path: Path) -> None:
    words = ("One.", "Two.", "Three.")
    script = Script({"main": [say(each) for each in words]}, "silent-in-between")
    async with served(script, tmp_path, idle_seconds=3) as server:
        session = await server.begin()
        for each in words:
            run = await searchable_text(server.log, each)
            while steered(server, session) < [run]:  # noqa: ASYNC110 - the log gets it first
                await asyncio.sleep(0)
            async for _ in server.log.follow(run):
                pass
            (last,) = steered(server, session)
            await server.controllers.own()[last].message("And then?")
    assert last != session


async def searchable_text(log: SqliteLog, words: str) -> str:
    """The run in which somebody says this."""
    async for batch in log.follow_all(0):
        for entry in batch:
            if entry.type == "text" and words.encode() in entry.data:
                return entry.run
    raise AssertionError("the log has ended")


def steered(server: Served, session: str) -> list[str]:
    """Those runs of a session that can be steered."""
    held = server.controllers.own()
    return [run for run in (run_name(session, n + 1) for n in range(9)) if run in held]
