"""Attack: a machine that may only send its runs wants a say in the runs of others.

Such a machine sends the events of its runs, and with them permission requests under names that it
chooses. One could be the name of a request of another run: whoever allowed the harmless one had
allowed the other. One could be a path, and the answer went to another route. One machine could
report so many processes that there was no place for those of others; and one whose token was
revoked was still given the order for which it waited. Now an answer is for the run whose request
was shown, and none of the rest works.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from unbraid.steer.servers import RemoteControllers

from tests.polling import until
from tests.serve.conftest import Start
from tests.steer.steered_run import SteeredRun, append_request
from unbraid.agents.control_port import SteeringRequest
from unbraid.errors import CallerError
from unbraid.log import SqliteLog
from unbraid.log.remote.client import RemoteServer
from unbraid.serve import Server, TokenFile, new_token
from unbraid.steer import sending_machines
from unbraid.steer.controllers import Controllers
from unbraid.testing.sample_runs import sample_run

Clients = Callable[..., httpx.AsyncClient]

SESSION = "11111111-2222-4333-8444-555555555555"
ADMIN, OWNER = new_token("owner", ["admin"])


class Forger:
    """A machine with a token to send runs, and one run."""

    def __init__(self, client: httpx.AsyncClient, secret: str, run: str) -> None:
        self._client, self.run = client, run
        self._headers = {"authorization": f"Bearer {secret}"}
        self._sent = 0

    async def begin(self) -> None:
        init = {"type": "system", "subtype": "init", "session_id": SESSION, "tools": []}
        await self._send(init)

    async def _send(self, line: dict[str, Any]) -> None:
        data = json.dumps(line).encode() + b"\n"
        path = f"/v1/ingest/{self.run}?source=a&offset={self._sent}"
        taken = await self._client.post(path, content=data, headers=self._headers)
        assert taken.status_code == 200, taken.text
        self._sent += len(data)

    async def ask(self, request_id: str) -> None:
        """Lets its run ask for permission, under this name."""
        about = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "ls"}}
        await self._send({"type": "control_request", "request_id": request_id, "request": about})

    async def report(self, *request_ids: str, process: str = "p") -> httpx.Response:
        for each in request_ids:
            await self.ask(each)
        about = {"run": self.run, "verbs": ["answer"]}
        return await self._client.post(
            f"/v1/steering/{process}", json={"runs": [about]}, headers=self._headers
        )


class Shared:
    """A server with a run of its own that waits for permission, and the machine beside it."""

    def __init__(self, server: Server, client: httpx.AsyncClient, tokens: TokenFile) -> None:
        self.server, self.client, self.tokens = server, client, tokens
        self.own = SteeredRun("r")  # waits for permission, under the name q1
        server.services.controllers.register("r", self.own)

    async def forger(self, name: str, run: str) -> Forger:
        (made,) = await self.forgers(name, run)
        return made

    async def forgers(self, name: str, *runs: str) -> list[Forger]:
        secret = self.tokens.add(name, ["ingest"])
        made = [Forger(self.client, secret, run) for run in runs]
        for each in made:
            await each.begin()
        return made

    async def waiting(self) -> list[tuple[str, str]]:
        found = (await self.client.get("/v1/permissions")).json()["permissions"]
        return [(each["run"], each["request_id"]) for each in found]

    async def until_waiting(self, run: str) -> None:
        await until(self.waiting, lambda found: run in {each for each, _ in found})


@pytest.fixture
async def shared(start: Start, client_of: Clients, log: SqliteLog, tmp_path: Path) -> Shared:
    await log.append("r", sample_run(["x"])[:3])
    await append_request(log, "r")
    tokens = TokenFile(tmp_path / "home" / "tokens.json")
    server = await start(tokens=(OWNER,), token_file=tokens, controllers=Controllers())
    client = client_of(server, headers={"authorization": f"Bearer {ADMIN}"})
    return Shared(server, client, tokens)


async def test_who_allows_one_request_has_not_allowed_another_of_the_same_name(
    shared: Shared,
) -> None:
    forger = await shared.forger("build", "forged")
    polling = asyncio.create_task(forger.report("q1"))
    await shared.until_waiting("forged")
    allow: dict[str, Any] = {"behavior": "allow"}
    which = await shared.client.post("/v1/permissions/q1", json=allow)
    assert (which.status_code, shared.own.asked) == (409, [])
    # The person has seen the harmless one, and answers that.
    answering = asyncio.create_task(
        shared.client.post("/v1/permissions/q1", json={**allow, "run": "forged"})
    )
    (order,) = (await polling).json()["orders"]
    assert order["run"] == "forged" and shared.own.asked == []
    answering.cancel()
    own = await shared.client.post("/v1/permissions/q1", json={**allow, "run": "r"})
    assert own.status_code == 200 and len(shared.own.asked) == 1


async def test_the_name_of_a_request_leads_to_no_other_route(shared: Shared) -> None:
    forger = await shared.forger("build", "forged")
    polling = asyncio.create_task(forger.report("../runs/r/interrupt", "q2"))
    await shared.until_waiting("forged")
    assert ("forged", "../runs/r/interrupt") not in await shared.waiting()
    polling.cancel()
    # Nor does it in a client, should a server show one.
    remote = RemoteServer(shared.server.url, ADMIN)
    held = (await RemoteControllers(remote).controllers())["r"]
    for name in ("../runs/r/interrupt", "..%2fruns%2fr%2finterrupt", "q1?x=", "q1#"):
        with pytest.raises(CallerError):
            await held.carry_out(SteeringRequest("answer", request_id=name, behavior="allow"))
    await remote.close()
    assert shared.own.asked == []


async def test_one_machine_does_not_take_the_place_of_all_others(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending_machines, "MAX_PROCESSES_OF_ONE", 3)
    monkeypatch.setattr(sending_machines, "MAX_PROCESSES", 4)
    other, polls = await shared.forger("ci", "honest"), list[asyncio.Task[httpx.Response]]()
    *forgers, last = await shared.forgers("build", "a", "b", "c", "d")
    for each in forgers:
        polls.append(asyncio.create_task(each.report("f", process=each.run)))
        await shared.until_waiting(each.run)
    assert (await last.report("f", process="d")).status_code == 400
    polls.append(asyncio.create_task(other.report("h")))
    await shared.until_waiting("honest")
    # Those that have a place keep it, also when all are taken.
    polls.append(asyncio.create_task(other.report("h", "h2")))
    await until(shared.waiting, lambda found: ("honest", "h2") in found)
    for poll in polls:
        poll.cancel()


async def test_a_machine_that_is_shut_out_gets_no_more_orders(shared: Shared) -> None:
    forger = await shared.forger("build", "forged")
    polling = asyncio.create_task(forger.report("q2"))
    await shared.until_waiting("forged")
    shared.tokens.revoke("build")
    answer = await polling
    assert (answer.status_code, answer.content) == (204, b"")
    assert (await forger.report()).status_code == 401
