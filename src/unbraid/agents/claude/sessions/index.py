"""Each of Claude Code's sessions as one row: its agents, its tree, what it used. Newest first.

What was read is kept (`unbraid.agents.facts_cache`). What reads transcripts is imported when there
is something to read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import field

from unbraid.agents.claude.sessions.copies import Copies
from unbraid.agents.claude.sessions.discovery import File, FoundSession, Scan
from unbraid.agents.claude.sessions.index_row import IndexRow, row_of
from unbraid.agents.claude.sessions.transcript_facts import Facts, First
from unbraid.agents.facts_cache import CachedFacts, FactsCache, load_facts
from unbraid.events.decoders import msgpack_decoder
from unbraid.system.files import keep_buffers

if TYPE_CHECKING:
    from unbraid.agents.claude.sessions.second_reader import SecondReader
    from unbraid.prices.loader import LoadedPrices

FILE_NAME = "index.bin"
SCHEMA = 6


class _IndexContent(CachedFacts[Facts]):
    """Also with which messages the sessions begin."""

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
        self._scan = Scan()
        self._second: SecondReader[Facts] | None = None
        self.total = 0
        self.read_bytes = 0
        path = None if folder is None else folder / FILE_NAME
        digest = "" if prices is None else prices.digest
        self._content = load_facts(path, _IndexContent, schema=SCHEMA, prices=digest)
        self._cache = FactsCache(path, self._content, redact)

    def rows(self, env: Mapping[str, str], *, since_ns: int = 0) -> Iterator[IndexRow]:
        """Yields sessions written since a time, newest first, each as soon as it is read."""
        scan = self._scan = Scan.of_mains(env)
        self._find_children(scan)
        self._copies = Copies(scan, self._content.firsts)
        self.problems = dict(scan.problems)
        sessions = [found for found in scan.sessions if found.mtime_ns >= since_ns]
        self.total = len(sessions)
        try:
            self._second = self._second_reader(scan, sessions, since_ns)
            beside = self._owned(scan, since_ns)
            for found in sessions:
                row = self._row(found, beside.get(found.id, []))
                if row is not None:
                    yield row
            if not since_ns:
                self._cache.drop_unused()
        finally:
            if self._second is not None:
                self._second.close()
                self._second = None
            self.problems |= self._cache.save()

    def _find_children(self, scan: Scan) -> None:
        """Adds the sub-agents to a scan, and to what is kept with which message sessions begin. One
        takes as long as the other: of many, the second reader begins with the messages meanwhile.
        """
        firsts = self._content.firsts
        new = [main for main in scan.mains if main.path not in firsts]
        if new:
            from unbraid.agents.claude.sessions.first_messages import first_messages_reader

            with first_messages_reader(new) as reader:
                scan.find_children()
                firsts |= reader.take_all()
        else:
            scan.find_children()
        paths = [main.path for main in scan.mains]
        self._content.firsts = {path: firsts[path] for path in paths if path in firsts}

    def _facts(self, file: File) -> Facts | None:
        known = self._known(file)
        if known is None:
            if self._second is not None:
                known = self._second.take(file)
            known = known or self._read(file)
            if known is not None:
                self._cache.put(file.path, known)
                self.read_bytes += file.size
        if known is not None and self._take_agent(file, known):
            self._cache.put(file.path, known)
        return known

    def _known(self, file: File) -> Facts | None:
        """Returns what was read of a file before, if it is still what it was."""
        known = self._cache.get(file.path, file.size, file.mtime_ns)
        return known if known is not None and known.behind == self._behind(file) else None

    def _behind(self, file: File) -> list[File]:
        return [] if self._copies is None else self._copies.behind(file)

    def _second_reader(
        self, scan: Scan, sessions: list[FoundSession], since_ns: int
    ) -> SecondReader[Facts] | None:
        """Returns a second process that reads what is new, too; None if there is too little for
        that.
        """
        beside = [file for file in scan.beside if file.mtime_ns >= since_ns]
        files = beside + [file for found in sessions for file in (found.main, *found.children)]
        known = self._cache.get
        new = [file for file in files if known(file.path, file.size, file.mtime_ns) is None]
        if not new:
            return None
        from unbraid.agents.claude.sessions.second_reader import SecondReader, are_large

        if not are_large(new):
            return None
        keep_buffers()
        return SecondReader(new, self._read, msgpack_decoder(dict[str, Facts]).decode)

    def _read(self, file: File) -> Facts | None:
        from unbraid.agents.claude.sessions.counts import message_ids
        from unbraid.agents.claude.sessions.facts import facts_of

        behind = self._behind(file)
        prices = None if self._prices is None else self._prices.prices
        skip: set[str] = set()
        try:
            for other in behind:
                skip |= {name for name, _ in message_ids(other.path)}
            facts = facts_of(file.path, prices=prices, skip=skip)
        except (OSError, ValueError) as error:
            self.problems[file.path] = getattr(error, "strerror", None) or str(error)
            self._cache.drop(file.path)
            return None
        # The times from before the reading: what was appended since is read again next time.
        facts.size, facts.mtime_ns = file.size, file.mtime_ns
        facts.behind = behind
        self._take_agent(file, facts)
        return facts

    def _take_agent(self, file: File, facts: Facts) -> bool:
        beside = self._scan.meta(file)
        if beside == facts.agent_file:
            return False
        from unbraid.agents.claude.sessions.facts import take_agent

        return take_agent(facts, beside)

    def _owned(self, scan: Scan, since_ns: int) -> dict[str, list[Facts]]:
        """2.0's sub-agents by session; among them those that it starts only to warm up."""
        owned: dict[str, list[Facts]] = {}
        for file in scan.beside:
            facts = self._facts(file) if file.mtime_ns >= since_ns else None
            if facts is not None and facts.session_id is not None:
                owned.setdefault(facts.session_id, []).append(facts)
        return owned

    def _row(self, found: FoundSession, beside: list[Facts]) -> IndexRow | None:
        main = self._facts(found.main)
        if main is None:
            return None
        if main.counts.copied and not main.counts.messages:
            return None  # a copy that has not gone on is no session of its own yet
        children = {file: self._facts(file) for file in found.children}
        prices = None if self._prices is None else self._prices.prices
        return row_of(found, main, children=children, beside=beside, prices=prices)
