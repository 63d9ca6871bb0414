"""`POST /v1/ag-ui` with the official client: a fleet of our own, several turns of one thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx

from tests.access import client_at
from tests.agui.official import check_protocol, client_folder, read_runs, rows_of
from tests.agui.test_run import recorded
from tests.orchestrate.fleets import scripted
from tests.said import told
from tests.serve.conftest import Start, client_of, log, start
from tests.serve.test_orchestrate import AGENTS, ANSWER, serving
from unbraid import events as e
from unbraid.agents.control_port import PermissionRequest
from unbraid.control.controllers import Controllers
from unbraid.log import SqliteLog
from unbraid.serve import Token, hash_token

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
    said = [words for agent, _, words in told(logged) if agent == ""]
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


class Asking:
    """A run that waits for an answer, and goes on when it has one."""

    def __init__(self, log: SqliteLog, rest: list[e.FleetEvent], request_id: str) -> None:
        self._log, self._rest, self.answers = log, rest, list[tuple[str, str | None]]()
        self._waiting = [PermissionRequest("run", request_id, "Bash", {})]

    def pending(self) -> list[PermissionRequest]:
        return self._waiting

    async def answer(self, request_id: str, behavior: str, message: str | None) -> None:
        self.answers.append((behavior, message))
        self._waiting = []
        await self._log.append("run", self._rest)


async def test_an_interrupt_is_resumed(start: Start, log: SqliteLog) -> None:
    installed = client_folder()
    events = recorded("permission.stdin.2.1.325")
    asked = next(x for x in events if isinstance(x, e.FleetPermissionAsked))
    second = [x.seq for x in events if isinstance(x, e.FleetPermissionAsked)][1:]
    until = second[0] - 1 if second else len(events)
    await log.append("run", events[: asked.seq])
    controllers = Controllers()
    agent = Asking(log, events[asked.seq : until], asked.request_id)
    controllers.register("run", agent)  # type: ignore[arg-type]
    async with scripted(AGENTS) as model:
        from tests.orchestrate.fleets import fleet, orchestrator

        server = await start(
            controllers=controllers,
            orchestrating=lambda log, held, on_draft: orchestrator(
                model, fleet("a"), log=log, controllers=held, on_draft=on_draft
            ),
        )
        server.services.threads.put("t", "run")
        payload = {"behavior": "deny", "message": "Not that."}
        entry = {"interruptId": asked.request_id, "status": "resolved", "payload": payload}
        body = {"threadId": "t", "initialMessages": []}
        job = {"name": "r", "url": f"{server.url}/v1/ag-ui", "body": body, "resume": [entry]}
        reading = asyncio.create_task(read_runs(installed, [job]))
        if second:
            await _answered(agent)
            await log.append("run", events[until:][:1])
        result = (await reading)["r"]
    check_protocol(result)
    assert agent.answers == [("deny", "Not that.")]
    assert [x["type"] for x in result["runs"]] == ["RUN_STARTED", "RUN_FINISHED"]


async def _answered(agent: Asking) -> None:
    for _ in range(3000):
        if agent.answers:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("nobody has answered")
