"""Each of Claude Code's sessions as one row: its agents, its tree, what it used. Newest first.

What was read is kept in a file of ours with the size and time of each transcript, so a second start
reads only what has changed. The transcripts themselves are never copied. What reads them is
imported when there is something to read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct, field

from unbraid.agents.claude.sessions.copies import Copies
from unbraid.agents.claude.sessions.discovery import File, FoundSession, Scan
from unbraid.agents.claude.sessions.index_row import IndexRow, row_of
from unbraid.agents.claude.sessions.transcript_facts import Facts, First
from unbraid.events.decoders import msgpack_decoder
from unbraid.system.files import keep_buffers
from unbraid.system.home import make_private_folder

if TYPE_CHECKING:
    from unbraid.agents.claude.sessions.second_reader import SecondReader
    from unbraid.prices.loader import LoadedPrices

FILE_NAME = "index.bin"
SCHEMA = 6


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
        self._scan = Scan()
        self._second: SecondReader[Facts] | None = None
        self.total = 0
        self.read_bytes = 0
        self._path = None if folder is None else folder / FILE_NAME
        self._kept, self._redact, self._stale = self._load(), redact, False
        for facts in self._kept.files.values() if redact is not None else ():
            self._stale = self._redact_title(facts) or self._stale

    def rows(self, env: Mapping[str, str], *, since_ns: int = 0) -> Iterator[IndexRow]:
        """Yields sessions written since a time, newest first, each as soon as it is read."""
        scan = self._scan = Scan.of_mains(env)
        self._find_children(scan)
        self._copies = Copies(scan, self._kept.firsts)
        self.problems = dict(scan.problems)
        sessions = [found for found in scan.sessions if found.mtime_ns >= since_ns]
        self.total = len(sessions)
        seen: dict[str, Facts] = {}
        try:
            self._second = self._second_reader(scan, sessions, since_ns)
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

    def _find_children(self, scan: Scan) -> None:
        """Adds the sub-agents to a scan, and to what is kept with which message sessions begin. One
        takes as long as the other: of many, the second reader begins with the messages meanwhile.
        """
        firsts = self._kept.firsts
        new = [main for main in scan.mains if main.path not in firsts]
        if new:
            from unbraid.agents.claude.sessions.first_messages import first_messages_reader

            with first_messages_reader(new) as reader:
                scan.find_children()
                firsts |= reader.take_all()
        else:
            scan.find_children()
        paths = [main.path for main in scan.mains]
        self._kept.firsts = {path: firsts[path] for path in paths if path in firsts}

    def _facts(self, file: File, seen: dict[str, Facts]) -> Facts | None:
        known = self._known(file)
        if known is None:
            if self._second is not None:
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
    ) -> SecondReader[Facts] | None:
        """Begins to read what is new in another process, too, if it is much."""
        beside = [file for file in scan.beside if file.mtime_ns >= since_ns]
        files = beside + [file for found in sessions for file in (found.main, *found.children)]
        new = [file for file in files if self._unchanged(file) is None]
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
            self._kept.files.pop(file.path, None)
            return None
        # The times from before the reading: what was appended since is read again next time.
        facts.size, facts.mtime_ns = file.size, file.mtime_ns
        facts.behind = behind
        self._take_agent(file, facts)
        self._redact_title(facts)
        return facts

    def _take_agent(self, file: File, facts: Facts) -> bool:
        beside = self._scan.meta(file)
        if beside == facts.agent_file:
            return False
        from unbraid.agents.claude.sessions.facts import take_agent

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
        children = {file: self._facts(file, seen) for file in found.children}
        prices = None if self._prices is None else self._prices.prices
        return row_of(found, main, children=children, beside=beside, prices=prices)

    def _load(self) -> _Kept:
        try:
            data = b"" if self._path is None else self._path.read_bytes()
            kept = msgpack_decoder(_Kept).decode(data)
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
            with suppress(OSError):
                scratch.unlink()
            self.problems[str(self._path)] = error.strerror or str(error)
