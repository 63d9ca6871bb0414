"""Codex's dialect: decides whether a line is Codex's, and dispatches records by their types.

An agent is a *thread*. Its rollout has all that it said; the CLI prints what the main agent says
or, in two releases, what all agents say, without their names; the app-server reports all threads,
word by word. The lines of a rollout do not name their thread, so the dialect must know from which
source each line comes.
"""

from __future__ import annotations

from typing import Any

from unbraid.agents.codex.dialect.calls import ThreadCalls
from unbraid.agents.codex.dialect.printed import PrintedItems
from unbraid.agents.codex.dialect.rollout import Rollouts
from unbraid.agents.codex.dialect.server import ServerNotifications
from unbraid.agents.codex.dialect.threads import Threads
from unbraid.agents.codex.dialect.turns import ThreadTokens, ThreadTurns
from unbraid.agents.codex.records import CodexRecord, decode, delta_in
from unbraid.events import RelayEvent
from unbraid.read.dialects import Dialect
from unbraid.read.record import coerce


class CodexDialect(Dialect[CodexRecord]):
    """Translates the records of one run of Codex."""

    delta_signs = (b'"method"',)
    part_signs = (b'"delta"',)
    delta = staticmethod(delta_in)

    def __init__(self) -> None:
        self._threads = threads = Threads()
        self._clock = threads.clock
        calls, tokens = ThreadCalls(threads), ThreadTokens(threads)
        self._turns = turns = ThreadTurns(threads)
        self._rollouts = Rollouts(threads, calls=calls, turns=turns, tokens=tokens)
        self._printed = PrintedItems(threads, calls=calls, turns=turns, tokens=tokens)
        self._server = ServerNotifications(threads, calls=calls, turns=turns, tokens=tokens)
        self._source = ""
        self._ended: tuple[bool, str] | None = None

    @property
    def ts(self) -> int:
        """The latest time that a source has given, in milliseconds since 1970; 0 if none did."""
        return self._clock.ts

    @property
    def outcome(self) -> tuple[bool, str] | None:
        """How the main agent has ended, as far as is known: ok, and the reason."""
        return self._turns.outcome or self._ended

    def arrive(self, now: int) -> None:
        """Notes when the records that follow have arrived."""
        self._clock.arrived = now

    def reading(self, source: str) -> None:
        """Notes from which source the next lines come."""
        self._source = source

    def decode(self, line: bytes) -> CodexRecord | None:
        """Returns a line as a record; None if it belongs to another kind."""
        record = decode(line)
        return record if record.is_identified else None

    def mend(self, value: dict[str, Any]) -> tuple[CodexRecord, bool] | None:
        """Returns a JSON object as a record with defaults where its types are wrong."""
        record, whole = coerce(CodexRecord, value)
        return (record, whole) if record.is_identified else None

    def translate(self, record: CodexRecord, out: list[RelayEvent]) -> None:
        """Appends what is new in a record."""
        stamp = record.timestamp if record.timestamp is not None else record.emitted_ms
        if stamp is not None:
            self._clock.set(stamp)
        else:
            self._clock.tick()
        self._threads.out = out
        if record.is_stored:
            self._rollouts.translate(self._source, record)
        elif record.is_printed:
            self._printed.translate(record)
        else:
            self._server.translate(record)

    def finish(self, out: list[RelayEvent]) -> None:
        """Appends what was waiting, and ends what was running: the sources are over."""
        self._threads.out = out
        self._threads.release_all()
        self._ended = self._turns.finish()
