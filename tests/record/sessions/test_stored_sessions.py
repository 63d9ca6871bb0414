"""Stored sessions that are not in the log: listed with its runs, opened on request, searched."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from tests.access import TOKEN, client_at
from tests.block_rows import CLEAN, FOLDERS, judge
from tests.record.watch.writing import HOURS_AGO, Writer, append
from unbraid.cli import main
from unbraid.events import RequestReceived, decode_event
from unbraid.log import SqliteLog
from unbraid.log.leases import FileLeases
from unbraid.record.sessions.stored_sessions import StoredSessionList
from unbraid.serve import ServeConfig, serving
from unbraid.testing.log_contract import sample_run

WITH_PROJECTS = [folder for folder in FOLDERS if (folder / "projects").is_dir()]
(NESTED,) = [folder for folder in FOLDERS if folder.name == "nested.plain-fwd.2.1.325"]
(OPENCODE,) = [
    folder for folder in FOLDERS if folder.name == "fan-same-opening.run.opencode-1.2.27"
]


def session_of(folder: Path) -> str:
    (path,) = [p for p in folder.glob("projects/*/*.jsonl") if not p.name.startswith("agent-")]
    return path.stem


class Machine:
    """A machine with a history, and the server over its log."""

    def __init__(self, home: Path, log: SqliteLog) -> None:
        self.home, self.log = home, log
        self.env = {
            "HOME": str(home),
            "CLAUDE_CONFIG_DIR": str(home / "claude"),
            "OPENCODE_DB": str(home / "opencode.db"),
            "UNBRAID_HOME": str(home / "unbraid"),
        }
        self.sessions = StoredSessionList(log, self.env, home / "unbraid")
        self.client: httpx.AsyncClient

    async def get(self, path: str, **params: Any) -> Any:
        answer = await self.client.get(path, params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture
async def machine(tmp_path: Path) -> AsyncIterator[Machine]:
    for folder in WITH_PROJECTS:
        shutil.copytree(folder / "projects", tmp_path / "claude/projects", dirs_exist_ok=True)
    shutil.copy(OPENCODE / "opencode.db", tmp_path / "opencode.db")
    an_hour_ago = time.time() - 3600
    for path in (tmp_path / "claude").rglob("*.jsonl"):
        os.utime(path, (an_hour_ago, an_hour_ago))
    async with AsyncExitStack() as stack:
        log = await SqliteLog.open(tmp_path / "unbraid" / "log.db")
        stack.push_async_callback(log.close)
        machine = Machine(tmp_path, log)
        await machine.sessions.read(print)
        stack.push_async_callback(machine.sessions.close)
        server = await stack.enter_async_context(
            serving(ServeConfig(port=0, tokens=(TOKEN,)), log, stored_sessions=machine.sessions)
        )
        machine.client = await stack.enter_async_context(client_at(server.url))
        yield machine


async def test_every_session_is_listed_once_in_pages(machine: Machine) -> None:
    await machine.log.append("another", sample_run(["a"], ts=time.time_ns() // 1_000_000))
    seen: list[dict[str, Any]] = []
    before: dict[str, str] = {}
    while True:
        page = await machine.get("/v1/runs", limit=7, **before)
        assert page["indexed"] == {
            "listed": len(WITH_PROJECTS) + 1,
            "total": len(WITH_PROJECTS) + 1,
        }
        seen += page["runs"]
        if page["before"] is None:
            break
        before = {"before": page["before"]}
    assert len(seen) == len({run["run"] for run in seen}) == len(WITH_PROJECTS) + 2
    assert seen[0]["run"] == "another"
    assert [run["started"] for run in seen] == sorted((r["started"] for r in seen), reverse=True)
    # Of what is only listed, nothing is in the log.
    assert {run["run"] for run in seen if run["last_seq"]} == {"another"}
    assert [run.run for run in await machine.log.runs()] == ["another"]
    (found,) = (await machine.get("/v1/runs", q=session_of(NESTED)))["runs"]
    assert (found["source"], found["agents"], found["status"]) == ("claude", 3, "done")
    assert (await machine.get("/v1/runs", status="live"))["runs"] == []


@pytest.mark.parametrize("folder", [NESTED, OPENCODE], ids=["claude", "opencode"])
async def test_a_session_is_a_run_as_soon_as_anyone_asks(machine: Machine, folder: Path) -> None:
    listed = (await machine.get("/v1/runs", limit=500))["runs"]
    if folder is NESTED:
        name = session_of(folder)
    else:
        (name,) = [run["run"] for run in listed if run["source"] == "opencode"]
    (before,) = [run for run in listed if run["run"] == name]
    # All at once: it is still read only once.
    paths = ("", "/tree", "/agents", "/usage", "/streams/0")
    answers = await asyncio.gather(*(machine.get(f"/v1/runs/{name}{path}") for path in paths))
    run = answers[0]
    assert run["last_seq"] > 0
    assert run["status"] in ("done", "orphaned")
    spent = ("cost_usd", "estimated_usd", "unpriced_tokens")
    assert run["usage"] == before["usage"] | {name: run["usage"][name] for name in spent}
    assert run["agents"] == before["agents"] == len(answers[2]["agents"])
    stream = await machine.client.get(
        f"/v1/runs/{name}/events", headers={"accept": "application/x-ndjson"}
    )
    events = [decode_event(line) for line in stream.content.splitlines()]
    assert [event.seq for event in events] == list(range(1, run["last_seq"] + 1))
    assert events[-1].type == "done"
    assert judge(folder, events, full=True)._replace(disordered=[]) == CLEAN
    again = (await machine.get("/v1/runs", limit=500))["runs"]
    assert sorted(each["run"] for each in again) == sorted(each["run"] for each in listed)


@pytest.mark.parametrize(
    "name",
    ["none", "00000000-0000-4000-8000-000000000000", "ses_none", "..", "agent-a", "main.jsonl"],
)
async def test_nothing_else_can_be_opened(machine: Machine, name: str) -> None:
    answer = await machine.client.get(f"/v1/runs/{name}/tree")
    assert answer.status_code == 404
    assert await machine.log.runs() == []


async def test_a_transcript_that_is_gone_is_not_there(machine: Machine) -> None:
    shutil.rmtree(machine.home / "claude")
    answer = await machine.client.get(f"/v1/runs/{session_of(NESTED)}")
    assert answer.status_code == 404


async def test_whoever_writes_it_already_is_waited_for(machine: Machine) -> None:
    leases = FileLeases(machine.home / "unbraid")
    name = session_of(NESTED)
    assert await leases.acquire(name)
    asking = asyncio.create_task(machine.get(f"/v1/runs/{name}"))
    await machine.log.append(name, sample_run(["theirs"]))
    assert (await asking)["title"] == "Say it all"
    await leases.close(ended=True)


async def test_a_session_that_a_run_of_another_name_reports_is_listed_once(
    machine: Machine,
) -> None:
    name = session_of(NESTED)
    first, *rest = sample_run(["a"])
    assert isinstance(first, RequestReceived)
    first.session_id = name
    await machine.log.append("another", [first, *rest])
    listed = (await machine.get("/v1/runs", q=name))["runs"]
    assert [run["run"] for run in listed] == ["another"]


async def test_search_finds_what_was_opened_and_what_was_not(machine: Machine) -> None:
    name = session_of(NESTED)
    found = await machine.get("/v1/search", q="leaf answered", limit=100)
    assert found["places"] == []
    assert name in {place["run"] for place in found["history"]}
    # To jump there: once more, in the run, which opens it.
    (place, *_) = (await machine.get("/v1/search", q="leaf answered", run=name))["places"]
    assert place["run"] == name
    (entry,) = await machine.log.read(name, place["seq"] - 1, 1)
    assert entry.stream_id == place["stream_id"]
    after = await machine.get("/v1/search", q="leaf answered", limit=100)
    assert {place["run"] for place in after["places"]} == {name}
    assert name not in {place["run"] for place in after.get("history", [])}


async def test_the_command_searches_both(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in machine.env.items():
        monkeypatch.setenv(key, value)
    writer = Writer(machine.home / "claude")
    append(writer.main, writer.prompt() + writer.text("a needle \x1b[2J in hay"))
    await machine.log.append("logged", sample_run(["another nee", "dle"]))

    def search(*words: str) -> str:
        result = CliRunner().invoke(main, ["search", *words])
        assert result.exit_code == 0, result.output
        return result.stdout

    places = json.loads(await asyncio.to_thread(search, "needle", "--json"))
    assert [(p["run"], p["stream_id"], p["seq"], p["agent_id"]) for p in places] == [
        ("logged", 0, 3, None),
        (writer.session, None, None, None),
    ]
    shown = await asyncio.to_thread(search, "NEEDLE")
    assert "logged/0" in shown
    assert "a needle \\x1b[2J in hay" in shown
    assert await asyncio.to_thread(search, "nobody", "said") == ""


async def test_what_was_said_after_the_last_run_was_over_is_brought_in(machine: Machine) -> None:
    """Nobody followed the session when it went on; hours later, it is a run like any other."""
    name = session_of(NESTED)
    await machine.get(f"/v1/runs/{name}")
    await machine.sessions.catch_up()
    assert [run.run for run in await machine.log.runs()] == [name], "there was nothing more"

    (main,) = machine.home.glob(f"claude/projects/*/{name}.jsonl")
    writer = Writer(machine.home / "claude", name, timestamp=HOURS_AGO)
    usage = {"input_tokens": 7, "output_tokens": 3}
    answer = json.loads(writer.text("Later."))
    answer["message"] |= {"usage": usage, "stop_reason": "end_turn"}
    append(main, writer.prompt("And now?") + json.dumps(answer, separators=(",", ":")).encode())
    append(main, b"\n")
    an_hour_ago = time.time() - 3600
    os.utime(main, (an_hour_ago, an_hour_ago))

    await machine.sessions.read(print)
    await machine.sessions.catch_up()
    later, before = (await machine.get("/v1/runs", q=name))["runs"]
    assert [later["run"], before["run"]] == [f"{name}.2", name]
    assert (later["status"], later["usage"]["input_tokens"]) == ("done", 7)
    await machine.sessions.catch_up()
    assert len(await machine.log.runs()) == 2
