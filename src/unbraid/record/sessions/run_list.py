"""The sessions that are stored on this machine, as runs in a list."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

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


# `ps` lists sessions that changed within this time, unless all are asked for.
LISTED_SESSION_SECONDS = 24 * 3600

# What `ps --json` prints of a run.
JSON_FIELDS = (
    "run", "source", "session_id", "title", "cwd", "status", "waiting", "agents", "started",
    "updated", "usage", "machine", "user",
)  # fmt: skip


def to_json(run: RunSummary) -> dict[str, Any]:
    """Returns a run as `ps --json` prints it."""
    return {name: msgspec.to_builtins(getattr(run, name)) for name in JSON_FIELDS}


def oldest_listed_ms(*, everything: bool) -> float:
    """Returns since when runs are listed, in milliseconds since 1970: for the last day, or ever."""
    return 0 if everything else (time.time() - LISTED_SESSION_SECONDS) * 1000


def newest_runs(runs: Iterable[RunSummary], oldest_ms: float) -> list[RunSummary]:
    """Returns the runs that are live or have changed since a time, last changed first."""
    chosen = [run for run in runs if run.updated >= oldest_ms or not run.over]
    return sorted(chosen, key=lambda run: run.updated, reverse=True)


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
