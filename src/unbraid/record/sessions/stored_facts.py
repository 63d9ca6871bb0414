"""What lists show of stored sessions: the fold of what their dialects say, for every kind alike.

Each session is translated as it is when it is imported, but what cannot change anything that a list
shows is left out: by its kind, which knows its lines, and here, where what agents say word by word
is not folded. What was found is kept with the version of its session, so that a second start
translates only what has changed. The sessions themselves are never copied.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, closing
from heapq import merge
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct, field

from unbraid.agents.port import StoredSession
from unbraid.agents.registry import stores
from unbraid.events.codec import msgpack_decoder
from unbraid.fold.shares import UsageShare
from unbraid.fold.status import ORPHANED
from unbraid.fold.usage import Usage
from unbraid.system.prices.loader import LoadedPrices, load_prices

if TYPE_CHECKING:
    from unbraid.record.sessions.fact_reader import SecondReader

Warn = Callable[[str], None]
Progress = Callable[[int, int], None]

FILE_NAME = "index.bin"
SCHEMA = 10
UNREAD = -1


class SessionFacts(Struct, array_like=True):
    """What is shown of a stored session; times in milliseconds since 1970. `ending` is the status
    that it has if no process has it, and `shares` are what `usage` consists of.
    """

    version: int
    title: str | None
    cwd: str | None
    started: int
    updated: int
    ending: str
    agents: int
    usage: Usage
    shares: list[UsageShare]

    @property
    def answered(self) -> bool:
        """Whether the last turn has come to an end."""
        return self.ending != ORPHANED


class FoundFacts(Struct):
    """The facts of one session, of a kind."""

    kind: str
    session_id: str
    facts: SessionFacts


class CachedFacts(Struct):
    """What is kept: facts by kind and session, of one schema, with costs by one table of prices
    (its digest).
    """

    schema: int
    prices: str
    kinds: dict[str, dict[str, SessionFacts]] = field(default_factory=dict)


def stored_facts(
    env: Mapping[str, str],
    folder: Path | None,
    *,
    since_ms: int = 0,
    warn: Warn,
    progress: Progress = lambda done, total: None,
    redact: Callable[[str], str] | None = None,
) -> Generator[FoundFacts, None, None]:
    """Yields the facts of the sessions of all kinds that have changed since a time, newest first,
    each as soon as it is known. They are kept in `folder`; None keeps nothing. `redact` is applied
    to titles before that.
    """
    prices = load_prices(env)
    cache = _Cache(folder, prices, redact)
    with ExitStack() as ending:
        ending.callback(cache.save, warn)
        listed = {
            kind: store.listed(since_ms=since_ms, cache=folder, warn=warn)
            for kind, store in stores(env).items()
        }
        total = sum(map(len, listed.values()))
        rows = [
            ending.enter_context(closing(_rows(kind, found, cache, warn)))
            for kind, found in listed.items()
        ]
        for number, row in enumerate(merge(*rows, key=lambda row: -row.facts.updated), 1):
            progress(number, total)
            yield row
        progress(total, total)  # some cannot be read, or are copies that have not gone on
        if not since_ms:
            cache.keep_only(listed)


class _Cache:
    """The facts that are kept; without a `folder`, nowhere."""

    def __init__(
        self, folder: Path | None, prices: LoadedPrices, redact: Callable[[str], str] | None
    ) -> None:
        self._path = None if folder is None else folder / FILE_NAME
        self._redact, self.prices = redact, prices
        self._content = self._load()
        self._has_changed = False
        for known in self._content.kinds.values() if redact is not None else ():
            for facts in known.values():
                self._redact_title(facts)

    def get(self, kind: str, stored: StoredSession) -> SessionFacts | None:
        """Returns the facts of a session, if it still has the same version."""
        known = self._content.kinds.get(kind, {}).get(stored.session_id)
        return known if known is not None and known.version == stored.version else None

    def put(self, kind: str, session_id: str, facts: SessionFacts) -> None:
        """Keeps the facts of a session."""
        self._redact_title(facts)
        self._content.kinds.setdefault(kind, {})[session_id] = facts
        self._has_changed = True

    def keep_only(self, listed: Mapping[str, Sequence[StoredSession]]) -> None:
        """Forgets the sessions that are not stored any more."""
        for kind, known in self._content.kinds.items():
            there = {stored.session_id for stored in listed.get(kind, ())}
            for session_id in known.keys() - there:
                del known[session_id]
                self._has_changed = True

    def save(self, warn: Warn) -> None:
        """Writes what is new. If that cannot be, only the next start suffers."""
        if self._path is None or not self._has_changed:
            return
        # Here, because most starts have nothing to write.
        from unbraid.system.atomic_file import write_atomically

        content = msgspec.msgpack.encode(self._content)
        try:
            write_atomically(self._path, content, durable=False, private_folder=True)
        except OSError as error:
            warn(f"{self._path}: {error.strerror or error}")

    def _load(self) -> CachedFacts:
        made = CachedFacts(SCHEMA, self.prices.digest)
        try:
            data = b"" if self._path is None else self._path.read_bytes()
            found = msgpack_decoder(CachedFacts).decode(data)
        except (OSError, ValueError, msgspec.MsgspecError):
            return made
        return found if (found.schema, found.prices) == (made.schema, made.prices) else made

    def _redact_title(self, facts: SessionFacts) -> None:
        if self._redact is not None and facts.title is not None:
            title = self._redact(facts.title)
            self._has_changed = self._has_changed or title != facts.title
            facts.title = title


def _rows(
    kind: str, listed: Sequence[StoredSession], cache: _Cache, warn: Warn
) -> Generator[FoundFacts, None, None]:
    """Yields the facts of the sessions of one kind, in their order: those that are kept, and else
    what is read, by a second process, too, if that is much.
    """
    new = {each.session_id: each for each in listed if cache.get(kind, each) is None}
    with ExitStack() as ending:
        second: SecondReader | None = None
        for stored in listed:
            facts = cache.get(kind, stored)
            if facts is None:
                # Here, because most starts have little to read, and none has to wait for it.
                from unbraid.record.sessions.fact_reader import SecondReader, readable_facts

                facts = None if second is None else second.found(stored.session_id)
                facts = facts or readable_facts(kind, stored, cache.prices, warn)
                if facts is None:
                    continue
                cache.put(kind, stored.session_id, facts)
                if second is None:
                    # Now, because everything that reads them is imported.
                    del new[stored.session_id]
                    second = ending.enter_context(closing(SecondReader(kind, new, cache.prices)))
            if not stored.is_copy or facts.usage.total_tokens:
                yield FoundFacts(kind, stored.session_id, facts)
