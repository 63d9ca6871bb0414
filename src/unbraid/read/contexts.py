"""Which agents there are: one context per agent, known by its spawning call, its agent id, or both.

A context is found by whatever id a line carries. Ids are learned from different lines at different
times, and joined. An agent is announced at the earliest sign of it; its id and model may come later
and are reported as `session_meta`. An agent that is asked again is the same context in a new
invocation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from msgspec import Struct, field

from unbraid.events import RelayEvent, SessionMeta, SubAgentEnded, SubAgentSpawned
from unbraid.read.clock import Clock


class Context(Struct, eq=False):
    """One agent's conversation. A kind's contexts may extend this."""

    id: str
    parent: Context | None
    agent_id: str | None = None
    call: str | None = None  # the call of the present invocation
    calls: set[str] = field(default_factory=set)
    prompt: str | None = None
    subagent_type: str | None = None
    description: str | None = None
    model: str | None = None
    session_id: str | None = None
    background: bool | None = None
    spawned: bool = False
    ended: bool = False
    ending: tuple[bool, str, str | None] | None = None
    last_text: str = ""
    meta: object = None

    def __post_init__(self) -> None:
        self.spawned = self.parent is None


C = TypeVar("C", bound=Context)


class Contexts(Generic[C]):
    """All agents of a run, by every id they are known under; `new` makes a kind's contexts."""

    def __init__(self, new: Callable[[str, Context | None], C]) -> None:
        self._new = new
        self.root = new("", None)
        self.by_call: dict[str, C] = {}
        self.by_agent: dict[str, C] = {}
        self._count = 0

    def everyone(self) -> list[C]:
        """Returns every sub-agent's context, once, in order of appearance."""
        return list(dict.fromkeys([*self.by_call.values(), *self.by_agent.values()]))

    def add(self, context_id: str, parent: C, call: str | None) -> C:
        """Adds a sub-agent of `parent`, spawned by `call`, and returns it."""
        # An empty id would be the main agent's.
        self._count += 1
        context = self._new(context_id or f"agent-{self._count}", parent)
        context.call = call
        if call is not None:
            context.calls.add(call)
            self.by_call.setdefault(call, context)
        return context

    def bind(self, context: C, agent_id: str) -> None:
        """Notes that this context is the agent with this id."""
        context.agent_id = agent_id
        self.by_agent[agent_id] = context

    def awaiting(self, prompt: str) -> list[C]:
        """Returns the spawned agents with this prompt whose ids are not known yet."""
        return [c for c in self.by_call.values() if c.agent_id is None and c.prompt == prompt]


class Agents(Generic[C]):
    """Which agents there are, which spawned which, and which have ended.

    `before_end` appends what has to be reported of an agent before its end.
    """

    def __init__(
        self,
        contexts: Contexts[C],
        clock: Clock,
        before_end: Callable[[C, list[RelayEvent]], None] = lambda context, out: None,
    ) -> None:
        self.contexts = contexts
        self.session_id: str | None = None
        self.clock = clock
        self._before_end = before_end

    def announce(self, context: Context, out: list[RelayEvent], *, resumes: bool = False) -> None:
        """Reports that an agent was started; its parent's start is reported first."""
        if context.spawned and not resumes:
            return
        parent = context.parent
        if parent is not None and not parent.spawned:
            self.announce(parent, out)
        context.spawned = True
        out.append(
            SubAgentSpawned(
                context.id,
                self.clock.ts,
                parent_context=parent.id if parent is not None else "",
                agent_id=context.agent_id,
                session_id=context.session_id or self.session_id,
                prompt=context.prompt,
                subagent_type=context.subagent_type,
                parent_tool_id=context.call,
                description=context.description,
                model=context.model,
                background=context.background,
                resumes=resumes,
            )
        )

    def resume(self, context: C, call_id: str | None, out: list[RelayEvent]) -> None:
        """Begins a new invocation of a context: its agent is asked again."""
        if not context.ended:
            self.end(context, *(context.ending or (True, "completed", None)), out=out)
        context.call = call_id
        if call_id is not None:
            context.calls.add(call_id)
            self.contexts.by_call.setdefault(call_id, context)
        context.ended = False
        context.ending = None
        self.announce(context, out, resumes=True)

    def identify(self, context: C, agent_id: str, out: list[RelayEvent]) -> None:
        """Notes an agent's id, and reports it if the agent was announced without one."""
        if context.agent_id == agent_id or context is self.contexts.root:
            return
        self.contexts.bind(context, agent_id)
        if context.spawned:
            out.append(SessionMeta(context.id, self.clock.ts, agent_id=agent_id))

    def end(
        self,
        context: C,
        ok: bool,
        reason: str,
        content: str | None,
        *,
        out: list[RelayEvent],
    ) -> None:
        """Ends an agent's invocation."""
        if context.ended or context is self.contexts.root:
            return
        self._before_end(context, out)
        context.ended = True
        context.ending = None
        out.append(
            SubAgentEnded(
                context.id,
                self.clock.ts,
                agent_id=context.agent_id,
                parent_tool_id=context.call,
                ok=ok,
                reason=reason,
                content=content,
            )
        )
