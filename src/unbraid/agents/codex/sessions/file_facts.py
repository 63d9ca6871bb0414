"""What one rollout says of its thread: title, times, tokens, and whether its last turn has ended.

What was read is kept with the size and time of each file, so that a second start reads only what
has changed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct, field

from unbraid.agents.codex.dialect.dispatcher import CodexDialect
from unbraid.agents.codex.sessions.rollout_file import created_ms, rollout_events, thread_of_name
from unbraid.events import Prompt, RelayEvent, TokenUsage
from unbraid.events.decoders import msgpack_decoder
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


class _KeptFacts(Struct):
    schema: int = SCHEMA
    prices: str = ""
    files: dict[str, RolloutFacts] = field(default_factory=dict)


class FactsCache:
    """The facts of files, kept in a folder of ours; None keeps nothing. `redact` is applied to
    titles.
    """

    def __init__(
        self, folder: Path | None, redact: Callable[[str], str] | None, prices: LoadedPrices
    ) -> None:
        self._prices = prices
        self._path = None if folder is None else folder / FILE_NAME
        self._redact = redact
        self.problems: dict[str, str] = {}  # files that could not be read, and why
        self._kept = self._load()
        self._changed = False

    def facts(self, path: Path) -> RolloutFacts | None:
        """Returns the facts of a file; None if it cannot be read."""
        try:
            status = path.stat()
            known = self._kept.files.get(str(path))
            if known is None or (known.size, known.mtime_ns) != (
                status.st_size,
                status.st_mtime_ns,
            ):
                known = read_facts(path, self._prices.prices)
                known.size, known.mtime_ns = status.st_size, status.st_mtime_ns
                self._kept.files[str(path)] = known
                self._changed = True
        except OSError as error:
            self.problems[str(path)] = error.strerror or str(error)
            return None
        if self._redact is not None and known.title is not None:
            title = self._redact(known.title)
            self._changed = self._changed or title != known.title
            known.title = title
        return known

    def save(self) -> None:
        """Keeps what was read."""
        if self._path is None or not self._changed:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            scratch = self._path.with_suffix(".new")
            scratch.write_bytes(msgspec.msgpack.encode(self._kept))
            scratch.replace(self._path)
        except OSError:
            return  # it is read again the next time

    def _load(self) -> _KeptFacts:
        try:
            data = b"" if self._path is None else self._path.read_bytes()
            kept = msgpack_decoder(_KeptFacts).decode(data)
        except (OSError, msgspec.MsgspecError, ValueError):
            kept = _KeptFacts()
        wanted = (SCHEMA, self._prices.digest)
        if (kept.schema, kept.prices) == wanted:
            return kept
        return _KeptFacts(prices=self._prices.digest)


def read_facts(path: Path, prices: Prices | None = None) -> RolloutFacts:
    """Reads a file whole."""
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
