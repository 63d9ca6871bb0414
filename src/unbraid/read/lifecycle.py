"""The lifecycle of sub-agents: spawned, joined to their ids, asked again, ended.

An agent is announced at the earliest sign of it; its id and model may come later and are reported
as `session_meta`. An agent that is asked again is the same context in a new invocation.
"""

from __future__ import annotations

from collections.abc import Callable

from unbraid.events import RelayEvent, SessionMeta, SubAgentEnded, SubAgentSpawned
from unbraid.read.clock import Clock
from unbraid.read.contexts import Context, Contexts, OpenCall

BeforeEnd = Callable[[Context, list[RelayEvent]], None]


class Agents:
    """Which agents there are, which spawned which, and which have ended.

    `before_end` appends what has to be reported of an agent before its end.
    """

    def __init__(
        self, contexts: Contexts, clock: Clock, before_end: BeforeEnd | None = None
    ) -> None:
        self.contexts = contexts
        self.calls: dict[str, OpenCall] = {}  # tool calls that have not been answered, by id
        self.session_id: str | None = None
        self._clock = clock
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
                self._clock.ts,
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

    def resume(self, context: Context, call_id: str | None, out: list[RelayEvent]) -> None:
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

    def identify(self, context: Context, agent_id: str, out: list[RelayEvent]) -> None:
        """Notes an agent's id, and reports it if the agent was announced without one."""
        if context.agent_id == agent_id or context is self.contexts.root:
            return
        self.contexts.bind(context, agent_id)
        if context.spawned:
            out.append(SessionMeta(context.id, self._clock.ts, agent_id=agent_id))

    def end(
        self,
        context: Context,
        ok: bool,
        reason: str,
        content: str | None,
        *,
        out: list[RelayEvent],
    ) -> None:
        """Ends an agent's invocation."""
        if context.ended or context is self.contexts.root:
            return
        if self._before_end is not None:
            self._before_end(context, out)
        context.ended = True
        context.ending = None
        out.append(
            SubAgentEnded(
                context.id,
                self._clock.ts,
                agent_id=context.agent_id,
                parent_tool_id=context.call,
                ok=ok,
                reason=reason,
                content=content,
            )
        )
