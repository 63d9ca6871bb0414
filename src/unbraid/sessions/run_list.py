"""All runs there are: those of the log, and the sessions on this machine that are not in it."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from unbraid.agents.port import SessionFacts, SessionStore
from unbraid.agents.registry import is_kind, stores
from unbraid.agents.session_port import SessionState, StatefulStore
from unbraid.fleet.status import DONE, ORPHANED, PROMPT, WAITING, WaitingFor, status_of_session
from unbraid.log.leases import is_held
from unbraid.log.summary import RunSummary
from unbraid.timings import LISTED_SESSION_SECONDS, LIVE_SESSION_SECONDS

Warn = Callable[[str], None]
Progress = Callable[[int, int], None]

# What `ps --json` prints of a run.
JSON_FIELDS = (
    "run", "source", "session_id", "title", "cwd", "status", "waiting", "agents", "started",
    "updated", "usage", "machine", "user",
)  # fmt: skip


def to_json(run: RunSummary) -> dict[str, Any]:
    """Returns a run as `ps --json` prints it."""
    return {name: msgspec.to_builtins(getattr(run, name)) for name in JSON_FIELDS}


def list_runs(
    logged: list[RunSummary],
    env: Mapping[str, str],
    folder: Path | None,
    *,
    everything: bool,
    warn: Warn,
    progress: Progress = lambda done, total: None,
) -> list[RunSummary]:
    """Runs, newest first; without `everything`, those that are live or of the last day."""
    sessions = sessions_beside(
        logged, env, folder, everything=everything, warn=warn, progress=progress
    )
    return merged_runs(logged, sessions, folder, everything=everything)


def sessions_beside(
    logged: list[RunSummary],
    env: Mapping[str, str],
    folder: Path | None,
    *,
    everything: bool,
    warn: Warn,
    progress: Progress = lambda done, total: None,
) -> list[RunSummary]:
    """Returns the stored sessions that a list of runs has to take into account."""
    since = min(
        [
            _oldest(everything=everything),
            *(run.updated for run in left_runs(logged, folder).values()),
        ]
    )
    return list(list_sessions(env, folder, oldest_ms=since, warn=warn, progress=progress))


def merged_runs(
    logged: list[RunSummary],
    sessions: Iterable[RunSummary],
    folder: Path | None,
    *,
    everything: bool,
) -> list[RunSummary]:
    """Returns the runs of the log, and the sessions that are not in it."""
    found = {summary.run: summary for summary in logged}
    known = {summary.session_id or summary.run for summary in logged} | found.keys()
    left = left_runs(logged, folder)
    for run in sessions:
        unwritten = left.get(run.run)
        if run.run not in known or (unwritten is not None and unwritten.run == run.run):
            if unwritten is not None:
                run.machine, run.user = unwritten.machine, unwritten.user
            found[run.run] = run
        elif unwritten is not None:
            unwritten.status, unwritten.waiting = run.status, run.waiting
    oldest = _oldest(everything=everything)
    chosen = [run for run in found.values() if run.updated >= oldest or not run.over]
    return sorted(chosen, key=lambda run: run.updated, reverse=True)


def _oldest(*, everything: bool) -> float:
    return 0 if everything else (time.time() - LISTED_SESSION_SECONDS) * 1000


def left_runs(logged: list[RunSummary], folder: Path | None) -> dict[str, RunSummary]:
    """Returns, by session, the runs that are not over and that no process writes any more: only
    what their kind has stored shows what has become of them.
    """
    open_runs = [run for run in logged if not run.over and is_kind(run.source)]
    named = {run.session_id or run.run: run for run in reversed(open_runs)}
    return {name: run for name, run in named.items() if folder and not is_held(folder, name)}


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

    `folder` is where kinds keep what need not be read again, and `redact` is applied to titles
    before that. None of a session's events has a number yet: `last_seq` 0.
    """
    summaries = [
        _summaries(
            name,
            store,
            store.listed(
                since_ms=round(oldest_ms),
                cache=folder,
                redact=redact,
                warn=warn,
                progress=progress,
            ),
        )
        for name, store in stores(env).items()
    ]
    yield from heapq.merge(*summaries, key=lambda run: -run.updated)


def _summaries(
    kind: str, store: SessionStore, stored: Iterator[SessionFacts]
) -> Iterator[RunSummary]:
    known = store.states() if isinstance(store, StatefulStore) else {}
    for facts in stored:
        status, waiting = _status(facts, store, known)
        yield RunSummary(
            run=facts.session_id,
            source=kind,
            session_id=facts.session_id,
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
    facts: SessionFacts, store: SessionStore, known: Mapping[str, SessionState]
) -> tuple[str, WaitingFor | None]:
    """Returns a stored session's status, and what it waits for."""
    name = facts.session_id
    # What comes from a clock that is ahead has not happened now either.
    lately = abs(time.time() * 1000 - facts.updated) < LIVE_SESSION_SECONDS * 1000
    state = known.get(name)
    if state is None and lately and isinstance(store, StatefulStore):
        state = store.states([name]).get(name)
    waiting = None if state is None else state.waiting
    if state is not None and not state.is_precise and facts.answered and not lately:
        waiting = WaitingFor(PROMPT, facts.updated)
    status = status_of_session(
        facts.ending or (DONE if facts.answered else ORPHANED),
        alive=None if state is None else state.alive,
        waiting=waiting,
        changed_lately=lately,
    )
    return status, waiting if status == WAITING else None
