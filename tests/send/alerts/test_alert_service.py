"""Alerts of a real log, to real receivers: once, whoever sends them, and however they fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fold.alerts.made import Maker, helper
from tests.polling import until
from tests.send.alerts.receiver import HttpReceiver, receiving
from tests.send.alerts.test_senders import closed_port
from unbraid import events as e
from unbraid.errors import LogError
from unbraid.fold.alerts.monitor import AlertMessage
from unbraid.log import MemoryLog, SqliteLog
from unbraid.log.entry import Entry
from unbraid.log.port import Log
from unbraid.send import alert_service
from unbraid.send.alert_service import AlertService
from unbraid.send.user_rules import LoadedRules, UserRules
from unbraid.steer.controllers import Controllers
from unbraid.system.clock import now_ms

PATIENCE_SECONDS = 30


class Desk:
    """A log, a rules file, and what its service has shown and warned of."""

    def __init__(self, folder: Path, rules: str, log: Log | None = None) -> None:
        self.log = log or MemoryLog()
        self.folder, self.rules = folder, folder / "alerts.toml"
        self.rules.write_text(rules)
        self.shown: list[AlertMessage] = []
        self.warned: list[str] = []
        self.controllers = Controllers()

    def service(self) -> AlertService:
        return AlertService(
            self.log,
            self.controllers,
            {"UNBRAID_HOME": str(self.folder), "HOME": "/home/dev", "PATH": "/usr/bin:/bin"},
            home=self.folder,
            warn=self.warned.append,
            show=self.shown.append,
            tick_seconds=0.02,
            retry_seconds=0.05,
        )


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Alerts are gathered for a moment only."""
    monkeypatch.setattr("unbraid.fold.alerts.monitor.ALERT_GATHER_MS", 300)


async def until_taken(got: HttpReceiver, number: int = 1) -> None:
    await until(lambda: len(got.taken) >= number)


def failing(run: str) -> tuple[str, list[e.FleetEvent]]:
    maker = Maker(begin=now_ms(), step=0)
    return run, [*maker.begin(), maker.end(), maker.done()]


async def test_a_hundred_agents_that_fail_at_once_are_one_post(tmp_path: Path) -> None:
    with receiving() as got:
        rules = f'to = ["terminal", "hook"]\n[receiver.hook]\nwebhook = "{got.url}/x"\n'
        desk = Desk(tmp_path, rules + '[[rule]]\nwhen = "failed"\nagent = "*"\n')
        maker = Maker(begin=now_ms(), step=0)
        events = [*maker.begin(), *map(maker.start, range(1, 101))]
        events += [maker.end(helper(number)) for number in range(1, 101)]
        async with desk.service().running():
            await desk.log.append("r", events)
            await until_taken(got)
    (taken,) = got.taken
    sent = json.loads(taken.body)
    assert (sent["title"], len(sent["alerts"])) == ("100 agents have failed", 100)
    assert [each.title for each in desk.shown] == ["100 agents have failed"]
    assert desk.warned == []


async def test_what_was_sent_is_not_sent_again_by_another_process_or_after_a_restart(
    tmp_path: Path,
) -> None:
    with receiving() as got:
        rules = f'to = "hook"\n[receiver.hook]\nwebhook = "{got.url}"\n'
        rules += '[[rule]]\nwhen = "permission"\n'
        desk = Desk(tmp_path, rules)
        maker = Maker(begin=now_ms(), step=0)
        async with desk.service().running(), desk.service().running():
            await desk.log.append("r", [*maker.begin(), maker.asked("q1")])
            await until_taken(got)
        async with desk.service().running():
            # It reads where the run stands, and finds a second request beside the first.
            await desk.log.append("r", [maker.asked("q2")])
            await until_taken(got, 2)
    whens = [
        (each["run"], each["detail"])
        for taken in got.taken
        for each in json.loads(taken.body)["alerts"]
    ]
    assert whens == [("r", "Bash: rm -rf build")] * 2


class OnceFailingLog(MemoryLog):
    """A log that cannot be read once, when the second run is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    async def read(self, run: str, *args: Any, **kwargs: Any) -> list[Entry]:
        is_second = run not in self.asked and len(set(self.asked)) == 1
        self.asked.append(run)
        if is_second:
            raise LogError("the disk is busy")
        return await super().read(run, *args, **kwargs)


async def test_what_a_run_has_spent_counts_once_if_the_log_fails_at_the_beginning(
    tmp_path: Path,
) -> None:
    log = OnceFailingLog()
    for run in ("one", "two"):
        maker = Maker(begin=now_ms(), step=0)
        await log.append(run, [*maker.begin(), maker.usage(1, 0.5)])
    with receiving() as got:
        rules = f'to = "hook"\n[receiver.hook]\nwebhook = "{got.url}"\n[[budget]]\ncost = 1\n'
        desk = Desk(tmp_path, rules, log)
        async with desk.service().running():
            await log.append(*failing("other"))
            await until_taken(got)
    assert len(set(log.asked)) == 2
    alerts = [each for taken in got.taken for each in json.loads(taken.body)["alerts"]]
    assert [(each["run"], each["when"]) for each in alerts] == [("other", "failed")]
    assert desk.warned == []


async def test_a_damaged_event_holds_up_no_alert(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    log = await SqliteLog.open(path)
    await log.append("damaged", Maker(begin=now_ms(), step=0).begin())
    await log.close()
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"type":"stream_start"', b'"type"!"stream_start"'))
    assert path.read_bytes() != whole
    log = await SqliteLog.open(path)
    with receiving() as got:
        desk = Desk(tmp_path, f'to = "hook"\n[receiver.hook]\nwebhook = "{got.url}"\n', log)
        async with desk.service().running():
            await log.append(*failing("whole"))
            await until_taken(got)
    await log.close()
    assert [each["run"] for each in json.loads(got.taken[0].body)["alerts"]] == ["whole"]


async def test_a_receiver_that_is_down_delays_nothing_and_is_tried_again(tmp_path: Path) -> None:
    with receiving() as got:
        rules = f"""
            to = ["terminal", "down", "hook"]
            [receiver.down]
            webhook = "http://127.0.0.1:{closed_port()}/sk-secret"
            [receiver.hook]
            webhook = "{got.url}/sk-secret"
        """
        desk = Desk(tmp_path, rules)
        got.answers = [500, 503]
        async with desk.service().running():
            await desk.log.append(*failing("r"))
            await until_taken(got, 3)
            assert [each.title for each in desk.shown] == ["Fix the tests: has failed"]
    assert len({taken.body for taken in got.taken}) == 1
    assert sorted(text.partition(" ")[0] for text in desk.warned)[:2] == ["down", "hook"]
    assert "sk-secret" not in "".join(desk.warned)


async def test_a_rules_file_that_changes_counts_from_then_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[LoadedRules] = []

    class WatchedRules(UserRules):
        def load(self) -> LoadedRules:
            loaded.append(super().load())
            return loaded[-1]

    monkeypatch.setattr(alert_service, "UserRules", WatchedRules)
    with receiving() as got:
        desk = Desk(tmp_path, "[[rule]]\nwhen = 1\n")
        async with desk.service().running():
            assert desk.warned == [f"{desk.rules}:2: `when` is not a text or a list of texts"]
            desk.rules.write_text(f'to = "hook"\n[receiver.hook]\nwebhook = "{got.url}"\n')
            await until(lambda: not loaded[-1].problems)
            await desk.log.append(*failing("r"))
            await until_taken(got)


async def test_what_waits_for_a_receiver_comes_when_its_address_was_mended(tmp_path: Path) -> None:
    with receiving() as got:
        address = f"http://127.0.0.1:{closed_port()}"
        rules = 'to = "hook"\n[receiver.hook]\nwebhook = "{}"\n'
        desk = Desk(tmp_path, rules.format(address))
        async with desk.service().running():
            await desk.log.append(*failing("r"))
            await until(lambda: desk.warned)
            desk.rules.write_text(rules.format(got.url))
            await until_taken(got)
    assert json.loads(got.taken[0].body)["title"] == "Fix the tests: has failed"


async def test_secrets_of_agents_do_not_leave(tmp_path: Path) -> None:
    key = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
    with receiving() as got:
        rules = f'to = "hook"\n[receiver.hook]\nwebhook = "{got.url}"\n'
        desk = Desk(tmp_path, rules + '[[rule]]\nwhen = "permission"\n')
        maker = Maker(begin=now_ms(), step=0)
        async with desk.service().running():
            command = f"curl -H 'Authorization: {key}' http://x"
            await desk.log.append(
                "r", [*maker.begin(f"/srv/{key}"), maker.asked("q1", command=command)]
            )
            await until_taken(got)
    assert key[:12].encode() not in got.taken[0].body
    assert b"curl -H" in got.taken[0].body
