"""A request's life: cancelled, interrupted, sent more, gone on with, left behind by its process."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.orchestrate.fleets import fleet, orchestrator, scripted, text_of
from unbraid import events as e
from unbraid.errors import CallerError, RequestConflict, TooManyRequests
from unbraid.fold.tree import closing_events
from unbraid.log import MemoryLog, SqliteLog
from unbraid.log.leases import FileLeases
from unbraid.log.port import Appended, LogUnusable
from unbraid.orchestrate.orchestrator import Orchestrator, recover
from unbraid.testing import Turn, assert_fleet, say

PATIENCE_SECONDS = 300


def busy() -> dict[str, list[Turn]]:
    """A master, two children, a grandchild, all of them slow."""

    def slow(text: str) -> Turn:
        return say(text, chunk_chars=4, chunk_delay_seconds=0.002)

    return {
        "main": [
            slow("Plan.\n/parallel\n/agent a [[a]] go\n/agent b [[b]] go\n/endparallel"),
            slow("The answer is long. " * 20),
        ],
        "a": [slow("/agent c [[c]] go"), slow("A says so. " * 10)],
        "b": [slow("B says so. " * 20)],
        "c": [slow("C says so. " * 10)],
    }


async def events_of(made: Orchestrator, run: str) -> list[e.FleetEvent]:
    async with asyncio.timeout(PATIENCE_SECONDS):
        return [event async for event in made.follow(run)]


@pytest.mark.parametrize("seed", range(12))
async def test_cancel_at_a_random_moment_leaves_a_complete_log(seed: int) -> None:
    chance = random.Random(seed)
    async with scripted(busy()) as model, orchestrator(model, fleet("a", "b", "c")) as made:
        run = await made.start("[[main]] go")
        request, moment = made.request(run), chance.randrange(1, 150)
        seen = 0
        async with asyncio.timeout(PATIENCE_SECONDS):
            async for event in made.follow(run):
                seen += 1
                if seen == moment:
                    await request.cancel()
                last = event
        events = await events_of(made, run)
        assert_fleet(events)
        assert last == events[-1]
        assert len(asyncio.all_tasks()) < 40
    reasons = {x.reason for x in events if isinstance(x, e.StreamEnd)}
    done = events[-1]
    assert isinstance(done, e.Done)
    assert done.ok == ("cancelled" not in reasons)
    assert reasons <= {"completed", "cancelled"}


async def test_nothing_is_left_when_it_is_closed() -> None:
    before = asyncio.all_tasks()
    async with scripted(busy()) as model:
        async with orchestrator(model, fleet("a", "b", "c")) as made:
            runs = [await made.start("[[main]] go") for _ in range(3)]
            await model.reached("b", 0)
        for run in runs:
            assert_fleet(await events_of(made, run))
        with pytest.raises(CallerError):
            await made.start("[[main]] go")
    assert asyncio.all_tasks() == before


async def test_a_message_meanwhile_is_answered_afterwards() -> None:
    agents = {
        "main": [say("/agent a [[a]] go"), say("First answer."), say("Second answer.")],
        "a": [say("A.", delay_seconds=0.05)],
    }
    async with scripted(agents) as model, orchestrator(model, fleet("a")) as made:
        run = await made.start("[[main]] go")
        await model.reached("main", 0)
        await made.request(run).message("And then?")
        events = await events_of(made, run)
    assert_fleet(events)
    assert text_of(events) == "→ delegating: a\nFirst answer.Second answer."
    (prompt,) = [event for event in events if isinstance(event, e.FleetPrompt)]
    assert prompt.text == "And then?"
    last = model.requests[-1]["messages"]
    assert [message["content"] for message in last][-2:] == ["First answer.", "And then?"]


async def test_an_interrupted_master_waits_for_the_next_message() -> None:
    agents = {
        "main": [say("/agent a [[a]] go"), say("I was told otherwise.")],
        "a": [say("Never.", delay_seconds=3600)],
    }
    async with scripted(agents) as model, orchestrator(model, fleet("a")) as made:
        run = await made.start("[[main]] go")
        request = made.request(run)
        async with asyncio.timeout(PATIENCE_SECONDS):
            async for event in made.follow(run):
                if isinstance(event, e.StreamStart) and event.stream_id == 1:
                    await request.interrupt()
                if isinstance(event, e.StreamEnd) and event.stream_id == 1:
                    await request.message("Do something else.")
        events = await events_of(made, run)
    assert_fleet(events)
    assert text_of(events).endswith("I was told otherwise.")
    ends = {x.stream_id: x.reason for x in events if isinstance(x, e.StreamEnd)}
    assert ends == {0: "completed", 1: "cancelled"}


@pytest.mark.parametrize("backend", ("anthropic", "openai"))
async def test_a_further_request_goes_on_with_the_same_master(backend: str) -> None:
    agents = {"main": [say("One."), say("/agent a [[a]] go"), say("Two.")], "a": [say("A.")]}
    async with scripted(agents) as model:
        made = orchestrator(model, fleet("a"), backend=backend, keep_seconds=600)
        async with made:
            first = await made.start("[[main]] go")
            await events_of(made, first)
            second = await made.start("Go on.", continues=first)
            with pytest.raises(RequestConflict, match="is working"):
                await made.start("Too soon.", continues=first)
            events = await events_of(made, second)
            assert_fleet(events)
            assert text_of(events) == "→ delegating: a\nTwo."
            output = [m["content"] for m in model.requests[-1]["messages"] if m["role"] != "system"]
            assert output[:3] == ["[[main]] go", "One.", "Go on."]
            with pytest.raises(RequestConflict, match="has ended"):
                await made.start("Who?", continues="ask-nobody")


async def test_a_key_gives_the_same_run_even_after_a_restart(tmp_path: Path) -> None:
    async with scripted({"main": [say("One.")]}) as model:
        log = await SqliteLog.open(tmp_path / "log.db")
        async with orchestrator(model, fleet(), log=log) as made:
            runs = await asyncio.gather(*(made.start("[[main]] go", key="k") for _ in range(5)))
            events = await events_of(made, runs[0])
        await log.close()
        log = await SqliteLog.open(tmp_path / "log.db")
        async with orchestrator(model, fleet(), log=log) as made:
            runs.append(await made.start("[[main]] go", key="k"))
            assert await events_of(made, runs[-1]) == events
            with pytest.raises(RequestConflict, match="used for another"):
                await made.start("[[main]] stop", key="k")
            assert len(model.requests) == 1
            assert await made.start("[[main]] go", key="other") != runs[0]
        await log.close()
    assert len(set(runs)) == 1


async def test_too_many_requests_and_empty_ones() -> None:
    agents = {"main": [say("Slow.", delay_seconds=3600)]}
    async with (
        scripted(agents) as model,
        orchestrator(model, fleet(), max_requests=2) as made,
    ):
        await made.start("[[main]] one")
        await made.start("[[main]] two")
        with pytest.raises(TooManyRequests):
            await made.start("[[main]] three")
        with pytest.raises(CallerError, match="the prompt is empty"):
            await made.start("  \n")


async def test_a_run_that_died_with_its_process_is_recorded_to_its_end(tmp_path: Path) -> None:
    """Cut the log of a whole run anywhere: what is added makes it whole again."""
    async with scripted(busy()) as model, orchestrator(model, fleet("a", "b", "c")) as made:
        whole = await events_of(made, await made.start("[[main]] go"))
    leases = FileLeases(tmp_path)
    for cut in range(1, len(whole), 7):
        log = MemoryLog()
        await log.append("r", whole[:cut])
        assert await recover(log, leases) == ["r"]
        assert await recover(log, leases) == []
        events = [e.decode_event(entry.data) for entry in await log.read("r")]
        assert events[:cut] == whole[:cut]
        if cut > 1:
            assert_fleet(events)
        done = events[-1]
        assert isinstance(done, e.Done) and not done.ok
        used = [x for x in events if isinstance(x, e.FleetTokenUsage)]
        assert done.output_tokens == sum(x.output_tokens for x in used)
    assert closing_events(whole, "interrupted") == []
    assert closing_events([], "interrupted") == []


async def test_a_run_that_someone_works_on_is_left_alone(tmp_path: Path) -> None:
    log, theirs, ours = MemoryLog(), FileLeases(tmp_path), FileLeases(tmp_path)
    async with (
        scripted(busy()) as model,
        orchestrator(model, fleet("a", "b", "c"), log=log, leases=theirs) as made,
    ):
        run = await made.start("[[main]] go")
        assert await recover(log, ours) == []
        assert_fleet(await events_of(made, run))
    assert await recover(log, ours) == []


class FullLog(MemoryLog):
    """A log whose disk is full after some appends."""

    def __init__(self, appends: int) -> None:
        super().__init__()
        self._left = appends

    async def append(self, *args: Any, **more: Any) -> Appended:
        self._left -= 1
        if self._left < 0:
            raise LogUnusable("disk", "full", "no space left")
        return await super().append(*args, **more)


@pytest.mark.parametrize("appends", (0, 1, 3))
async def test_a_log_that_fails_ends_the_work_and_says_so(appends: int) -> None:
    async with (
        scripted(busy()) as model,
        orchestrator(model, fleet("a", "b", "c"), log=FullLog(appends)) as made,
        asyncio.timeout(PATIENCE_SECONDS),
    ):
        with pytest.raises(LogUnusable):
            async for _ in made.run("[[main]] go"):
                pass


async def test_what_no_backend_reports_the_cost_of_gets_an_estimate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with scripted({"main": [say("Short.")]}) as model, orchestrator(model, fleet()) as made:
        before = await events_of(made, await made.start("[[main]] go"))
        (used,) = [x for x in before if isinstance(x, e.FleetTokenUsage)]
        own = tmp_path / "prices.json"
        own.write_text(json.dumps({str(used.model): {"input": 1_000_000, "output": 2_000_000}}))
        monkeypatch.setenv("UNBRAID_PRICES", str(own))
        after = await events_of(made, await made.start("[[main]] go"))
    (used,) = [x for x in after if isinstance(x, e.FleetTokenUsage)]
    done = after[-1]
    assert used.cost_usd is None and isinstance(done, e.Done)
    plain = used.input_tokens + used.cache_read_tokens + used.cache_creation_tokens
    assert used.estimated_usd == done.estimated_usd == plain + 2 * used.output_tokens > 0
