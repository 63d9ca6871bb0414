"""What Prometheus can alert on: agents by status, how long they wait, tokens and cost."""

from __future__ import annotations

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests import polling
from tests.fold.alerts.made import Maker, helper
from unbraid import events as e
from unbraid.log import SqliteLog
from unbraid.serve.metrics import MAX_MODELS
from unbraid.system.clock import now_ms


async def scraped(client: httpx.AsyncClient) -> dict[tuple[str, ...], float]:
    answer = await client.get("/metrics")
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


async def until(
    client: httpx.AsyncClient, name: tuple[str, ...], value: float
) -> dict[tuple[str, ...], float]:
    return await polling.until(lambda: scraped(client), lambda found: found.get(name) == value)


async def test_agents_waits_tokens_and_cost(client: httpx.AsyncClient, log: SqliteLog) -> None:
    first, second = (Maker(begin=now_ms() - 60_000, step=0) for _ in range(2))
    await log.append(
        "r1",
        [
            *first.begin(source="claude"),
            first.start(1),
            first.start(2),
            first.asked("q", helper(1)),
            first.usage(100, 0.5),
            first.usage(20, 0.25, helper(1)),
        ],
    )
    await log.append("r2", [*second.begin(source="opencode"), second.usage(7, None), second.turn()])
    found = await until(client, ("unbraid_tokens_total", "input", "opencode", "x"), 7.0)
    assert found["unbraid_tokens_total", "claude", "input", "x"] == 120
    assert found["unbraid_cost_dollars_total", "claude", "computed", "x"] == 0.75
    assert found["unbraid_agents", "claude", "waiting"] == 1
    assert found["unbraid_agents", "claude", "working"] == 2
    assert found["unbraid_agents", "opencode", "waiting"] == 1
    assert found["unbraid_waiting_seconds", "permission"] >= 60
    assert found["unbraid_waiting_seconds", "prompt"] >= 60
    # Nothing is counted twice, and what is over waits no more.
    await log.append("r1", [first.end(), first.done()])
    await log.append("r2", [second.end(), second.done()])
    found = await until(client, ("unbraid_runs_live",), 0.0)
    assert found["unbraid_tokens_total", "claude", "input", "x"] == 120
    assert not [name for name in found if name[0] == "unbraid_agents"]
    assert found["unbraid_waiting_seconds", "permission"] == 0


async def test_names_of_models_are_bounded(client: httpx.AsyncClient, log: SqliteLog) -> None:
    maker = Maker(begin=now_ms(), step=0)
    events = maker.begin()
    for number in range(MAX_MODELS + 50):
        events.append(
            maker.make(
                e.FleetTokenUsage,
                message_id=f"m{number}",
                model=f"model {number}\n",
                input_tokens=1,
                output_tokens=0,
                cache_read_tokens=0,
                cache_creation_tokens=0,
            )
        )
    await log.append("r", events)
    found = await until(client, ("unbraid_tokens_total", "claude", "input", "other"), 50.0)
    models = [name for name in found if name[0] == "unbraid_tokens_total" and "input" in name]
    assert len(models) == MAX_MODELS + 1
