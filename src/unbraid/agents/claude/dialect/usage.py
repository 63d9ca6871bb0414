"""What model messages cost, once each, when their numbers are final."""

from __future__ import annotations

from unbraid.agents.claude.dialect.contexts import ClaudeContext, MessageState
from unbraid.agents.claude.records import ApiMessage, ClaudeRecord, MessageUsage
from unbraid.agents.claude.transcript import SYNTHETIC, SessionFacts
from unbraid.events import RelayEvent, TokenUsage
from unbraid.events.tokens import all_tokens
from unbraid.read.clock import Clock
from unbraid.read.record import read_as

# How far a message's usage can be trusted: not at all while a line of stdout says it.
NEARLY_FINAL, FINAL, SENT = 1, 2, 3
# How many messages wait for their transcript; and how many while no line of it has come, because
# there may be none.
MAX_LATE, MAX_LATE_UNWRITTEN = 16, 2


class UsageReports:
    """Reports a message's usage when it is final; or, as an estimate, when the next message begins
    or its agent ends.

    Lines repeat a message's usage. Of one source the last counts; the transcript's are final, those
    of `message_delta` nearly, those of stdout's lines not. Messages that were `copied` from another
    session count there.

    Transcripts come behind stdout. So if a session `is_followed`, a message that only stdout has
    reported waits for its transcript while the next ones begin.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._counted = self._elsewhere = 0
        # The messages of each context that wait, oldest first.
        self._late: dict[str, dict[str, MessageState]] = {}
        self._most_late = MAX_LATE_UNWRITTEN
        self.copied: set[str] = set()
        self.is_followed = False

    @property
    def counted(self) -> int:
        """All tokens that have been reported, or soon will be."""
        late = (state.usage for each in self._late.values() for state in each.values())
        return (
            self._elsewhere
            + self._counted
            + sum(all_tokens(usage_event(usage)) for usage in late if usage is not None)
        )

    def counted_elsewhere(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles an `unbraid.counted` record: so many tokens were counted by the reader."""
        self._elsewhere = read_as(SessionFacts, record.raw).tokens

    def finish(self, context: ClaudeContext, out: list[RelayEvent]) -> None:
        """Reports the usage that is still due: no more messages follow."""
        due, context.usage_due = context.usage_due, None
        for state in self._late.pop(context.id, {}).values():
            self._report(context, state, out)
        self._report(context, due, out)

    def read(
        self,
        record: ClaudeRecord,
        message: ApiMessage,
        context: ClaudeContext,
        state: MessageState,
        out: list[RelayEvent],
    ) -> None:
        """Reads a message's usage from a record."""
        is_transcript = record.is_sidechain is not None
        if state.usage_rank and not is_transcript:
            return
        if record.forked_from is not None or message.id in self.copied:
            return
        state.usage = message.usage
        if is_transcript:
            state.usage_rank = FINAL
            state.complete = message.stop_reason is not None
        if context.usage_due is not state:
            state.model = message.model
            self.turn_to(context, state, out)

    def turn_to(
        self, context: ClaudeContext, following: MessageState | None, out: list[RelayEvent]
    ) -> None:
        """Appends the usage of the message before, unless that waits: the next message begins, or a
        turn is over.
        """
        state = context.usage_due
        context.usage_due = following
        is_written = following is not None and following.usage_rank == FINAL
        if not (is_written or self.is_followed):  # so far, nothing has waited
            self._report(context, state, out)
            return
        late = self._late.get(context.id)
        if late and following is not None:
            late.pop(following.id, None)
        if state is None or state.complete:
            self._report(context, state, out)
        elif state.usage_rank != SENT:
            late = self._late.setdefault(context.id, {})
            late[state.id] = state
        if is_written:
            self.is_followed, self._most_late = True, MAX_LATE
        if late:
            for state in list(late.values()):
                # A transcript that has gone on has no more of the messages that it has begun.
                is_past = is_written and state.usage_rank == FINAL
                if is_past or len(late) > self._most_late:
                    del late[state.id]
                    self._report(context, state, out)

    def _report(
        self, context: ClaudeContext, state: MessageState | None, out: list[RelayEvent]
    ) -> None:
        if state is None or state.usage_rank == SENT or state.usage is None:
            return
        # Its state stays, to know the message again: a watch holds those of thousands of sessions.
        usage, model = state.usage, state.model
        state.usage_rank, state.usage, state.model = SENT, None, None
        if model == SYNTHETIC:
            return
        event = usage_event(usage)
        event.context, event.ts = context.id, self._clock.ts
        event.message_id, event.model = state.id, model
        event.estimated = not state.complete
        self._counted += all_tokens(event)
        out.append(event)


def usage_event(usage: MessageUsage) -> TokenUsage:
    """Returns what a message has used as an event that does not say yet whose message it is."""
    return TokenUsage(
        input_tokens=usage.input_tokens or 0,
        output_tokens=usage.output_tokens or 0,
        cache_read_tokens=usage.cache_read_input_tokens or 0,
        cache_creation_tokens=usage.cache_creation_input_tokens or 0,
        cache_1h_tokens=usage.cache_1h_tokens if usage.cache_creation is not None else 0,
    )
