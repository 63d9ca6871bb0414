"""What a log on NATS does beyond the contract: several machines, lost answers, large appends."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.log.nats.conftest import Opener
from tests.nats_servers import NatsCluster
from tests.polling import until
from unbraid.log import LogConflict, LogUnusable
from unbraid.log.nats.connection import NatsConnection, NoAnswer, parse_address
from unbraid.log.nats.stream import is_cut_off
from unbraid.log.repair import repair_log
from unbraid.log.replicated.log import ReplicatedLog
from unbraid.read.chunk import Chunk
from unbraid.testing.log_contract import gather, sample_run
from unbraid.testing.sample_runs import all_chunks

pytestmark = pytest.mark.xdist_group("nats")


async def test_every_machine_sees_the_same_under_the_same_cursors(opened: Opener) -> None:
    one, two = await opened("one"), await opened("two")
    await one.append("a", sample_run(["x", "y"]), offsets={"out": 3})
    await two.append("b.2", sample_run(["needle"], ts=5000))
    following = asyncio.create_task(gather(two.follow("live")))
    for event in sample_run(["1", "2", "3"], ts=9000):
        await one.append("live", [event])
    assert [entry.seq for entry in await following] == list(range(1, 9))
    await one.settle()
    await two.settle()
    late = await opened("late")
    await late.settle()
    entries = await one.read_all()
    assert await two.read_all() == await late.read_all() == entries
    assert [run.run for run in await late.runs()] == ["live", "b.2", "a"]
    assert [found.run for found in await late.search("needle")] == ["b.2"]
    assert await late.offsets("a") == {"out": 3}
    state = await late.replication()
    assert (state.reachable, state.behind, state.problem) == (True, 0, None)

    # What one takes away is gone everywhere, and a machine that comes later still lists it.
    assert await two.retain(newer_than_ms=4000) == ["a"]
    await late.forget("b.2")
    newest = await opened("newest")
    for log in (one, two, late, newest):
        await log.settle()
        assert [(run.run, run.bytes > 0) for run in await log.runs()] == [
            ("live", True),
            ("a", False),
        ]
        assert await log.search("needle") == []
        assert (await log.append("a", sample_run(["x", "y"]))).added == 0
        assert await log.offsets("a") == {"out": 3}
    await newest.append("b.2", sample_run(["again"]))
    await one.settle()
    assert len(await one.read("b.2")) == len(sample_run(["again"]))


async def test_two_writers_of_one_run_have_one_history(opened: Opener) -> None:
    one, two = await opened("one"), await opened("two")
    events = sample_run([str(number) for number in range(40)])

    async def write(log: ReplicatedLog) -> None:
        for event in events:
            await log.append("r", [event])

    await asyncio.gather(write(one), write(two))
    await one.settle()
    assert [entry.seq for entry in await one.read("r")] == list(range(1, len(events) + 1))
    last = (await one.journal.info()).last_seq
    assert last == len(events)
    # A repeat publishes nothing: two that say the same would chase each other.
    assert (await two.append("r", events)).added == 0
    assert (await one.journal.info()).last_seq == last
    await one.append("other", sample_run(["a"])[:3])
    with pytest.raises(LogConflict) as caught:
        await two.append("other", sample_run(["b"])[:3])
    assert (caught.value.seq, caught.value.expected) == (3, 4)
    # Its copy may be behind: that is no reason to refuse what continues the run.
    await one.append("third", sample_run(["a"])[:3])
    assert (await two.append("third", sample_run(["a"])[3:4])).last_seq == 4


async def test_an_append_whose_answer_is_lost_is_there_once(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = await opened("one")
    request, chance = NatsConnection.request, random.Random(7)

    async def unreliable(self: NatsConnection, subject: str, *args: Any, **more: Any) -> bytes:
        if subject.startswith("$JS"):
            return await request(self, subject, *args, **more)
        fate = chance.random()
        if fate < 0.3:
            raise NoAnswer(self.address.shown, "lost on the way there")
        answer = await request(self, subject, *args, **more)
        if fate < 0.6:
            raise NoAnswer(self.address.shown, "lost on the way back")
        return answer

    monkeypatch.setattr(NatsConnection, "request", unreliable)
    events = sample_run([str(number) for number in range(60)])
    big = Chunk("out", 0, chance.randbytes(2_000_000))
    for event in events:
        chunks = [big] if event.seq == 5 else []
        assert (await log.append("r", [event], chunks=chunks)).last_seq == event.seq
    assert [entry.seq for entry in await log.read("r")] == list(range(1, len(events) + 1))
    assert log.counters()["rescued"] > 5
    # Appends that are sent together share one answer.
    runs = [f"together-{number}" for number in range(20)]

    async def write(run: str) -> None:
        for event in events[:20]:
            assert (await log.append(run, [event])).last_seq == event.seq

    await asyncio.gather(*map(write, runs))
    for run in runs:
        assert [entry.seq for entry in await log.read(run)] == list(range(1, 21))


async def test_appends_of_many_runs_are_sent_together_and_fail_apart(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = await opened("one"), await opened("two")
    answered, request = list[str](), NatsConnection.request

    async def counted(self: NatsConnection, subject: str, *args: Any, **more: Any) -> bytes:
        answered.append(subject)
        return await request(self, subject, *args, **more)

    monkeypatch.setattr(NatsConnection, "request", counted)
    runs = [f"r{number}" for number in range(100)]
    await asyncio.gather(*(one.append(run, sample_run(["a"])[:1]) for run in runs))
    answered.clear()
    await asyncio.gather(*(one.append(run, sample_run(["a"])[1:2]) for run in runs))
    assert len([subject for subject in answered if not subject.startswith("$JS")]) == 1
    await two.append("r50", sample_run(["other"])[2:3])
    await two.append("r60", sample_run(["a"])[2:3])
    # One of them has another history by now, one has the same already, and one was given up.
    writing = [asyncio.create_task(one.append(run, sample_run(["a"])[2:3])) for run in runs]
    await asyncio.sleep(0)
    writing[70].cancel()
    answers: list[Any] = await asyncio.gather(*writing, return_exceptions=True)
    assert isinstance(answers[50], LogConflict)
    assert isinstance(answers[70], asyncio.CancelledError)
    await one.append("r70", sample_run(["a"])[2:3])
    for number, run in enumerate(runs):
        said = [entry.seq for entry in await one.read(run)]
        assert said == [1, 2, 3]
        if number not in (50, 70):
            assert answers[number].last_seq == 3
    await one.settle()
    await two.settle()
    assert await two.read_all() == await one.read_all()


async def test_much_in_one_append_is_all_or_nothing(opened: Opener) -> None:
    log = await opened("one")
    raw = random.Random(1).randbytes(5_000_000)
    events = sample_run(["word " * 200 for _ in range(2000)])
    await log.append("r", events[:-1], chunks=[Chunk("out", 0, raw)], offsets={"out": len(raw)})
    assert (await log.journal.info()).last_seq > 5
    assert await all_chunks(log, "r") == [Chunk("out", 0, raw)]
    two = await opened("two")
    await two.settle()
    assert await all_chunks(two, "r") == [Chunk("out", 0, raw)]
    await two.append("r", events[-1:])
    await log.settle()
    entries = [entry async for batch in log.follow("r") for entry in batch]
    assert [entry.seq for entry in entries] == list(range(1, len(events) + 1))
    assert await all_chunks(log, "r") == []


async def test_processes_of_one_machine_share_a_copy(opened: Opener) -> None:
    first, second = await opened("same"), await opened("same")
    await second.append("r", sample_run(["x"]))
    assert len(await second.read("r")) == len(sample_run(["x"]))
    assert len(await first.read("r")) == len(sample_run(["x"]))
    await first.close()
    await second.append("r2", sample_run(["x"]))
    assert len(await second.read("r2")) == len(sample_run(["x"]))


async def test_a_stream_that_is_deleted_is_brought_back_from_the_copies(
    opened: Opener, one_node: NatsCluster, stream: str, tmp_path: Path
) -> None:
    events = sample_run([str(number) for number in range(1500)])
    one, two = await opened("one"), await opened("two")
    await one.append("cut", sample_run(["old"]), offsets={"out": 7})
    await one.retain(newer_than_ms=5000)
    await one.append("r", events, offsets={"out": 9})
    await one.append("live", sample_run(["x"], ts=9000)[:3])
    await two.settle()
    before = {run.run: run for run in await two.runs()}
    await two.close()
    await one.append("late", sample_run(["only here"], ts=9500))
    assert len(await one.read("late")) == len(sample_run(["x"]))

    url = one_node.url(stream, tmp_path / "x")
    connection = await NatsConnection.open(parse_address(url))
    await connection.ask(f"STREAM.DELETE.{stream}")
    await connection.close()
    # While it runs: noticed, and nothing is made anew in silence.
    await until(lambda: one.replication(), lambda state: state.lost)
    state = await one.replication()
    assert "its stream is gone" in str(state.problem)
    assert "unbraid doctor --repair" in str(state.problem)
    assert len(await one.read("r", 0, 10)) == 10
    for act in (one.check(), one.append("r3", sample_run(["x"]))):
        with pytest.raises(LogUnusable) as caught:
            await act
        assert caught.value.reason == "lost"
    findings = {each.about: each for each in await one.checkup()}
    assert not findings["log"].ok
    assert "--repair" in findings["log"].found
    await one.close()

    # One that comes later makes it anew, and the copies notice that.
    other = await opened("other")
    await other.append("new", sample_run(["x"], ts=9900))
    two = await opened("two")
    await until(lambda: two.replication(), lambda state: state.lost)
    assert "was made anew" in str((await two.replication()).problem)
    await two.close()

    for name, expected in (("two", len(events) + 3), ("one", len(sample_run(["x"])))):
        repaired = await repair_log(one_node.url(stream, tmp_path / f"{name}.db"))
        assert repaired.restored is not None
        assert (repaired.restored.events, repaired.restored.differing) == (expected, [])
        assert repaired.source is not None
        assert repaired.source.name.startswith(f"{name}.db.lost-")
    again = await repair_log(one_node.url(stream, tmp_path / "one.db"))
    assert again.restored is None
    await other.settle()
    after = {run.run: run for run in await other.runs()}
    assert after.keys() == {"cut", "r", "live", "late", "new"}
    assert {name: after[name] for name in before} == before
    assert await other.offsets("r") == {"out": 9}
    assert await other.offsets("cut") == {"out": 7}
    assert (await other.append("r", events)).added == 0


def test_nothing_of_nats_is_imported_without_need() -> None:
    code = """
import sys, asyncio
sys.modules["nats"] = None  # as if the extra were not there
from unbraid.errors import CallerError
from unbraid.log import open_log
import unbraid.machine, unbraid.serve
assert not [name for name in sys.modules if name.startswith("unbraid.log.nats.")]
def opened():
    try:
        asyncio.run(open_log("nats://u:s3cret@127.0.0.1:1/X"))
    except CallerError as error:
        print(error)
opened()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'unbraid[nats]'" in done.stdout
    assert "s3cret" not in done.stdout


async def test_a_machine_that_joins_late_gets_all_of_it_by_one_feed(opened: Opener) -> None:
    log = await opened("one")

    async def write(run: str) -> None:
        for event in sample_run([str(number) for number in range(105)]):
            await log.append(run, [event])

    await asyncio.gather(*(write(f"r{number}") for number in range(10)))
    late = await opened("late")
    await late.settle()
    assert len(await late.run_names()) == 10
    # More than are asked for at once, twice. Only a machine under load may break off in between.
    assert late.counters()["feed_restarts"] < 2


@pytest.mark.parametrize(
    ("cluster", "expected"),
    [
        (None, False),
        ({"leader": "a", "replicas": [{"active": 4e8}, {"active": 9e8}]}, False),
        ({"leader": "a", "replicas": [{"active": 4e8}, {"active": 9e10}]}, False),
        ({"leader": "a", "replicas": [{"active": 6e9}, {"active": 9e9}]}, True),
        ({"replicas": [{"active": 4e8}, {"active": 4e8}, {"active": 4e8}]}, True),
    ],
)
def test_a_node_that_is_alone_is_not_believed(cluster: Any, expected: bool) -> None:
    """As nodes answered while their host was cut off, with an age of what they heard in ns."""
    assert is_cut_off({"cluster": cluster}) is expected
