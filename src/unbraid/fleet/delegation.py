"""The log of a run that we orchestrate: streams are opened, answered and closed by us.

What each agent says comes as relay events, with the promises of `Fleet`. A conversation has a key,
which is the context of its agent: `""` is the master's. Sub-agents that an agent starts by its own
means are contexts below it.
"""

from __future__ import annotations

from unbraid import events as e
from unbraid.fleet.streams import Fleet, Stream

SOURCE = "orchestrate"
ROOT = ""


def below(key: str, context: str) -> str:
    """The context of a conversation's own sub-agent."""
    return f"{key}/{context}" if context else key


class Delegation(Fleet):
    """Gives every delegation a stream, and every event its place in the log."""

    def __init__(self) -> None:
        super().__init__(SOURCE)
        self._keys = 0

    def begin(
        self, agent: str, prompt: str, *, cwd: str, model: str | None, now: int
    ) -> list[e.FleetEvent]:
        """The request is here, and its master."""
        self._ts = self._first_ts = now
        root = self._streams[ROOT] = Stream(0, None, agent)
        self._count = 1
        self._emit(e.RequestReceived, root, source=self.source, prompt=prompt, cwd=cwd)
        self._emit(e.StreamStart, root, parent_stream_id=None, model=model, prompt=prompt)
        return self._take()

    def start(
        self, parent: str, agent: str, prompt: str, *, model: str | None, now: int
    ) -> tuple[str, list[e.FleetEvent]]:
        """A delegation begins: the key of its conversation."""
        self._ts, self._keys = now, self._keys + 1
        key = str(self._keys)
        spawned = e.SubAgentSpawned(key, parent_context=parent, subagent_type=agent, model=model)
        spawned.prompt = prompt
        self._spawned(spawned)
        return key, self._take()

    def stream_of(self, key: str) -> Stream:
        """A conversation's stream."""
        return self._streams[key]

    def speak(self, key: str, now: int) -> list[e.FleetEvent]:
        """The agent begins to answer, even if what it says is held back."""
        self._ts, stream = now, self._streams[key]
        if not stream.speaking:
            stream.speaking = True
            self._emit(e.AgentStart, stream)
        return self._take()

    def say(self, key: str, event: e.RelayEvent, now: int) -> list[e.FleetEvent]:
        """Something that happened in a conversation."""
        if event.context:
            event.context = below(key, event.context)
        else:
            event.context = key
        if isinstance(event, e.SubAgentSpawned):
            event.parent_context = below(key, event.parent_context)
        return self.apply((event,), now)

    def text(self, stream: Stream, event: e.TextDelta, now: int) -> e.Text:
        """Words of an agent that has begun to answer: most of all events, by the shortest way."""
        self._ts, seq = now, self._seq
        self._seq = seq + 1
        return e.Text(
            seq=seq,
            ts=now,
            stream_id=stream.id,
            depth=stream.depth,
            agent=stream.agent,
            delta=event.delta,
            message_id=event.message_id,
            block=event.block,
        )

    def tool_call(self, key: str, tool: str, *, ok: bool, now: int) -> list[e.FleetEvent]:
        """A command has finished."""
        self._ts = now
        self._emit(e.ToolCall, self._streams[key], tool=tool, ok=ok)
        return self._take()

    def respond(self, key: str, content: str, now: int) -> list[e.FleetEvent]:
        """The answer as the caller gets it."""
        self._ts = now
        self._emit(e.SubAgentResponse, self._streams[key], content=content)
        return self._take()

    def end(self, key: str, *, ok: bool, reason: str, now: int) -> list[e.FleetEvent]:
        """A delegation is over, and whoever still works below it."""
        self._ts = now
        under = f"{key}/"
        for context, stream in reversed(self._streams.items()):
            if context.startswith(under) and not stream.ended:
                self._close(stream, False, "orphaned" if ok else reason)
        self._close(self._streams[key], ok, reason)
        return self._take()
