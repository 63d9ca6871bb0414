"""Messages without an id: the known one that a record extends, else a new one.

Where records name neither message nor agent, only what they say tells them apart: a record that
repeats a known call, or adds to a known message, belongs to it. As long as only one agent speaks, a
text that begins with a known one is that text, grown in place. While sub-agents speak it may be
another agent's that begins with the same words: `readings` finds out.
"""

from __future__ import annotations

from unbraid.agents.claude.dialect.open_messages import OpenMessage, OpenMessages
from unbraid.agents.claude.dialect.readings import Line, Readings
from unbraid.agents.claude.records import ClaudeRecord
from unbraid.events import EMPTY_OBJECT, RelayEvent, TextDelta, ThinkingDelta
from unbraid.read.blocks import STDOUT, Block, Repetition, digest_of
from unbraid.read.clock import Clock
from unbraid.read.contexts import Context
from unbraid.read.lifecycle import Agents
from unbraid.read.seen import forget_oldest

RECENT_CALLS = 1024


class UnnamedMessages:
    """Finds the message that a record without a message id belongs to."""

    def __init__(self, agents: Agents, clock: Clock) -> None:
        self._agents = agents
        self._clock = clock
        self._messages = OpenMessages(agents)
        self._readings: Readings[OpenMessage] = Readings()
        # The message that made a call, and whether the call's input was empty then.
        self._calls: dict[str, tuple[OpenMessage, bool]] = {}

    def find(
        self,
        record: ClaudeRecord,
        context: Context,
        content: list[Block],
        *,
        source: int,
        repetition: Repetition,
    ) -> OpenMessage:
        """Returns the message of a record, and its agent; `context` is what the record itself says
        of that.
        """
        calls = [block for block in content if block.id is not None]
        found = self._caller(calls, source)
        if found is not None:
            repetition.cumulative = True
            self._remember(calls, found)
            return found
        known = record.parent_tool_use_id is not None or record.session_id_stdout is not None
        digests = [digest_of(block) for block in content]
        if known:
            candidates = [(context, state) for state in reversed(context.messages.values())]
            found = _extended(candidates, content, digests, source)
            found = found or self._messages.begin(context)
        elif content and self._messages.running():
            found = self._read(Line(content, digests), repetition, calls=bool(calls))
        else:
            found = _extended(self._messages.latest_first(), content, digests, source)
            if found is not None:
                repetition.grows = True  # or adds: it is settled here which
                self._readings.grows |= found[1].said[source][-1] not in digests
            else:
                found = self._messages.begin(None)
        self._remember(calls, found)
        return found

    def end(
        self, context: Context, ending: tuple[bool, str, str | None], out: list[RelayEvent]
    ) -> None:
        """Handles an agent's answer, with which it ends."""
        if not self._messages:
            self._agents.end(context, *ending, out=out)
        elif not context.ended:
            if ending[0]:
                self._readings.end()
            if self._messages.defer(context, ending):
                self.settle(out)

    def settle(self, out: list[RelayEvent]) -> None:
        """Reports what was left open, then the ends: no sub-agent will say more."""
        if self._readings:
            ending = self._messages.ending()
            for known, line in self._readings.settle(self._messages.allowed()):
                silent = (agent for agent in ending if not agent.messages)
                last = ending[-1] if ending else None
                found = known or self._messages.begin(next(silent, last))
                self._report(found, line, out)
            self._readings.begin_anew()
        self._messages.settle(out)

    def _read(self, line: Line, repetition: Repetition, *, calls: bool) -> OpenMessage:
        """Returns the message of a line that any sub-agent may have said."""
        if not self._readings:
            self._messages.count_anew()
        found = self._readings.take(line, self._messages.allowed(), calls=calls)
        if found is not None:
            repetition.grows = True  # or adds: it is settled here which
        else:
            found = self._messages.begin(None)
        self._readings.report(found, calls=calls)
        return found

    def _report(self, found: OpenMessage, line: Line, out: list[RelayEvent]) -> None:
        """Reports how far a message has come."""
        context, state = found
        repetition = Repetition()
        repetition.cumulative = True
        for block, index, words in state.absorb(line.content, line.digests, STDOUT, repetition):
            event = TextDelta if block.type == "text" else ThinkingDelta
            out.append(event(context.id, self._clock.ts, state.id, index, words))

    def _caller(self, calls: list[Block], source: int) -> OpenMessage | None:
        """Returns the message that has made one of these calls already."""
        for call in calls:
            found = self._calls.get(call.id or "")
            if found is not None and found[0][1].said[source]:
                return found[0]
        return None

    def _remember(self, calls: list[Block], found: OpenMessage) -> None:
        """Notes which message made these calls; a call that gets its input only now is a sign of
        growth.
        """
        for call in calls:
            call_id = call.id or ""
            empty = call.input == EMPTY_OBJECT
            before = self._calls.get(call_id)
            if before is not None and before[1] and not empty:
                self._readings.grows = True
            self._calls[call_id] = (found, empty)
        forget_oldest(self._calls, RECENT_CALLS)


def _extended(
    candidates: list[OpenMessage], content: list[Block], digests: list[int], source: int
) -> OpenMessage | None:
    """Returns the open message that these blocks extend: one whose last text has grown, rather than
    one to which a block was added; a message for which both would be true at once is less likely.
    """
    added: OpenMessage | None = None
    grown: OpenMessage | None = None
    likeliest = (False, -1)
    for found in candidates:
        state = found[1]
        said = state.said[source]
        if state.closed or not said or not state.extends(content, digests, source):
            continue
        if said[-1] == digests[len(said) - 1]:
            if added is None or len(said) > len(added[1].said[source]):
                added = found
        elif state.growing is not None:
            rank = (len(said) == len(content), len(state.growing[2]))
            if rank > likeliest:
                grown, likeliest = found, rank
    return grown if grown is not None and (likeliest[0] or added is None) else added
