"""`unbraid alerts`, and what `doctor` says of the rules: all of them, and no secret."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.fold.alerts.made import Maker
from tests.send.alerts.receiver import receiving
from unbraid.cli import main
from unbraid.log import opened_log
from unbraid.system.clock import now_ms

RULES = """\
quiet = "22:00-07:00"
to = ["terminal", "hook"]

[[rule]]
when = "permission"
folder = "/srv/shop"

[[rule]]
when = "lunch"

[[budget]]
cost = 5

[receiver.hook]
webhook = "{}/sk-secret"
headers = {{Authorization = "sk-secret"}}

[receiver.chat]
url = "slack://sk-secret/x"
"""


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {"UNBRAID_HOME": "unbraid", "HOME": ".", "OPENCODE_DB": "none.db"}.items():
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    (tmp_path / "unbraid").mkdir(mode=0o700)
    return tmp_path / "unbraid" / "alerts.toml"


def run(*args: str) -> Result:
    return CliRunner().invoke(main, args)


def test_the_list_has_every_rule_and_what_is_wrong_and_no_secret(env: Path) -> None:
    env.write_text(RULES.format("http://127.0.0.1:1"))
    env.chmod(0o600)
    done = run("alerts")
    assert done.exit_code == 1
    assert f"{env}:9: unknown condition 'lunch'" in done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "permission, in /srv/shop → terminal, hook  (line 4)"
    assert "prompt for 1m 00s → terminal, hook  (default)" in lines
    assert "budget of a run everywhere: $5.00  (line 11)" in lines
    assert lines[-4:] == [
        "receiver hook: a webhook", "receiver chat: Apprise", "quiet: 22:00-07:00", f"from {env}",
    ]  # fmt: skip
    listed = json.loads(run("alerts", "--json").stdout)
    assert listed["receivers"] == {"hook": "a webhook", "chat": "Apprise"}
    found = json.loads(run("doctor", "--json").stdout)
    (finding,) = [each for each in found if each["about"] == "alerts"]
    assert finding["found"] == f"{env}:9: {listed['problems'][0].split(': ', 1)[1]}"
    shown = done.output + json.dumps(listed) + json.dumps(found)
    assert "sk-secret" not in shown


def test_doctor_warns_of_a_file_that_others_can_read(env: Path) -> None:
    env.write_text('[receiver.hook]\nwebhook = "http://127.0.0.1:1/sk-secret"\n')
    for mode, status in ((0o600, "ok"), (0o644, "warning")):
        env.chmod(mode)
        found = json.loads(run("doctor", "--json").stdout)
        (finding,) = [each for each in found if each["about"] == "alerts"]
        assert finding["status"] == status
        assert "sk-secret" not in json.dumps(finding)


def test_a_test_message_arrives(env: Path) -> None:
    with receiving() as got:
        env.write_text(RULES.format(got.url))
        done = run("alerts", "test", "hook")
    assert (done.exit_code, done.stdout) == (0, "hook: sent\n")
    assert json.loads(got.taken[0].body)["title"] == "A test of unbraid"
    missing = run("alerts", "test", "nobody")
    assert missing.exit_code == 2
    assert "available: chat, desktop, hook, terminal" in missing.output
    assert run("alerts", "test", "hook").stdout.startswith("hook: cannot be reached")


@pytest.fixture
def rules(env: Path) -> None:
    env.write_text(RULES.format("http://127.0.0.1:1"))


async def test_explain_shows_what_holds_and_which_rules_apply(rules: None) -> None:
    maker = Maker(begin=now_ms() - 100_000, step=0)
    async with opened_log(env=os.environ) as log:
        await log.append("r1", [*maker.begin("/srv/shop/api"), maker.asked("q1")])
        maker = Maker(begin=now_ms() - 100_000, step=0)
        await log.append("r2", [*maker.begin("/srv/other"), maker.asked("q1"), maker.usage(9, 4)])
    done = await asyncio.to_thread(run, "alerts", "explain", "--json")
    found = {(each["run"], each["what"]): each["why"] for each in json.loads(done.stdout)}
    assert found["r1", "permission"][0].startswith("line 4: has held for 1")
    assert found["r2", "permission"] == ["line 4: does not apply (permission, in /srv/shop)"]
    assert found["r2", "budget"] == ["line 11: 80%, ≈$4.00 of $5.00"]
