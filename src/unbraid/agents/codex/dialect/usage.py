"""Tokens: Codex counts up; each of them is reported once, under its agent.

Newer releases write a record of every answer. Older ones write a running total, the same one again
and again, and what the latest answer has added to it; a forked agent's total begins at its
parent's.
"""

from __future__ import annotations

from typing import Any

from unbraid.agents.codex.dialect.threads import Thread
from unbraid.events import RelayEvent, TokenUsage
from unbraid.read.clock import Clock
from unbraid.read.seen import newly

_FIELDS = ("input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens")
_SERVER = ("inputTokens", "cachedInputTokens", "cacheWriteInputTokens", "outputTokens")

Counts = tuple[int, int, int, int]


class ThreadTokens:
    """What the agents of a run have used."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen: dict[int, None] = {}
        self._records: set[str] = set()  # threads with a record of every answer
        self._totals: dict[str, Counts] = {}
        self._answers: dict[str, int] = {}

    def record(
        self, thread: Thread, usage: Any, response_id: str | None, *, out: list[RelayEvent]
    ) -> None:
        """Takes the record of one answer."""
        self._records.add(thread.id)
        counts = _counts(usage, _FIELDS)
        if counts is not None and newly(self._seen, hash((_agent(thread), response_id))):
            self._report(thread, counts, response_id, out=out)

    def copied(self, thread: Thread, info: Any) -> None:
        """Takes a running total out of a copied history: what it counts is another agent's."""
        total = _counts(info.get("total_token_usage"), _FIELDS) if isinstance(info, dict) else None
        if total is not None:
            self._totals[thread.id] = total

    def counted(self, thread: Thread, info: Any, out: list[RelayEvent]) -> None:
        """Takes a running total of a rollout, with what the latest answer has added."""
        if isinstance(info, dict) and thread.id not in self._records:
            total = _counts(info.get("total_token_usage"), _FIELDS)
            self._grown(thread, total, _counts(info.get("last_token_usage"), _FIELDS), out=out)

    def served(
        self, thread: Thread, usage: Any, out: list[RelayEvent], *, is_new: bool = True
    ) -> None:
        """Takes a running total of the app-server; a rollout has it, too."""
        if isinstance(usage, dict) and not thread.has_rollout:
            total = _counts(usage.get("total"), _SERVER)
            if total is not None and not is_new:
                self._totals[thread.id] = total
            self._grown(thread, total, _counts(usage.get("last"), _SERVER), out=out)

    def printed(self, thread: Thread, usage: Any, out: list[RelayEvent]) -> None:
        """Takes the running total that is printed at the end of a turn."""
        total = _counts(usage, _FIELDS)
        if total is None or thread.has_rollout:
            return
        before = self._totals.get(thread.id, (0, 0, 0, 0))
        added = tuple(now - was for now, was in zip(total, before, strict=True))
        self._totals[thread.id] = total
        if any(part < 0 for part in added):
            added = total  # counted from the beginning, by a new process
        if any(added):
            self._report(thread, (added[0], added[1], added[2], added[3]), None, out=out)

    def _grown(
        self, thread: Thread, total: Counts | None, last: Counts | None, *, out: list[RelayEvent]
    ) -> None:
        if total is None or last is None or total == self._totals.get(thread.id):
            return
        self._totals[thread.id] = total
        self._report(thread, last, None, out=out)

    def _report(
        self, thread: Thread, counts: Counts, response_id: str | None, *, out: list[RelayEvent]
    ) -> None:
        context = thread.context
        assert context is not None
        number = self._answers[thread.id] = self._answers.get(thread.id, 0) + 1
        given, read, written, said = counts
        out.append(
            TokenUsage(
                context.id,
                self._clock.ts,
                message_id=f"{thread.id[-12:]}-answer-{response_id or number}",
                model=thread.model,
                input_tokens=max(given - read - written, 0),
                output_tokens=said,
                cache_read_tokens=read,
                cache_creation_tokens=written,
            )
        )


def _agent(thread: Thread) -> str:
    return thread.id if thread.context is None else thread.context.id


def _counts(usage: Any, names: tuple[str, ...]) -> Counts | None:
    """Returns input (with what was cached), cached, written to the cache, output."""
    if not isinstance(usage, dict):
        return None
    found = [usage.get(name) for name in names]
    given, read, written, said = (
        value if type(value) is int and 0 <= value < 1 << 53 else 0 for value in found
    )
    return given, read, written, said
