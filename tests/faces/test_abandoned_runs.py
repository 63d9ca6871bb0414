"""Every face shows the same status of a run that is not over and whose writer is gone: the one that
its stored session has.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from tests.access import LINK, visitor
from tests.record.run.agents import UNBRAID
from tests.record.watch.writing import Writer, append, dated
from unbraid.cli import main
from unbraid.events import RequestReceived
from unbraid.log import opened_log
from unbraid.machine import Machine
from unbraid.record.followed_session import FollowedSession
from unbraid.record.runs import open_run
from unbraid.record.sessions.all_runs import AbandonedRuns, AllRuns
from unbraid.record.sessions.importer import stored_session
from unbraid.testing.log_contract import PATIENCE_SECONDS, sample_run
from unbraid.tui.services import ViewServices


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any session."""
    for name, path in {
        "HOME": tmp_path,
        "CLAUDE_CONFIG_DIR": tmp_path / "claude",
        "OPENCODE_DB": tmp_path / "opencode.db",
        "XDG_DATA_HOME": tmp_path / "data",
        "UNBRAID_HOME": tmp_path / "unbraid",
    }.items():
        monkeypatch.setenv(name, str(path))
    return tmp_path


CALL = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}
TEXT = {"type": "text", "text": "That is all."}


async def abandoned(home: Path, ago: timedelta, last_block: dict[str, Any]) -> str:
    """A session that fell silent so long ago, recorded up to then by a process that is gone."""
    writer = Writer(home / "claude", timestamp=dated(ago))
    append(writer.main, writer.prompt("Go.") + writer.answer([last_block]))
    then = time.time() - ago.total_seconds()
    os.utime(writer.main, (then, then))
    async with opened_log() as log:
        recorder, recorded = await open_run(log, writer.session)
        _, store = stored_session(writer.session, os.environ)
        follower = None if store is None else store.follow(writer.session, recorded)
        assert follower is not None
        await FollowedSession(recorder, follower, shielded=False).look(at_once=True)
        (run,) = await log.runs(status="live")
        assert run.run == writer.session
    return writer.session


@asynccontextmanager
async def served() -> AsyncIterator[httpx.AsyncClient]:
    """A client of `unbraid serve`."""
    process = await asyncio.create_subprocess_exec(
        UNBRAID, "serve", "--port", "0", stderr=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert process.stderr is not None
            link = re.search(LINK, (await process.stderr.readline()).decode())
            assert link is not None
            async with visitor(link[0]) as client:
                yield client
    finally:
        process.terminate()
        await process.wait()


async def listed(client: httpx.AsyncClient, **query: Any) -> dict[str, str]:
    """The status of each run in the server's list."""
    runs = (await client.get("/v1/runs", params=query)).json()["runs"]
    return {run["run"]: run["status"] for run in runs}


async def status_in_top(run: str) -> str:
    """What the list of `top` says, while nobody watches the machine."""
    async with Machine() as machine:
        stored, abandoned = machine.sessions, machine.abandoned_runs
        services = ViewServices(machine.log, machine.controllers, stored, abandoned=abandoned)
        await services.refresh()
        await services.refresh_stored()
        (row,) = [row for row in services.runs() if row.run == run]
        return row.status


def printed(*words: str) -> Any:
    """What a command prints as JSON."""
    result = CliRunner().invoke(main, [*words, "--json"], catch_exceptions=False)
    return json.loads(result.stdout)


def status_in_ps(run: str) -> str:
    """What `ps` says; it also records what has become of the session."""
    (row,) = [row for row in printed("ps") if row["run"] == run]
    return str(row["status"])


@pytest.mark.parametrize(
    ("minutes", "last_block", "status"),
    [(120, CALL, "orphaned"), (120, TEXT, "done"), (2, CALL, "orphaned"), (0, CALL, "working")],
)
async def test_every_face_shows_the_status_of_the_stored_session(
    home: Path, minutes: int, last_block: dict[str, Any], status: str
) -> None:
    run = await abandoned(home, timedelta(minutes=minutes), last_block)
    assert await status_in_top(run) == status
    async with served() as client:
        assert await listed(client) == {run: status}
        assert await listed(client, status=status) == {run: status}
        assert await listed(client, status="live") == ({run: status} if minutes == 0 else {})
        assert (await client.get(f"/v1/runs/{run}")).json()["status"] == status
        tree = (await client.get(f"/v1/runs/{run}/tree")).json()
        assert tree["status"] == tree["root"]["status"] == status
    assert (await asyncio.to_thread(printed, "tree", run))["status"] == status
    assert await asyncio.to_thread(status_in_ps, run) == status


async def test_what_the_session_has_said_since_is_read_when_the_run_is_opened(home: Path) -> None:
    """As `tree` and `cat` do; its agents are then shown as they have ended."""
    run = await abandoned(home, timedelta(minutes=120), CALL)
    async with served() as client:
        urls = [f"/v1/runs/{run}/tree", f"/v1/runs/{run}", f"/v1/runs/{run}/agents"]
        tree, one, agents = [
            answer.json() for answer in await asyncio.gather(*map(client.get, urls))
        ]
    assert tree["status"] == tree["root"]["status"] == one["status"] == "orphaned"
    assert [agent["status"] for agent in agents["agents"]] == ["orphaned"]
    async with opened_log() as log:
        (entry,) = await log.read(run, one["last_seq"] - 1)
        assert entry.type == "done"


async def test_a_run_that_is_written_has_the_status_of_its_log(home: Path) -> None:
    run = await abandoned(home, timedelta(minutes=120), CALL)
    async with opened_log() as log, served() as client:
        assert await listed(client) == {run: "orphaned"}
        leases = log.leases()
        assert await leases.acquire(run)
        assert await listed(client) == {run: "working"}
        assert (await client.get(f"/v1/runs/{run}")).json()["status"] == "working"
        await leases.close(ended=True)


@pytest.mark.parametrize(
    ("machine", "status"), [("there", "working"), ("here", "orphaned"), (None, "orphaned")]
)
async def test_runs_of_other_machines_are_shown_as_they_are_in_the_log(
    home: Path, machine: str | None, status: str
) -> None:
    """What is stored here under the same id is not theirs."""
    session = await abandoned(home, timedelta(minutes=120), CALL)
    env = {**os.environ, "UNBRAID_MACHINE": "here"}
    first, *rest = sample_run(["a"])[:-1]
    assert isinstance(first, RequestReceived)
    first.source, first.session_id, first.machine = "claude", session, machine
    async with opened_log("memory:") as log:
        await log.append("run", [first, *rest])
        runs = AllRuns(log, abandoned=AbandonedRuns(log, env, home / "unbraid"))
        (row,) = await runs.runs()
        assert row.status == status
        (row,) = await runs.runs(status=status)
        assert row.run == "run"


async def test_abandoned_runs_have_their_place_in_the_pages_of_a_list(home: Path) -> None:
    session = await abandoned(home, timedelta(minutes=120), CALL)
    now = time.time_ns() // 1_000_000
    async with opened_log() as log:
        for number in range(3):
            await log.append(f"before-{number}", sample_run(["a"], ts=now - 86_400_000 + number))
            await log.append(f"after-{number}", sample_run(["a"], ts=now + number))
        await log.append("live", sample_run(["a"], ts=now + 9)[:-1])
        runs = AllRuns(log, abandoned=AbandonedRuns(log, os.environ, home / "unbraid"))
        for status, wanted in {
            None: ["live", "after-2", "after-1", "after-0", session, "before-2", "before-1"],
            "live": ["live"],
            "orphaned": [session],
            "done": ["after-2", "after-1", "after-0", "before-2", "before-1", "before-0"],
        }.items():
            for limit in (1, 2, 3):
                seen: list[str] = []
                before = None
                while page := await runs.runs(status=status, limit=limit, before=before):
                    seen += [run.run for run in page]
                    before = page[-1].page
                assert seen[: len(wanted)] == wanted
                assert len(seen) == len(set(seen)) == len(wanted) + (status is None)
