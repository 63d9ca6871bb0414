"""Everything that shows a run's status shows the same, for every recording.

It is asked of `ps --json`, `tree --json` and the API (a list, one run, its tree, its agents), of a
session that is read whole from its files, that is imported when it is opened, and that is followed
line by line. The page's own fold is held to the same in `web/src/model/conversation.test.ts`. How a
session has ended is known from what its model was made to do.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.access import TOKEN, client_at
from tests.block_rows import FOLDERS
from unbraid.cli import main
from unbraid.fold.pipeline import Pipeline
from unbraid.fold.tree import Tree
from unbraid.log import RunSummary, SqliteLog
from unbraid.record.sessions.importer import open_or_import
from unbraid.serve import ServeConfig, serving
from unbraid.testing import load

STORED = [folder for folder in FOLDERS if (folder / "projects").is_dir()]
STORED += [folder for folder in FOLDERS if (folder / "opencode.db").is_file()]


def home_of(folder: Path, place: Path) -> dict[str, str]:
    """The recording's session, where its kind would have stored it long ago."""
    env = {
        "HOME": str(place),
        "CLAUDE_CONFIG_DIR": str(place / "claude"),
        "XDG_DATA_HOME": str(place / "data"),
        "UNBRAID_HOME": str(place / "unbraid"),
        "PATH": os.environ["PATH"],
    }
    if (folder / "projects").is_dir():
        shutil.copytree(folder / "projects", place / "claude" / "projects")
    else:
        (place / "data" / "opencode").mkdir(parents=True)
        shutil.copy(folder / "opencode.db", place / "data" / "opencode" / "opencode.db")
    ago = time.time() - 7200
    for path in place.rglob("*"):
        os.utime(path, (ago, ago))
    return env


def call(env: dict[str, str], *words: str) -> Any:
    result = CliRunner().invoke(main, words, env=env, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def statuses(tree: dict[str, Any]) -> list[str]:
    """Of an agent and of everyone below it."""
    below = [statuses(child) for child in tree["children"]]
    return [tree["status"], *(status for each in below for status in each)]


@pytest.mark.parametrize("folder", STORED, ids=lambda folder: folder.name)
def test_every_face_says_the_same(folder: Path, tmp_path: Path) -> None:
    env = home_of(folder, tmp_path)
    (row,) = call(env, "ps", "--all", "--json")
    whole = statuses(call(env, "tree", "--json", row["run"]))
    assert row["status"] == whole[0], "listed by its last lines, and read whole"
    assert row["waiting"] is None
    # Imported when it is opened; then it is a run of the log.
    found = asyncio.run(imported(env, row["run"]))
    assert found == (row["status"], row["status"], whole)
    assert statuses(call(env, "tree", "--json", row["run"])) == whole
    (logged,) = call(env, "ps", "--all", "--json")
    assert (logged["run"], logged["status"]) == (row["run"], row["status"])
    assert row["status"] == expected(folder)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_live_run_has_one_status_after_every_line(folder: Path) -> None:
    recording, pipeline = load(folder), Pipeline()
    tree, summary = Tree(), RunSummary("run")
    for line in [*recording.lines, None]:
        events = pipeline.finish() if line is None else pipeline.feed(line + b"\n")
        tree.apply(events)
        for event in events:
            summary.fold(event, 1)
        assert (summary.status, summary.waiting) == (tree.state.status, tree.state.waiting)
        assert summary.over == (tree.done is not None)
        if tree.nodes and summary.over:
            assert summary.status == tree.nodes[0].status
        elif summary.status == "waiting":
            assert any(node.status == "waiting" for node in tree.nodes.values())
        asked = {request.stream_id for request in tree.state.requests.values()}
        assert asked <= {node.stream_id for node in tree.nodes.values() if node.waiting}


async def imported(env: dict[str, str], run: str) -> tuple[str, str, list[str]]:
    """Returns the status of a run that is opened, by the API: its own, and its agents'."""
    path = Path(env["UNBRAID_HOME"]) / "log.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    log = await SqliteLog.open(path)
    try:
        summary = await open_or_import(log, run, env)
        async with (
            serving(ServeConfig(port=0, tokens=(TOKEN,)), log) as server,
            client_at(server.url, trust_env=False) as client,
        ):
            one = (await client.get(f"/v1/runs/{run}")).json()
            (listed,) = (await client.get(f"/v1/runs?status={one['status']}")).json()["runs"]
            tree = (await client.get(f"/v1/runs/{run}/tree")).json()
            agents = (await client.get(f"/v1/runs/{run}/agents")).json()["agents"]
        assert summary.status == one["status"] == listed["status"] == tree["status"]
        assert sorted(statuses(tree["root"])) == sorted(agent["status"] for agent in agents)
        return summary.status, tree["root"]["status"], statuses(tree["root"])
    finally:
        await log.close()


def expected(folder: Path) -> str:
    """The model refuses in one scenario; after an interruption it answers a further prompt."""
    return "failed" if load(folder).scenario == "api-error" else "done"
