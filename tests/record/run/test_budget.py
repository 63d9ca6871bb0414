"""Budgets with the real CLIs: whoever would spend without end is stopped, and nothing is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.record.run.agents import UNBRAID, arguments, log_path, logged, play
from unbraid import events as e
from unbraid.testing import Script, ScriptedModel, ScriptedUsage, assert_fleet, bash, say

pytestmark = pytest.mark.cli

# Each message has 1,000 tokens, and costs a cent. The limits leave room for what a message that was
# followed at once by the next is only estimated at: up to a tenth less.
USAGE = ScriptedUsage(
    input_tokens=900, output_tokens=100, cache_read_tokens=0, cache_creation_tokens=0
)
PRICE = {"input": 10, "output": 10}
LIMIT = 5
# Nobody waits for it: the agent is stopped while the model still thinks.
LONG_SECONDS = 60.0

WAYS = [
    pytest.param("2.1.325", ("--max-cost", "0.043"), "$0.04", id="claude"),
    pytest.param("2.1.325", ("--steer", "--max-cost", "0.043"), "$0.04", id="steered"),
    pytest.param("opencode 1.18.33", ("--max-tokens", "4300"), "4.3k tokens", id="opencode"),
]


def endless() -> Script:
    """An agent that never comes to an end: every message calls a tool. The first one beyond the
    limit takes long.
    """
    turns = [
        say(
            f"Step {number}.",
            bash(f"echo {number}"),
            usage=USAGE,
            delay_seconds=LONG_SECONDS if number == LIMIT else 0.1,
        )
        for number in range(3 * LIMIT)
    ]
    return Script({"main": turns}, name="endless")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = log_path(tmp_path).parent
    folder.mkdir(parents=True, mode=0o700)
    prices = {"claude-opus-5-5": PRICE, "one": PRICE}
    (folder / "prices.json").write_text(json.dumps(prices))
    return tmp_path


@pytest.mark.parametrize(("version", "options", "limit"), WAYS)
async def test_an_agent_without_end_is_stopped_within_one_message(
    version: str, options: tuple[str, ...], limit: str, home: Path
) -> None:
    script = endless()
    with ScriptedModel(script) as model:
        args = arguments(version, "[[main]] Go on and on.")
        prefix = (UNBRAID, "run", *options, "--")
        recording = await play(version, script, home, args, prefix=prefix, model=model)
    printed = recording.stderr.decode()
    asked = [block["text"] for block in recording.blocks if block["type"] == "text"]
    assert asked == [f"Step {number}." for number in range(len(asked))]
    assert len(asked) <= LIMIT + 1

    ((run, events),) = (await logged(home)).items()
    assert_fleet(events)
    # All that the model has said up to the stop is in the log, with what it cost.
    said = [event.delta for event in events if isinstance(event, e.Text)]
    assert "".join(said) == "".join(asked[:LIMIT])
    results = [event.content.strip() for event in events if isinstance(event, e.FleetToolResult)]
    # The last call may have been stopped, too.
    assert results[: LIMIT - 1] == [str(number) for number in range(LIMIT - 1)]
    used = [event for event in events if isinstance(event, e.FleetTokenUsage)]
    assert 0.045 <= sum(each.estimated_usd or 0 for each in used) <= 0.0501

    errors = [event for event in events if isinstance(event, e.FleetError)]
    (note,) = [error for error in errors if error.code == "budget"]
    assert note.message.startswith("stopped at its budget, ")
    assert f" of {limit}; spent: ≈$0.05, " in note.message
    assert note.message.endswith(f"To continue: unbraid attach {run} --resume")
    assert f"unbraid: {note.message}" in printed
    assert recording.exit != 0
