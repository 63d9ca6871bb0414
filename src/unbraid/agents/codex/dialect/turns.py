"""Turns: when an agent begins to work and how that ends, the main agent's and its sub-agents'; what
it was asked, what went wrong, and what tokens it has used.

Codex counts tokens up; each of them is reported once, under its agent. Newer releases write a
record of every answer. Older ones write a running total, the same one again and again, and what the
latest answer has added to it; a forked agent's total begins at its parent's.
"""

from __future__ import annotations

from typing import Any

from unbraid.agents.codex.dialect.threads import Counts, Thread, Threads
from unbraid.events import Compacted, Error, Prompt, TokenUsage, TurnComplete
from unbraid.read.seen import newly

Outcome = tuple[bool, str]

_COUNTED = ("input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens")
_COUNTED_BY_SERVER = ("inputTokens", "cachedInputTokens", "cacheWriteInputTokens", "outputTokens")


class ThreadTurns:
    """The turns of all threads. `outcome` is how the main agent has ended."""

    def __init__(self, threads: Threads) -> None:
        self._threads, self._clock, self._agents = threads, threads.clock, threads.agents
        self._seen: dict[int, None] = {}
        self.outcome: Outcome | None = None

    def begin(self, thread: Thread, turn_id: str | None) -> None:
        """Notes that a turn has begun. An agent that had ended was asked again."""
        if turn_id is not None and not newly(self._seen, hash(("begin", thread.id, turn_id))):
            return
        thread.has_turns = thread.turn_open = True
        thread.prompted = False
        context = thread.agent
        if context.parent is None or self._threads.stands_alone(thread):
            self.outcome = None
        if context.parent is not None and context.ended:
            self._resume(thread)
        thread.asked_by = None

    def awake(self, thread: Thread) -> None:
        """Notes that an agent says something: one that had ended was asked again, where its sources
        do not say when turns begin.
        """
        if thread.agent.ended and not thread.has_turns:
            self._resume(thread)
            thread.asked_by = None

    def _resume(self, thread: Thread) -> None:
        thread.agent.prompt = None
        self._agents.resume(thread.agent, thread.asked_by, self._threads.out)

    def prompted(self, thread: Thread, source: str, text: str) -> None:
        """Reports a prompt that was given to an agent."""
        context = thread.agent
        thread.prompted = True
        if not text or not thread.said.is_new(source, "prompt", text):
            return
        if context.parent is None or text != context.prompt:
            self._threads.out.append(Prompt(context.id, self._clock.ts, text))

    def end(
        self,
        thread: Thread,
        turn_id: str | None,
        outcome: Outcome,
        *,
        answer: str | None = None,
        problem: str | None = None,
        duration_ms: float | None = None,
    ) -> None:
        """Reports the end of a turn, once."""
        if not newly(self._seen, hash(("end", thread.id, turn_id or self._clock.ts))):
            return
        thread.has_turns, thread.turn_open = True, False
        thread.open_calls.clear()  # they will have no result
        self._threads.release_children(thread)
        if problem is not None:
            self.failed(thread, "turn", problem)
        ok, reason = outcome
        context = thread.agent
        if context.parent is not None:
            out = self._threads.out
            self._agents.end(context, ok=ok, reason=reason, content=answer, out=out)
            if not self._threads.stands_alone(thread):
                return
            # A person continues this agent alone: what it has done is what the run has.
            context, answer = self._threads.contexts.root, None
        self.outcome = outcome
        self._threads.out.append(
            TurnComplete(
                context.id,
                self._clock.ts,
                ok=ok,
                subtype="success" if ok else reason,
                reason=reason,
                result=answer,
                duration_ms=None if duration_ms is None else round(duration_ms),
            )
        )

    def failed(self, thread: Thread, source: str, problem: str, *, code: str | None = None) -> None:
        """Reports an error; the same from several sources once."""
        context = thread.agent
        if thread.said.is_new(source, "error", problem) and not (context.ended and code):
            self._threads.out.append(Error(context.id, self._clock.ts, problem, code=code))

    def compacted(self, thread: Thread, source: str) -> None:
        """Reports that an agent's context was compacted; the same from several sources once."""
        if thread.said.is_new(source, "compacted", ""):
            self._threads.out.append(Compacted(thread.agent.id, self._clock.ts))

    def finish(self) -> Outcome:
        """Ends the agents that are still at work; returns how the main agent has ended."""
        for context in reversed(self._threads.contexts.everyone()):
            if context.spawned and not context.ended and context.parent is not None:
                ok = _is_completed(self._threads.of_context(context))
                reason = "completed" if ok else "orphaned"
                answer = context.last_text or None if ok else None
                if not context.last_text and context.ending is not None:
                    ok, reason, answer = context.ending  # as the agent that waited for it got it
                out = self._threads.out
                self._agents.end(context, ok=ok, reason=reason, content=answer, out=out)
        if self.outcome is not None:
            return self.outcome
        return (True, "completed") if _is_completed(self._threads.root) else (False, "orphaned")


class ThreadTokens:
    """What the agents of a run have used."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._seen: dict[int, None] = {}

    def record(self, thread: Thread, usage: Any, response_id: str | None) -> None:
        """Reads the record of one answer."""
        thread.has_usage_records = True
        counts = _counts(usage)
        if counts is not None and newly(self._seen, hash((thread.agent.id, response_id))):
            self._report(thread, counts, response_id)

    def copied(self, thread: Thread, info: Any) -> None:
        """Reads a running total out of a copied history: what it counts is another agent's."""
        total = _counts(info.get("total_token_usage")) if isinstance(info, dict) else None
        if total is not None:
            thread.total = total

    def counted(self, thread: Thread, info: Any) -> None:
        """Reads a running total of a rollout, with what the latest answer has added."""
        if isinstance(info, dict) and not thread.has_usage_records:
            total, last = _counts(info.get("total_token_usage")), info.get("last_token_usage")
            self._grown(thread, total, _counts(last))

    def served(self, thread: Thread, usage: Any, *, is_new: bool) -> None:
        """Reads a running total of the app-server; a rollout has it, too."""
        if isinstance(usage, dict) and not thread.has_rollout:
            total = _counts(usage.get("total"), _COUNTED_BY_SERVER)
            if total is not None and not is_new:
                thread.total = total
            self._grown(thread, total, _counts(usage.get("last"), _COUNTED_BY_SERVER))

    def printed(self, thread: Thread, usage: Any) -> None:
        """Reads the running total that is printed at the end of a turn."""
        total = _counts(usage)
        if total is None or thread.has_rollout:
            return
        before, thread.total = thread.total or (0, 0, 0, 0), total
        given, read, written, said = (now - was for now, was in zip(total, before, strict=True))
        # A smaller total was counted from the beginning, by a new process.
        added = total if min(given, read, written, said) < 0 else (given, read, written, said)
        if any(added):
            self._report(thread, added, None)

    def _grown(self, thread: Thread, total: Counts | None, last: Counts | None) -> None:
        if total is not None and last is not None and total != thread.total:
            thread.total = total
            self._report(thread, last, None)

    def _report(self, thread: Thread, counts: Counts, response_id: str | None) -> None:
        thread.answers += 1
        given, read, written, said = counts
        self._threads.out.append(
            TokenUsage(
                thread.agent.id,
                self._threads.clock.ts,
                message_id=f"{thread.id[-12:]}-answer-{response_id or thread.answers}",
                model=thread.model,
                input_tokens=max(given - read - written, 0),
                output_tokens=said,
                cache_read_tokens=read,
                cache_creation_tokens=written,
            )
        )


def _is_completed(thread: Thread | None) -> bool:
    """Returns whether a thread without signs of its turns has come to an end: its last words were
    no call.
    """
    if thread is None or thread.context is None or thread.has_turns:
        return False
    return bool(thread.context.last_text) and not thread.open_calls


def _counts(usage: Any, names: tuple[str, ...] = _COUNTED) -> Counts | None:
    if not isinstance(usage, dict):
        return None
    found = [usage.get(name) for name in names]
    given, read, written, said = (
        value if type(value) is int and 0 <= value < 1 << 53 else 0 for value in found
    )
    return given, read, written, said
