"""What `unbraid doctor` says about this machine's copy of a shared log."""

from __future__ import annotations

from collections.abc import Sequence

from unbraid.log.port import LogFinding, Replication
from unbraid.log.replicated.copy import SkippedRecord


def copy_finding(state: Replication, run_count: int) -> LogFinding:
    """Returns how complete the copy is."""
    text = "has everything" if state.behind == 0 else f"{state.behind} records behind"
    if state.lost or state.behind is None:
        text = f"has {run_count} runs"
    return LogFinding("this machine's copy", state.problem is None and state.reachable, text)


def problem_finding(state: Replication) -> LogFinding | None:
    """Returns why the copy cannot be brought up to date; None if it can."""
    if state.problem is None:
        return None
    advice = "`unbraid doctor --repair` brings back what this machine's copy has"
    return LogFinding("log", False, state.problem, advice=advice if state.lost else None)


def skipped_findings(skipped: Sequence[SkippedRecord]) -> list[LogFinding]:
    """Returns which records no copy could apply, newest first; nothing if there are none."""
    if not skipped:
        return []
    last = skipped[0]
    text = f"{len(skipped)} skipped, the last at {last.seq} of run {last.run}: {last.problem}"
    advice = "somebody else writes to its subjects: look who has a credential"
    return [LogFinding("records", False, text, advice=advice)]
