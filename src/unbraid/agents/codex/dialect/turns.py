"""Turns: when an agent begins to work and how that ends, the main agent's and its sub-agents'."""

from __future__ import annotations

from unbraid.agents.codex.dialect.calls import ThreadCalls
from unbraid.agents.codex.dialect.threads import Thread, Threads
from unbraid.events import Compacted, Error, Prompt, RelayEvent, TurnComplete
from unbraid.read.clock import Clock
from unbraid.read.contexts import Agents, Context
from unbraid.read.seen import newly

Outcome = tuple[bool, str]


class ThreadTurns:
    """The turns of all threads."""

    def __init__(
        self, *, clock: Clock, agents: Agents[Context], threads: Threads, calls: ThreadCalls
    ) -> None:
        self._clock, self._agents = clock, agents
        self._threads, self._calls = threads, calls
        self._seen: dict[int, None] = {}
        self.outcome: Outcome | None = None

    def begin(self, thread: Thread, turn_id: str | None, out: list[RelayEvent]) -> None:
        """Notes that a turn has begun. An agent that had ended was asked again."""
        context = thread.context
        assert context is not None
        if turn_id is not None and not newly(self._seen, hash(("begin", thread.id, turn_id))):
            return
        thread.has_turns = thread.turn_open = True
        thread.prompted = False
        if context.parent is None or self._threads.stands_alone(thread):
            self.outcome = None
        if context.parent is not None and context.ended:
            context.prompt = None
            self._agents.resume(context, thread.asked_by, out)
        thread.asked_by = None

    def prompted(self, thread: Thread, source: str, text: str, *, out: list[RelayEvent]) -> None:
        """Reports a prompt that was given to an agent."""
        context = thread.context
        assert context is not None
        thread.prompted = True
        if not text or not thread.said.is_new(source, "prompt", text):
            return
        if context.parent is not None and text == context.prompt:
            return
        out.append(Prompt(context.id, self._clock.ts, text))

    def end(
        self,
        thread: Thread,
        turn_id: str | None,
        outcome: Outcome,
        *,
        out: list[RelayEvent],
        answer: str | None = None,
        problem: str | None = None,
        duration_ms: float | None = None,
    ) -> None:
        """Reports the end of a turn, once."""
        context = thread.context
        assert context is not None
        if not newly(self._seen, hash(("end", thread.id, turn_id or self._clock.ts))):
            return
        thread.has_turns = True
        thread.turn_open = False
        self._calls.forget(thread)
        self._threads.release_children(thread, out)
        if problem is not None:
            self.failed(thread, "turn", problem, out=out)
        ok, reason = outcome
        if context.parent is not None:
            self._agents.end(context, ok=ok, reason=reason, content=answer, out=out)
            if not self._threads.stands_alone(thread):
                return
            # A person continues this agent alone: what it has done is what the run has.
            context, answer = self._agents.contexts.root, None
        self.outcome = outcome
        out.append(
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

    def end_run(self, outcome: Outcome) -> None:
        """Notes how the main agent has ended, where no turn of its thread says so."""
        self.outcome = outcome

    def awake(self, thread: Thread, out: list[RelayEvent]) -> None:
        """Notes that an agent says something: one that had ended was asked again, where its sources
        do not say when turns begin.
        """
        context = thread.context
        assert context is not None
        if context.ended and not thread.has_turns:
            context.prompt = None
            self._agents.resume(context, thread.asked_by, out)
            thread.asked_by = None

    def failed(
        self,
        thread: Thread,
        source: str,
        problem: str,
        *,
        out: list[RelayEvent],
        code: str | None = None,
    ) -> None:
        """Reports an error; the same from several sources once."""
        context = thread.context
        assert context is not None
        if thread.said.is_new(source, "error", problem) and not (context.ended and code):
            out.append(Error(context.id, self._clock.ts, problem, code=code))

    def compacted(self, thread: Thread, source: str, out: list[RelayEvent]) -> None:
        """Reports that an agent's context was compacted; the same from several sources once."""
        context = thread.context
        assert context is not None
        if thread.said.is_new(source, "compacted", ""):
            out.append(Compacted(context.id, self._clock.ts))

    def finish(self, out: list[RelayEvent]) -> Outcome:
        """Ends the agents that are still at work; returns how the main agent has ended."""
        for context in reversed(self._agents.contexts.everyone()):
            if context.spawned and not context.ended and context.parent is not None:
                ok = self._is_completed(self._threads.of_context(context))
                reason = "completed" if ok else "orphaned"
                answer = context.last_text or None if ok else None
                if not context.last_text and context.ending is not None:
                    ok, reason, answer = context.ending  # as the agent that waited for it got it
                self._agents.end(context, ok=ok, reason=reason, content=answer, out=out)
        if self.outcome is not None:
            return self.outcome
        ok = self._is_completed(self._threads.root)
        return (True, "completed") if ok else (False, "orphaned")

    def _is_completed(self, thread: Thread | None) -> bool:
        """Returns whether a thread without signs of its turns has come to an end: its last words
        were no call.
        """
        if thread is None or thread.context is None or thread.has_turns:
            return False
        return bool(thread.context.last_text) and not self._calls.are_open(thread)
