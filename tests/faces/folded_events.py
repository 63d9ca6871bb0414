"""A run's events, folded by the test's own few lines: what every face has to agree with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens")
STATUSES = {
    "completed": "done",
    "failed": "failed",
    "cancelled": "interrupted",
    "interrupted": "interrupted",
    "orphaned": "orphaned",
}
Tokens = tuple[int, ...]


@dataclass
class Agent:
    """One stream."""

    parent: int | None
    name: str
    description: str | None
    resumes: int | None
    started: int
    ended: int = 0
    status: str = ""
    own: Tokens = (0, 0, 0, 0)
    tools: int = 0
    words: dict[tuple[str, int], str] = field(default_factory=dict)


def agents_of(events: list[dict[str, Any]]) -> dict[int, Agent]:
    """The agents by stream."""
    agents: dict[int, Agent] = {}
    for event in events:
        if event["type"] == "stream_start":
            agents[event["stream_id"]] = Agent(
                event["parent_stream_id"],
                event["agent"],
                event.get("description"),
                event.get("resumes"),
                event["ts"],
            )
        agent = agents.get(event["stream_id"])
        if agent is None:
            continue
        match event["type"]:
            case "token_usage":
                agent.own = plus(agent.own, tokens_of(event))
            case "tool_use":
                agent.tools += 1
            case "text" | "thinking":
                block = (event["message_id"], event["block"])
                agent.words[block] = agent.words.get(block, "") + event["delta"]
            case "stream_end":
                agent.ended, agent.status = event["ts"], STATUSES[event["reason"]]
    return agents


def known(events: list[dict[str, Any]], name: str) -> Any:
    """A fact of a run, by the last event that says it."""
    output = (event.get(name) for event in events if event["stream_id"] == 0)
    return next((value for value in reversed(list(output)) if value), None)


def total_of(agents: dict[int, Agent], stream: int) -> Tokens:
    """What an agent and everyone below it have used."""
    below = (total_of(agents, each) for each in agents if agents[each].parent == stream)
    total = agents[stream].own
    for more in below:
        total = plus(total, more)
    return total


def tokens_of(usage: dict[str, Any]) -> Tokens:
    """The counts of an object that has them."""
    return tuple(usage.get(name) or 0 for name in COUNTS)


def plus(one: Tokens, other: Tokens) -> Tokens:
    """The sum."""
    return tuple(a + b for a, b in zip(one, other, strict=True))


def dollars_of(usage: dict[str, Any]) -> tuple[float | None, float | None]:
    """Reported and computed dollars, without what depends on the order of adding them."""
    reported, computed = usage["cost_usd"], usage["estimated_usd"]
    return reported and round(reported, 9), computed and round(computed, 9)


def spent(usage: dict[str, Any]) -> tuple[Tokens, tuple[float | None, float | None]]:
    """Tokens and dollars."""
    return tokens_of(usage), dollars_of(usage)
