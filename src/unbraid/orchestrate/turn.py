"""One turn of one agent: what it says goes to the log as it is said, its commands are kept."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import aclosing

from unbraid import events as e
from unbraid.agents.backend_port import AgentConversation
from unbraid.errors import UnbraidError
from unbraid.fold.gate import Gate
from unbraid.orchestrate.agent_stream import AgentStream
from unbraid.orchestrate.grammar import FleetCommand, Parser
from unbraid.orchestrate.material import GivenMaterial

# A flood is stopped, not stored: no answer is as long as this.
MAX_TURN_CHARS = 4_000_000
# What a CLI reports of a turn that the log has already.
_IN_THE_LOG = (e.Prompt,)
Permission = e.PermissionAsked | e.PermissionReplied
_WORDS = (e.TextDelta, e.ThinkingDelta)
_ACCOUNTS = (e.TokenUsage, e.TurnComplete)
# A sub-agent that has used a tool may say so much before its commands.
LATER_HELPER_OPENING_CHARS = 400


class TurnTooLong(UnbraidError):
    """An agent says more than any answer needs."""


class OverBudget(UnbraidError):
    """An agent continues after its budget was spent; the text says what was."""


class AgentTurn:
    """The result of a turn: the commands, or else the answer."""

    def __init__(
        self,
        stream: AgentStream,
        gate: Gate,
        plugins: Collection[str],
        *,
        material: GivenMaterial,
        opening_chars: int,
        commands: bool,
    ) -> None:
        self.ok, self.problem = True, ""
        self.commands: list[FleetCommand] = []
        self.late = 0
        self._stream, self._gate, self._material = stream, gate, material
        self._parser: Parser | None = None
        if commands:
            # The text of a sub-agent is not held back, but its commands come first, too.
            self._parser = Parser(
                plugins,
                is_quoted=material.holds,
                opening_chars=opening_chars,
                until_delegating=not gate.open,
            )
        self._opening_chars = opening_chars
        self._message: list[str] = []
        self._message_id: str | None = None
        self._block = -1
        self._result: str | None = None
        self._chars = 0
        # An agent gets a last turn to answer with what it has.
        account = stream.account
        self._may_be_spent = account.may_be_spent and account.spent() is None

    @property
    def only_quotes(self) -> bool:
        """Whether the turn has nothing but commands that are not the agent's own."""
        parser = self._parser
        return parser is not None and bool(parser.quoted) and not parser.own_prose

    @property
    def answer(self) -> str:
        """The agent's last message."""
        return self._result or "".join(self._message)

    async def take(
        self,
        conversation: AgentConversation,
        message: str,
        on_asked: Callable[[Permission], None],
    ) -> None:
        """Sends a message, and reads the turn to its end."""
        stream, journal = self._stream, self._stream.journal
        async with aclosing(conversation.say(message)) as events:
            async for event in events:
                if self._may_be_spent:
                    self._check_budget(event)
                if isinstance(event, _WORDS):
                    self._chars += len(event.delta)
                    if self._chars > MAX_TURN_CHARS:
                        raise TurnTooLong
                    if type(event) is e.TextDelta and not event.context:
                        self._text(event)
                    else:
                        stream.say(event)
                elif isinstance(event, e.TokenUsage):
                    stream.used(event)
                elif isinstance(event, e.TurnComplete):
                    if not event.context:
                        self._complete(event)
                elif not isinstance(event, _IN_THE_LOG):
                    if isinstance(event, e.ToolResult) and not event.context:
                        self._given(event.content)
                    if isinstance(event, Permission):
                        on_asked(event)
                    stream.say(event)
                if journal.full:
                    await journal.room()
        if self._parser is not None:
            self.commands, self.late = self._parser.finish(), self._parser.late

    def release(self) -> None:
        """Emits what was held: the turn does not delegate."""
        for event in self._gate.release():
            self._stream.text(event)

    def delegate(self, labels: list[str]) -> None:
        """Emits the names of the agents to which the turn delegates. An agent whose text was not
        held has said it itself.
        """
        if not self._gate.open:
            self._stream.text(self._gate.delegate(labels))

    def _check_budget(self, event: e.RelayEvent) -> None:
        """Ends the turn if the budget is spent, by this agent or by others at the same time: what
        was on its way may overshoot it, nothing else may.
        """
        spent = self._stream.account.spent()
        if spent is not None and not isinstance(event, _ACCOUNTS):
            raise OverBudget(spent)

    def _given(self, content: str) -> None:
        """Takes what a tool has given to the agent. What it says from here on may be about that."""
        self._new_block()
        self._material.note(content)
        if self._parser is not None and self._gate.open:
            self._parser.begin_opening(min(self._opening_chars, LATER_HELPER_OPENING_CHARS))

    def _text(self, event: e.TextDelta) -> None:
        delta, gate, parser = event.delta, self._gate, self._parser
        if event.message_id != self._message_id:
            self._message_id, self._block, self._message = event.message_id, event.block, []
            self._new_block()
        elif event.block != self._block:
            self._block = event.block
            self._new_block()
        self._message.append(delta)
        if parser is not None:
            parser.feed(delta)
        if parser is None or gate.open:
            self._stream.text(event)
        else:
            self._stream.begin_answer()
            passed = gate.text(event, prose_chars=parser.prose_chars, delegating=parser.delegating)
            if gate.open:
                parser.close()
            else:
                self._stream.draft(delta)
            for held in passed:
                self._stream.text(held)

    def _new_block(self) -> None:
        # A block begins at column 0, wherever the one before has ended.
        if self._parser is not None and not self._parser.at_line_start:
            self._parser.feed("\n")

    def _complete(self, event: e.TurnComplete) -> None:
        self._stream.turn_over(event)
        self._result = event.result
        if not event.ok:
            self.ok = False
            self.problem = event.result or event.subtype or "the turn failed"
