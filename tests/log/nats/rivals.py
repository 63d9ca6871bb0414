"""Machines that write the same runs at once and each something else, over a bad network.

Requests are lost, their answers are lost, they arrive late, after they were sent again; copies are
behind; machines are cut off in mid-append and come again, with their copy or a new one. What was
acknowledged must be in the log once, where it was said to be, and what was refused must not be in
it. By hand, with more rounds than the suite has time for, on three nodes whose leader is killed or
stopped for a while again and again:

    python -m tests.log.nats.rivals [SEED…]
"""

from __future__ import annotations

import asyncio
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from msgspec.structs import replace

from tests.log.nats.conftest import Opener, opening
from tests.nats_servers import NatsCluster
from unbraid.events import Text
from unbraid.log import LogConflict
from unbraid.log.nats.connection import NatsConnection, NoAnswer
from unbraid.log.port import LogUnusable
from unbraid.log.replicated.copy import JournalCopy
from unbraid.log.replicated.log import ReplicatedLog
from unbraid.log.sqlite import file
from unbraid.log.sqlite.file import open_reader
from unbraid.read.chunk import Chunk
from unbraid.testing.log_contract import sample_run
from unbraid.testing.sample_runs import all_chunks

MACHINES, TOGETHER = 3, 4
STREAM = "RIVALS"
RUNS = [f"r{number}" for number in range(6)]
LONGEST_DELAY_SECONDS = 0.02
WORD = cast(Text, sample_run(["x"])[2])

Patch = Callable[[object, str, Any], None]


class BadNetwork:
    """What happens to the messages of all machines of this process, and to their copies."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._late: set[asyncio.Task[Any]] = set()
        self._healed = False

    def begin(self, patch: Patch) -> None:
        """Puts itself between the logs and their server."""
        request, send, fold = NatsConnection.request, NatsConnection.send, JournalCopy.fold

        async def bad_request(connection: NatsConnection, *args: Any, **more: Any) -> bytes:
            address = connection.address.shown
            return await self._carry(address, lambda: request(connection, *args, **more))

        async def bad_send(*args: Any) -> None:
            if self._healed or self._chance.random() > 0.05:
                await send(*args)

        async def slow_fold(*args: Any) -> None:
            await self._pause()
            await fold(*args)

        def slow_reader(path: Path) -> sqlite3.Connection:
            connection = open_reader(path)
            # Before each query, so that there is time for others between two of them.
            connection.set_trace_callback(lambda query: time.sleep(self._delay() / 4))
            return connection

        patch(NatsConnection, "request", bad_request)
        patch(NatsConnection, "send", bad_send)
        patch(JournalCopy, "fold", slow_fold)
        patch(file, "open_reader", slow_reader)

    async def end(self) -> None:
        """Loses and delays nothing more, and waits for what is still on its way."""
        self._healed = True
        while self._late:
            await asyncio.wait(self._late)

    async def _carry(
        self, address: str, request: Callable[[], Coroutine[Any, Any, bytes]]
    ) -> bytes:
        fate = 0.5 if self._healed else self._chance.random()
        if fate < 0.1:
            raise NoAnswer(address, "lost on the way there")
        if fate < 0.2:
            late = asyncio.create_task(self._later(request))
            self._late.add(late)
            late.add_done_callback(self._late.discard)
            raise NoAnswer(address, "late")
        if fate < 0.4:
            await self._pause()
        answer = await request()
        if fate > 0.9:
            raise NoAnswer(address, "lost on the way back")
        return answer

    async def _later(self, request: Callable[[], Coroutine[Any, Any, bytes]]) -> None:
        await self._pause()
        await asyncio.gather(request(), return_exceptions=True)

    async def _pause(self) -> None:
        await asyncio.sleep(self._delay())

    def _delay(self) -> float:
        return 0.0 if self._healed else self._chance.random() * LONGEST_DELAY_SECONDS


@dataclass
class Claims:
    """What all machines have of their words."""

    acknowledged: dict[str, tuple[str, int]] = field(default_factory=dict)
    with_bytes: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)

    def check(self, places: dict[str, tuple[str, int]], raw: Sequence[str]) -> None:
        """Compares it with the words in the log, by run and seq, and with the raw bytes."""
        assert {word: places.get(word) for word in self.acknowledged} == self.acknowledged
        assert places.keys() <= self.acknowledged.keys() | self.unknown
        assert len(raw) == len(set(raw))
        assert self.with_bytes <= set(raw) <= self.with_bytes | self.unknown
        assert not self.refused & {*places, *raw}


@dataclass
class Rival:
    """A machine that goes on with each run in its own words."""

    name: str
    opened: Opener
    chance: random.Random
    claims: Claims
    words: int = 0
    copies: int = 0
    said: dict[str, list[Text]] = field(default_factory=dict)

    async def live(self, rounds: int) -> None:
        """Appends to some runs at once, again and again."""
        log = await self.open()
        for _ in range(rounds):
            runs = self.chance.sample(RUNS, TOGETHER)
            appending = [asyncio.create_task(self._append(log, run)) for run in runs]
            if self.chance.random() < 0.1:
                await asyncio.sleep(self.chance.random() * LONGEST_DELAY_SECONDS)
                for task in appending:
                    task.cancel()
                await asyncio.wait(appending)
                await log.close()
                self.copies += self.chance.random() < 0.5
                log = await self.open()
            for error in await asyncio.gather(*appending, return_exceptions=True):
                if error is not None and not isinstance(error, asyncio.CancelledError):
                    raise error

    async def open(self) -> ReplicatedLog:
        while True:
            try:
                return await self.opened(f"{self.name}-{self.copies}")
            except LogUnusable as error:
                assert error.reason == "away", error

    async def _append(self, log: ReplicatedLog, run: str) -> None:
        known = await log.run(run)
        last = 0 if known is None else known.last_seq
        events = [self._event(seq) for seq in range(last + 1, last + self.chance.randint(2, 4))]
        words = [event.delta for event in events]
        sent = [Chunk(self.name, self.words, words[-1].encode())] * self.chance.randint(0, 1)
        before = self.said.get(run, [])
        if before and before[-1].seq == last and self.chance.random() < 0.5:
            events = before + events  # what was said before counts as a repeat
        self.claims.unknown.update(words)
        try:
            answer = await log.append(run, events, chunks=sent)
        except LogConflict:
            self.claims.refused.update(words)
        except LogUnusable as error:
            assert error.reason in ("away", "behind"), error
            return
        else:
            assert answer.last_seq == events[-1].seq
            self.claims.acknowledged |= {
                word: (run, seq) for seq, word in enumerate(words, last + 1)
            }
            self.claims.with_bytes |= {words[-1]} if sent else set()
            self.said[run] = events
        self.claims.unknown.difference_update(words)

    def _event(self, seq: int) -> Text:
        self.words += 1
        return replace(WORD, seq=seq, ts=seq, delta=f"{self.name}.{self.words}")


async def contend(opened: Opener, patch: Patch, seed: int, rounds: int) -> Claims:
    """Lets rivals write for so many rounds; returns what they were told, after it was compared with
    the log as every machine has it.
    """
    chance, claims = random.Random(seed), Claims()
    network = BadNetwork(chance)
    network.begin(patch)
    names = [f"machine{number}" for number in range(MACHINES)]
    rivals = [Rival(name, opened, chance, claims) for name in names]
    await asyncio.gather(*(rival.live(rounds) for rival in rivals))
    await network.end()
    late = await opened("late")
    for log in (late, *[await rival.open() for rival in rivals]):
        await log.settle()
        # One that a writer was acknowledged and no copy has applied would be lost.
        assert "records" not in [finding.about for finding in await log.checkup()]
        for run in RUNS:
            assert await log.read(run) == await late.read(run)
    places, raw = dict[str, tuple[str, int]](), list[str]()
    for run in RUNS:
        entries = await late.read(run)
        assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
        words = [msgspec.json.decode(entry.data)["delta"] for entry in entries]
        assert not places.keys() & set(words)
        places |= {word: (run, seq) for seq, word in enumerate(words, 1)}
        raw += [chunk.data.decode() for chunk in await all_chunks(late, run)]
    claims.check(places, raw)
    return claims


async def _harm_leaders(cluster: NatsCluster, chance: random.Random) -> None:
    while True:
        await asyncio.sleep(3)
        leader = await cluster.leader(STREAM)
        if leader is None or leader.process is None:
            continue
        if chance.random() < 0.5:
            await asyncio.to_thread(leader.kill)
            leader.start()
        else:
            # Longer than a request waits, and than it takes to elect another one.
            leader.process.send_signal(signal.SIGSTOP)
            try:
                await asyncio.sleep(chance.choice([1, 3, 8]))
            finally:
                leader.process.send_signal(signal.SIGCONT)


async def _by_hand(seed: int) -> None:
    began = time.process_time()
    with (
        tempfile.TemporaryDirectory() as folder,
        NatsCluster(Path(folder), 3) as cluster,
        pytest.MonkeyPatch.context() as patches,
    ):
        async with opening(cluster, STREAM, Path(folder)) as opened, asyncio.TaskGroup() as group:
            harming = group.create_task(_harm_leaders(cluster, random.Random(seed)))
            claims = await contend(opened, patches.setattr, seed, rounds=60)
            harming.cancel()
    print(
        f"seed {seed}: {len(claims.acknowledged)} words acknowledged, {len(claims.refused)}"
        f" refused, {len(claims.unknown)} in doubt;"
        f" {time.process_time() - began:.1f} s of processor"
    )


if __name__ == "__main__":
    for argument in sys.argv[1:] or ["1"]:
        asyncio.run(_by_hand(int(argument)))
