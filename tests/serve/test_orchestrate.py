"""`POST /v1/orchestrate`: a run like any other, followed while it is made."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx
import msgspec
import pytest

from tests.access import TOKEN, client_at
from tests.orchestrate.fleets import environment, fleet, orchestrator, scripted
from tests.serve.conftest import Start
from tests.serve.sse import events_of
from unbraid.events import FleetEvent, StreamEnd, decode_event
from unbraid.serve import Server
from unbraid.testing import Script, ScriptedModel, assert_fleet, loopback, say

PATIENCE_SECONDS = 300
PATH = "/v1/orchestrate"
ANSWER = "A and B have both answered, and this is what is to be made of it, in the end. "
PLAN = "Plan.\n/parallel\n/agent a [[a]] go\n/agent b [[b]] go\n/endparallel"
AGENTS = {
    "main": [
        say(PLAN, chunk_chars=9),
        say(ANSWER * 3, chunk_chars=9, chunk_delay_seconds=0.002),
        say("Gone on."),
    ],
    "a": [say("A says. " * 9, chunk_chars=9, chunk_delay_seconds=0.002)],
    "b": [say("B says. " * 9, chunk_chars=9, chunk_delay_seconds=0.002)],
}
ASK = {"prompt": "[[main]] go"}
Clients = Callable[..., httpx.AsyncClient]


@pytest.fixture
async def model() -> AsyncIterator[ScriptedModel]:
    async with scripted(AGENTS) as model:
        yield model


@pytest.fixture
async def client(start: Start, model: ScriptedModel, client_of: Clients) -> httpx.AsyncClient:
    return client_of(await serving(start, model))


async def serving(start: Start, model: ScriptedModel) -> Server:
    return await start(
        orchestrating=lambda log, controllers, on_draft: orchestrator(
            model,
            fleet("a", "b"),
            log=log,
            controllers=controllers,
            on_draft=on_draft,
            keep_seconds=600,
        )
    )


async def ask(client: httpx.AsyncClient, **settings: object) -> tuple[str, list[dict[str, str]]]:
    """Ask and follow to the end: the run's name, and the frames."""
    async with client.stream("POST", PATH, **({"json": ASK} | settings)) as answer:  # type: ignore[arg-type]
        assert answer.status_code == 200, await answer.aread()
        frames = [frame async for frame in events_of(answer)]
        return answer.headers["x-unbraid-run"], frames


def logged(frames: list[dict[str, str]]) -> list[FleetEvent]:
    return [decode_event(frame["data"].encode()) for frame in frames if "id" in frame]


class Patient(ScriptedModel):
    """A model that answers once someone is looking."""

    def __init__(self) -> None:
        super().__init__(Script(AGENTS), answers_without_tools=True)
        self.looking = asyncio.Event()

    async def handle(self, exchange: loopback.Exchange) -> None:
        await self.looking.wait()
        await super().handle(exchange)


async def test_the_answer_is_the_run_with_ids_and_drafts(start: Start, client_of: Clients) -> None:
    frames: list[dict[str, str]] = []
    async with Patient() as model:
        client = client_of(await serving(start, model))
        async with client.stream("POST", PATH, json=ASK) as answer:
            run = answer.headers["x-unbraid-run"]
            async for frame in events_of(answer):
                frames.append(frame)
                if frame.get("event") == "stream_start":
                    model.looking.set()
    events = logged(frames)
    assert_fleet(events)
    assert [int(frame["id"]) for frame in frames if "id" in frame] == [x.seq for x in events]
    drafts = [frame for frame in frames if frame.get("event") == "draft"]
    assert drafts and not any("id" in frame for frame in drafts)
    # One who is being sent something else misses a draft, and nothing is lost by that.
    held = PLAN + ANSWER * 3
    assert all(msgspec.json.decode(frame["data"])["delta"] in held for frame in drafts)
    # The same run again, from the log: every event, no draft.
    answer = await client.get(f"/v1/runs/{run}/events", headers={"accept": "application/x-ndjson"})
    again = [line for line in answer.content.split(b"\n") if line]
    assert [decode_event(line) for line in again] == events
    about = (await client.get(f"/v1/runs/{run}")).json()
    assert (about["source"], about["status"], about["agents"]) == ("orchestrate", "done", 3)
    tree = (await client.get(f"/v1/runs/{run}/tree")).json()
    assert [child["agent"] for child in tree["root"]["children"]] == ["a", "b"]


async def test_the_run_goes_on_without_its_viewer_and_can_be_followed_again(
    client: httpx.AsyncClient,
) -> None:
    seen: list[dict[str, str]] = []
    async with client.stream("POST", PATH, json=ASK) as answer:
        run = answer.headers["x-unbraid-run"]
        async for frame in events_of(answer):
            seen.append(frame)
            if frame.get("event") == "text" and '"depth":1' in frame["data"]:
                break
    last = [frame["id"] for frame in seen if "id" in frame][-1]
    async with client.stream(
        "GET", f"/v1/runs/{run}/events", headers={"last-event-id": last}
    ) as answer:
        seen += [frame async for frame in events_of(answer)]
    assert_fleet(logged(seen))


async def test_the_same_key_is_the_same_run(
    client: httpx.AsyncClient, model: ScriptedModel
) -> None:
    headers = {"idempotency-key": "k1"}
    asked = [ask(client, headers=headers) for _ in range(3)]
    (one, first), (two, second), (three, third) = await asyncio.gather(*asked)
    assert one == two == three
    assert logged(first) == logged(second) == logged(third)
    assert len(model.requests) == 4
    other = await client.post(PATH, json={"prompt": "other"}, headers=headers)
    assert other.status_code == 409


async def test_only_the_name_for_those_who_want_no_stream(client: httpx.AsyncClient) -> None:
    headers = {"accept": "application/json"}
    answer = await client.post(PATH, json=ASK, headers=headers)
    assert answer.status_code == 202
    run = answer.json()["run"]
    assert answer.headers["location"] == f"/v1/runs/{run}"
    async with client.stream("GET", f"/v1/runs/{run}/events") as stream:
        assert_fleet(logged([frame async for frame in events_of(stream)]))
    answer = await client.post(PATH, json={"prompt": "More.", "continues": run}, headers=headers)
    assert answer.status_code == 202


async def test_cancel_and_stop_go_the_usual_way(start: Start, client_of: Clients) -> None:
    agents = {**AGENTS, "a": [say("Never.", delay_seconds=3600)]}
    async with scripted(agents) as model:
        client = client_of(await serving(start, model))
        run = (await client.post(PATH, json=ASK, headers={"accept": "application/json"})).json()[
            "run"
        ]
        await model.reached("b", 0)
        assert (await client.post(f"/v1/runs/{run}/streams/7/stop")).status_code == 400
        assert (await client.post(f"/v1/runs/{run}/cancel")).status_code == 202
        async with client.stream("GET", f"/v1/runs/{run}/events") as answer:
            events = logged([frame async for frame in events_of(answer)])
        assert_fleet(events)
        assert (await client.get(f"/v1/runs/{run}")).json()["status"] == "interrupted"
        assert (await client.post(f"/v1/runs/{run}/cancel")).status_code == 409


BAD: list[tuple[object, int]] = [
    ({}, 400),
    ({"prompt": ""}, 400),
    ({"prompt": "  "}, 400),
    ({"prompt": "x", "limits": {"turns": 0}}, 400),
    ({"prompt": "x", "limits": {"what": 1}}, 400),
    ({"prompt": "x", "continues": "../x"}, 400),
    ({"prompt": "x", "continues": "nobody"}, 409),
    ({"prompt": "x", "more": 1}, 400),
    ({"prompt": "x" * (1 << 21)}, 413),
]


@pytest.mark.parametrize(("body", "status"), BAD)
async def test_bad_requests(client: httpx.AsyncClient, body: object, status: int) -> None:
    assert (await client.post(PATH, json=body)).status_code == status


async def test_a_server_that_does_not_orchestrate_says_so(
    server: Server, client_of: Clients
) -> None:
    assert (await client_of(server).post(PATH, json=ASK)).status_code == 501


@asynccontextmanager
async def process(model: ScriptedModel, home: Path) -> AsyncIterator[tuple[int, str]]:
    """A real `unbraid serve`: its process, and its address."""
    env = environment(model) | {"UNBRAID_HOME": str(home), "HOME": str(home)}
    command = [str(Path(sys.executable).with_name("unbraid")), "serve", "--port", "0"]
    command.append("--orchestrate")
    running = await asyncio.create_subprocess_exec(
        *command, cwd=home, env=env, stdout=DEVNULL, stderr=PIPE
    )
    assert running.stderr is not None
    try:
        link = (await running.stderr.readline()).decode().strip()
        yield running.pid, link.partition("login")[0]
    finally:
        if running.returncode is None:
            running.kill()
        await running.wait()


async def follow(
    client: httpx.AsyncClient, url: str, since: str, on_frame: Callable[[dict[str, str]], None]
) -> str:
    """Ask, with the same key every time, and follow until the run or the server is at its end."""
    headers = {"idempotency-key": "once", "last-event-id": since}
    async with client.stream("POST", f"{url}v1/orchestrate", json=ASK, headers=headers) as answer:
        with suppress(httpx.TransportError):
            async for frame in events_of(answer):
                if "id" in frame and frame["event"] != "cut":
                    on_frame(frame)
        return str(answer.headers["x-unbraid-run"])


@pytest.mark.parametrize("how", (signal.SIGKILL, signal.SIGTERM))
async def test_a_server_that_dies_in_the_middle(tmp_path: Path, how: signal.Signals) -> None:
    agents = {**AGENTS, "b": [say("B says. " * 99, delay_seconds=3600)]}
    (tmp_path / "agents").mkdir()
    for name in "ab":
        (tmp_path / "agents" / f"{name}.md").write_text(f"---\nname: {name}\n---\n")
    (tmp_path / "tokens.json").write_bytes(msgspec.json.encode([TOKEN]))
    seen: list[dict[str, str]] = []
    async with (
        asyncio.timeout(PATIENCE_SECONDS),
        scripted(agents) as model,
        client_at("") as client,
    ):
        async with process(model, tmp_path) as (pid, url):

            def kill(frame: dict[str, str]) -> None:
                seen.append(frame)
                if frame["event"] == "sub_agent_response":
                    os.kill(pid, how)

            run = await follow(client, url, "0", kill)
        async with process(model, tmp_path) as (_, url):
            assert await follow(client, url, seen[-1]["id"], seen.append) == run
            about = (await client.get(f"{url}v1/runs/{run}")).json()
    events = logged(seen)
    assert_fleet(events)
    ends = {event.stream_id: event.reason for event in events if isinstance(event, StreamEnd)}
    assert ends == {0: "interrupted", 1: "completed", 2: ends[2]}
    assert ends[2] == ("interrupted" if how == signal.SIGKILL else "cancelled")
    assert about["status"] == "interrupted"
