"""The budget of a run that we started: reported when most of it is used, and the run stopped when
all of it is.
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
from unbraid.fold.alerts.conditions import APPLIED, RunConditions
from unbraid.log.consumer import Consumer
from unbraid.log.entry import DamagedEvent, Entry
from unbraid.log.port import Log
from unbraid.read.notes import RunNote
from unbraid.send.budget_stop import continuing
from unbraid.system.clock import now_ms
from unbraid.system.tasks import cancel_task

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
        """Notes that the run is recorded from now on."""
        if not self._opened.done():
            self._opened.set_result((log, run))

    @asynccontextmanager
    async def guarding(self, controller: Controller) -> AsyncIterator[None]:
        """Guards while the block runs."""
        task = asyncio.create_task(self._guard(controller))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

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
        if spent.unpriced_tokens and self._limits.cost_usd is not None:
            self._warn_of_prices()
        for share in self._meter.measure(spent):
            if share.is_reached:
                await self._stop(controller, share, spent)
                return True
            self._warn(f"{share.share:.0%} of the budget is used: {share}")
        return False

    async def _stop(self, controller: Controller, share: BudgetShare, spent: Spending) -> None:
        command = ""
        if self._opened.done():
            log, run = self._opened.result()
            command = await continuing(log, await log.run(run), self._env)
        text = f"stopped at its budget, {share}; spent: {spent}"
        text += f". To continue: {command}" if command else ""
        self._note(RunNote(text, "budget", now_ms()))
        self._warn(text)
        try:
            if await halt(controller) == "interrupted":
                # A turn that was interrupted ends, and with it the program; agents in the
                # background would continue.
                await asyncio.sleep(BUDGET_STOP_GRACE_SECONDS)
                await controller.cancel()
        except UnbraidError:
            await controller.cancel()

    def _warn_of_prices(self) -> None:
        if not self._warned_of_prices:
            self._warned_of_prices = True
            self._warn(
                "a model has no price: its tokens do not count against the budget in dollars"
            )
