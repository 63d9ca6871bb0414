"""What a run costs: each model message once, and the CLI's own account where it gives one.

Stdout hides messages of sub-agents, so the sum of what was seen may fall short of what was spent.
Claude Code's results carry an account of the whole tree, cumulative over the process. The total is
the larger of the two, number by number: nothing is counted twice, nothing spent is left out.
"""

from __future__ import annotations

from msgspec import Struct

from unbraid.events import FleetTokenUsage, TokenUsage


class Usage(Struct):
    """Token counts and dollars."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_creation_tokens: int = 0
    cost_usd: float | None = None

    def add(self, other: Usage | TokenUsage | FleetTokenUsage) -> None:
        """Count one more message, or another agent's share."""
        self.input_tokens += other.input_tokens
        self.output_tokens += other.output_tokens
        self.cache_read_tokens += other.cache_read_tokens
        self.cache_creation_tokens += other.cache_creation_tokens
        if other.cost_usd is not None:
            self.cost_usd = (self.cost_usd or 0.0) + other.cost_usd

    @property
    def total_tokens(self) -> int:
        """All tokens that went in or came out."""
        return (
            self.input_tokens
            + self.output_tokens
            + self.cache_read_tokens
            + self.cache_creation_tokens
        )


class Totals:
    """A run's total, from its messages and its CLI's account."""

    def __init__(self) -> None:
        self.seen = Usage()
        self.account: TokenUsage | None = None
        self.cost_usd: float | None = None

    def turn_over(self, account: TokenUsage | None, cost_usd: float | None) -> None:
        """Takes a result's account. It is cumulative: the latest replaces the one before."""
        self.account = account or self.account
        if cost_usd is not None:
            self.cost_usd = cost_usd

    def total(self) -> Usage:
        """Returns what the whole fleet has used so far."""
        seen, account = self.seen, self.account
        cost = self.cost_usd if self.cost_usd is not None else seen.cost_usd
        if account is None:
            return Usage(
                input_tokens=seen.input_tokens,
                output_tokens=seen.output_tokens,
                cache_read_tokens=seen.cache_read_tokens,
                cache_creation_tokens=seen.cache_creation_tokens,
                cost_usd=cost,
            )
        return Usage(
            input_tokens=max(seen.input_tokens, account.input_tokens),
            output_tokens=max(seen.output_tokens, account.output_tokens),
            cache_read_tokens=max(seen.cache_read_tokens, account.cache_read_tokens),
            cache_creation_tokens=max(seen.cache_creation_tokens, account.cache_creation_tokens),
            cost_usd=cost,
        )
