"""What model messages cost, once each, when their numbers are final."""

from __future__ import annotations

from unbraid.agents.claude.transcript import SYNTHETIC
from unbraid.events import RelayEvent, TokenUsage
from unbraid.translate.blocks import MessageState
from unbraid.translate.clock import Clock
from unbraid.translate.contexts import Context

# How far a message's usage can be trusted: not at all while a line of stdout says it.
NEARLY_FINAL, FINAL, SENT = 1, 2, 3


class UsageReports:
    """Reports a message's usage when it is final; or, as an estimate, when the next message begins
    or its agent ends.

    Lines repeat a message's usage. Of one source the last counts; the transcript's are final, those
    of `message_delta` nearly, those of stdout's lines not. Messages that were `copied` from another
    session count there.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._counted = 0
        self.copied: set[str] = set()

    @property
    def counted(self) -> int:
        """All tokens that have been reported."""
        return self._counted

    def settle(self, context: Context, out: list[RelayEvent]) -> None:
        """No more messages follow."""
        self.turn_to(context, None, out)

    def turn_to(
        self, context: Context, following: MessageState | None, out: list[RelayEvent]
    ) -> None:
        """The next message begins: append the usage of the one before."""
        state = context.usage_due
        context.usage_due = following
        if state is None or state.usage_rank == SENT or state.usage is None:
            return
        state.usage_rank = SENT
        usage = state.usage
        if state.model == SYNTHETIC:
            return
        given, said = usage.input_tokens or 0, usage.output_tokens or 0
        read, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
        self._counted += given + said + read + written
        # By position, because there is one for every message, and it is quicker.
        out.append(
            TokenUsage(
                context=context.id,
                ts=self._clock.ts,
                message_id=state.id,
                model=state.model,
                input_tokens=given,
                output_tokens=said,
                cache_read_tokens=read,
                cache_creation_tokens=written,
                cost_usd=None,
                cache_1h_tokens=usage.cache_1h_tokens if usage.cache_creation is not None else 0,
                estimated=not state.complete,
            )
        )
