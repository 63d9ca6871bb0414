"""The faces that other programs read, and `top`: traces, AG-UI, metrics. Each is fed with a run's
log, as its server or its screen feeds it.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from prometheus_client import CollectorRegistry

from tests.faces.folded_events import Agent, Tokens, tokens_of, total_of
from unbraid.fold.run_trace import RunTrace, TraceIdentity
from unbraid.fold.status import MARKS
from unbraid.log.entry import Entry
from unbraid.log.summary import RunSummary
from unbraid.screen import cost, duration, token_count
from unbraid.send.ag_ui import AgUiRun
from unbraid.serve.metrics import SpendingMetrics
from unbraid.tui.run_tree import RunTree, run_row

AG_UI_OUTCOMES = {"interrupted": "cancelled", "done": "success"}


async def others_agree(
    run: RunSummary, entries: list[Entry], agents: dict[int, Agent], row: dict[str, Any]
) -> None:
    """Fails unless they say of a run what its row and its events say."""
    used = tokens_of(row["usage"])
    traced(run, entries, agents, used)
    ag_ui(run, entries, agents)
    await metrics(run, entries, agents)
    top(run, entries, agents)


def traced(run: RunSummary, entries: list[Entry], agents: dict[int, Agent], used: Tokens) -> None:
    """The spans that OTLP carries."""
    trace = RunTrace(TraceIdentity(run.run))
    spans = [span for entry in entries for span in trace.apply(entry.event)]
    found = {
        span.attributes["unbraid.stream_id"]: span
        for span in spans
        if span.attributes.get("gen_ai.operation.name") == "invoke_agent"
    }
    assert found.keys() == agents.keys()
    assert trace.over
    for number, agent in agents.items():
        span = found[number]
        assert (span.start, span.end) == (agent.started, agent.ended)
        assert span.attributes["unbraid.status"] == agent.status
        assert _counts(span.attributes, "unbraid.usage") == agent.own
    assert _counts(found[0].attributes, "unbraid.total") == used
    dollars = (run.usage.cost_usd, run.usage.estimated_usd)
    names = ("unbraid.total.cost_usd", "unbraid.total.estimated_usd")
    assert tuple(found[0].attributes.get(name) for name in names) == dollars


def ag_ui(run: RunSummary, entries: list[Entry], agents: dict[int, Agent]) -> None:
    """A thread of AG-UI: cached input is part of its input."""
    thread = AgUiRun(run.run)
    events = [
        event.model_dump(by_alias=True, exclude_none=True, mode="json")
        for entry in entries
        for event in thread.apply(entry.event)
    ]
    begun = [each for each in events if each["type"] == "SUBAGENT_STARTED"]
    ended = [each for each in events if each["type"] in ("SUBAGENT_FINISHED", "SUBAGENT_ERROR")]
    below = {f"{run.run}/{number}": agent for number, agent in agents.items() if number}
    started = {each["subagentRunId"]: each["timestamp"] for each in begun}
    assert started == {name: agent.started for name, agent in below.items()}
    for each in ended:
        agent = below.pop(each["subagentRunId"])
        assert each["timestamp"] == agent.ended
        assert (each["type"] == "SUBAGENT_FINISHED") == (agent.status == "done")
    assert not below
    first, last = events[0], events[-1]
    assert (first["type"], first["timestamp"]) == ("RUN_STARTED", run.started)
    assert last["timestamp"] == entries[-1].ts
    outcome = last.get("outcome", {}).get("type")
    assert outcome == AG_UI_OUTCOMES.get(run.status), last["type"]
    usage = last.get("usage", [])
    read = sum(each.get("cachedInputTokens", 0) for each in usage)
    written = sum(each.get("cacheWriteInputTokens", 0) for each in usage)
    whole = sum(each["inputTokens"] for each in usage)
    output = sum(each["outputTokens"] for each in usage)
    assert (whole - read - written, output, read, written) == total_of(agents, 0)


async def metrics(run: RunSummary, entries: list[Entry], agents: dict[int, Agent]) -> None:
    """What Prometheus gets of these events."""
    registry = CollectorRegistry()
    spending = SpendingMetrics(registry)
    spending.observe(entries)

    async def kind_of(name: str) -> str:
        return run.source

    await spending.settle(kind_of)
    counts = Counter[str]()
    for metric in registry.collect():
        for sample in metric.samples:
            if sample.name == "unbraid_tokens_total":
                counts[sample.labels["type"]] += int(sample.value)
                assert sample.labels["kind"] == run.source
    names = ("input", "output", "cache_read", "cache_creation")
    assert tuple(counts[name] for name in names) == total_of(agents, 0)


def top(run: RunSummary, entries: list[Entry], agents: dict[int, Agent]) -> None:
    """The rows of the full-screen view."""
    row = run_row(run, run.updated)
    _, money, tokens, count = (cell.plain for cell in row.cells)
    assert row.text.plain.startswith(MARKS[run.status])
    assert (money, count) == (cost(run.usage), f"{run.agents}a" if run.agents > 1 else "")
    assert tokens == (token_count(run.usage.total_tokens) if run.usage.total_tokens else "")
    tree = RunTree(run.run)
    tree.apply(entries)
    rows = {int(each.key): each for each in tree.rows(())}
    assert rows.keys() == agents.keys()
    for number, agent in agents.items():
        total, own = sum(total_of(agents, number)), sum(agent.own)
        shown, took, *_ = (cell.plain for cell in rows[number].cells)
        assert shown == (token_count(total) if total else "")
        assert took == duration(agent.ended - agent.started)
        who, facts = (line.plain for line in tree.about(number))
        assert f"{MARKS[agent.status]} {agent.status}" in who
        for name, tokens_used in (("own", own), ("total", total)):
            assert not tokens_used or f"{name} {token_count(tokens_used)}" in facts


def _counts(attributes: dict[str, Any], prefix: str) -> Tokens:
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens")
    return tuple(attributes[f"{prefix}.{name}"] for name in names)
