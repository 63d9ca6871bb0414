"""Whose an OpenCode session is, and when its turns begin and end."""

from __future__ import annotations

from typing import Any, NamedTuple

from unbraid.agents.opencode.records import Info, Part, error_text
from unbraid.events import (
    Error,
    RelayEvent,
    SessionMeta,
    TextDelta,
    ThinkingDelta,
    TurnComplete,
)
from unbraid.translate.contexts import Context
from unbraid.translate.lifecycle import Agents
from unbraid.translate.seen import newly
from unbraid.wire.record import Record


class TextPart:
    """How much of a text part has been said."""

    __slots__ = ("block", "kind", "length", "parts", "whole")

    def __init__(self, kind: type[TextDelta] | type[ThinkingDelta], block: int) -> None:
        self.kind = kind
        self.block = block
        self.length = 0
        self.parts: list[str] | None = []
        self.whole = 0  # the digest of the whole text, once it is known


class Loose(NamedTuple):
    """A call that has started an agent and does not tell its session."""

    parent: Context
    part: Part
    title: str
    prompt: str | None


class Sessions:
    """The sessions of a run: which is the root, and which call spawned which other."""

    def __init__(self) -> None:
        self.agents = Agents()
        self.contexts = self.agents.contexts
        self.seen: dict[int, None] = {}
        self.ts = 0
        self.outcome: tuple[bool, str] | None = None
        self._root: str | None = None
        self._sessions: dict[str, Info] = {}
        self._held: dict[str, list[Record]] = {}  # by session whose call is unknown
        self._asked_of: dict[str, str] = {}  # by session whose call is unknown: its prompt
        self._loose: dict[str, Loose] = {}  # by call
        self._coming: set[str] = set()  # calls that may start an agent, and have not begun
        self._busy: set[str | None] = set()
        self._working: str | None = None  # the main agent's message that is not completed
        self._completed: set[str | None] = set()  # sessions whose latest message is whole
        self._idle_due = False
        self._turn = 0
        self._turn_failed: str | None = None
        self._saying: dict[str, TextPart] = {}  # by context: its latest text

    def translate(self, record: Record, out: list[RelayEvent]) -> None:
        """Append what is new in a record."""
        raise NotImplementedError

    def _known(self, session: str | None) -> Context:
        return self.contexts.by_agent.get(session or "") or self.contexts.root

    def _who(self, session: str, record: Record, out: list[RelayEvent]) -> Context | None:
        """The agent whose session this is, or None if the call that spawned it is not known yet."""
        if not session:
            return self.contexts.root
        context = self.contexts.by_agent.get(session)
        if context is not None:
            self.agents.announce(context, out)
            return context
        info = self._sessions.get(session)
        if info is not None and info.parent_id is not None:
            self._held.setdefault(session, []).append(record)
            return None
        context = self._take_root(session)
        self.agents.announce(context, out)
        return context

    def _take_root(self, session: str) -> Context:
        if self._root is None:
            self._root = session
            self.agents.session_id = session
            root = self.contexts.root
            root.session_id = session
            self.contexts.by_agent[session] = root
            return root
        # A server's stream may hold several conversations; each is an agent of its own.
        return self._adopt(session, None, None)

    def _adopt(self, session: str, call: str | None, parent: Context | None) -> Context:
        info = self._sessions.get(session)
        if parent is None:
            above = self.contexts.by_agent.get(info.parent_id or "") if info is not None else None
            parent = above or self.contexts.root
        context = self.contexts.add(session, parent, call)
        context.session_id = session
        if info is not None:
            context.description = info.title
            context.subagent_type = info.agent
        self.contexts.bind(context, session)
        return context

    def _matches(self) -> list[tuple[str, str]]:
        """Sessions and calls that can only belong to each other: (session, call).

        1.2 may lose, for as long as an agent works, what its call tells of its session. The session
        has the call's words as its title and its prompt; equals among them cannot be told apart.
        """
        if self._coming:
            return []
        found: list[tuple[str, str]] = []
        wanted = {session: self._looks(session) for session in self._asked_of}
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
        info = self._sessions[session]
        return info.parent_id, info.title, self._asked_of[session]

    def _release(self, session: str, context: Context, out: list[RelayEvent]) -> None:
        self.agents.announce(context, out)
        self._asked_of.pop(session, None)
        ts = self.ts
        for record in self._held.pop(session, []):
            self.translate(record, out)
        self.ts = self.agents.ts = ts

    def _session(self, info: Info, out: list[RelayEvent]) -> None:
        known = self._sessions.get(info.id)
        self._sessions[info.id] = info
        if info.parent_id is not None:
            return
        context = self.contexts.by_agent.get(info.id) or self._take_root(info.id)
        if context is not self.contexts.root:
            self.agents.announce(context, out)
            return
        model = model_of(info)
        facts = (info.id, model, info.directory, info.version)
        if known is None or facts != context.meta:
            context.meta = facts
            out.append(SessionMeta("", self.ts, info.id, model, None, info.directory, info.version))

    def _begin(self, session: str | None, out: list[RelayEvent]) -> None:
        if session == self._root:
            if self._idle_due:
                self._end_turn(out)
            if session not in self._busy:
                self._turn += 1
        self._busy.add(session)

    def _idle(self, session: str | None, out: list[RelayEvent]) -> None:
        if session not in self._busy:
            return
        if session != self._root:
            self._busy.discard(session)
        elif self._working is not None and self._turn_failed is None:
            # Aborted: a session goes idle before it tells so, and idle again after.
            self._idle_due = True
        else:
            self._end_turn(out)

    def _end_turn(self, out: list[RelayEvent]) -> None:
        ok = self._turn_failed is None
        reason = self._turn_failed or "completed"
        self.outcome = (ok, reason)
        self._turn_failed = self._working = None
        self._idle_due = False
        self._busy.discard(self._root)
        root = self.contexts.root
        saying = self._saying.get(root.id)
        result = root.last_text
        if saying is not None and saying.parts is not None:
            result = "".join(saying.parts)
        out.append(TurnComplete("", self.ts, ok, "idle" if ok else reason, result or None))

    def _failed(self, session: str | None, error: Any, out: list[RelayEvent]) -> None:
        context = self._known(session)
        name = error.get("name") if isinstance(error, dict) else None
        # A failure is told by its message, by its session, and again by other sources.
        if not newly(self.seen, hash(("error", session, self._turn, error_text(error)))):
            return
        out.append(Error(context.id, self.ts, error_text(error), name))
        if context is self.contexts.root:
            reason = "interrupted" if name == "MessageAbortedError" else "failed"
            self._turn_failed = reason
            self.outcome = (False, reason)


def model_of(info: Info) -> str | None:
    if info.model_id is not None:
        return info.model_id
    if isinstance(info.model, dict):
        name = info.model.get("modelID") or info.model.get("id")
        return name if isinstance(name, str) else None
    return info.model if isinstance(info.model, str) else None
