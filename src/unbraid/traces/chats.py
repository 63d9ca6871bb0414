"""The model messages of one agent, each as one `chat` span.

Nothing says when a request to the model went out. It could when the agent had the last of what it
waited for: its prompt, or the results of its tools. A message ends with the last of its words. What
it has used is often known later, when the next one has begun, and words may come after that: so a
message is complete when its usage is known and its agent has continued.
"""

from __future__ import annotations

from unbraid import events as e
from unbraid.fleet.usage import Usage
from unbraid.traces.content import MessageParts, cut, message, text_part
from unbraid.traces.facts import TraceFacts
from unbraid.traces.span import Attributes, Span, known


class _Message:
    """A message that may not be complete."""

    def __init__(self, message_id: str, start: int, inputs: str | None, *, content: bool) -> None:
        self.message_id, self.start, self.end, self.inputs = message_id, start, start, inputs
        self.usage: e.FleetTokenUsage | None = None
        self.said: MessageParts | None = MessageParts() if content else None
        self.has_words = False
        self.retracted = False


class Chats:
    """The messages of one agent, in order."""

    def __init__(self, facts: TraceFacts, start: e.StreamStart, span_id: int) -> None:
        self._facts, self._stream_id, self._agent = facts, start.stream_id, start.agent
        self._span_id = span_id
        self.usage = Usage()
        self.model = start.model
        self._ready: int | None = start.ts
        self._inputs: list[str] = []
        self._open: dict[str, _Message] = {}
        # A message that was sent is not sent again, whatever still comes of it.
        self._sent: set[str] = set()

    def ask(self, ts: int, prompt: str) -> None:
        """Takes a prompt: the agent can ask its model."""
        self._ready = ts
        if self._facts.content:
            self._inputs.append(message("user", [text_part(cut(prompt))]))

    def give_result(self, event: e.FleetToolResult) -> None:
        """Takes the result of a tool: the agent can continue."""
        self._ready = max(self._ready or 0, event.ts)
        if self._facts.content:
            part = {
                "type": "tool_call_response",
                "id": event.tool_use_id,
                "response": cut(event.content),
            }
            self._inputs.append(message("tool", [part]))

    def say(self, event: e.Text | e.Thinking) -> list[Span]:
        """Takes words; returns the messages that are complete by them."""
        ended, current = self._current(event.message_id, event)
        if current is not None and current.said is not None:
            kind = "text" if isinstance(event, e.Text) else "reasoning"
            current.said.say(kind, event.block, event.delta)
        return ended

    def call(self, event: e.FleetToolUse) -> list[Span]:
        """Takes a tool call; returns the messages that are complete by it."""
        if event.message_id is None:
            return []
        ended, current = self._current(event.message_id, event)
        if current is not None and current.said is not None:
            current.said.call(event.tool_use_id, event.tool, bytes(event.input_json))
        return ended

    def use(self, event: e.FleetTokenUsage) -> list[Span]:
        """Takes what a message has used; returns it if its agent has gone on already."""
        self.usage.add(event)
        self.model = self.model or event.model
        if event.message_id in self._sent:
            return []
        current = self._open.get(event.message_id) or self._begin(event.message_id, event.ts)
        current.usage = event
        if not current.has_words:
            current.end = event.ts
        if current is not next(reversed(self._open.values())):
            return [self._span(current, event.seq)]
        return []

    def retract(self, message_ids: list[str]) -> None:
        """Marks messages that the agent's CLI has withdrawn."""
        for each in message_ids:
            if each in self._open:
                self._open[each].retracted = True

    def end_turn(self, seq: int) -> list[Span]:
        """Notes that the agent has answered and waits. Returns the spans of the messages that are
        complete.
        """
        self._ready = None
        return self._settled(seq)

    def end(self, seq: int) -> list[Span]:
        """Returns the spans of all messages that are left: nothing more comes."""
        return [self._span(each, seq) for each in list(self._open.values())]

    def _current(
        self, message_id: str, event: e.Text | e.Thinking | e.FleetToolUse
    ) -> tuple[list[Span], _Message | None]:
        if message_id in self._sent:
            return [], None
        current, ended = self._open.get(message_id), list[Span]()
        if current is None:
            ended = self._settled(event.seq)
            current = self._begin(message_id, event.ts)
        current.end, current.has_words = max(current.end, event.ts), True
        self._ready = max(self._ready or 0, event.ts)
        return ended, current

    def _begin(self, message_id: str, ts: int) -> _Message:
        start = ts if self._ready is None else min(self._ready, ts)
        inputs = "[" + ",".join(each[1:-1] for each in self._inputs) + "]"
        begun = self._open[message_id] = _Message(
            message_id, start, inputs if self._inputs else None, content=self._facts.content
        )
        self._inputs.clear()
        return begun

    def _settled(self, seq: int) -> list[Span]:
        return [self._span(each, seq) for each in list(self._open.values()) if each.usage]

    def _span(self, ended: _Message, seq: int) -> Span:
        del self._open[ended.message_id]
        self._sent.add(ended.message_id)
        facts, usage = self._facts, ended.usage
        model = (usage.model if usage else None) or self.model
        attributes = facts.attributes("chat", self._agent, self._stream_id) | facts.model(model)
        attributes |= known(
            {
                "gen_ai.response.id": ended.message_id,
                "gen_ai.response.model": model,
                "gen_ai.input.messages": ended.inputs,
                "gen_ai.output.messages": ended.said.encoded() if ended.said else None,
                "unbraid.retracted": ended.retracted or None,
            }
        )
        return Span(
            name=f"chat {attributes.get('gen_ai.request.model', '')}".strip(),
            span_id=facts.ids.span_id("chat", self._stream_id, ended.message_id),
            parent_id=self._span_id,
            start=ended.start,
            end=max(ended.end, ended.start),
            seq=seq,
            attributes=attributes | (_used(usage) if usage else {}),
            remote=True,
        )


def _used(usage: e.FleetTokenUsage) -> Attributes:
    """Returns the usage as attributes. The conventions count what was read from a cache or written
    to it as input, too.
    """
    cached = usage.cache_read_tokens + usage.cache_creation_tokens
    cost = usage.estimated_usd if usage.cost_usd is None else usage.cost_usd
    return known(
        {
            "gen_ai.usage.input_tokens": usage.input_tokens + cached,
            "gen_ai.usage.output_tokens": usage.output_tokens,
            "gen_ai.usage.cache_read.input_tokens": usage.cache_read_tokens,
            "gen_ai.usage.cache_creation.input_tokens": usage.cache_creation_tokens,
            # No convention has dollars; this is the name that most tools read.
            "gen_ai.usage.cost": cost,
            "unbraid.usage.cost_usd": usage.cost_usd,
            "unbraid.usage.estimated_usd": usage.estimated_usd,
            "unbraid.usage.estimated_tokens": usage.estimated or None,
        }
    )
