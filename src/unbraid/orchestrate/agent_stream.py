"""One conversation's stream in the log of its run."""

from __future__ import annotations

from collections.abc import Callable

from unbraid.events import Draft, Error, RelayEvent, TextDelta, TokenUsage, TurnComplete
from unbraid.events.tokens import all_tokens
from unbraid.fold.delegation import Delegation
from unbraid.orchestrate.budget import Account, Meter
from unbraid.orchestrate.journal import Journal
from unbraid.system.clock import now_ms

OnDraft = Callable[[Draft], None]


class AgentStream:
    """Emits what one agent says, does and uses.

    The usage of a turn is emitted after its result: the results of its commands, or its answer.
    """

    def __init__(
        self,
        key: str,
        *,
        delegation: Delegation,
        journal: Journal,
        account: Account,
        on_draft: OnDraft,
    ) -> None:
        self.key, self.account, self.journal = key, account, journal
        self._delegation, self._on_draft = delegation, on_draft
        self._stream = delegation.stream_of(key)
        self._meter = Meter()
        self._usages: list[TokenUsage] = []

    @property
    def stream_id(self) -> int:
        """The number of its stream."""
        return self._stream.id

    @property
    def name(self) -> str:
        """The agent's."""
        return self._stream.agent

    def begin_answer(self) -> None:
        """Reports that the agent begins to answer."""
        if not self._stream.answering:
            self.journal.write(self._delegation.begin_answer(self.key, now_ms()))

    def say(self, event: RelayEvent) -> None:
        """Reports something that the agent, or one of its own sub-agents, said or did."""
        self.journal.write(self._delegation.say(self.key, event, now_ms()))

    def text(self, event: TextDelta) -> None:
        """Reports text of the agent itself."""
        stream = self._stream
        if not stream.answering:
            self.begin_answer()
        self.journal.add(self._delegation.text(stream, event, now_ms()))

    def draft(self, delta: str) -> None:
        """Shows live viewers text that may be dropped later."""
        stream = self._stream
        self._on_draft(
            Draft(stream_id=stream.id, depth=stream.depth, agent=stream.agent, delta=delta)
        )

    def used(self, usage: TokenUsage) -> None:
        """Takes what a message used; it is emitted with the next one, or by `settle`."""
        self._meter.message(usage)
        self.account.charge(usage)
        if usage.context:
            self.say(usage)
            return
        self.settle()
        self._usages = [usage]

    def turn_over(self, turn: TurnComplete) -> None:
        """Takes what the backend reports about the whole turn."""
        rest = self._meter.rest(turn)
        if rest is None:
            return
        self.account.charge(rest)
        if self._usages and rest.cost_usd is not None:
            last = self._usages[-1]
            last.cost_usd, rest.cost_usd = (last.cost_usd or 0.0) + rest.cost_usd, None
        if all_tokens(rest) or rest.cost_usd is not None:
            self._usages.append(rest)

    def settle(self) -> None:
        """Emits the usage that is not emitted yet."""
        usages, self._usages = self._usages, []
        for usage in usages:
            self.say(usage)

    def carried_out(self, tool: str, *, ok: bool) -> None:
        """Reports that a command has finished."""
        self.journal.write(self._delegation.tool_call(self.key, tool, ok=ok, now=now_ms()))

    def error(self, message: str, code: str | None = None) -> None:
        """Reports an error."""
        self.say(Error(message=message, code=code))

    def respond(self, content: str) -> None:
        """Reports its answer, as its caller gets it."""
        self.journal.write(self._delegation.respond(self.key, content, now_ms()))

    def end(self, *, ok: bool, reason: str) -> None:
        """Ends its stream."""
        self.settle()
        if not self._stream.ended:
            self.journal.write(self._delegation.end(self.key, ok=ok, reason=reason, now=now_ms()))
