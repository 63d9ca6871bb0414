"""Stops a run that has reached a limit, if anything here can, and says what it has spent and how to
go on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unbraid.agents.control_port import Controller
from unbraid.alerts.conditions import BUDGET, Condition
from unbraid.alerts.monitor import SpentBudget
from unbraid.control.controllers import Controllers, NotControlled
from unbraid.control.hints import steering_hint
from unbraid.control.resume import resumption
from unbraid.errors import UnbraidError
from unbraid.log.port import Log
from unbraid.log.summary import RunSummary
from unbraid.notify.sent_marks import SentMarks
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
        """Stops a run. Returns what people are to be alerted about; None if another process has
        done it.
        """
        run = spent.run.run
        key = f"budget {spent.limit.what} stop"
        if not self._marks.take(f"{run} {key}"):
            return None
        summary = await self._log.run(run)
        happened = await self._stopped(run, summary)
        command = await continuing(self._log, summary, self._env)
        detail = f"{happened} {spent.limit} spent ({spent.spent})"
        if command:
            detail += f". To go on: {command}"
        self._warn(f"run {run}: {detail}")
        return Condition(BUDGET, key, now_ms(), detail=detail)

    async def _stopped(self, run: str, summary: RunSummary | None) -> str:
        try:
            return f"{await interrupt(await self._controllers.find(run))}:"
        except NotControlled:
            hint = None if summary is None else steering_hint(summary, ())
            why = "" if hint is None else f" {hint}"
            return f"cannot be stopped from here, and goes on:{why}"
        except UnbraidError as error:
            return f"could not be stopped ({error}), and goes on:"


async def interrupt(controller: Controller) -> str:
    """Interrupts a run, or ends it where it cannot be interrupted; returns which."""
    if "interrupt" in controller.verbs():
        await controller.interrupt()
        return "interrupted"
    await controller.cancel()
    return "ended"


async def continuing(log: Log, summary: RunSummary | None, env: Mapping[str, str]) -> str:
    """Returns the command that continues a run; nothing if none does."""
    if summary is None:
        return ""
    try:
        await resumption(log, summary, stream=0, env=env, arguments=(), write=False)
    except UnbraidError:
        return ""
    return f"unbraid attach {summary.run} --resume"
