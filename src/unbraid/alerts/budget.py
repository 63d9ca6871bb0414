"""What a run may spend, what it has spent, and which part of its budget that is."""

from __future__ import annotations

from msgspec import Struct

from unbraid.screen import counted

NOTICE_SHARE = 0.8
# Sums of cents are not exact: what is so near counts as reached.
_NEAR = 1e-9


class Spending(Struct, frozen=True):
    """What a run has spent: dollars (reported and computed), tokens, seconds at work, agents.
    `unpriced_tokens` are in no dollars: their model has no price.
    """

    cost_usd: float = 0.0
    tokens: int = 0
    seconds: float = 0.0
    agents: int = 0
    unpriced_tokens: int = 0

    def __str__(self) -> str:
        parts = (
            dollars(self.cost_usd) + ("+" if self.unpriced_tokens else ""),
            f"{self.tokens:,} tokens",
            duration(self.seconds),
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
        parts = (
            None if self.cost_usd is None else dollars(self.cost_usd),
            None if self.tokens is None else f"{self.tokens:,} tokens",
            None if self.seconds is None else duration(self.seconds),
            None if self.agents is None else counted(self.agents, "agent"),
        )
        return ", ".join(part for part in parts if part)


class BudgetShare(Struct, frozen=True):
    """How much of one limit is used: both as people read them, and the part of it."""

    what: str
    spent: str
    limit: str
    share: float
    is_reached: bool

    def __str__(self) -> str:
        return f"{self.spent} of {self.limit}"


def shares(limits: RunLimits, spent: Spending) -> list[BudgetShare]:
    """Returns how much of each limit is used, the most used one first."""
    found: list[BudgetShare] = []
    if limits.cost_usd is not None:
        shown = dollars(spent.cost_usd), dollars(limits.cost_usd)
        found.append(_share("cost", shown, spent.cost_usd, limits.cost_usd))
    if limits.tokens is not None:
        shown = f"{spent.tokens:,}", f"{limits.tokens:,} tokens"
        found.append(_share("tokens", shown, spent.tokens, limits.tokens))
    if limits.seconds is not None:
        shown = duration(spent.seconds), duration(limits.seconds)
        found.append(_share("time", shown, spent.seconds, limits.seconds))
    if limits.agents is not None:
        shown = str(spent.agents), counted(limits.agents, "agent")
        share = _share("agents", shown, spent.agents, limits.agents)
        # As many agents as are allowed may work; one more is too many.
        found.append(
            BudgetShare(
                share.what, share.spent, share.limit, share.share, spent.agents > limits.agents
            )
        )
    return sorted(found, key=lambda each: (each.is_reached, each.share), reverse=True)


class BudgetMeter:
    """Reports each limit of one run twice: when most of it is used, and when all of it is."""

    def __init__(self, limits: RunLimits) -> None:
        self._limits = limits
        self._noticed: set[str] = set()
        self._reached: set[str] = set()

    @property
    def is_reached(self) -> bool:
        """Whether one of the limits was reached."""
        return bool(self._reached)

    def measure(self, spent: Spending) -> list[BudgetShare]:
        """Returns the limits that are to be reported now."""
        found: list[BudgetShare] = []
        for each in shares(self._limits, spent):
            if each.is_reached and each.what not in self._reached:
                self._reached.add(each.what)
                self._noticed.add(each.what)
                found.append(each)
            elif each.share >= NOTICE_SHARE - _NEAR and each.what not in self._noticed:
                self._noticed.add(each.what)
                found.append(each)
        return found


def dollars(amount: float) -> str:
    """Returns dollars as people read them: `$1.25`, and more digits where it is less than a
    cent.
    """
    if amount and amount < 0.01:
        return f"${amount:.6f}".rstrip("0")
    return f"${amount:,.2f}"


def duration(seconds: float) -> str:
    """Returns a length of time: `45s`, `12m`, `1h 30m`."""
    whole = int(seconds)
    if whole < 120:
        return f"{whole}s"
    minutes = whole // 60
    if minutes < 120:
        return f"{minutes}m" + (f" {whole % 60}s" if whole % 60 and minutes < 10 else "")
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h" + (f" {minutes}m" if minutes else "")


def _share(what: str, shown: tuple[str, str], spent: float, limit: float) -> BudgetShare:
    share = spent / limit if limit > 0 else (1.0 if spent > 0 or limit == 0 else 0.0)
    return BudgetShare(what, shown[0], shown[1], share, share >= 1 - _NEAR)
