"""What a run may spend, what it has spent, and which part of its budget that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct, structs

from unbraid.screen import SpentDollars, cost, counted, duration, token_count

NOTICE_SHARE = 0.8
# Sums of cents are not exact: what is so near counts as reached.
_NEAR = 1e-9


class Spending(Struct, frozen=True):
    """What a run has spent: dollars (of them `estimated_usd` are computed), tokens, seconds at work
    and agents. `unpriced_tokens` are in no dollars: their model has no price.
    """

    cost_usd: float = 0.0
    tokens: int = 0
    seconds: float = 0.0
    agents: int = 0
    unpriced_tokens: int = 0
    estimated_usd: float = 0.0

    @property
    def dollars(self) -> str:
        """The dollars, as they are shown everywhere."""
        reported = max(self.cost_usd - self.estimated_usd, 0.0)
        return cost(SpentDollars(reported, self.estimated_usd or None, self.unpriced_tokens))

    def __str__(self) -> str:
        parts = (
            self.dollars,
            f"{token_count(self.tokens)} tokens",
            duration(self.seconds * 1000),
            counted(self.agents, "agent"),
        )
        return ", ".join(parts)


class RunLimits(Struct, frozen=True, omit_defaults=True):
    """What a run may spend at most; None is without a limit."""

    cost_usd: float | None = None
    tokens: int | None = None
    seconds: float | None = None
    agents: int | None = None

    def __bool__(self) -> bool:
        return any(
            value is not None for value in (self.cost_usd, self.tokens, self.seconds, self.agents)
        )

    def __str__(self) -> str:
        amounts = zip(_SHOWN.values(), structs.astuple(self), strict=True)
        return ", ".join(shown(amount) for shown, amount in amounts if amount is not None)


class BudgetShare(Struct, frozen=True):
    """How much of one limit, which counts several `times`, is used: both as people read them, and
    the part of it.
    """

    what: str
    spent: str
    limit: str
    share: float
    is_reached: bool
    times: int = 1

    def __str__(self) -> str:
        return f"{self.spent} of {self.limit}"


def shares(
    limits: RunLimits, spent: Spending, times: Mapping[str, int] | None = None
) -> list[BudgetShare]:
    """Returns how much of each limit is used, the most used one first. A limit may count several
    `times`.
    """
    found: list[BudgetShare] = []
    amounts = (
        ("cost", spent.cost_usd, spent.dollars, limits.cost_usd),
        ("tokens", spent.tokens, token_count(spent.tokens), limits.tokens),
        ("time", spent.seconds, duration(spent.seconds * 1000), limits.seconds),
        ("agents", spent.agents, str(spent.agents), limits.agents),
    )
    for what, amount, shown, limit in amounts:
        if limit is None:
            continue
        count = (times or {}).get(what, 1)
        whole = limit * count
        share = amount / whole if whole > 0 else 1.0
        more = f", {count} times its limit" if count > 1 else ""
        # As many agents as are allowed may work; one more is too many.
        is_reached = amount > whole if what == "agents" else share >= 1 - _NEAR
        found.append(
            BudgetShare(
                what=what,
                spent=shown,
                limit=_SHOWN[what](whole) + more,
                share=share,
                is_reached=is_reached,
                times=count,
            )
        )
    return sorted(found, key=lambda each: (each.is_reached, each.share), reverse=True)


class BudgetMeter:
    """Reports each limit of one run when most of it is used, and when all of it is.

    A run that is continued after that may spend as much again: its limit counts twice from then on,
    then three times. A run that could not be stopped (`reopen`) was not continued by a person: its
    limit is reported again as long as it spends.
    """

    def __init__(self, limits: RunLimits) -> None:
        self._limits = limits
        self._times: dict[str, int] = {}
        # Several times nothing is nothing: such a limit is reached only once.
        amounts = {"cost": limits.cost_usd, "tokens": limits.tokens, "time": limits.seconds}
        self._open = {what for what, amount in amounts.items() if amount} | {"agents"}
        self._noticed: set[str] = set()
        self._reopened: dict[str, Spending] = {}

    def measure(self, spent: Spending) -> list[BudgetShare]:
        """Returns the limits that are to be reported now."""
        found: list[BudgetShare] = []
        for each in shares(self._limits, spent, self._times):
            times = self._times.get(each.what, 1)
            # Of what it may spend since it was stopped before.
            used = 1 - (1 - each.share) * times
            if each.is_reached:
                if self._reopened.get(each.what) == spent:
                    continue
                if times > 1 and each.what not in self._open:
                    continue
                self._times[each.what] = max(int(each.share * times + _NEAR), times) + 1
                self._noticed.discard(each.what)
                found.append(each)
            elif used >= NOTICE_SHARE - _NEAR and each.what not in self._noticed:
                self._noticed.add(each.what)
                found.append(each)
        return found

    def reopen(self, reached: BudgetShare, spent: Spending) -> None:
        """Marks that a run continues although it should have been stopped at a limit."""
        self._times[reached.what] = reached.times
        self._reopened[reached.what] = spent


def _dollars(limit: float) -> str:
    """Returns a limit as people read it; less than a cent as they wrote it."""
    return f"${limit:g}" if 0 < limit < 0.01 else cost(SpentDollars(limit))


# How the limits are shown, in their order.
_SHOWN: dict[str, Callable[[float], str]] = {
    "cost": _dollars,
    "tokens": lambda tokens: f"{token_count(int(tokens))} tokens",
    "time": lambda seconds: duration(seconds * 1000),
    "agents": lambda agents: counted(int(agents), "agent"),
}
