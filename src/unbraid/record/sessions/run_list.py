"""The sessions that are stored on this machine, as runs in a list."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

from unbraid.agents.port import SessionState, SessionStore
from unbraid.agents.registry import stores
from unbraid.fold.status import PROMPT, WAITING, WaitingFor, status_of_session
from unbraid.log.summary import RunSummary
from unbraid.record.sessions.stored_facts import Progress, SessionFacts, Warn, stored_facts
from unbraid.timings import LIVE_SESSION_SECONDS

# Whether a stored session is live: the one rule for lists, for imports and for `cat` and `tree`.
#
# What its kind knows of the session's processes decides. Where nothing is known of them, a
# session is live if it has changed lately.


def session_state(store: SessionStore, session_id: str) -> SessionState | None:
    """Returns what a kind knows of the processes of a session; None if that is nothing. Blocks."""
    return store.states([session_id]).get(session_id)


def seconds_since(time_ms: float) -> float:
    """Returns how long ago a time is, given in milliseconds since 1970; negative if it is to
    come.
    """
    return time.time() - time_ms / 1000


def is_live(
    state: SessionState | None,
    silent_seconds: float,
    *,
    timeout_seconds: float = LIVE_SESSION_SECONDS,
) -> bool:
    """Returns whether a session is live that has last changed so long ago. Whoever records its end,
    which cannot be taken back, passes a longer timeout than whoever only shows it.
    """
    if state is not None:
        return state.alive
    # A time that is to come was set by another clock: that is no sign of life either.
    return abs(silent_seconds) < timeout_seconds


def list_sessions(
    env: Mapping[str, str],
    folder: Path | None,
    *,
    oldest_ms: float = 0,
    warn: Warn,
    progress: Progress = lambda done, total: None,
    redact: Callable[[str], str] | None = None,
) -> Iterator[RunSummary]:
    """Yields the sessions that are stored on this machine, newest first, each as soon as it is
    read.

    `folder` is where what need not be read again is kept, and `redact` is applied to titles before
    that. None of a session's events has a number yet: `last_seq` 0.
    """
    found = stored_facts(
        env, folder, since_ms=round(oldest_ms), warn=warn, progress=progress, redact=redact
    )
    known = {kind: (store, store.states()) for kind, store in stores(env).items()}
    with closing(found):
        for each in found:
            facts, (store, states) = each.facts, known[each.kind]
            status, waiting = _status(each.session_id, facts, store, states)
            yield RunSummary(
                run=each.session_id,
                source=each.kind,
                session_id=each.session_id,
                title=facts.title,
                cwd=facts.cwd,
                status=status,
                waiting=waiting,
                agents=facts.agents,
                started=facts.started,
                updated=facts.updated,
                usage=facts.usage,
            )


def _status(
    name: str, facts: SessionFacts, store: SessionStore, known: Mapping[str, SessionState]
) -> tuple[str, WaitingFor | None]:
    """Returns a stored session's status, and what it waits for."""
    silent_seconds = seconds_since(facts.updated)
    lately = is_live(None, silent_seconds)
    state = known.get(name)
    if state is None and lately:
        state = session_state(store, name)
    waiting = None if state is None else state.waiting
    if state is not None and not state.is_precise and facts.answered and not lately:
        waiting = WaitingFor(PROMPT, facts.updated)
    status = status_of_session(facts.ending, live=is_live(state, silent_seconds), waiting=waiting)
    return status, waiting if status == WAITING else None
