"""Stops a run that has reached a limit, if anything here can, and says what it has spent and how to
continue.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unbraid.agents.control_port import halt
from unbraid.errors import UnbraidError
from unbraid.fold.alerts.conditions import BUDGET, Condition
from unbraid.fold.alerts.monitor import SpentBudget
from unbraid.log.port import Log
from unbraid.log.summary import RunSummary
from unbraid.read.notes import RunNote
from unbraid.send.senders import SentMarks
from unbraid.steer.controllers import Controllers, NotControlled
from unbraid.steer.hints import steering_hint
from unbraid.steer.resume import resumption
from unbraid.system.clock import now_ms


class BudgetStops:
    """Stops runs, each by one process of ours."""

    def __init__(
        self,
        log: Log,
        controllers: Controllers,
        env: Mapping[str, str],
        marks: SentMarks,
        warn: Callable[[str], None],
    ) -> None:
        self._log, self._controllers, self._env = log, controllers, env
        self._marks, self._warn = marks, warn

    async def stop(self, spent: SpentBudget) -> Condition | None:
        """Stops a run. Returns what people are to be alerted about; None if they know already."""
        run = spent.run.run
        # A run that is continued gets the same budget again and is stopped when that is used up,
        # too: so the amount is part of the key.
        key = f"budget {spent.limit.what} {spent.limit.limit} stop"
        if self._marks.has(f"{run} {key}"):
            return None
        summary = await self._log.run(run)
        try:
            happened = f"{await halt(await self._controllers.find(run))}:"
        except UnbraidError as error:
            happened = _why_not(error, summary)
            key += " failed"
            spent.goes_on()
        if not self._marks.add(f"{run} {key}"):
            return None
        command = await continuing(self._log, summary, self._env)
        detail = f"{happened} {spent.limit} spent ({spent.spent})"
        if command:
            detail += f". To continue: {command}"
        await self._controllers.note(run, RunNote(detail, BUDGET, now_ms()))
        self._warn(f"run {run}: {detail}")
        return Condition(BUDGET, key, now_ms(), detail=detail)


def _why_not(error: UnbraidError, summary: RunSummary | None) -> str:
    if not isinstance(error, NotControlled):
        return f"could not be stopped ({error}), and continues:"
    hint = None if summary is None else steering_hint(summary, ())
    return f"cannot be stopped from here, and continues:{'' if hint is None else f' {hint}'}"


async def continuing(log: Log, summary: RunSummary | None, env: Mapping[str, str]) -> str:
    """Returns the command that continues a run; nothing if none does."""
    if summary is None:
        return ""
    try:
        await resumption(log, summary, stream=0, env=env, arguments=(), write=False)
    except UnbraidError:
        return ""
    return f"unbraid attach {summary.run} --resume"
