"""Which agent an OpenCode session is: the main agent, or one that a call has started."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from unbraid.agents.opencode.records import Info, OpenCodeRecord, Part, TaskInput
from unbraid.events import RelayEvent, SessionMeta
from unbraid.read.clock import Clock
from unbraid.read.contexts import Agents, Context
from unbraid.read.record import read_as

# How the title of a session begins that was not named yet; its time follows.
UNTITLED = "New session - "


class LooseCall(NamedTuple):
    """A call that has started an agent and does not say its session."""

    parent: Context
    part: Part
    title: str
    prompt: str | None


class SessionAttribution:
    """The sessions of a run: which is the root, and which call spawned which other.

    A record whose session's spawning call is not known yet is held; `translate` takes it in again.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        agents: Agents[Context],
        translate: Callable[[OpenCodeRecord, list[RelayEvent]], None],
    ) -> None:
        self._clock = clock
        self._agents = agents
        self._contexts = agents.contexts
        self._translate = translate
        self.root: str | None = None  # the main agent's session
        self.version: str | None = None  # of the program, as its sessions say
        self._infos: dict[str, Info] = {}
        self._held: dict[str, list[OpenCodeRecord]] = {}  # by session whose call is unknown
        self._prompts: dict[str, str] = {}  # by session whose call is unknown
        self._loose: dict[str, LooseCall] = {}  # by call
        self._coming: set[str] = set()  # calls that may start an agent, and have not begun

    def known(self, session: str | None) -> Context:
        """Returns the agent whose session this is, as far as is known: else the main agent."""
        return self._contexts.by_agent.get(session or "") or self._contexts.root

    def context_of(
        self, session: str, record: OpenCodeRecord, out: list[RelayEvent]
    ) -> Context | None:
        """Returns the agent whose session this is, or None if the call that spawned it is not known
        yet.
        """
        if not session:
            return self._contexts.root
        context = self._contexts.by_agent.get(session)
        if context is not None:
            self._agents.announce(context, out)
            return context
        info = self._infos.get(session)
        if info is not None and info.parent_id is not None:
            if not info.continued or self._loose or self._coming:
                self._held.setdefault(session, []).append(record)
                return None
            context = self._adopt(session, None, None)
        else:
            context = self._take_root(session)
        self._agents.announce(context, out)
        return context

    def introduce(self, info: Info, out: list[RelayEvent]) -> None:
        """Takes the facts that a session reports about itself."""
        known = self._infos.get(info.id)
        self._infos[info.id] = info
        self.version = info.version or self.version
        if info.parent_id is not None:
            return
        context = self._contexts.by_agent.get(info.id) or self._take_root(info.id)
        if context is not self._contexts.root:
            self._agents.announce(context, out)
            return
        model = info.model_name
        title = None if (info.title or "").startswith(UNTITLED) else info.title
        facts = (info.id, model, info.directory, info.version, title)
        if known is None or facts != context.meta:
            context.meta = facts
            out.append(
                SessionMeta(
                    "",
                    self._clock.ts,
                    session_id=info.id,
                    model=model,
                    cwd=info.directory,
                    version=info.version,
                    title=title,
                )
            )

    def release_all(self, out: list[RelayEvent]) -> None:
        """Releases all held records: no call that spawned their sessions will be found any more."""
        for session in list(self._held):
            self._release(session, self._adopt(session, None, None), out)

    # --- calls that start agents ---

    def call_pending(self, call_id: str) -> None:
        """Notes a call that may start an agent, and has not begun."""
        self._coming.add(call_id)

    def call_begun(self, call_id: str) -> None:
        """Notes that a call has begun."""
        self._coming.discard(call_id)

    def spawned(
        self, parent: Context, part: Part, call_id: str, *, out: list[RelayEvent]
    ) -> Context | None:
        """Returns the agent that a `task` call has started, if its session is known by now."""
        child = self._child(parent, part, call_id, session=part.child_session, out=out)
        if child is None:
            child = self._contexts.by_call.get(call_id)
        self._loose.pop(call_id, None)
        if child is None and part.state is not None and part.state.status == "running":
            given = read_as(TaskInput, bytes(part.state.input))
            title = f"{given.description} (@{given.subagent_type} subagent)"
            self._loose[call_id] = LooseCall(parent, part, title, prompt=given.prompt)
        self._match(out)
        return child

    def prompted(self, session: str, prompt: str, out: list[RelayEvent]) -> None:
        """Takes the prompt of a session whose call is unknown: it may show which call that is."""
        self._prompts.setdefault(session, prompt)
        self._match(out)

    def _match(self, out: list[RelayEvent]) -> None:
        for session, call_id in self._matches():
            loose = self._loose.pop(call_id)
            self._child(loose.parent, loose.part, call_id, session=session, out=out)

    def _matches(self) -> list[tuple[str, str]]:
        """Returns sessions and calls that can only belong to each other: (session, call).

        1.2 may lose, for as long as an agent works, what its call says of its session. The session
        has the call's words as its title and its prompt; equals among them cannot be distinguished.
        """
        if self._coming:
            return []
        found: list[tuple[str, str]] = []
        wanted = {session: self._looks(session) for session in self._prompts}
        for session, looks in wanted.items():
            fitting = [
                call
                for call, loose in self._loose.items()
                if (loose.parent.session_id, loose.title, loose.prompt) == looks
            ]
            if len(fitting) == 1 and list(wanted.values()).count(looks) == 1:
                found.append((session, fitting[0]))
        return found

    def _looks(self, session: str) -> tuple[str | None, str | None, str | None]:
        info = self._infos[session]
        return info.parent_id, info.title, self._prompts[session]

    def _child(
        self,
        parent: Context,
        part: Part,
        call_id: str,
        *,
        session: str | None,
        out: list[RelayEvent],
    ) -> Context | None:
        """Returns the agent that a `task` call has started, once its session is known."""
        assert part.state is not None
        if session is None or session == part.session_id:
            return None
        given = read_as(TaskInput, bytes(part.state.input))
        context = self._contexts.by_agent.get(session)
        if context is None:
            context = self._adopt(session, call_id, parent)
        elif context is self._contexts.root:
            return None
        elif call_id not in context.calls and context.call is not None:
            context.prompt = given.prompt
            self._agents.resume(context, call_id, out)
            return context
        context.prompt = context.prompt or given.prompt
        context.description = given.description or context.description
        context.subagent_type = given.subagent_type or context.subagent_type
        self._release(session, context, out)
        return context

    # --- contexts ---

    def _take_root(self, session: str) -> Context:
        if self.root is None:
            self.root = session
            self._agents.session_id = session
            root = self._contexts.root
            root.session_id = session
            self._contexts.by_agent[session] = root
            return root
        # A server's stream may hold several conversations; each is an agent of its own.
        return self._adopt(session, None, None)

    def _adopt(self, session: str, call: str | None, parent: Context | None) -> Context:
        info = self._infos.get(session)
        if parent is None:
            above = self._contexts.by_agent.get(info.parent_id or "") if info is not None else None
            parent = above or self._contexts.root
        context = self._contexts.add(session, parent, call)
        context.session_id = session
        if info is not None:
            context.description = info.title
            context.subagent_type = info.agent
        self._contexts.bind(context, session)
        return context

    def _release(self, session: str, context: Context, out: list[RelayEvent]) -> None:
        self._agents.announce(context, out)
        self._prompts.pop(session, None)
        with self._clock.at(self._clock.ts):
            for record in self._held.pop(session, []):
                self._translate(record, out)
