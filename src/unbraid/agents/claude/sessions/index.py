"""Each of Claude Code's sessions as one row: its agents, its tree, what it used. Newest first.

What was read is kept in a file of ours with the size and time of each transcript, so a second start
reads only what has changed. The transcripts themselves are never copied.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from unbraid.agents.claude.records import is_about_more
from unbraid.agents.claude.sessions.copies import Copies, First
from unbraid.agents.claude.sessions.counts import SIDECHAIN, SessionAccount, message_ids
from unbraid.agents.claude.sessions.discovery import META_ENDING, File, FoundSession, Scan
from unbraid.agents.claude.sessions.ending import is_reported
from unbraid.agents.claude.sessions.facts import Facts, facts_of, take_agent
from unbraid.agents.claude.sessions.second_reader import SecondReader, is_worth_it
from unbraid.agents.claude.transcript import WARMUP
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
from unbraid.prices.loader import LoadedPrices
from unbraid.system.clock import now_ms
from unbraid.system.home import make_private_folder

FILE_NAME = "index.bin"
SCHEMA = 6
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


class _Kept(Struct):
    schema: int = SCHEMA
    prices: str = ""
    files: dict[str, Facts] = field(default_factory=dict)
    firsts: dict[str, First] = field(default_factory=dict)


class Index:
    """The index, kept in a folder of ours; None keeps nothing. `redact` is applied to titles."""

    def __init__(
        self,
        folder: Path | None,
        redact: Callable[[str], str] | None = None,
        *,
        prices: LoadedPrices | None = None,
    ) -> None:
        self.problems: dict[str, str] = {}
        self._prices = prices
        self._copies: Copies | None = None
        self._metas: Mapping[str, File] = {}
        self._second: SecondReader | None = None
        self.total = 0
        self.read_bytes = 0
        self._path = None if folder is None else folder / FILE_NAME
        self._kept, self._redact, self._stale = self._load(), redact, False
        for facts in self._kept.files.values() if redact is not None else ():
            self._stale = self._redact_title(facts) or self._stale

    def rows(self, env: Mapping[str, str], *, since_ns: int = 0) -> Iterator[IndexRow]:
        """Yields sessions written since a time, newest first, each as soon as it is read."""
        scan = Scan.of(env)
        self.problems, self._metas = dict(scan.problems), scan.metas
        sessions = [found for found in scan.sessions if found.mtime_ns >= since_ns]
        self.total = len(sessions)
        seen: dict[str, Facts] = {}
        try:
            self._second = self._second_reader(scan, sessions, since_ns)
            self._copies = Copies(scan, self._kept.firsts)
            self._kept.firsts = self._copies.firsts
            beside = self._owned(scan, since_ns, seen)
            for found in sessions:
                row = self._row(found, beside.get(found.id, []), seen)
                if row is not None:
                    yield row
            if not since_ns:
                self._kept.files = seen  # what is no longer there is forgotten
        finally:
            if self._second is not None:
                self._second.close()
                self._second = None
            if self.read_bytes or self._stale:
                self._save()

    def _facts(self, file: File, seen: dict[str, Facts]) -> Facts | None:
        known = self._known(file)
        if known is None:
            # The second reader has begun before it was known what is a copy.
            if self._second is not None and not self._behind(file):
                known = self._second.take(file)
            known = known or self._read(file)
            if known is not None:
                self._kept.files[file.path] = known
                self.read_bytes += file.size
        if known is not None:
            self._stale = self._take_agent(file, known) or self._stale
            seen[file.path] = known
        return known

    def _known(self, file: File) -> Facts | None:
        """Returns what was read of a file before, if it is still what it was."""
        known = self._unchanged(file)
        return known if known is not None and known.behind == self._behind(file) else None

    def _unchanged(self, file: File) -> Facts | None:
        known = self._kept.files.get(file.path)
        if known is None or (known.size, known.mtime_ns) != (file.size, file.mtime_ns):
            return None
        return known

    def _behind(self, file: File) -> list[File]:
        return [] if self._copies is None else self._copies.behind(file)

    def _second_reader(
        self, scan: Scan, sessions: list[FoundSession], since_ns: int
    ) -> SecondReader | None:
        """Begins to read what is new in another process, too, if it is much."""
        beside = [file for file in scan.beside if file.mtime_ns >= since_ns]
        files = beside + [file for found in sessions for file in (found.main, *found.children)]
        new = [file for file in files if self._unchanged(file) is None]
        return SecondReader(new, self._read) if is_worth_it(new) else None

    def _read(self, file: File) -> Facts | None:
        behind = self._behind(file)
        prices = None if self._prices is None else self._prices.prices
        skip: set[str] = set()
        try:
            for other in behind:
                skip |= {name for name, _ in message_ids(other.path)}
            facts = facts_of(file.path, prices=prices, skip=skip)
        except (OSError, ValueError) as error:
            self.problems[file.path] = getattr(error, "strerror", None) or str(error)
            self._kept.files.pop(file.path, None)
            return None
        # The times from before the reading: what was appended since is read again next time.
        facts.size, facts.mtime_ns = file.size, file.mtime_ns
        facts.behind = behind
        self._take_agent(file, facts)
        self._redact_title(facts)
        return facts

    def _take_agent(self, file: File, facts: Facts) -> bool:
        beside = self._metas.get(file.path.removesuffix(".jsonl") + META_ENDING)
        return take_agent(facts, beside)

    def _redact_title(self, facts: Facts) -> bool:
        """Redacts a transcript's title, and returns whether there was something to redact."""
        before = facts.title
        if before is not None and self._redact is not None:
            facts.title = self._redact(before)
        return facts.title != before

    def _owned(self, scan: Scan, since_ns: int, seen: dict[str, Facts]) -> dict[str, list[Facts]]:
        """2.0's sub-agents by session; among them those that it starts only to warm up."""
        owned: dict[str, list[Facts]] = {}
        for file in scan.beside:
            facts = self._facts(file, seen) if file.mtime_ns >= since_ns else None
            if facts is not None and facts.session_id is not None:
                owned.setdefault(facts.session_id, []).append(facts)
        return owned

    def _row(
        self, found: FoundSession, beside: list[Facts], seen: dict[str, Facts]
    ) -> IndexRow | None:
        main = self._facts(found.main, seen)
        if main is None:
            return None
        if main.counts.copied and not main.counts.messages:
            return None  # a copy that has not gone on is no session of its own yet
        prices = None if self._prices is None else self._prices.prices
        children = {file: self._facts(file, seen) for file in found.children}
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
                agent.shares = _shares(facts, agent.agent or AGENT, reports, prices)
                agents.append(agent)
        for facts in beside:
            agent = IndexedAgent(facts.agent_id or "", description=facts.title)
            agent.shares = _shares(facts, AGENT, reports, prices)
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
            updated = written  # by a clock that is ahead, it would be live and the newest for ever
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

    def _load(self) -> _Kept:
        try:
            data = b"" if self._path is None else self._path.read_bytes()
            kept = msgspec.msgpack.decode(data, type=_Kept)
        except (OSError, msgspec.MsgspecError):
            return _Kept(prices="" if self._prices is None else self._prices.digest)
        prices = "" if self._prices is None else self._prices.digest
        if kept.schema != SCHEMA or kept.prices != prices:
            return _Kept(prices=prices)
        return kept

    def _save(self) -> None:
        if self._path is None:
            return
        scratch = self._path.with_suffix(f".{os.getpid()}")
        try:
            make_private_folder(self._path.parent)
            scratch.write_bytes(msgspec.msgpack.encode(self._kept))
            scratch.replace(self._path)
        except OSError as error:
            # Only the next start suffers.
            scratch.unlink(missing_ok=True)
            self.problems[str(self._path)] = error.strerror or str(error)


def _ending(found: FoundSession, main: Facts, children: Mapping[File, Facts | None]) -> str | None:
    """Returns how a session has ended: one whose agents were still at work was so itself."""
    if main.ending != DONE:
        return main.ending
    files = [found.main.path, *(file.path for file in children)]
    for file, facts in children.items():
        if facts is not None and facts.ending == ORPHANED:
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
    facts: Facts, name: str, reports: Mapping[str, MessageTokens], prices: Prices | None
) -> list[UsageShare]:
    """A sub-agent's shares. Its last message counts as its parent was given it, if its own
    transcript has no final numbers.
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
    known = usage_of(shares)
    if is_about_more(account, known.total_tokens):
        return []
    rest = rest_of(account, known, ts=account.ts, model=account.model)
    return [rest] if rest.total_tokens else []


def _report(shares: list[UsageShare], account: SessionAccount) -> None:
    """Divide what the session's own account says among the shares that it covers."""
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
