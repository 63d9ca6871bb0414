"""The orchestrator: how soon it delegates, how fast it passes on, what a token costs.

    python -m benchmarks.orchestrate

Against the bare SDK, in the same run and at the same model (a process of its own): from the end of
a delegating turn to the first of 16 children's requests, and the processor time of a streamed
token. And 16 children that talk as fast as they can: events per second, durable, through to 10
viewers.
"""

from __future__ import annotations

import asyncio
import gc
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.fanout_server import TOKEN
from benchmarks.orchestrate_model import CHILDREN, TOKENS
from benchmarks.table import Measured, table
from unbraid.agents.agent_spec import AgentSpec
from unbraid.events import RelayEvent, TextDelta, TokenUsage, TurnComplete
from unbraid.log import MemoryLog, SqliteLog
from unbraid.orchestrate.orchestrator import Orchestrator
from unbraid.orchestrate.roster import Roster
from unbraid.serve import ServeConfig, serving

ROUNDS, VIEWERS, WORDS = 9, 10, 4000
FLEET = Roster([AgentSpec(f"c{n}") for n in range(CHILDREN)])


class Model:
    """The model's process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("orchestrate_model.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()

    def times(self) -> dict[str, list[float]]:
        """When requests came and turns ended since the last time."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        output: dict[str, list[float]] = json.loads(self._process.stdout.readline())
        return output

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)


@contextmanager
def model() -> Iterator[Model]:
    """The model while the block runs."""
    made = Model()
    try:
        yield made
    finally:
        made.close()


def at(url: str) -> Orchestrator:
    """An orchestrator on the API backend."""
    env = {"ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": url}
    return Orchestrator(FLEET, backend="anthropic", env=env, log=MemoryLog(), cwd=Path("/"))


async def bare(url: str, *messages: str) -> None:
    """What a loop around the SDK does: messages at once, all of their words."""
    client = _client(url)
    await asyncio.gather(*(_answer(client, message) for message in messages))


def _client(url: str, kept: dict[str, Any] = {}) -> Any:  # noqa: B006 - one client, as ours has
    if url not in kept:
        from anthropic import AsyncAnthropic

        kept[url] = AsyncAnthropic(api_key="none", base_url=url)
    return kept[url]


async def _answer(client: Any, message: str) -> str:
    said: list[str] = []
    async with await client.messages.create(
        model="scripted",
        max_tokens=8192,
        messages=[{"role": "user", "content": message}],
        stream=True,
    ) as stream:
        async for event in stream:
            if event.type == "content_block_delta" and event.delta.type == "text_delta":
                said += (event.delta.text,)
    return "".join(said)


def _wait(output: dict[str, list[float]]) -> float:
    """From the end of the first turn to the first request after it, in milliseconds."""
    end = min(output["ended"])
    return 1000 * (min(time for time in output["arrived"] if time > end) - end)


async def delegation(model: Model) -> Measured:
    """From a delegating turn's end to the first child's request at the model."""
    ours, theirs = [], []
    async with at(model.url) as orchestrator:
        for _ in range(ROUNDS + 1):
            async for _event in orchestrator.run("[[fan]] go"):
                pass
            ours.append(_wait(model.times()))
            await bare(model.url, "[[fan]] go")
            await bare(model.url, *(f"[[c{n}]] go" for n in range(CHILDREN)))
            theirs.append(_wait(model.times()))
    # The first round pays for imports and connections.
    mine, bare_ms = statistics.median(ours[1:]), statistics.median(theirs[1:])
    what = f"from a delegating turn to the first of {CHILDREN} children's requests, beyond it"
    detail = f"{mine:.1f} ms against {bare_ms:.1f} ms"
    return Measured(what, mine - bare_ms, "ms", "the bare SDK", at_most=20, detail=detail)


async def token(model: Model) -> Measured:
    """Processor time of a streamed token, ours against the bare SDK's."""
    ours, theirs = [], []
    async with at(model.url) as orchestrator:
        for _ in range(ROUNDS):
            gc.collect()
            began = time.process_time()
            await bare(model.url, "[[talk]] go")
            theirs.append(time.process_time() - began)
            model.times()
            gc.collect()
            began = time.process_time()
            async for _event in orchestrator.run("[[talk]] go"):
                pass
            ours.append(time.process_time() - began)
            model.times()
    mine, bare_seconds = statistics.median(ours), statistics.median(theirs)
    detail = f"{1e6 * mine / TOKENS:.1f} µs against {1e6 * bare_seconds / TOKENS:.1f} µs"
    what, peer = "processor time of a token that is streamed and logged", "the bare SDK"
    return Measured(what, mine / bare_seconds, "of the time", peer, at_most=1.15, detail=detail)


class Talkers:
    """A backend whose agents have nothing to wait for, once they are told to begin."""

    def __init__(self) -> None:
        self.begin = asyncio.Event()

    @asynccontextmanager
    async def open(self, agent: AgentSpec) -> AsyncIterator[Talker]:
        await self.begin.wait()
        yield Talker(agent)

    async def close(self) -> None:
        pass


class Talker:
    """The master delegates once; the others talk."""

    def __init__(self, agent: AgentSpec) -> None:
        self._master = agent.name == "index"

    async def say(self, message: str) -> AsyncGenerator[RelayEvent, None]:
        text = ["Done."]
        if self._master and not message.startswith("[/parallel"):
            asked = "\n".join(f"/agent c{n} go" for n in range(CHILDREN))
            text = [f"/parallel\n{asked}\n/endparallel"]
        elif not self._master:
            text = ["word "] * WORDS
        for number, word in enumerate(text):
            yield TextDelta(message_id="m", delta=word)
            if number % 64 == 0:
                await asyncio.sleep(0)
        yield TokenUsage(message_id=f"m{id(message)}", model="none", output_tokens=len(text))
        yield TurnComplete()


async def throughput() -> Measured:
    """Events per second from 16 children, each durable, to 10 viewers in another process."""
    rates = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            log = await SqliteLog.open(Path(folder) / "log.db")
            talkers = Talkers()
            made = Orchestrator(FLEET, backends={"talk": talkers}, log=log, cwd=Path("/"))
            config = ServeConfig(port=0, tokens=(TOKEN,))
            try:
                async with serving(config, log) as server, made:
                    run = await made.start("go")
                    path = f"/v1/runs/{run}/events"
                    script = str(Path(__file__).with_name("orchestrate_viewers.py"))
                    viewers = await asyncio.create_subprocess_exec(
                        sys.executable, script, str(server.port), path, str(VIEWERS),
                        stdout=asyncio.subprocess.PIPE,
                    )  # fmt: skip
                    assert viewers.stdout is not None
                    await viewers.stdout.readline()
                    began, spent = time.perf_counter(), time.process_time()
                    talkers.begin.set()
                    out = await viewers.stdout.readline()
                    seconds = time.perf_counter() - began
                    spent = time.process_time() - spent
                    await viewers.wait()
                    summary = await log.run(run)
                    assert summary is not None
                    assert json.loads(out) == [summary.last_seq] * VIEWERS, out
                    rates.append((summary.last_seq / seconds, 1e6 * spent / summary.last_seq))
            finally:
                await log.close()
    rate, spent = max(rates)
    what = f"events from {CHILDREN} children, durable, through to {VIEWERS} viewers"
    detail = f"{spent:.0f} µs of processor time each"
    return Measured(what, rate, "a second", at_least=20_000, detail=detail)


def main() -> list[Measured]:
    """All of it."""
    with model() as made:
        first = asyncio.run(delegation(made))
    with model() as made:
        second = asyncio.run(token(made))
    return [first, second, asyncio.run(throughput())]


if __name__ == "__main__":
    print(table(main()))
