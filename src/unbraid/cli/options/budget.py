"""The options that limit what a run may spend."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from unbraid.cli.options.arguments import FiniteRange, Quantity

if TYPE_CHECKING:
    from unbraid.fold.alerts.budget import RunLimits

F = TypeVar("F", bound=Callable[..., Any])

MOST_TOKENS = 10**12
TIME = Quantity("time", {"m": 60, "s": 1, "h": 3600})


def budget_options(command: F) -> F:
    """Adds the options of a budget to a command."""
    for option in (
        click.option(
            "--max-agents",
            type=click.IntRange(1, MOST_TOKENS),
            help="Stop if there are more agents.",
        ),
        click.option("--max-time", type=TIME, help="Stop after this long: 30m, 90s, 2h."),
        click.option(
            "--max-tokens", type=click.IntRange(1, MOST_TOKENS), help="Stop at this many tokens."
        ),
        click.option(
            "--max-cost", type=FiniteRange(0, 1e6), help="Stop at this cost, in US dollars."
        ),
    ):
        command = option(command)
    return command


def limits_of(
    *,
    max_cost: float | None,
    max_tokens: int | None,
    max_time: float | None,
    max_agents: int | None,
) -> RunLimits | None:
    """Returns the limits that were given; None if none was."""
    if max_cost is max_tokens is max_time is max_agents is None:
        return None
    from unbraid.fold.alerts.budget import RunLimits

    return RunLimits(cost_usd=max_cost, tokens=max_tokens, seconds=max_time, agents=max_agents)
