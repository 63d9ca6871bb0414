"""The official TypeScript client of AG-UI, from npm, in one Node process for many runs."""

from __future__ import annotations

import asyncio
import fcntl
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.access import SECRET
from unbraid.testing.clis import cache_folder

PACKAGE, VERSION = "@ag-ui/client", "1.0.0"
SCRIPT = Path(__file__).with_name("client.mjs")
FETCH_SECONDS = 120

Found = dict[str, Any]


def client_folder() -> Path:
    """Where the client is installed; a skip that says why, if it cannot be."""
    node, npm = shutil.which("node"), shutil.which("npm")
    cache = cache_folder()
    target = cache / f"ag-ui-client-{VERSION}"
    if node is None or npm is None:
        pytest.skip("the official AG-UI client needs node and npm on PATH")
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / f"{target.name}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.is_dir():
            with tempfile.TemporaryDirectory(dir=cache, prefix=".fetch-") as scratch:
                Path(scratch, "package.json").write_text('{"private": true}')
                command = [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund"]
                try:
                    done = subprocess.run(
                        [*command, "--loglevel=error", f"{PACKAGE}@{VERSION}"],
                        cwd=scratch,
                        capture_output=True,
                        timeout=FETCH_SECONDS,
                    )
                except subprocess.TimeoutExpired:
                    pytest.skip(f"npm took too long to install {PACKAGE}")
                if done.returncode != 0:
                    reason = done.stderr.decode("utf-8", "replace").strip()[-300:]
                    pytest.skip(f"npm cannot install {PACKAGE}: {reason}")
                Path(scratch).rename(target)
                Path(scratch).mkdir()  # for the block to take away
    return target


async def read_runs(folder: Path, jobs: Iterable[Found]) -> dict[str, Found]:
    """What the client has made of each run, by the job's name."""
    lines = [json.dumps({"token": SECRET, **job}) for job in jobs]
    process = await asyncio.create_subprocess_exec(
        "node", str(SCRIPT), str(folder),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    printed, problems = await process.communicate("\n".join(lines).encode())
    assert process.returncode == 0, problems.decode()
    found = [json.loads(line) for line in printed.splitlines()]
    assert len(found) == len(lines)
    return {each["name"]: each for each in found}


def check_protocol(found: Found) -> None:
    """Fails if the client has found anything wrong."""
    assert found["error"] is None, f"{found['name']}: {found['error']}"
    assert found["warnings"] == [], found["name"]


def rows_of(found: Found) -> list[tuple[str, str, str]]:
    """Who said what, by the client's messages in the end: rows as in `tests.block_rows`."""
    agents: dict[str | None, str | None] = {None: ""}
    for event in found["subagents"]:
        if event["type"] == "SUBAGENT_STARTED":
            resumed = event["metadata"]["unbraid"].get("resumes")
            call = agents[resumed] if resumed else event.get("parentToolCallId")
            agents[event["subagentRunId"]] = call
    rows: list[tuple[str | None, str, str]] = []
    for message in found["messages"]:
        agent = agents[message.get("subagentRunId")]
        if message["role"] == "reasoning":
            rows.append((agent, "thinking", message["content"]))
        elif message["role"] == "assistant":
            if message.get("content"):
                rows.append((agent, "text", message["content"]))
            rows += [(agent, "tool_use", call["id"]) for call in message.get("toolCalls", ())]
    return [(agent, kind, words) for agent, kind, words in rows if agent is not None]
