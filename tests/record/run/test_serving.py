"""`unbraid run --serve`: the server inside, with the real CLIs: shown live, steered over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.access import LINK, visitor
from tests.polling import until
from tests.ports import free_port
from tests.record.run.agents import UNBRAID, cli_of, logged
from tests.record.run.test_passing import start
from tests.serve.sse import data_of, events_of
from tests.serve.test_crash import lines_of
from tests.steer.test_control import LISTENING
from unbraid.agents.claude.process import stdin as claude_input
from unbraid.cli.page import page
from unbraid.log import MemoryLog
from unbraid.machine import Machine
from unbraid.steer.controllers import Controllers
from unbraid.testing import Script, ScriptedModel, Spawn, claude_launch, say, scenario
from unbraid.testing.process import Child

ADDRESS = re.compile(rb"unbraid: (%b)\n" % LINK.encode())


class Shown:
    """A run with a server inside, and a client of that."""

    def __init__(self, child: Child, client: httpx.AsyncClient, model: ScriptedModel) -> None:
        self.child, self.client, self.model = child, client, model
        self.seen: list[dict[str, Any]] = []
        self.run = ""

    async def watch(self) -> None:
        """All events, until the server is gone."""
        async with self.client.stream("GET", "/v1/events?since=0") as answer:
            async for event in events_of(answer):
                if "data" in event:
                    self.seen.append(data_of(event))
                    self.run = self.seen[-1].get("run", self.run)

    async def until(self, kind: str, count: int = 1) -> dict[str, Any]:
        """The event of a type that is so many-th, when it has been shown."""
        found = await until(
            lambda: [event for event in self.seen if event["type"] == kind],
            lambda events: len(events) >= count,
        )
        return found[count - 1]

    async def post(self, path: str, body: object = None) -> None:
        """Do something to the run."""
        answer = await self.client.post(path, json=body)
        assert answer.is_success, answer.text


async def address_of(child: Child) -> str:
    """Where the page is, as soon as that is printed."""
    found = await until(lambda: ADDRESS.search(child.stderr))
    assert found is not None
    return found[1].decode()


@contextlib.asynccontextmanager
async def shown(
    version: str, script: Script, home: Path, args: Sequence[str], *, asks: bool = False
) -> AsyncIterator[Shown]:
    cli = cli_of("claude", version)
    async with asyncio.timeout(90):
        with ScriptedModel(script) as model:
            launch = claude_launch(cli, model.url, home, args, asks=asks)
            argv = [UNBRAID, "run", "--serve", "--port", "0", "--", *launch.argv]
            child = await Child.start(argv, launch.env, launch.cwd, reads_stdin=True)
            try:
                url = await address_of(child)
                async with visitor(url) as client:
                    run = Shown(child, client, model)
                    watching = asyncio.create_task(run.watch())
                    await child.write(claude_input.initialize("first"))
                    await child.write(claude_input.prompt("[[main]] Go."))
                    yield run
                    await watching
            finally:
                await child.stop()


async def ended(run: Shown, *, input_too: bool = True) -> int:
    """Its exit code, after all it printed."""
    if input_too:
        run.child.end_input()
    async for _ in run.child.lines():
        pass
    return await run.child.wait()


@pytest.mark.cli
async def test_permission_is_given_and_refused_over_http(tmp_path: Path) -> None:
    async with shown("2.1.325", scenario("permission"), tmp_path, LISTENING, asks=True) as run:
        for number, behavior in enumerate(("allow", "deny"), 1):
            asked = await run.until("permission_asked", number)
            waiting = (await run.client.get("/v1/permissions")).json()["permissions"]
            assert [each["request_id"] for each in waiting] == [asked["request_id"]]
            assert waiting[0]["run"] == run.run
            await run.post(f"/v1/permissions/{asked['request_id']}", {"behavior": behavior})
        assert (await run.until("turn_complete"))["result"] == "One yes, one no."
        assert (await run.client.get("/v1/permissions")).json()["permissions"] == []
        assert await ended(run) == 0
    assert (tmp_path / "app" / "allowed.txt").exists()
    assert not (tmp_path / "app" / "denied.txt").exists()
    (events,) = (await logged(tmp_path)).values()
    # Who watched to the end has seen everything, `done` included, then why it ended.
    assert [event.get("seq") for event in run.seen[:-1]] == [event.seq for event in events]
    assert (run.seen[-2]["type"], run.seen[-1]["type"]) == ("done", "cut")


@pytest.mark.cli
async def test_an_interrupt_a_message_and_a_stop_over_http(tmp_path: Path) -> None:
    slow = say("Counting " + "1 " * 2000, chunk_chars=8, chunk_delay_seconds=0.05)
    script = Script(
        {"main": [slow, say("Send it.", Spawn("kid", background=True)), say("Gone."), say("Over.")],
         "kid": [slow]}
    )  # fmt: skip
    async with shown("2.1.325", script, tmp_path, LISTENING) as run:
        await run.model.reached("main", 0, chunks=5)
        await run.until("request_received")
        await run.post(f"/v1/runs/{run.run}/interrupt")
        assert not (await run.until("turn_complete"))["ok"]
        await run.post(f"/v1/runs/{run.run}/message", {"text": "Go on."})
        await run.model.reached("kid", 0, chunks=3)
        child = await run.until("stream_start", 2)
        await run.until("turn_complete", 2)
        await run.post(f"/v1/runs/{run.run}/streams/{child['stream_id']}/stop")
        end = await run.until("stream_end")
        assert (end["stream_id"], end["reason"]) == (child["stream_id"], "cancelled")
        await run.post(f"/v1/runs/{run.run}/cancel")
        assert await ended(run, input_too=False) != 0


def _hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Another program, which is asked whether it is an unbraid."""
    writer.close()


async def test_a_taken_port_does_not_stop_the_agent(tmp_path: Path) -> None:
    said = lines_of(1)
    (tmp_path / "said").write_bytes(said)
    holder = await asyncio.start_server(_hang_up, "127.0.0.1", 0)
    port = holder.sockets[0].getsockname()[1]
    process = await start(
        tmp_path, "run", "--serve", "--port", str(port), "--", "cat", f"{tmp_path}/said"
    )
    out, err = await process.communicate()
    assert (out, process.returncode) == (said, 0)
    warning, _, address = err.partition(b"\n")
    assert b"another port is used: " in warning and f":{port}".encode() in warning
    found = ADDRESS.fullmatch(address)
    assert found
    assert f":{port}/".encode() not in found[1]
    holder.close()
    await holder.wait_closed()


async def test_a_port_that_was_asked_for_and_is_taken_is_an_error(tmp_path: Path) -> None:
    holder = await asyncio.start_server(_hang_up, "127.0.0.1", 0)
    port = holder.sockets[0].getsockname()[1]
    process = await start(tmp_path, "watch", "--port", str(port))
    _, err = await process.communicate()
    assert process.returncode not in (0, None)
    assert f"cannot listen on 127.0.0.1:{port}".encode() in err
    holder.close()
    await holder.wait_closed()


async def test_pages_that_open_at_the_same_moment_have_ports_of_their_own() -> None:
    class SlowLog(MemoryLog):
        async def bounds(self) -> tuple[int, int]:
            await asyncio.sleep(0.1)
            return await super().bounds()

    port = free_port()
    links: list[str] = []
    async with contextlib.AsyncExitStack() as stack:
        pages = [
            page(Machine(SlowLog(), controllers=Controllers()), port=port, say=links.append)
            for _ in range(3)
        ]
        served = await asyncio.gather(*map(stack.enter_async_context, pages))
        assert len({port, *(server.port for server in served)}) == 3
        async with httpx.AsyncClient(trust_env=False) as client:
            for link in (each for each in links if "another port is used" not in each):
                assert (await client.get(link)).status_code == 303


async def test_only_its_own_run_is_steered(tmp_path: Path) -> None:
    """A run of another kind can be ended; what it cannot do is reported."""
    (tmp_path / "said").write_bytes(lines_of(2))
    process = await start(
        tmp_path,
        "run",
        "--serve",
        "--port",
        "0",
        "--",
        "sh",
        "-c",
        f"cat {tmp_path}/said; exec cat",
    )
    assert process.stderr is not None
    found = ADDRESS.search(await process.stderr.readline())
    assert found
    async with visitor(found[1].decode()) as client:
        while (await client.get("/v1/runs/s2")).status_code == 404:
            assert process.returncode is None
        refused = await client.post("/v1/runs/s2/message", json={"text": "x"})
        assert refused.status_code == 400
        assert "does not accept messages" in refused.json()["error"]["message"]
        assert (await client.post("/v1/runs/other/cancel")).status_code == 404
        assert (await client.post("/v1/runs/s2/cancel")).status_code == 202
    await process.communicate()
    assert process.returncode == 143
