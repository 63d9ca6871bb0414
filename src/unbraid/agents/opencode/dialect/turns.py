"""When the main agent's turns begin and end, and how.

A session that is aborted goes idle before it says so, and idle again after: the end of a turn waits
until its message is whole, or has failed.
"""

from __future__ import annotations

from typing import Any

from unbraid.agents.opencode.dialect.sessions import SessionAttribution
from unbraid.agents.opencode.dialect.texts import Texts
from unbraid.agents.opencode.records import Info, error_text
from unbraid.events import Error, RelayEvent, TurnComplete
from unbraid.read.clock import Clock
from unbraid.read.contexts import Context, Contexts
from unbraid.read.seen import newly


class SessionTurns:
    """Which sessions are at work, and how the main agent's latest turn has ended."""

    def __init__(
        self,
        *,
        clock: Clock,
        contexts: Contexts[Context],
        sessions: SessionAttribution,
        texts: Texts,
        seen: dict[int, None],
    ) -> None:
        self._clock = clock
        self._contexts = contexts
        self._sessions = sessions
        self._texts = texts
        self._seen = seen
        self.outcome: tuple[bool, str] | None = None
        self._busy: set[str | None] = set()
        self._working: str | None = None  # the main agent's message that is not completed
        self._completed: set[str | None] = set()  # sessions whose latest message is whole
        self._idle_due = False
        self._open = False  # whether anything was asked, said or failed since the turn before
        self.has_begun = False  # whether the main agent has had any turn
        self._turn = 0
        self._failed: str | None = None  # why the present turn has failed

    def begin(self, session: str | None, out: list[RelayEvent]) -> None:
        """Notes that a session begins to work."""
        if session == self._sessions.root:
            self.has_begun = True
            if self._idle_due:
                self._end(out)
            if session not in self._busy:
                self._turn += 1
        self._busy.add(session)

    def idle(self, session: str | None, out: list[RelayEvent]) -> None:
        """Notes that a session has become idle."""
        if session not in self._busy:
            return
        if session != self._sessions.root:
            self._busy.discard(session)
        elif self._working is not None and self._failed is None:
            self._idle_due = True
        else:
            self._end(out)

    def asked(self, info: Info) -> None:
        """Notes a user's message: a turn begins, even if another event reports it, too."""
        if info.session_id == self._sessions.root and newly(self._seen, hash(("asked", info.id))):
            self._open = self.has_begun = True

    def answering(self, info: Info) -> None:
        """Notes that an assistant's message has begun, or is complete."""
        over = (info.time is not None and info.time.completed is not None) or bool(info.error)
        # A second source repeats how a message began: that begins no turn.
        known = hash(("over", info.id))
        if info.id and known in self._seen:
            return
        if over:
            newly(self._seen, known)
        (self._completed.add if over else self._completed.discard)(info.session_id)
        if info.session_id in (self._sessions.root, None):
            self._open = self.has_begun = True
            if not over:
                self._working = info.id
                self.outcome = None  # of the turn before
                self._busy.add(self._sessions.root)
            elif info.id == self._working:
                self._working = None

    def failed(self, session: str | None, error: Any, out: list[RelayEvent]) -> None:
        """Notes that a session, or a message of it, has failed."""
        context = self._sessions.known(session)
        name = error.get("name") if isinstance(error, dict) else None
        # A failure is reported by its message, by its session, and again by other sources.
        if not newly(self._seen, hash(("error", session, self._turn, error_text(error)))):
            return
        out.append(Error(context.id, self._clock.ts, error_text(error), code=name))
        if context is self._contexts.root:
            self._open = self.has_begun = True
            self._failed = "interrupted" if name == "MessageAbortedError" else "failed"
            self.outcome = (False, self._failed)

    def finish(self, out: list[RelayEvent]) -> None:
        """Ends the open turn: the sources are over."""
        if self._idle_due:
            self._end(out)

    def is_completed(self, context: Context) -> bool:
        """Returns whether an agent's latest message is whole."""
        return context.session_id in self._completed

    @property
    def is_answering(self) -> bool:
        """Whether the main agent's message was never completed: its answer was cut short."""
        return self._working is not None

    def _end(self, out: list[RelayEvent]) -> None:
        ok = self._failed is None
        reason = self._failed or "completed"
        self.outcome = (ok, reason)
        self._failed = self._working = None
        self._idle_due = False
        self._busy.discard(self._sessions.root)
        result = self._texts.latest(self._contexts.root)
        subtype = "idle" if ok else reason
        # Its server and its database both say that a session is idle, in any order.
        if not self._open:
            return
        self._open = False
        out.append(
            TurnComplete(
                "",
                self._clock.ts,
                ok=ok,
                subtype=subtype,
                reason=reason,
                result=result or None,
            )
        )
