"""What was spent: by the model's own account, and by our events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from unbraid import events as e
from unbraid.testing import ScriptedModel, ScriptedUsage
from unbraid.testing.dialects import output_tokens
from unbraid.testing.model import Serving


class Tokens(NamedTuple):
    """Token counts."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_creation: int = 0

    def plus(self, other: Tokens, times: int = 1) -> Tokens:
        """The sum of both, the other one so many times."""
        return Tokens(*(mine + its * times for mine, its in zip(self, other, strict=True)))


# What the model charges a CLI that asks on its own behalf: it says "ok".
OWN_REQUEST = Tokens(
    ScriptedUsage().input_tokens,
    1,
    ScriptedUsage().cache_read_tokens,
    ScriptedUsage().cache_creation_tokens,
)


def charged(model: ScriptedModel, cli: str) -> dict[str, Tokens]:
    """What each agent has spent, as that CLI names the numbers."""
    spent: dict[str, Tokens] = {}
    for serving in model.ledger.kept():
        known = spent.get(serving.agent, Tokens())
        spent[serving.agent] = known.plus(_price(model, serving, cli))
    return spent


def own_requests(model: ScriptedModel) -> int:
    """How often the CLI has asked on its own behalf."""
    return len(model.requests) - len(model.ledger.servings)


def _price(model: ScriptedModel, serving: Serving, cli: str) -> Tokens:
    turn = model.script.turn(serving.agent, serving.turn)
    usage, output = turn.usage, output_tokens(turn, serving.blocks)
    if cli == "opencode":
        # OpenAI's dialect tells the price at the end only, and knows no writing of a cache.
        if not serving.complete:
            return Tokens()
        given = usage.input_tokens + usage.cache_creation_tokens
        return Tokens(given, output, usage.cache_read_tokens)
    return Tokens(
        usage.input_tokens,
        # Anthropic's tells it at the beginning, too, with one token of output.
        output if serving.complete else 1,
        usage.cache_read_tokens,
        usage.cache_creation_tokens,
    )


def spent_by(events: Iterable[e.FleetEvent], agents: dict[int, str]) -> dict[str, Tokens]:
    """What each agent has spent by a log, the agents by stream."""
    spent: dict[str, Tokens] = {}
    for event in events:
        if isinstance(event, e.FleetTokenUsage) and event.stream_id in agents:
            agent = agents[event.stream_id]
            spent[agent] = spent.get(agent, Tokens()).plus(tokens_of(event))
    return spent


def guessed(
    events: Sequence[e.FleetEvent], agents: dict[int, str], charged: Mapping[str, Tokens]
) -> set[str]:
    """The agents that were charged otherwise, all of whom say that some of their numbers are only
    estimates: a CLI may end before it has written what its messages have cost.
    """
    spent = spent_by(events, agents)
    wrong = {name for name in spent.keys() | charged if spent.get(name) != charged.get(name)}
    estimated = {
        agents.get(event.stream_id)
        for event in events
        if isinstance(event, e.FleetTokenUsage) and event.estimated
    }
    assert wrong <= estimated, f"{spent} instead of {charged}"
    return wrong


def tokens_of(event: e.FleetTokenUsage | e.Done) -> Tokens:
    """An event's numbers."""
    return Tokens(
        event.input_tokens,
        event.output_tokens,
        event.cache_read_tokens,
        event.cache_creation_tokens,
    )
