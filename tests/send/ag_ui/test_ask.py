"""`POST /v1/ag-ui` with the official client: a fleet of our own, several turns of one thread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.access import TOKEN, client_at
from tests.agents.claude import backend_cli as claude_cli
from tests.block_rows import logged_rows
from tests.orchestrate.fleets import fleet, scripted
from tests.send.ag_ui.official import check_protocol, client_folder, read_runs, rows_of
from tests.serve.conftest import Start, client_of, log, start
from tests.serve.test_orchestrate import AGENTS, ANSWER, serving
from unbraid.log import Log, SqliteLog
from unbraid.orchestrate.orchestrator import Orchestrator
from unbraid.serve import ServeConfig, Token, hash_token
from unbraid.serve import serving as serving_log
from unbraid.steer.controllers import Controllers
from unbraid.testing import Script, bash, say

__all__ = ["client_of", "log", "start"]  # fixtures
Clients = Callable[..., httpx.AsyncClient]
ASK = {
    "threadId": "t", "runId": "r", "state": {}, "tools": [], "context": [], "forwardedProps": {},
    "messages": [{"id": "1", "role": "user", "content": "[[main]] go"}],
}  # fmt: skip


async def test_a_fleet_answers_and_the_thread_goes_on(start: Start, log: SqliteLog) -> None:
    installed = client_folder()
    async with scripted(AGENTS) as model:
        server = await serving(start, model)
        first = {"id": "1", "role": "user", "content": "[[main]] go"}
        then = [{"message": {"id": "2", "role": "user", "content": "Go on."}}]
        body = {"threadId": "t", "initialMessages": [first], "then": then}
        job = {"name": "ask", "url": f"{server.url}/v1/ag-ui", "body": body}
        result = (await read_runs(installed, [job]))["ask"]
    check_protocol(result)
    names = [x["metadata"]["unbraid"]["run"] for x in result["runs"] if x["type"] == "RUN_STARTED"]
    assert len(set(names)) == 2
    logged = [x.event for name in names for x in await log.read(name)]
    said = [words for agent, _, words in logged_rows(logged) if agent == ""]
    own = [m for m in result["messages"] if "subagentRunId" not in m]
    assert [m["content"] for m in own if m["role"] == "assistant"] == said
    assert said[-1] == "Gone on."
    assert "".join(said[:-1]).endswith(ANSWER * 3)
    # What the person has said is there once: the client has it already.
    assert [m["content"] for m in own if m["role"] == "user"] == ["[[main]] go", "Go on."]
    started = [x["name"] for x in result["subagents"] if x["type"] == "SUBAGENT_STARTED"]
    assert started == ["a", "b"]
    helpers = [m for m in result["messages"] if "subagentRunId" in m and m["role"] == "assistant"]
    assert sorted(m["content"] for m in helpers) == ["A says. " * 9, "B says. " * 9]
    assert [x["threadId"] for x in result["runs"]] == ["t"] * 4
    assert rows_of(result)


async def test_who_may_ask(start: Start, client_of: Clients) -> None:
    reader = Token("reader", hash_token("reads"), frozenset(("read",)), created=1)
    server = await start(tokens=(reader,))
    bearer = {"authorization": "Bearer reads"}
    async with client_at(server.url, headers=bearer) as client:
        assert (await client.post("/v1/ag-ui", json=ASK)).status_code == 403
        assert (await client.get("/v1/runs/none/ag-ui")).status_code == 404


async def test_what_cannot_be_asked(start: Start, client_of: Clients) -> None:
    client = client_of(await start())
    assert (await client.post("/v1/ag-ui", json=ASK)).status_code == 501
    async with scripted(AGENTS) as model:
        client = client_of(await serving(start, model))
        wrong: list[dict[str, Any]] = [
            {"messages": []},
            {"messages": [{"id": "1"}]},
            {"threadId": 5},
        ]
        for change in wrong:
            assert (await client.post("/v1/ag-ui", json=ASK | change)).status_code == 400
        resume = [{"interruptId": "x", "status": "resolved", "payload": {"behavior": "allow"}}]
        answer = await client.post("/v1/ag-ui", json=ASK | {"resume": resume})
        assert answer.status_code == 404


@pytest.mark.cli
async def test_an_interrupt_is_resumed(log: SqliteLog, tmp_path: Path) -> None:
    """A helper that a real CLI runs asks for permission; the client's answer lets it go on."""
    installed = client_folder()
    script = Script(
        {
            "main": [say("/agent worker [[worker]] go"), say("It is made.")],
            "worker": [say(bash("touch made.txt")), say("I made it.")],
        }
    )
    config = ServeConfig(port=0, tokens=(TOKEN,))
    with claude_cli.real("2.1.325", script, tmp_path, asks=True) as (claude, _):

        def orchestrating(log: Log, controllers: Controllers, on_draft: Any) -> Orchestrator:
            return Orchestrator(
                fleet("worker"),
                backends={"cli": claude},
                backend="cli",
                cwd=tmp_path,
                env={},
                log=log,
                controllers=controllers,
                on_draft=on_draft,
            )

        async with serving_log(config, log, orchestrating=orchestrating) as server:
            allowed = {"status": "resolved", "payload": {"behavior": "allow"}}
            first = {"id": "1", "role": "user", "content": "[[main]] go"}
            body = {"threadId": "t", "initialMessages": [first], "then": [{"resume": allowed}]}
            job = {"name": "ask", "url": f"{server.url}/v1/ag-ui", "body": body}
            result = (await read_runs(installed, [job]))["ask"]
    check_protocol(result)
    assert (tmp_path / "app" / "made.txt").exists()
    outcomes = [x["outcome"]["type"] for x in result["runs"] if x["type"] == "RUN_FINISHED"]
    assert outcomes == ["interrupt", "success"]
    said = [m.get("content") for m in result["messages"] if m["role"] == "assistant"]
    assert "I made it." in said
    assert said[-1] == "It is made."
