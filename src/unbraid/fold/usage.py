"""What a run costs: each model message once, and the CLI's own account where it gives one.

Stdout hides messages of sub-agents, so the sum of what was seen may fall short of what was spent.
Claude Code's results carry an account of the whole tree, cumulative over the process. The total is
the larger of the two, number by number: nothing is counted twice, nothing spent is left out.

Dollars that a CLI reports (`cost_usd`) and those that are computed from prices (`estimated_usd`)
are kept apart. A reported total covers what was used up to then; what comes after it is computed.
"""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import replace

from unbraid.events import Done, FleetSessionMeta, FleetTokenUsage, FleetTurnComplete, TokenUsage
from unbraid.events.tokens import add_tokens, all_tokens


class Usage(Struct):
    """Token counts and dollars: `cost_usd` is what the agent's CLI has reported, `estimated_usd`
    what was computed for the rest; both together are the cost. `unpriced_tokens` are in neither:
    their model has no price.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_creation_tokens: int = 0
    cost_usd: float | None = None
    estimated_usd: float | None = None
    unpriced_tokens: int = 0

    def add(self, other: Usage | TokenUsage | FleetTokenUsage) -> None:
        """Adds one more message, or another agent's share."""
        add_tokens(self, other)
        if other.cost_usd is not None:
            self.cost_usd = (self.cost_usd or 0.0) + other.cost_usd
        estimated = None if isinstance(other, TokenUsage) else other.estimated_usd
        if estimated is not None:
            self.estimated_usd = (self.estimated_usd or 0.0) + estimated
        if isinstance(other, Usage):
            self.unpriced_tokens += other.unpriced_tokens
        elif other.cost_usd is None and estimated is None:
            self.unpriced_tokens += all_tokens(other)

    @property
    def total_tokens(self) -> int:
        """All tokens that went in or came out."""
        return all_tokens(self)


class Report(Struct, omit_defaults=True):
    """What a CLI has reported of its whole tree: dollars, tokens if it gave them, and what had been
    seen by then. Both are cumulative over one process: `before` is what earlier processes of the
    same session had reported.
    """

    tokens: Usage | None = None
    cost_usd: float | None = None
    seen: Usage = field(default_factory=Usage)
    before: Usage = field(default_factory=Usage)


# Most events say nothing about the total, and asking for each of these takes longer.
_ACCOUNTS = frozenset({FleetTokenUsage, FleetTurnComplete, FleetSessionMeta, Done})


class Totals(Struct, omit_defaults=True):
    """A run's total, from its messages and its CLI's account, if it has given one."""

    seen: Usage = field(default_factory=Usage)
    report: Report | None = None

    def fold(self, event: object) -> bool:
        """Adds one event of a run's log; returns whether it says anything about the total."""
        if type(event) not in _ACCOUNTS:
            return False
        if isinstance(event, FleetTokenUsage):
            self.seen.add(event)
        elif isinstance(event, (FleetTurnComplete, FleetSessionMeta)):
            if event.cost_usd is None and event.input_tokens is None:
                return False
            self.turn_over(_account(event), event.cost_usd)
        elif isinstance(event, Done):
            self.seen, self.report = _done(event, self.total()), None
        return True

    def turn_over(self, account: TokenUsage | Usage | None, cost_usd: float | None) -> None:
        """Adds a result's account. It is cumulative: the latest replaces the one before, unless it
        is less than that, which only the account of a new process is.
        """
        report = self.report = self.report or Report()
        if account is not None:
            tokens = Usage()
            tokens.add(account)
            if report.tokens is not None and tokens.total_tokens < report.tokens.total_tokens:
                report.before.add(_tokens(report.tokens))
            report.tokens = _tokens(tokens)
        if cost_usd is not None:
            if report.cost_usd is not None and cost_usd < report.cost_usd:
                report.before.cost_usd = (report.before.cost_usd or 0.0) + report.cost_usd
            report.cost_usd = cost_usd
            report.seen = self._covered(account, report)

    def _covered(self, account: TokenUsage | Usage | None, report: Report) -> Usage:
        """Returns what of everything seen so far a report is about: an account with fewer tokens
        leaves out what was cut off (a process that was killed, an answer that was interrupted), and
        its dollars stay computed.
        """
        seen = replace(self.seen)
        if account is None or report.tokens is None:
            return seen
        reported = report.tokens.total_tokens + report.before.total_tokens
        if reported < seen.total_tokens:
            part = reported / seen.total_tokens
            seen.unpriced_tokens = round(seen.unpriced_tokens * part)
            if seen.estimated_usd is not None:
                seen.estimated_usd *= part
        return seen

    def total(self) -> Usage:
        """Returns what the whole fleet has used so far."""
        seen, report = self.seen, self.report
        total = replace(seen)
        if report is None:
            return total
        if report.tokens is not None:
            account = replace(report.tokens)
            account.add(_tokens(report.before))
            total.input_tokens = max(seen.input_tokens, account.input_tokens)
            total.output_tokens = max(seen.output_tokens, account.output_tokens)
            total.cache_read_tokens = max(seen.cache_read_tokens, account.cache_read_tokens)
            total.cache_creation_tokens = max(
                seen.cache_creation_tokens, account.cache_creation_tokens
            )
        if report.cost_usd is None:
            return total
        reported = report.cost_usd + (report.before.cost_usd or 0.0)
        total.cost_usd = max(reported, seen.cost_usd or 0.0)
        total.estimated_usd, total.unpriced_tokens = None, 0
        # A source that lags behind may bring messages that the report had counted already.
        covered = report.tokens is not None and (
            seen.total_tokens <= report.tokens.total_tokens + report.before.total_tokens
        )
        if not covered:
            since = (seen.estimated_usd or 0.0) - (report.seen.estimated_usd or 0.0)
            total.estimated_usd = since if since > 0 else None
            total.unpriced_tokens = seen.unpriced_tokens - report.seen.unpriced_tokens
        return total


def _account(turn: FleetTurnComplete | FleetSessionMeta) -> Usage | None:
    if turn.input_tokens is None:
        return None
    return Usage(
        input_tokens=turn.input_tokens,
        output_tokens=turn.output_tokens or 0,
        cache_read_tokens=turn.cache_read_tokens or 0,
        cache_creation_tokens=turn.cache_creation_tokens or 0,
    )


def _done(done: Done, before: Usage) -> Usage:
    """Returns the total that a run's `done` has. Logs of earlier versions have no dollars in it
    that only a turn had reported.
    """
    return Usage(
        input_tokens=done.input_tokens,
        output_tokens=done.output_tokens,
        cache_read_tokens=done.cache_read_tokens,
        cache_creation_tokens=done.cache_creation_tokens,
        cost_usd=before.cost_usd if done.cost_usd is None else done.cost_usd,
        estimated_usd=done.estimated_usd,
        unpriced_tokens=done.unpriced_tokens,
    )


def _tokens(usage: Usage) -> Usage:
    return replace(usage, cost_usd=None, estimated_usd=None, unpriced_tokens=0)
