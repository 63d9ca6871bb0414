"""Stops runs that have spent their budget, and says what they have spent and how to continue them.

A run that this process has started is guarded here. One that is only watched is stopped by whatever
steers it, if anything here does.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress

from msgspec.structs import replace

from unbraid.agents.control_port import Controller, halt
from unbraid.errors import LogError, UnbraidError
from unbraid.fold.alerts.budget import BudgetMeter, BudgetShare, RunLimits, Spending
from unbraid.fold.alerts.conditions import APPLIED, BUDGET, Condition, RunConditions
from unbraid.fold.alerts.monitor import SpentBudget
from unbraid.log.consumer import Consumer
from unbraid.log.entry import DamagedEvent, Entry
from unbraid.log.port import Log
from unbraid.log.summary import RunSummary
from unbraid.read.notes import RunNote
from unbraid.send.senders import SentMarks
from unbraid.steer.controllers import Controllers, NotControlled
from unbraid.steer.hints import steering_hint
from unbraid.steer.resume import resumption
from unbraid.system.clock import now_ms
from unbraid.system.tasks import cancel_task, end_task

# Time passes without events, too: how often a run's budget is measured while there are none.
BUDGET_TICK_SECONDS = 0.5
# A turn that was interrupted ends within a second or two. Its program may continue, and is ended.
BUDGET_STOP_GRACE_SECONDS = 3.0


class BudgetGuard:
    """Watches what one run spends. `note` puts a note of ours into its log."""

    def __init__(
        self,
        limits: RunLimits,
        env: Mapping[str, str],
        *,
        warn: Callable[[str], None],
        note: Callable[[RunNote], None],
    ) -> None:
        self._limits, self._env, self._warn, self._note = limits, env, warn, note
        self._meter = BudgetMeter(limits)
        self._began = time.monotonic()
        self._conditions = RunConditions("")
        self._opened: asyncio.Future[tuple[Log, str]] = asyncio.get_running_loop().create_future()
        self._grown = asyncio.Event()  # there is more of the run
        self._warned_of_prices = False

    def begin(self, log: Log, run: str) -> None:
        """Begins to count what the run spends, now that it is recorded."""
        if not self._opened.done():
            self._opened.set_result((log, run))

    @asynccontextmanager
    async def guarding(self, controller: Controller) -> AsyncIterator[None]:
        """Guards while the block runs."""
        task = asyncio.create_task(self._guard(controller))
        try:
            yield
        finally:
            await end_task(task)

    async def _guard(self, controller: Controller) -> None:
        following = asyncio.create_task(self._follow())
        try:
            while True:
                is_over = following.done()
                self._grown.clear()
                if await self._measure(controller) or is_over:
                    return
                with suppress(TimeoutError):
                    async with asyncio.timeout(BUDGET_TICK_SECONDS):
                        await self._grown.wait()
        finally:
            await cancel_task(following)

    async def _follow(self) -> None:
        log, run = await asyncio.shield(self._opened)
        self._conditions.run = run
        await Consumer(log, self._apply, run=run, on_problem=self._report).follow()
        self._grown.set()

    async def _apply(self, batch: list[Entry]) -> None:
        for entry in batch:
            # What is damaged in the log can never be read, and the rest counts without it.
            with suppress(DamagedEvent):
                if entry.type in APPLIED:
                    self._conditions.apply(entry.event)
                else:
                    self._conditions.note(entry.stream_id, entry.ts)
        self._grown.set()

    def _report(self, problem: LogError) -> None:
        self._warn(f"the budget is not enforced while the log cannot be read: {problem}")

    async def _measure(self, controller: Controller) -> bool:
        """Reports what is due; returns whether the run was stopped."""
        elapsed = time.monotonic() - self._began
        spent = replace(self._conditions.spending(now_ms()), seconds=elapsed)
        has_unpriced = spent.unpriced_tokens and self._limits.cost_usd is not None
        if has_unpriced and not self._warned_of_prices:
            self._warned_of_prices = True
            self._warn(
                "a model has no price: its tokens do not count against the budget in dollars"
            )
        for share in self._meter.measure(spent):
            if share.is_reached:
                await self._stop(controller, share, spent)
                return True
            self._warn(f"{share.share:.0%} of the budget is used: {share}")
        return False

    async def _stop(self, controller: Controller, share: BudgetShare, spent: Spending) -> None:
        text = f"stopped at its budget, {share}; spent: {spent}"
        if self._opened.done():
            log, run = self._opened.result()
            # A log that cannot be read is no reason to let the run spend more.
            with suppress(LogError):
                text += await _how_to_continue(log, await log.run(run), self._env)
        self._note(RunNote(text, BUDGET, now_ms()))
        self._warn(text)
        try:
            if await halt(controller) == "interrupted":
                # A turn that was interrupted ends, and with it the program; agents in the
                # background would continue.
                await asyncio.sleep(BUDGET_STOP_GRACE_SECONDS)
                await controller.cancel()
        except UnbraidError:
            await controller.cancel()


async def stop_at_budget(
    spent: SpentBudget,
    log: Log,
    controllers: Controllers,
    env: Mapping[str, str],
    *,
    marks: SentMarks,
    warn: Callable[[str], None],
) -> Condition | None:
    """Stops a run that is watched, by one of all processes that watch it. Returns what people are
    to be alerted about; None if they know already.
    """
    run = spent.run.run
    # A run that is continued gets the same budget again and is stopped when that is used up, too:
    # so the amount is part of the key.
    key = f"budget {spent.limit.what} {spent.limit.limit} stop"
    if marks.has(f"{run} {key}"):
        return None
    summary = await log.run(run)
    try:
        happened = f"{await halt(await controllers.find(run))}:"
    except UnbraidError as error:
        happened = _why_not(error, summary)
        key += " failed"
        spent.goes_on()
    if not marks.add(f"{run} {key}"):
        return None
    detail = f"{happened} {spent.limit} spent ({spent.spent})"
    detail += await _how_to_continue(log, summary, env)
    await controllers.note(run, RunNote(detail, BUDGET, now_ms()))
    warn(f"run {run}: {detail}")
    return Condition(BUDGET, key, now_ms(), detail=detail)


def _why_not(error: UnbraidError, summary: RunSummary | None) -> str:
    if not isinstance(error, NotControlled):
        return f"could not be stopped ({error}), and continues:"
    hint = None if summary is None else steering_hint(summary, ())
    return f"cannot be stopped from here, and continues:{'' if hint is None else f' {hint}'}"


async def _how_to_continue(log: Log, run: RunSummary | None, env: Mapping[str, str]) -> str:
    """Returns the sentence that names the command that continues a run; nothing if none does."""
    if run is None:
        return ""
    try:
        await resumption(log, run, stream=0, env=env, arguments=(), write=False)
    except UnbraidError:
        return ""
    return f". To continue: unbraid attach {run.run} --resume"
