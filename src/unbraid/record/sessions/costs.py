"""Costs by day, model, folder and more: over the sessions that agents have stored on this
machine, and the runs of the log that are not among them. Each message counts once.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from unbraid.errors import CallerError
from unbraid.fold.shares import MAIN, SLOT_MS, UsageShare, settle, usage_of
from unbraid.fold.usage import Usage
from unbraid.record.sessions.stored_facts import Progress, Warn, stored_facts
from unbraid.screen import amount

if TYPE_CHECKING:
    from unbraid.fold.prices import Prices
    from unbraid.log.port import LogReader
    from unbraid.log.summary import RunSummary

# The events that say what a run has used.
ACCOUNTS = ("token_usage", "turn_complete", "session_meta")
TIMES = ("day", "week", "month")
KEYS = (*TIMES, "model", "folder", "kind", "agent", "run", "machine", "user")
UNKNOWN = "unknown"
# Runs of an agent kind that are in the log, but whose sessions are not stored here.
ELSEWHERE = "elsewhere"


class SpentRun(Struct):
    """A run and what it has used."""

    run: str
    kind: str
    folder: str | None
    machine: str
    updated: int
    shares: list[UsageShare]
    user: str | None = None


class CostRow(Struct):
    """One line of the table. `cost_usd` is everything that is known, and null if nothing has a
    price; `estimated` says whether a part of it was computed.
    """

    key: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_creation_tokens: int
    cost_usd: float | None
    estimated: bool


class CostTotal(Struct):
    """The sum of all lines."""

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_creation_tokens: int
    cost_usd: float | None
    estimated: bool


class Costs(Struct):
    """The table. `by` is what a line stands for; `spent` has each line's usage, and `unpriced` the
    tokens of models that have no price.
    """

    by: str
    rows: list[CostRow]
    total: CostTotal
    spent: dict[str, Usage]
    all_spent: Usage
    unpriced: dict[str, int]


def since_ms(text: str | None, now: float) -> int:
    """Returns the moment that `7d`, `12h` or `2026-11-01` names, in milliseconds since 1970; 0 for
    none. Raises CallerError if it is neither.
    """
    if not text:
        return 0
    if (span := amount(text)) is not None:
        return max(0, round((now - span) * 1000))
    try:
        return max(0, round(time.mktime(time.strptime(text.strip(), "%Y-%m-%d")) * 1000))
    except (ValueError, OverflowError):
        pass
    raise CallerError(f"--since {text!r}: a time such as 7d, 12h or 2026-11-01")


def stored_runs(
    env: Mapping[str, str],
    folder: Path | None,
    *,
    since: int = 0,
    warn: Warn = lambda text: None,
    progress: Progress = lambda done, total: None,
) -> Iterator[SpentRun]:
    """Yields the sessions that are stored on this machine."""
    here, user = platform.node() or "this machine", env.get("USER") or env.get("LOGNAME")
    for found in stored_facts(env, folder, since_ms=since, warn=warn, progress=progress):
        yield SpentRun(
            run=found.session_id,
            kind=found.kind,
            folder=found.facts.cwd,
            machine=here,
            updated=found.facts.updated,
            shares=found.facts.shares,
            user=user,
        )


async def with_logged(
    stored: Iterable[SpentRun], log: LogReader, runs: Iterable[RunSummary], prices: Prices
) -> list[SpentRun]:
    """Returns stored sessions together with the log's runs: of one that is in both, the stored
    messages count, and the log's total if it has seen as much; the CLI may have reported a cost
    that it did not store.
    """
    found = {run.run: run for run in stored}
    totals: dict[str, Usage] = {}
    for run in runs:
        name = run.session_id or run.run
        if name in found:
            totals.setdefault(name, Usage()).add(run.usage)
        else:
            found[run.run] = await _logged(log, run, prices)
    for name, usage in totals.items():
        known = found[name]
        if usage.total_tokens >= usage_of(known.shares).total_tokens:
            known.shares = settle(known.shares, usage, known.updated)
    return list(found.values())


async def _logged(log: LogReader, run: RunSummary, prices: Prices) -> SpentRun:
    from unbraid.agents.registry import is_kind
    from unbraid.fold.shares import RunShares
    from unbraid.log.port import run_pages

    counted = RunShares(prices)
    async for page in run_pages(log, run.run, types=ACCOUNTS):
        for entry in page:
            counted.fold(entry.event)
    shares = counted.settled(run.usage, run.updated)
    unknown = ELSEWHERE if is_kind(run.source) else platform.node() or "this machine"
    machine = run.machine or unknown
    return SpentRun(
        run=run.run,
        kind=run.source,
        folder=run.cwd,
        machine=machine,
        updated=run.updated,
        shares=shares,
        user=run.user,
    )


def costs(runs: Iterable[SpentRun], by: str, *, since: int = 0) -> Costs:
    """Returns the table of what was spent since a time. Raises CallerError if nothing is known by
    that name.
    """
    if by not in KEYS:
        raise CallerError(f"--by {by!r}: one of {', '.join(KEYS)}")
    groups: dict[str, list[UsageShare]] = {}
    unpriced: dict[str, int] = {}
    since -= since % SLOT_MS
    for run in runs:
        for share in run.shares:
            if share.ts >= since:
                groups.setdefault(_key(run, share, by), []).append(share)
                if share.unpriced_tokens:
                    model = share.model or UNKNOWN
                    unpriced[model] = unpriced.get(model, 0) + share.unpriced_tokens
    spent = {key: usage_of(shares) for key, shares in groups.items()}
    everything = Usage()
    for usage in spent.values():
        everything.add(usage)
    rows = [CostRow(key, *_columns(usage)) for key, usage in spent.items()]
    if by in TIMES:
        rows.sort(key=lambda row: row.key)
    else:
        rows.sort(key=lambda row: (-(row.cost_usd or 0.0), -row.input_tokens, row.key))
    return Costs(
        by=by,
        rows=rows,
        total=CostTotal(*_columns(everything)),
        spent=spent,
        all_spent=everything,
        unpriced=unpriced,
    )


def _key(run: SpentRun, share: UsageShare, by: str) -> str:
    match by:
        case "day" | "week" | "month":
            return _time_key(share.ts, by)
        case "model":
            return share.model or UNKNOWN
        case "folder":
            return run.folder or UNKNOWN
        case "kind":
            return run.kind
        case "agent":
            return share.agent or MAIN
        case "run":
            return run.run
        case "user":
            return run.user or UNKNOWN
    return run.machine


@cache
def _time_key(ts: int, by: str) -> str:
    if not ts:
        return UNKNOWN
    try:
        local = time.localtime(ts / 1000)
    except (OverflowError, ValueError, OSError):
        return UNKNOWN
    return time.strftime({"day": "%Y-%m-%d", "week": "%G-W%V", "month": "%Y-%m"}[by], local)


def _columns(usage: Usage) -> tuple[int, int, int, int, float | None, bool]:
    known = [each for each in (usage.cost_usd, usage.estimated_usd) if each is not None]
    return (
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_tokens,
        usage.cache_creation_tokens,
        sum(known) if known else None,
        bool(usage.estimated_usd),
    )
