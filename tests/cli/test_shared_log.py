"""One log for several machines, by the commands: each machine is a home folder of its own."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.access import visitor
from tests.machine_home import MachineHome
from tests.nats_servers import NatsCluster
from tests.polling import until
from tests.record.run.agents import UNBRAID
from tests.record.watch.writing import Writer, append
from unbraid.log import opened_log

pytestmark = pytest.mark.xdist_group("nats")


async def texts(log: Any, session: str, words: str) -> list[str]:
    """Returns what the log has of a session, as soon as that has these words."""

    async def read() -> list[str]:
        return [e.event.delta for e in await log.read(session) if e.type == "text"]

    return await until(read, lambda found: words in found)


def checkup(machine: MachineHome) -> dict[str, Any]:
    """Returns what `doctor` says on a machine, by what it is about."""
    return {each["about"]: each for each in json.loads(machine.call("doctor", "--json"))}


async def answer(client: httpx.AsyncClient, path: str) -> Any:
    """Returns what a server answers now."""
    return (await client.get(path)).json()


async def test_what_one_machine_records_the_other_sees(tmp_path: Path) -> None:
    more = 'authorization { users: [ { user: server, password: "s3cret" } ] }'
    with NatsCluster(tmp_path / "nats", more=more) as cluster:
        url = f"nats://server:s3cret@{cluster.hosts}/SHARED"
        one, two = MachineHome(tmp_path, "one", url), MachineHome(tmp_path, "two", url)
        writer = Writer(one.home / ".claude")
        append(writer.main, writer.prompt("Count needles.") + writer.text("first"))
        process = await asyncio.create_subprocess_exec(
            UNBRAID, "watch", "--no-page", "--log", url, env=one.env,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        try:
            async with opened_log(url, two.env) as log:
                assert await texts(log, writer.session, "first") == ["first"]
                # The cluster goes away; the agent does not know, and goes on.
                await asyncio.to_thread(cluster.nodes[0].kill)
                append(writer.main, writer.text("while it was away"))
                assert [run.run for run in await log.runs()] == [writer.session]
                append(writer.main, writer.text("still away"))
                cluster.nodes[0].start()
                append(writer.main, writer.text("needle"))
                said = ["first", "while it was away", "still away", "needle"]
                assert await texts(log, writer.session, "needle") == said
            piped = b"".join(
                json.dumps(line).encode() + b"\n"
                for line in (
                    {"type": "system", "subtype": "init", "session_id": PIPED, "model": "m"},
                    {"type": "assistant", "session_id": PIPED, "message": {
                        "id": "m1", "role": "assistant", "model": "m",
                        "content": [{"type": "text", "text": "a needle too"}]}},
                    {"type": "result", "subtype": "success", "session_id": PIPED,
                     "is_error": False, "result": "a needle too"},
                )
            )  # fmt: skip
            late = MachineHome(tmp_path, "late", url)
            await asyncio.to_thread(late.runs)
            assert await asyncio.to_thread(two.call, "pipe", given=piped) == piped
            # What is not here yet is not passed over in silence.
            assert re.search(r"copy of the shared log lacks \d+ records", late.behind())
            for machine in (one, two):
                # A command waits for its copy no longer than a person would.
                runs = await until(
                    partial(asyncio.to_thread, machine.runs),
                    lambda runs: runs.keys() == {writer.session, PIPED},
                )
                assert (runs[writer.session]["machine"], runs[PIPED]["machine"]) == ("one", "two")
                assert runs[PIPED]["user"] == "two-user"
            chosen = await asyncio.to_thread(one.runs, "--machine", "two", "--user", "two-user")
            assert chosen.keys() == {PIPED}
            found = json.loads(
                await asyncio.to_thread(two.call, "search", "away", "--machine", "one", "--json")
            )
            assert {place["run"] for place in found} == {writer.session}
            about = await until(
                partial(asyncio.to_thread, checkup, two),
                lambda about: about["this machine's copy"]["found"] == "has everything",
            )
            assert about["nats-server"]["status"] == about["leases"]["status"] == "ok"
            assert (about["replicas"]["status"], about["replicas"]["found"]) == (
                "warning",
                "1 of 3",
            )
            assert "?monitor=" in about["durability"]["advice"]
            spent = await asyncio.to_thread(two.call, "cost", "--by", "machine", "--json")
            assert {row["key"] for row in json.loads(spent)["rows"]} <= {"one", "two"}
        finally:
            process.terminate()
            _, errors = await process.communicate()
        assert b"s3cret" not in errors


async def test_what_begins_while_the_nodes_are_away_arrives_later_once(tmp_path: Path) -> None:
    cluster = NatsCluster(tmp_path / "nats")
    url = f"nats://{cluster.hosts}/SHARED"
    one, two = MachineHome(tmp_path, "one", url), MachineHome(tmp_path, "two", url)
    writer = Writer(one.home / ".claude")
    append(writer.main, writer.prompt("Count needles.") + writer.text("first"))
    async with one.watching() as (process, link), visitor(link) as client:
        # What this machine has itself is listed all the same, as soon as it was read: the link
        # is printed when the page can be seen.
        listed = await until(lambda: answer(client, "/v1/runs"), lambda found: found["runs"])
        assert [run["title"] for run in listed["runs"]] == ["Count needles."]
        assert listed["copy"] == {"lacks": None, "problem": "away"}
        health = await client.get("/healthz")
        assert health.status_code == 503
        assert health.json()["error"]["message"] == "the log cannot be used: away"
        metrics = (await client.get("/metrics")).text.splitlines()
        assert "unbraid_log_reachable 0.0" in metrics
        assert "unbraid_log_lost 0.0" in metrics
        append(writer.main, writer.text("still away"))
        # One that has only a question is not left waiting.
        asked = await asyncio.create_subprocess_exec(
            UNBRAID, "ps", env=two.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        _, errors = await asked.communicate()
        assert b"the log cannot be read" in errors
        assert b"cannot be reached" in errors
        with cluster:
            append(writer.main, writer.text("needle"))
            async with opened_log(url, two.env) as log:
                said = ["first", "still away", "needle"]
                assert await texts(log, writer.session, "needle") == said
            assert (await client.get("/healthz")).status_code == 200
            await until(lambda: answer(client, "/readyz"), lambda found: not found["behind"])
            await until(
                lambda: answer(client, "/v1/runs"), lambda found: not found["copy"]["problem"]
            )
            # And it is found by those that ask all machines who steers what.
            assert await asyncio.to_thread(two.call, "approve", "--json") == b"[]\n"
            process.terminate()
            assert await process.wait() == 0


PIPED = "11111111-2222-4333-8444-666666666666"
