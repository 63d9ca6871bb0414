"""What a run has used, in shares: by agent, by model, and by quarter of an hour, which is fine
enough for the days of every time zone.

The shares of a run add up to its usage, dollars included. Where only the total was reported, it is
divided among them in proportion to their estimates; without prices, to their tokens.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from unbraid.events import (
    FleetEvent,
    FleetSessionMeta,
    FleetTokenUsage,
    FleetTurnComplete,
    TokenUsage,
)
from unbraid.events.tokens import TokenCounts, add_tokens, all_tokens
from unbraid.fold.amounts import U, plausible_usage
from unbraid.fold.prices import MessageTokens, Prices
from unbraid.fold.usage import Usage

SLOT_MS = 15 * 60 * 1000
MAIN = "main"
# Less than this is what is left over by adding numbers in another order.
LEAST_USD = 1e-9


class UsageShare(Struct, array_like=True, gc=False):
    """What one agent has used of one model within one slot; `ts` is when the slot begins."""

    ts: int
    agent: str
    model: str | None
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_creation_tokens: int = 0
    cost_usd: float | None = None
    estimated_usd: float | None = None
    unpriced_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        """All tokens that went in or came out."""
        return all_tokens(self)


class ShareCounter:
    """Counts messages into shares. With `prices`, what has no reported cost gets an estimate."""

    def __init__(self, prices: Prices | None) -> None:
        self._prices = prices
        self._shares: dict[tuple[int, str, str | None], UsageShare] = {}

    @property
    def shares(self) -> list[UsageShare]:
        """What was counted, in order of appearance."""
        return list(self._shares.values())

    def add(
        self,
        tokens: MessageTokens | TokenUsage | FleetTokenUsage,
        *,
        ts: int,
        agent: str,
        model: str | None,
        cost_usd: float | None = None,
    ) -> None:
        """Counts one message, of which all numbers can be true."""
        slot = ts - ts % SLOT_MS
        share = self._shares.get((slot, agent, model))
        if share is None:
            share = self._shares[slot, agent, model] = UsageShare(slot, agent, model)
        add_tokens(share, tokens)
        if cost_usd is not None:
            share.cost_usd = (share.cost_usd or 0.0) + cost_usd
            return
        estimate = self._prices.cost(model, ts, tokens) if self._prices is not None else None
        if estimate is not None:
            share.estimated_usd = (share.estimated_usd or 0.0) + estimate
        else:
            share.unpriced_tokens += all_tokens(tokens)


def usage_of(shares: Iterable[UsageShare]) -> Usage:
    """Returns the sum of shares."""
    # A history has thousands of them: sums of the object's own would take twice the time.
    plain = output = read = written = unpriced = 0
    cost: float | None = None
    estimated: float | None = None
    for share in shares:
        plain += share.input_tokens
        output += share.output_tokens
        read += share.cache_read_tokens
        written += share.cache_creation_tokens
        unpriced += share.unpriced_tokens
        if share.cost_usd is not None:
            cost = (cost or 0.0) + share.cost_usd
        if share.estimated_usd is not None:
            estimated = (estimated or 0.0) + share.estimated_usd
    return Usage(
        input_tokens=plain,
        output_tokens=output,
        cache_read_tokens=read,
        cache_creation_tokens=written,
        cost_usd=cost,
        estimated_usd=estimated,
        unpriced_tokens=unpriced,
    )


def report_cost(
    shares: list[UsageShare], cost_usd: float, *, estimated_usd: float | None = None
) -> None:
    """Divides a cost that was reported for these shares among them, and what was computed for the
    part of them that it does not cover.
    """
    estimated = [share.estimated_usd or 0.0 for share in shares]
    priced = not any(share.unpriced_tokens for share in shares) and sum(estimated) > 0
    weights = estimated if priced else [float(share.total_tokens) for share in shares]
    whole = sum(weights)
    for share, weight in zip(shares, weights, strict=True):
        part = weight / whole if whole else 0.0
        share.cost_usd, share.unpriced_tokens = cost_usd * part, 0
        share.estimated_usd = None if estimated_usd is None else estimated_usd * part


def rest_of(usage: TokenCounts, known: Usage, *, ts: int, model: str | None = None) -> UsageShare:
    """Returns the tokens that are not known of any agent, as a share of the main agent's."""
    return UsageShare(
        ts=ts - ts % SLOT_MS,
        agent=MAIN,
        model=model,
        input_tokens=max(usage.input_tokens - known.input_tokens, 0),
        output_tokens=max(usage.output_tokens - known.output_tokens, 0),
        cache_read_tokens=max(usage.cache_read_tokens - known.cache_read_tokens, 0),
        cache_creation_tokens=max(usage.cache_creation_tokens - known.cache_creation_tokens, 0),
    )


def settle(shares: list[UsageShare], usage: Usage, ts: int) -> list[UsageShare]:
    """Returns shares that add up to a run's usage: what no share has becomes one of its own, and
    a reported cost is divided.
    """
    rest = rest_of(usage, usage_of(shares), ts=ts)
    settled = [*shares, rest] if rest.total_tokens else shares
    if usage.cost_usd is not None and not usage.unpriced_tokens:
        report_cost(settled, usage.cost_usd, estimated_usd=usage.estimated_usd)
    elif rest.total_tokens:
        rest.unpriced_tokens = rest.total_tokens
    return settled


class RunShares:
    """The shares of one run, folded from its events. A cost that its CLI reports covers what was
    counted before the report.
    """

    def __init__(self, prices: Prices | None) -> None:
        self._prices = prices
        self._covered: list[UsageShare] = []
        self._since = ShareCounter(prices)
        self._reported_ms = 0

    def fold(self, event: FleetEvent) -> None:
        """Takes one event of the run's log."""
        if isinstance(event, FleetTokenUsage):
            self.count(event, ts=event.ts, agent=event.agent)
        elif (
            isinstance(event, (FleetTurnComplete, FleetSessionMeta)) and event.cost_usd is not None
        ):
            self._covered += self._since.shares
            self._since, self._reported_ms = ShareCounter(self._prices), event.ts

    def count(self, message: U, *, ts: int, agent: str) -> None:
        """Counts what one message has used; what cannot be true counts as not reported."""
        message = plausible_usage(message)
        self._since.add(
            message,
            ts=ts,
            agent=agent,
            model=message.model,
            cost_usd=message.cost_usd,
        )

    def usage(self) -> Usage:
        """Returns the sum of what was counted."""
        return usage_of([*self._covered, *self._since.shares])

    def settled(self, usage: Usage, ts: int) -> list[UsageShare]:
        """Returns shares that add up to the run's usage, at a time after all of them."""
        since = self._since.shares
        covers_all = not usage.estimated_usd and not usage.unpriced_tokens
        if not self._covered or not since or usage.cost_usd is None or covers_all:
            return settle([*self._covered, *since], usage, ts)
        # What came after the report stays computed; the rest of the total is what that is about.
        later = usage_of(since)
        estimated = (usage.estimated_usd or 0.0) - (later.estimated_usd or 0.0)
        rest = rest_of(usage, usage_of([*self._covered, *since]), ts=self._reported_ms)
        covered = [*self._covered, rest] if rest.total_tokens else self._covered
        left_out = estimated if estimated > LEAST_USD else None
        report_cost(covered, usage.cost_usd - (later.cost_usd or 0.0), estimated_usd=left_out)
        return [*covered, *since]
