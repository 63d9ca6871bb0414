"""Messages without an id: the known one that a record extends, else a new one.

Where records name neither message nor agent, only what they say tells them apart.
"""

from __future__ import annotations

from unbraid.agents.claude.records import ClaudeRecord
from unbraid.translate.blocks import Block, MessageState, Repetition, digest_of
from unbraid.translate.contexts import Context
from unbraid.translate.lifecycle import Agents


class UnnamedMessages:
    """Finds the message that a record without a message id belongs to."""

    def __init__(self, agents: Agents) -> None:
        self._agents = agents
        self._contexts = agents.contexts
        self._made_ids = 0

    def find(
        self,
        record: ClaudeRecord,
        context: Context,
        content: list[Block],
        *,
        source: int,
        repetition: Repetition,
    ) -> tuple[Context, MessageState]:
        """The message, and whose it is; `context` is what the record itself says of that."""
        known = record.parent_tool_use_id is not None or record.session_id_stdout is not None
        best: tuple[Context, MessageState] | None = None
        digests = [digest_of(block) for block in content]
        candidates = [context] if known else [context, *self._contexts.everyone()]
        for candidate in candidates:
            for state in reversed(candidate.messages.values()):
                said = state.said[source]
                if state.closed or not said:
                    continue
                if len(said) > 1 and said[0] not in digests[:1]:
                    continue  # most do not even begin alike
                if state.extends(content, digests, source, record.skipped) and (
                    best is None or len(said) > len(best[1].said[source])
                ):
                    best = (candidate, state)
        if best is not None:
            return best
        calls = {hash(b.id) for b in content if b.id is not None}
        if calls:
            # A snapshot again that adds nothing: its tool calls are known.
            for candidate in candidates:
                for state in candidate.messages.values():
                    said = state.said[source]
                    if calls.issubset(said) and len(content) <= len(said):
                        repetition.cumulative = True
                        return candidate, state
        if not known:
            context = self._guess()
        self._made_ids += 1
        return context, context.message(f"message-{self._made_ids}")

    def _guess(self) -> Context:
        """Whose new message is this, where records name nobody?

        While sub-agents run the main agent waits for them. So it is one of theirs: the first
        that has not spoken yet, else one whose last calls have all been answered.
        """
        running = [c for c in self._contexts.by_call.values() if c.spawned and not c.ended]
        running = [c for c in running if not c.background]
        for context in running:
            if not context.messages:
                return context
        for context in running:
            if not any(call.context is context for call in self._agents.calls.values()):
                return context
        return running[-1] if running else self._contexts.root
