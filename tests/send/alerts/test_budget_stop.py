"""Budgets of watched sessions: stopped by whatever steers them, or an alert that says why not."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.fold.alerts.made import Maker
from tests.polling import until
from tests.record.run.test_budget import LIMIT, endless
from tests.record.run.test_budget_guard import OtherRuns
from tests.record.watch.test_opencode_server import served
from tests.send.alerts.test_alert_service import PATIENCE_SECONDS, Desk
from unbraid import events as e
from unbraid.system.clock import now_ms

RULES = '[[budget]]\nfolder = "/srv"\ncost = 1\n'


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Alerts are gathered for a moment only."""
    monkeypatch.setattr("unbraid.fold.alerts.monitor.ALERT_GATHER_MS", 0)
    monkeypatch.setattr("unbraid.fold.alerts.monitor.ALERT_INTERVAL_MS", 0)


async def shown(desk: Desk, number: int) -> list[str]:
    await until(lambda: len(desk.shown) >= number)
    return [alert.detail for message in desk.shown for alert in message.alerts]


async def test_a_steered_session_is_interrupted_once(tmp_path: Path) -> None:
    desk, steered = Desk(tmp_path, RULES), OtherRuns("interrupt", "message")
    desk.controllers.register("r", steered)
    maker = Maker(begin=now_ms(), step=0)
    # Two processes watch: one of them stops it.
    async with desk.service().running(), desk.service().running():
        await desk.log.append("r", [*maker.begin(), maker.usage(10, 0.9)])
        details = await shown(desk, 2)
        assert details == ["90% of its budget: ≈$0.90 of $1.00"] * 2
        await desk.log.append("r", [maker.usage(10, 0.3)])
        details = await shown(desk, 3)
        await desk.log.append("r", [maker.usage(10, 0.3)])
    assert details[-1].startswith("interrupted: ≈$1.20 of $1.00 spent (≈$1.20, 20 tokens")
    assert steered.asked.get_nowait() == "interrupt"
    assert steered.asked.empty()
    assert any("interrupted: ≈$1.20 of $1.00" in text for text in desk.warned)


async def test_one_that_nothing_steers_goes_on_and_the_alert_says_so(tmp_path: Path) -> None:
    desk = Desk(tmp_path, RULES)
    maker = Maker(begin=now_ms(), step=0)
    async with desk.service().running():
        await desk.log.append("r", [*maker.begin(), maker.usage(10, 1.2)])
        (detail,) = await shown(desk, 1)
    assert detail.startswith(
        "cannot be stopped from here, and continues: This run has its own terminal"
    )
    assert "$1.20 of $1.00 spent" in detail
    assert desk.shown[0].title == "Fix the tests: has reached its budget"


async def test_one_that_can_be_stopped_only_later_is_stopped_then(tmp_path: Path) -> None:
    desk, steered = Desk(tmp_path, RULES), OtherRuns("interrupt", "message")
    maker = Maker(begin=now_ms(), step=0)
    async with desk.service().running():
        await desk.log.append("r", [*maker.begin(), maker.usage(10, 1.2)])
        await shown(desk, 1)
        await desk.log.append("r", [maker.usage(10, 2.0)])  # nobody has said that it may
        desk.controllers.register("r", steered)
        details = await shown(desk, 2)
    assert [detail.partition(":")[0] for detail in details] == [
        "cannot be stopped from here, and continues", "interrupted",
    ]  # fmt: skip
    assert "≈$3.20 of $1.00 spent" in details[1]
    assert len(desk.warned) == 2, "each is said once"


@pytest.mark.cli
async def test_a_session_of_an_opencode_server_is_aborted_within_one_message(
    tmp_path: Path,
) -> None:
    rules = f"[[budget]]\ntokens = {LIMIT * 1000 - 700}\n"
    async with (
        served(endless(), tmp_path) as watched,
        watched.watched(tmp_path / "alone") as server,  # without its database
    ):
        desk = Desk(tmp_path, rules, server.log)
        desk.controllers = server.controllers
        async with desk.service().running():
            session = await server.begin()
            ended = await server.until(session, e.FleetTurnComplete)
            assert isinstance(ended, e.FleetTurnComplete)
            async with asyncio.timeout(PATIENCE_SECONDS):
                number = 1
                while not (details := await shown(desk, number))[-1].startswith("interrupted: "):
                    number += 1  # the notice was first
        asked = [b["text"] for b in server.model.truth["blocks"] if b["type"] == "text"]
    assert len(asked) <= LIMIT + 1
    said = "".join(event.delta for event in server.output[session] if isinstance(event, e.Text))
    assert said == "".join(asked[:LIMIT])
    assert "of 4.3k tokens spent" in details[-1]
