"""Two machines that share a log, with a real CLI: `python -m tests.log.nats.two_machines`."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.log.nats.two_machines import MODULE, VERSION, expected_words
from tests.namespaces import has_namespaces, in_own_network
from tests.record.run.agents import cli_of

pytestmark = [pytest.mark.cli, pytest.mark.xdist_group("nats")]
TURNS = 6


def test_what_one_machine_watches_the_other_sees_and_approves() -> None:
    if not has_namespaces():
        pytest.skip("this machine makes no network namespaces")
    cli_of("claude", VERSION)
    # What is in there ends with it, also when it is killed.
    done = subprocess.run(
        in_own_network(MODULE, "inside", str(TURNS)), capture_output=True, timeout=100
    )
    assert done.returncode == 0, done.stderr.decode()
    measured = json.loads(done.stdout)
    assert measured["words"] == [expected_words(TURNS)] * 2
    assert measured["machines"] == ["one"]
    assert measured["median_ms"] < 300
