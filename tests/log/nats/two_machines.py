"""Two machines with homes, addresses and an unbraid of their own, which share one log on a third.

    python -m tests.log.nats.two_machines [TURNS]

On one of them, Claude Code talks with a scripted model and is watched; on the other one, what it
says is seen, and what it asks is approved. Says by how much what is served there is later than what
the first machine serves itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Any

from tests.access import LINK, visitor
from tests.namespaces import Network, NetworkHost, has_namespaces, in_own_network
from tests.nats_servers import NatsCluster
from tests.record.run.agents import UNBRAID
from tests.record.run.test_interactive import settle
from tests.serve.sse import events_of
from unbraid.testing import Script, ScriptedModel, bash, claude_launch, clis, say

VERSION = "2.1.325"
TURNS = 8
PATIENCE_SECONDS = 60.0
MODULE = "tests.log.nats.two_machines"
ANSWERING = (UNBRAID, "approve", "--wait", "--json")
QUESTION, END = "May I?", "Over."


def script_of(turns: int) -> Script:
    """Some words, each with a command that needs no permission, and then one that does."""
    words = [say(f"Word {number}.", bash(f"echo {number}")) for number in range(turns)]
    return Script({"main": [*words, say(QUESTION, bash("touch approved")), say(END)]}, "words")


def expected_words(turns: int) -> list[str]:
    """Returns what the model says."""
    return [*(f"Word {number}." for number in range(turns)), QUESTION, END]


class LoneMachine:
    """A machine: a host of the network, a home, and what was started there."""

    def __init__(self, host: NetworkHost, home: Path, env: dict[str, str]) -> None:
        self.host, self.home, self.env = host, home, env

    @asynccontextmanager
    async def running(self, *argv: str, cwd: Path | None = None) -> AsyncIterator[Any]:
        """A program there, for as long as the block runs; its streams are pipes."""
        process = await asyncio.create_subprocess_exec(
            *self.host.command, *argv, env=self.env, cwd=cwd,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            yield process
        finally:
            if process.returncode is None:
                process.terminate()
            await process.communicate()

    async def call(self, *argv: str) -> bytes:
        """A program there that comes to its end; returns what it prints."""
        async with self.running(*argv) as process:
            out, err = await process.communicate()
        assert process.returncode == 0, (argv, out, err)
        return bytes(out)

    @asynccontextmanager
    async def page(self) -> AsyncIterator[str]:
        """A watch of this machine; gives the address of its page."""
        async with self.running(UNBRAID, "watch", "--port", "0") as watch:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not (found := re.search(LINK, (await watch.stderr.readline()).decode())):
                    pass
            yield found[0]


class Seen:
    """The events that a page's server gives its viewers, with the times at which they came."""

    def __init__(self) -> None:
        self.times: dict[tuple[str, int], float] = {}
        self.words: list[str] = []
        self.run = ""
        self._more = asyncio.Event()

    async def read(self, lines: asyncio.StreamReader) -> None:
        """Takes over what `look` prints."""
        async for line in lines:
            at, run, seq, text = json.loads(line)
            assert (run, seq) not in self.times, "twice"
            self.times[run, seq], self.run = at, run
            if text:
                self.words.append(text)
            self._more.set()

    async def has(self, word: str) -> None:
        """Waits for a word."""
        while word not in self.words:
            self._more.clear()
            await self._more.wait()


async def look(link: str) -> None:
    """Follows what the page at a printed link follows, and prints when each event came."""
    async with (
        visitor(link) as client,
        client.stream("GET", "/v1/events?since=0", timeout=PATIENCE_SECONDS) as answer,
    ):
        async for event in events_of(answer):
            if not event.get("data", "").startswith("{"):
                continue
            found = json.loads(event["data"])
            if "seq" in found and "run" in found:
                text = found["delta"] if found["type"] == "text" else ""
                line = [time.monotonic(), found["run"], found["seq"], text]
                print(json.dumps(line), flush=True)


async def serve_model(turns: int) -> None:
    """Serves the scripted model on this host until its input ends."""
    async with ScriptedModel(script_of(turns)) as model:
        print(model.url, flush=True)
        await asyncio.to_thread(sys.stdin.read)


async def trial(folder: Path, network: Network, turns: int) -> dict[str, Any]:
    """Does all of it; returns what was measured."""
    async with asyncio.timeout(PATIENCE_SECONDS), AsyncExitStack() as stack:
        python = (sys.executable, "-m", MODULE)
        cluster = NatsCluster(folder / "nats", hosts=[network.add()])
        await asyncio.to_thread(stack.enter_context, cluster)
        log = f"nats://{cluster.hosts}/SHARED?insecure=1"
        hosts, homes = [network.add(), network.add()], [folder / "one", folder / "two"]
        shared = {"UNBRAID_LOG": log, "PYTHONPATH": str(Path.cwd())}
        bare = LoneMachine(hosts[0], homes[0], {**os.environ})
        model = await stack.enter_async_context(bare.running(*python, "model", str(turns)))
        url = (await model.stdout.readline()).decode().strip()
        cli, machines = clis.claude(VERSION), []
        args = ["--permission-mode", "default", "-p", "[[main]] Go."]
        for host, home in zip(hosts, homes, strict=True):
            home.mkdir()
            launch = claude_launch(cli, url, home, args, asks=True)
            settle(launch, home)
            env = {**launch.env, **shared, "UNBRAID_MACHINE": home.name}
            machines.append(LoneMachine(host, home, env))
        one, two = machines
        launch = claude_launch(cli, url, one.home, args, asks=True)
        seen = [Seen(), Seen()]
        await one.call(UNBRAID, "hooks", "install", "claude")
        links = await asyncio.gather(
            *(stack.enter_async_context(machine.page()) for machine in machines)
        )
        for machine, link, viewer in zip(machines, links, seen, strict=True):
            looking = await stack.enter_async_context(machine.running(*python, "look", link))
            task = asyncio.create_task(viewer.read(looking.stdout))
            stack.callback(task.cancel)
        # On the second machine someone says that they answer: without that, nothing would be asked.
        answering = await stack.enter_async_context(two.running(*ANSWERING))
        await answering.stderr.readline()
        agent = await stack.enter_async_context(one.running(*launch.argv, cwd=launch.cwd))
        agent.stdin.close()
        request = json.loads(await answering.stdout.readline())
        assert request["input"]["command"] == "touch approved"
        assert not (launch.cwd / "approved").exists()
        await two.call(UNBRAID, "approve", request["request_id"])
        for viewer in seen:
            await viewer.has(END)
        said, errors = await agent.communicate()
        assert (said, errors) == (f"{END}\n".encode(), b"")
        assert (launch.cwd / "approved").exists()
        listed = json.loads(await two.call(UNBRAID, "ps", "--all", "--json"))
        both = seen[0].times.keys() & seen[1].times.keys()
        later = [seen[1].times[each] - seen[0].times[each] for each in both]
        return {
            "events": len(both),
            "median_ms": 1000 * median(later),
            "most_ms": 1000 * max(later),
            "words": [viewer.words for viewer in seen],
            "machines": [run["machine"] for run in listed],
        }


def inside(turns: int) -> None:
    """Makes the network, and prints what was measured in it."""
    with tempfile.TemporaryDirectory() as folder, Network() as network:
        print(json.dumps(asyncio.run(trial(Path(folder), network, turns))))


def main(words: list[str]) -> None:
    """By its first word, what one of the hosts does."""
    what = words[0] if words else str(TURNS)
    if what == "look":
        asyncio.run(look(words[1]))
    elif what == "model":
        asyncio.run(serve_model(int(words[1])))
    elif what == "inside":
        inside(int(words[1]))
    elif has_namespaces():
        sys.exit(subprocess.run(in_own_network(MODULE, "inside", what)).returncode)
    else:
        sys.exit("this machine makes no network namespaces (unshare --user --net, ip)")


if __name__ == "__main__":
    main(sys.argv[1:])
