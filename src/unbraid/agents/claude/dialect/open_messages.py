"""The messages that are being said, for records that name neither message nor agent.

Agents without names are interchangeable. If a record may belong to either of two messages that
begin alike, both choices lead to the same blocks, as long as no message counts as over that still
continues. So an agent's end waits until no other agent is left whose words might be its own.
"""

from __future__ import annotations

from unbraid.events import RelayEvent
from unbraid.read.blocks import MessageState
from unbraid.read.contexts import Context
from unbraid.read.lifecycle import Agents

OpenMessage = tuple[Context, MessageState]

# Past this many open messages the oldest are forgotten: text that calls no tool is never answered.
MAX_OPEN = 256


class OpenMessages:
    """Messages whose calls are not answered yet, agents whose end waits, and which agent speaks
    next.
    """

    def __init__(self, agents: Agents) -> None:
        self._agents = agents
        self._contexts = agents.contexts
        self._open: list[OpenMessage] = []
        self._ending: list[Context] = []
        self._answered = 0  # messages whose calls were all answered
        self._settled = 0  # invocations of agents that are over
        self._made_ids = 0

    def __bool__(self) -> bool:
        return bool(self._open)

    def latest_first(self) -> list[OpenMessage]:
        """Returns the open messages of all agents, the latest first."""
        return self._open[::-1]

    def begin(self, context: Context | None) -> OpenMessage:
        """Begins a new message, of an agent that is known or has to be guessed, and returns it."""
        self._made_ids += 1
        message_id = f"message-{self._made_ids}"
        if context is not None:
            return context, context.message(message_id)
        self._forget_answered()
        context = self._guess()
        found = context, context.message(message_id)
        self._open.append(found)
        del self._open[:-MAX_OPEN]
        return found

    def count_anew(self) -> None:
        """Sub-agents begin to speak: count from here on how many messages they may begin."""
        self._forget_answered()
        self._answered, self._settled = 0, self._invocations() - len(self.running())

    def allowed(self) -> int:
        """Returns how many messages sub-agents may have begun by now: one when they were spawned,
        and another one whenever all calls of their last one were answered.
        """
        self._forget_answered()
        return self._invocations() - self._settled + self._answered

    def running(self) -> list[Context]:
        """Returns the sub-agents that have not handed back an answer."""
        return [
            c
            for c in self._contexts.by_call.values()
            if c.spawned and not c.ended and not c.background and c not in self._ending
        ]

    def defer(self, context: Context, ending: tuple[bool, str, str | None]) -> bool:
        """Makes an agent's end wait. Returns whether it is due: no sub-agent is left that could say
        more.
        """
        context.ending = ending
        self._ending.append(context)
        return not self.running()

    def ending(self) -> list[Context]:
        """Returns the agents whose end waits."""
        return [context for context in self._ending if not context.ended]

    def settle(self, out: list[RelayEvent]) -> None:
        """Reports the ends that waited: no sub-agent will say more."""
        for context in self.ending():
            if context.ending is not None:
                self._agents.end(context, *context.ending, out=out)
        self._ending.clear()
        self._open = [found for found in self._open if found[0].parent is None]

    def _forget_answered(self) -> None:
        waiting = {id(call.message) for call in self._agents.calls.values()}
        still = []
        for found in self._open:
            context, state = found
            if not state.closed or id(state) in waiting:
                still.append(found)
            elif context.parent is not None:
                self._answered += 1
        self._open = still

    def _invocations(self) -> int:
        return sum(1 for c in self._contexts.by_call.values() if c.spawned and not c.background)

    def _guess(self) -> Context:
        """Returns the agent that a new message most likely belongs to, if records name none.

        While sub-agents run the main agent waits for them. So it is one of theirs: the first
        that has not spoken yet, else one whose last calls have all been answered.
        """
        running = self.running()
        if not running:
            return self._contexts.root
        waiting = {id(call.context) for call in self._agents.calls.values()}
        # One that has ended is next if what it seemed to say was another one's.
        for group in (running, self.ending()):
            for context in group:
                if not context.messages:
                    return context
            for context in group:
                if id(context) not in waiting and next(reversed(context.messages.values())).closed:
                    return context
        return next((c for c in running if id(c) not in waiting), running[-1])
