"""A row of the index: what the transcripts of one session say together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from unbraid.agents.claude.agent_facts import WARMUP
from unbraid.agents.claude.sessions.discovery import File, FoundSession
from unbraid.agents.claude.sessions.transcript_facts import SIDECHAIN, Facts, SessionAccount
from unbraid.fleet.prices import MessageTokens, Prices
from unbraid.fleet.shares import (
    MAIN,
    SLOT_MS,
    ShareCounter,
    UsageShare,
    report_cost,
    rest_of,
    usage_of,
)
from unbraid.fleet.status import DONE, ORPHANED
from unbraid.fleet.usage import Usage
from unbraid.system.clock import now_ms

AGENT = "agent"  # a sub-agent whose name nothing says


class IndexedAgent(Struct, omit_defaults=True):
    """A sub-agent: who it is, who started it, what it used."""

    agent_id: str
    agent: str | None = None
    description: str | None = None
    parent: str | None = None
    depth: int = 1
    call: str | None = None
    shares: list[UsageShare] = field(default_factory=list)

    @property
    def usage(self) -> Usage:
        """The sum of its shares."""
        return usage_of(self.shares)


class IndexRow(Struct):
    """A session."""

    session_id: str
    path: str
    title: str | None
    cwd: str | None
    version: str | None
    model: str | None
    started: int
    updated: int
    answered: bool
    ending: str | None
    agents: list[IndexedAgent]
    refused: int
    shares: list[UsageShare]

    @property
    def usage(self) -> Usage:
        """The sum of all shares."""
        return usage_of(self.shares)

    @property
    def agent_count(self) -> int:
        """The main agent, its sub-agents, and those that were to be started and were not."""
        return 1 + len(self.agents) + self.refused


def row_of(
    found: FoundSession,
    main: Facts,
    *,
    children: Mapping[File, Facts | None],
    beside: list[Facts],
    prices: Prices | None,
) -> IndexRow:
    """Returns a session's row, from its own transcript and those of its sub-agents, in the layout
    of 2.1 (`children`) and of 2.0 (`beside`).
    """
    reports = {
        agent: tokens
        for facts in (main, *children.values())
        if facts is not None
        for agent, tokens in facts.counts.reports.items()
    }
    agents: list[IndexedAgent] = []
    for file, facts in children.items():
        if facts is not None:
            agent = _agent(file, facts)
            agent.shares = _shares(facts, agent.agent or AGENT, reports=reports, prices=prices)
            agents.append(agent)
    for facts in beside:
        agent = IndexedAgent(facts.agent_id or "", description=facts.title)
        agent.shares = _shares(facts, AGENT, reports=reports, prices=prices)
        agents.append(agent)
    for number in range(main.sidechains):
        # Their words stand in one file without ids: what they used is given as the first one's.
        agent = IndexedAgent(f"sidechain-{number + 1}")
        if not number:
            agent.shares = [
                replace(share, agent=AGENT)
                for share in main.counts.shares
                if share.agent == SIDECHAIN
            ]
        agents.append(agent)
    shares = [
        replace(share, agent=MAIN) for share in main.counts.shares if share.agent != SIDECHAIN
    ]
    shares += [share for agent in agents for share in agent.shares]
    account = main.counts.account
    # That of a copy is also about what it was copied from.
    is_own = account is not None and account.session_id in (found.id, None)
    if account is not None and is_own and not main.counts.copied:
        shares += _beside(shares, account.tokens)
        _report(shares, account)
    times = [facts.updated for facts in (main, *children.values(), *beside) if facts]
    updated = max(times)
    written = found.mtime_ns // 1_000_000
    if updated > max(now_ms(), written):
        updated = written  # by a clock that is ahead, it would always be live and the newest
    return IndexRow(
        session_id=found.id,
        path=found.main.path,
        title=main.title,
        cwd=main.cwd,
        version=main.version,
        model=main.model,
        started=main.started or updated,
        updated=updated or written,
        answered=main.answered,
        ending=_ending(found, main, children),
        agents=agents,
        refused=_refused((main, *children.values(), *beside), agents),
        shares=shares,
    )


def _ending(found: FoundSession, main: Facts, children: Mapping[File, Facts | None]) -> str | None:
    """Returns how a session has ended: one whose agents were still at work was so itself."""
    if main.ending != DONE:
        return main.ending
    files = [found.main.path, *(file.path for file in children)]
    for file, facts in children.items():
        if facts is not None and facts.ending == ORPHANED:
            from unbraid.agents.claude.sessions.ending import is_reported

            name = _agent_id(file)
            if not facts.agent.finished and not is_reported(name, files):
                return ORPHANED
    return DONE


def _refused(transcripts: Iterable[Facts | None], agents: Iterable[IndexedAgent]) -> int:
    """Returns how many calls for an agent have started none. Before 2.1, nothing says which."""
    calls: set[str] = set()
    for facts in transcripts:
        calls |= set() if facts is None else facts.counts.spawns
    started = 0
    for agent in agents:
        started += agent.call is None and agent.description != WARMUP
        calls.discard(agent.call or "")
    return max(len(calls) - started, 0)


def _agent(file: File, facts: Facts) -> IndexedAgent:
    meta = facts.agent
    return IndexedAgent(
        agent_id=_agent_id(file),
        agent=meta.agent_type,
        description=meta.description or facts.title,
        parent=meta.parent_agent_id,
        depth=meta.spawn_depth or 1,
        call=meta.tool_use_id,
    )


def _shares(
    facts: Facts, name: str, *, reports: Mapping[str, MessageTokens], prices: Prices | None
) -> list[UsageShare]:
    """Returns a sub-agent's shares. If its own transcript has no final numbers for its last
    message, those that its parent was given count.
    """
    shares = [replace(share, agent=name) for share in facts.counts.shares]
    last = facts.counts.unfinished
    if last is not None:
        counter = ShareCounter(prices)
        tokens = reports.get(facts.agent_id or "", last.tokens)
        counter.add(tokens, ts=last.ts, agent=name, model=last.model)
        shares += counter.shares
    return shares


def _beside(shares: list[UsageShare], account: UsageShare) -> list[UsageShare]:
    """Returns what the session's own account has beside its messages, of requests that are in no
    transcript: titles, compactions.
    """
    from unbraid.agents.claude.records import is_about_more

    known = usage_of(shares)
    if is_about_more(account, known.total_tokens):
        return []
    rest = rest_of(account, known, ts=account.ts, model=account.model)
    return [rest] if rest.total_tokens else []


def _report(shares: list[UsageShare], account: SessionAccount) -> None:
    """Divides what the session's own account says among the shares that it covers."""
    accounted = account.tokens.total_tokens
    if sum(share.total_tokens for share in shares) <= accounted:
        covered = shares
    else:
        covered = [share for share in shares if share.ts <= account.until - account.until % SLOT_MS]
    tokens = sum(share.total_tokens for share in covered)
    left_out = 1 - accounted / tokens if tokens > accounted else 0.0
    computed = sum(share.estimated_usd or 0.0 for share in covered) * left_out
    report_cost(covered, account.cost_usd, estimated_usd=computed or None)


def _agent_id(file: File) -> str:
    return file.path.rpartition("/")[2].removeprefix("agent-").removesuffix(".jsonl")
