"""The guard of a run's budget: what it counts, and how it stops."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fold.alerts.made import Maker
from unbraid.agents.control_port import Controller
from unbraid.fold.alerts.budget import RunLimits
from unbraid.log import MemoryLog
from unbraid.read.notes import NOTES, RunNote
from unbraid.read.translator import Translator
from unbraid.send.budgets import BudgetGuard

PATIENCE_SECONDS = 30


class OtherRuns(Controller):
    """A controller that notes what it is asked."""

    def __init__(self, *verbs: str) -> None:
        self._verbs, self.asked = list(verbs), asyncio.Queue[str]()

    def verbs(self) -> list[str]:
        return self._verbs

    async def interrupt(self) -> None:
        self.asked.put_nowait("interrupt")

    async def cancel(self) -> None:
        self.asked.put_nowait("cancel")


@pytest.mark.parametrize(
    ("verbs", "asked"),
    [(("interrupt", "cancel"), ["interrupt", "cancel"]), (("cancel",), ["cancel"])],
)
async def test_one_agent_too_many(
    verbs: tuple[str, ...], asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unbraid.send.budgets.BUDGET_STOP_GRACE_SECONDS", 0.01)
    log, maker, steered = MemoryLog(), Maker(), OtherRuns(*verbs)
    warned: list[str] = []
    noted: list[RunNote] = []
    guard = BudgetGuard(RunLimits(agents=3), {}, warn=warned.append, note=noted.append)
    async with asyncio.timeout(PATIENCE_SECONDS), guard.guarding(steered):
        await log.append("r", [*maker.begin(), maker.start(1), maker.start(2)])
        guard.begin(log, "r")
        await log.append("r", [maker.start(3)])
        assert [await steered.asked.get() for _ in asked] == asked
    assert warned[-1] == noted[0].message
    assert noted[0].message.startswith("stopped at its budget, 4 of 3 agents; spent: $0.00")


async def test_most_of_a_budget_is_a_notice() -> None:
    log, maker, steered = MemoryLog(), Maker(), OtherRuns("cancel")
    warned: asyncio.Queue[str] = asyncio.Queue()
    limits = RunLimits(cost_usd=0.05)
    guard = BudgetGuard(limits, {}, warn=warned.put_nowait, note=lambda note: None)
    async with asyncio.timeout(PATIENCE_SECONDS), guard.guarding(steered):
        guard.begin(log, "r")
        await log.append("r", [*maker.begin(), *(maker.usage(1, 0.01) for _ in range(4))])
        assert await warned.get() == "80% of the budget is used: ≈$0.04 of $0.05"
        assert steered.asked.empty()
        await log.append("r", [maker.usage(1, 0.01)])
        assert (await warned.get()).startswith("stopped at its budget, ≈$0.05 of $0.05")
        assert await steered.asked.get() == "cancel"


async def test_tokens_without_a_price_are_named() -> None:
    log, maker, steered = MemoryLog(), Maker(), OtherRuns("cancel")
    warned: list[str] = []
    limits = RunLimits(cost_usd=1.0, tokens=20)
    guard = BudgetGuard(limits, {}, warn=warned.append, note=lambda note: None)
    async with asyncio.timeout(PATIENCE_SECONDS), guard.guarding(steered):
        guard.begin(log, "r")
        await log.append("r", [*maker.begin(), maker.usage(30, None)])
        assert await steered.asked.get() == "cancel"
    assert warned[0].startswith("a model has no price")


def test_time_is_kept_of_any_program(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "unbraid", "run", "--max-time", "1s", "--", "sleep", "60"]
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=50)
    assert done.returncode == 143
    assert done.stderr.startswith("unbraid: stopped at its budget, ")
    assert " of 1.0s; spent: $0.00, 0 tokens, " in done.stderr


def test_a_note_is_an_event_of_its_run_however_it_is_cut() -> None:
    line = RunNote("stopped", "budget", 7).line()
    whole = Translator().feed(line, NOTES)
    cut = Translator()
    parts = [event for at in range(len(line)) for event in cut.feed(line[at : at + 1], NOTES)]
    assert whole == parts
    assert [(event.type, event.ts) for event in whole] == [("error", 7)]
    (bad,) = Translator().feed(b"nonsense\n", NOTES)
    assert bad.type == "malformed"
