"""What one rollout says of its thread: title, times, tokens, and whether its last turn has ended.

What was read is kept (`unbraid.agents.facts_cache`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct, field

from unbraid.agents.codex.dialect.dispatcher import CodexDialect
from unbraid.agents.codex.sessions.rollout_file import created_ms, rollout_events, thread_of_name
from unbraid.agents.facts_cache import CachedFacts, FactsCache, load_facts
from unbraid.errors import SourceError
from unbraid.events import Prompt, RelayEvent, TokenUsage
from unbraid.fleet.prices import Prices, tokens_of
from unbraid.fleet.shares import MAIN, ShareCounter, UsageShare
from unbraid.fleet.status import status_of_end
from unbraid.fleet.title import prompt_title
from unbraid.prices.loader import LoadedPrices

FILE_NAME = "codex-index.bin"
SCHEMA = 3


class RolloutFacts(Struct):
    """One file."""

    size: int = 0
    mtime_ns: int = 0
    title: str | None = None
    cwd: str | None = None
    started: int = 0
    updated: int = 0
    answered: bool = False
    ending: str | None = None
    shares: list[UsageShare] = field(default_factory=list)


class CachedRollouts(CachedFacts[RolloutFacts]):
    """What the file has."""


class RolloutIndex:
    """The facts of files, kept in a folder of ours; None keeps nothing. `redact` is applied to
    titles.
    """

    def __init__(
        self, folder: Path | None, redact: Callable[[str], str] | None, prices: LoadedPrices
    ) -> None:
        self.problems: dict[str, str] = {}  # files that could not be read or written, and why
        self._prices = prices.prices
        path = None if folder is None else folder / FILE_NAME
        content = load_facts(path, CachedRollouts, schema=SCHEMA, prices=prices.digest)
        self._cache = FactsCache(path, content, redact)

    def facts(self, path: Path) -> RolloutFacts | None:
        """Returns the facts of a file; None if it cannot be read."""
        try:
            status = path.stat()
            known = self._cache.get(str(path), status.st_size, status.st_mtime_ns)
            if known is None:
                known = read_facts(path, self._prices)
                # The look from before the reading: what was appended since is read the next time.
                known.size, known.mtime_ns = status.st_size, status.st_mtime_ns
                self._cache.put(str(path), known)
        except OSError as error:
            self.problems[str(path)] = error.strerror or str(error)
            return None
        except SourceError as error:
            self.problems[str(path)] = error.problem
            return None
        return known

    def save(self, *, complete: bool = False) -> None:
        """Keeps what was read; after a `complete` look, nothing of files that are gone."""
        if complete:
            self._cache.drop_unused()
        self.problems |= self._cache.save()


def read_facts(path: Path, prices: Prices | None = None) -> RolloutFacts:
    """Returns the facts of a file, which is read whole."""
    facts, counter = RolloutFacts(), ShareCounter(prices)
    dialect = CodexDialect()
    thread = thread_of_name(path.name)
    began = 0
    for events in rollout_events(path, dialect):
        began = began or dialect.ts
        for event in events:
            _note(facts, counter, event)
    facts.shares = counter.shares
    # A thread's id says when it was made; its run begins with its first record.
    facts.started = began or (created_ms(thread) if thread is not None else 0)
    facts.updated = dialect.ts or facts.started
    facts.answered = dialect.outcome is not None
    facts.cwd = dialect.cwd
    if dialect.outcome is None:
        dialect.finish([])
        facts.answered = dialect.outcome == (True, "completed")
    if dialect.outcome is not None:
        ok, reason = dialect.outcome
        facts.ending = status_of_end(reason, ok=ok)
    return facts


def _note(facts: RolloutFacts, counter: ShareCounter, event: RelayEvent) -> None:
    if isinstance(event, Prompt) and facts.title is None:
        facts.title = prompt_title(event.text)
    elif isinstance(event, TokenUsage):
        tokens = tokens_of(event)
        counter.add(tokens, ts=event.ts, agent=MAIN, model=event.model, cost_usd=event.cost_usd)
