"""Compares what was spent with the limits."""

from __future__ import annotations

from unbraid.agents.agent_spec import Limits
from unbraid.events import TokenUsage, TurnComplete
from unbraid.events.tokens import all_tokens
from unbraid.fold.usage import Totals, Usage

# Loops and hangs end, even those that were not foreseen.
AGENT_LIMITS = Limits(turns=25, seconds=1800.0)
REQUEST_LIMITS = Limits(turns=250, children=128, seconds=7200.0)


class Account:
    """The spending of one agent or of a whole request; an agent's counts for its request too."""

    def __init__(self, limits: Limits, request: Account | None = None) -> None:
        self.limits = limits
        self.turns = 0
        self.children = 0
        self.usage = Usage()
        self._request = request
        # Most have neither limit; who would ask for every token asks this first.
        self.may_be_spent: bool = (
            limits.tokens is not None
            or limits.dollars is not None
            or (request is not None and request.may_be_spent)
        )

    def turn(self) -> None:
        """Counts one more turn."""
        self.turns += 1
        if self._request is not None:
            self._request.turn()

    def child(self) -> None:
        """Counts one more delegation."""
        self.children += 1
        if self._request is not None:
            self._request.child()

    def charge(self, usage: TokenUsage) -> None:
        """Adds tokens and dollars that were spent."""
        self.usage.add(usage)
        if self._request is not None:
            self._request.charge(usage)

    @property
    def last_turn(self) -> bool:
        """Whether the next turn is the last that there can be."""
        own = self.limits.turns is not None and self.turns >= self.limits.turns - 1
        return own or (self._request is not None and self._request.last_turn)

    def spent(self) -> str | None:
        """Returns what is used up, if anything is: nothing more can be bought with it."""
        limits, usage = self.limits, self.usage
        if limits.tokens is not None and usage.total_tokens >= limits.tokens:
            return f"{usage.total_tokens} of {limits.tokens} tokens"
        if limits.dollars is not None and (usage.cost_usd or 0.0) >= limits.dollars:
            return f"${usage.cost_usd or 0.0:.4f} of ${limits.dollars:.4f}"
        return None if self._request is None else self._request.spent()

    def no_child(self, wanted: int) -> str | None:
        """Returns why so many more delegations cannot be had, if they cannot."""
        most = self.limits.children
        if most is not None and self.children + wanted > most:
            return f"{self.children} of {most} delegations"
        return self.spent() or (None if self._request is None else self._request.no_child(wanted))


class Meter:
    """One conversation's usage, message by message and as its backend sums it up.

    A CLI's own account at the end of a turn holds more than its messages did: the dollars, and
    what sub-agents used that it does not show. `rest` is the difference, so that the sum of all
    that is emitted is what was spent.
    """

    def __init__(self) -> None:
        self._totals = Totals()
        self._emitted = Usage()
        self._turns = 0

    def message(self, usage: TokenUsage) -> None:
        """Adds what one message used."""
        self._totals.seen.add(usage)
        self._emitted.add(usage)

    def rest(self, turn: TurnComplete) -> TokenUsage | None:
        """Returns what the turn used beyond its messages."""
        self._totals.turn_over(turn.totals, turn.cost_usd)
        self._turns += 1
        total, emitted = self._totals.total(), self._emitted
        cost = max(0.0, (total.cost_usd or 0.0) - (emitted.cost_usd or 0.0))
        rest = TokenUsage(
            message_id=f"turn-{self._turns}",
            input_tokens=total.input_tokens - emitted.input_tokens,
            output_tokens=total.output_tokens - emitted.output_tokens,
            cache_read_tokens=total.cache_read_tokens - emitted.cache_read_tokens,
            cache_creation_tokens=total.cache_creation_tokens - emitted.cache_creation_tokens,
            cost_usd=cost or None,
        )
        emitted.add(rest)
        return rest if all_tokens(rest) or rest.cost_usd else None
