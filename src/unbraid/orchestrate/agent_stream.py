"""One conversation's stream in the log of its run, and the run's way into the log."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from unbraid import events as e
from unbraid.events.tokens import all_tokens
from unbraid.fold.streams import Fleet
from unbraid.log.port import Log
from unbraid.orchestrate.budget import Account, Meter
from unbraid.system.clock import now_ms

# Deltas of one moment are one transaction.
JOURNAL_GATHER_SECONDS = 0.01

MAX_PENDING = 2048


class Journal:
    """Appends one run's events in the order in which they happened, many to a commit. `run` it in a
    task of its own.

    While one commit waits for the disk, the next events gather; so they do for some milliseconds
    after a commit, because waking the log and its viewers costs more than a word does. A writer
    that is faster than the disk waits at `room`, so that what is gathered stays small.
    """

    def __init__(self, log: Log, run: str) -> None:
        self._log, self._run = log, run
        self._pending: list[e.FleetEvent] = []
        self._wake = asyncio.Event()
        self._room = asyncio.Event()
        self._over = False
        self.begun = asyncio.Event()

    def write(self, events: Sequence[e.FleetEvent]) -> None:
        """Queues events; they are durable a little later, in this order."""
        if events:
            self._pending.extend(events)
            self._wake.set()

    def add(self, event: e.FleetEvent) -> None:
        """Queues one more event."""
        if not self._pending:  # else it was woken for the others
            self._wake.set()
        self._pending.append(event)

    @property
    def full(self) -> bool:
        """Whether it is time to wait at `room`."""
        return len(self._pending) >= MAX_PENDING and not self._over

    async def room(self) -> None:
        """Waits until what is pending is being written."""
        while self.full:
            self._room.clear()
            await self._room.wait()

    async def run(self) -> None:
        """Appends until `done` is written. A LogError ends it: what was not written is lost."""
        over, loop = False, asyncio.get_running_loop()
        written = loop.time() - JOURNAL_GATHER_SECONDS
        try:
            while not over:
                await self._wake.wait()
                if (early := written + JOURNAL_GATHER_SECONDS - loop.time()) > 0 and not self.full:
                    await asyncio.sleep(early)
                self._wake.clear()
                events, self._pending = self._pending, []
                self._room.set()
                over = isinstance(events[-1], e.Done)
                await self._log.append(self._run, events)
                written = loop.time()
                self.begun.set()
        finally:
            # Nothing may wait for a writer that has ended.
            self._over = True
            self._room.set()
            self.begun.set()


class AgentStream:
    """Emits what one agent says, does and uses.

    Its conversation has a key, which is the context of its agent: the master's is `""`. Sub-agents
    that the agent starts by its own means are contexts below it. The usage of a turn is emitted
    after its result: the results of its commands, or its answer.
    """

    def __init__(
        self,
        key: str,
        *,
        fleet: Fleet,
        journal: Journal,
        account: Account,
        on_draft: Callable[[e.Draft], None],
    ) -> None:
        self.key, self.account, self.journal = key, account, journal
        self._fleet, self._on_draft = fleet, on_draft
        self._stream = fleet.stream_of(key)
        self._meter = Meter()
        self._usages: list[e.TokenUsage] = []

    @property
    def stream_id(self) -> int:
        """The number of its stream."""
        return self._stream.id

    def begin_answer(self) -> None:
        """Reports that the agent begins to answer, even if what it says is held back."""
        if not self._stream.answering:
            self.journal.write(self._fleet.begin_answer(self._stream, now_ms()))

    def say(self, event: e.RelayEvent) -> None:
        """Reports something that the agent, or one of its own sub-agents, said or did."""
        event.context = self._context(event.context)
        if isinstance(event, e.SubAgentSpawned):
            event.parent_context = self._context(event.parent_context)
        self.journal.write(self._fleet.apply((event,), now_ms()))

    def text(self, event: e.TextDelta) -> None:
        """Reports text of the agent itself."""
        stream = self._stream
        if not stream.answering:
            self.begin_answer()
        self.journal.add(self._fleet.text(stream, event, now_ms()))

    def draft(self, delta: str) -> None:
        """Shows live viewers text that may be dropped later."""
        stream = self._stream
        self._on_draft(
            e.Draft(stream_id=stream.id, depth=stream.depth, agent=stream.agent, delta=delta)
        )

    def used(self, usage: e.TokenUsage) -> None:
        """Charges what a message used; that is emitted with the next usage, or by `emit_usage`."""
        self._meter.message(usage)
        self.account.charge(usage)
        if usage.context:
            self.say(usage)
            return
        self.emit_usage()
        self._usages = [usage]

    def turn_over(self, turn: e.TurnComplete) -> None:
        """Charges what the backend reports about the whole turn, beyond its messages."""
        rest = self._meter.rest(turn)
        if rest is None:
            return
        self.account.charge(rest)
        if self._usages and rest.cost_usd is not None:
            last = self._usages[-1]
            last.cost_usd, rest.cost_usd = (last.cost_usd or 0.0) + rest.cost_usd, None
        if all_tokens(rest) or rest.cost_usd is not None:
            self._usages.append(rest)

    def emit_usage(self) -> None:
        """Emits the usage that is not emitted yet."""
        usages, self._usages = self._usages, []
        for usage in usages:
            self.say(usage)

    def carried_out(self, tool: str, *, ok: bool) -> None:
        """Reports that a command has finished."""
        finished = self._fleet.emit(e.ToolCall, self._stream, now_ms(), tool=tool, ok=ok)
        self.journal.write(finished)

    def end(self, *, answer: str | None = None, ok: bool, reason: str) -> None:
        """Ends its stream, and every agent below it that still works; `answer` is what its caller
        gets.
        """
        fleet = self._fleet
        if answer is not None:
            answered = fleet.emit(e.SubAgentResponse, self._stream, now_ms(), content=answer)
            self.journal.write(answered)
        self.emit_usage()
        if self._stream.ended:
            return
        now, orphaned = now_ms(), "orphaned" if ok else reason
        for context, stream in fleet.running():
            if context.startswith(f"{self.key}/"):
                self.journal.write(fleet.close(stream, ok=False, reason=orphaned, now=now))
        self.journal.write(fleet.close(self._stream, ok=ok, reason=reason, now=now))

    def _context(self, context: str) -> str:
        """Returns the context of a sub-agent of this conversation in the whole run."""
        return f"{self.key}/{context}" if context else self.key
