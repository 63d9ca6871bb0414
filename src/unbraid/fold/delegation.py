"""The log of a run that we orchestrate: streams are opened, answered and closed by us.

What each agent says comes as relay events, with the promises of `Fleet`. A conversation has a key,
which is the context of its agent: `""` is the master's. Sub-agents that an agent starts by its own
means are contexts below it.
"""

from __future__ import annotations

from unbraid import events as e
from unbraid.fold.prices import Prices
from unbraid.fold.streams import Fleet, FleetStream

SOURCE = "orchestrate"
ROOT = ""


def sub_agent_context(key: str, context: str) -> str:
    """Returns the context of a conversation's own sub-agent."""
    return f"{key}/{context}" if context else key


class Delegation:
    """Gives every delegation a stream, and every event its place in the log. With `prices`,
    messages whose cost no CLI reports get an estimate.
    """

    def __init__(self, prices: Prices | None = None) -> None:
        self._fleet = Fleet(SOURCE, prices=prices)
        self._keys = 0
        # Words of an agent that has begun to answer. They are most of all events by far, so this is
        # the fleet's own method, not one more call.
        self.text = self._fleet.text

    @property
    def done(self) -> bool:
        """Whether the run is over."""
        return self._fleet.done

    def begin(
        self, agent: str, prompt: str, *, cwd: str, model: str | None, now: int
    ) -> list[e.FleetEvent]:
        """Begins the run with its request and its master; returns the events of that."""
        return self._fleet.begin(agent, prompt=prompt, cwd=cwd, model=model, now=now)

    def start(
        self, parent: str, agent: str, prompt: str, *, model: str | None, now: int
    ) -> tuple[str, list[e.FleetEvent]]:
        """Begins a delegation; returns the key of its conversation, and the events of that."""
        self._keys += 1
        key = str(self._keys)
        spawned = e.SubAgentSpawned(
            key, parent_context=parent, subagent_type=agent, model=model, prompt=prompt
        )
        return key, self._fleet.apply((spawned,), now)

    def stream_of(self, key: str) -> FleetStream:
        """Returns a conversation's stream."""
        return self._fleet.stream_of(key)

    def begin_answer(self, key: str, now: int) -> list[e.FleetEvent]:
        """Returns the events that mark the start of an answer, even if what the agent says is held
        back.
        """
        return self._fleet.begin_answer(self._fleet.stream_of(key), now)

    def say(self, key: str, event: e.RelayEvent, now: int) -> list[e.FleetEvent]:
        """Returns the events of something that happened in a conversation."""
        event.context = sub_agent_context(key, event.context)
        if isinstance(event, e.SubAgentSpawned):
            event.parent_context = sub_agent_context(key, event.parent_context)
        return self._fleet.apply((event,), now)

    def tool_call(self, key: str, tool: str, *, ok: bool, now: int) -> list[e.FleetEvent]:
        """Returns the event that a command has finished."""
        return self._fleet.emit(e.ToolCall, self.stream_of(key), now, tool=tool, ok=ok)

    def respond(self, key: str, content: str, now: int) -> list[e.FleetEvent]:
        """Returns the answer as the caller gets it."""
        return self._fleet.emit(e.SubAgentResponse, self.stream_of(key), now, content=content)

    def end(self, key: str, *, ok: bool, reason: str, now: int) -> list[e.FleetEvent]:
        """Ends a delegation, and every agent below it that still works. Returns the events of
        that.
        """
        orphaned = "orphaned" if ok else reason
        out: list[e.FleetEvent] = []
        for context, stream in self._fleet.running():
            if context.startswith(f"{key}/"):
                out += self._fleet.close(stream, ok=False, reason=orphaned, now=now)
        return out + self._fleet.close(self.stream_of(key), ok=ok, reason=reason, now=now)

    def finish(self, ok: bool, reason: str, now: int) -> list[e.FleetEvent]:
        """Ends every open stream, and the run. Returns the events of that."""
        return self._fleet.finish(ok, reason, now)
