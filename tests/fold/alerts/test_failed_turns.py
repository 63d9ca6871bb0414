"""A turn that fails alerts at once, whatever its kind's words for that are; no other turn does."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from tests.block_rows import FOLDERS, RECORDINGS, stream_of
from unbraid import events as e
from unbraid.fold.alerts.conditions import Condition, RunConditions
from unbraid.fold.pipeline import Pipeline
from unbraid.fold.status import FAILED


def recorded(scenario: str) -> list[Path]:
    return [folder for folder in FOLDERS if folder.name.split(".")[0] == scenario]


def turns(printed: bytes) -> list[tuple[str, list[Condition]]]:
    """Returns how each turn has ended, and which failures there are to alert about right then."""
    run, pipeline, found = RunConditions("run"), Pipeline(), []
    for event in pipeline.feed(printed) + pipeline.finish():
        run.apply(event)
        moments = run.pop_moments()
        if isinstance(event, e.FleetTurnComplete):
            found.append((event.reason, [each for each in moments if each.what == FAILED]))
    return found


@pytest.mark.parametrize("folder", recorded("api-error"), ids=lambda folder: folder.name)
def test_a_failed_turn_of_every_kind_is_an_alert(folder: Path) -> None:
    ((reason, failures),) = turns(stream_of(folder).read_bytes())
    assert (reason, len(failures)) == ("failed", 1)
    assert failures[0].detail


@pytest.mark.parametrize("folder", recorded("interrupt"), ids=lambda folder: folder.name)
def test_neither_an_interrupted_nor_a_completed_turn_is_one(folder: Path) -> None:
    found = turns(stream_of(folder).read_bytes())
    assert found == [("interrupted", []), ("completed", [])]


@pytest.mark.parametrize(
    ("status", "failures"), [("completed", 0), ("interrupted", 0), ("failed", 1)]
)
def test_the_turns_of_a_server_that_names_their_status(status: str, failures: int) -> None:
    printed = stream_of(RECORDINGS / "nested.app-server.codex-0.118.0").read_bytes()
    changed = re.sub(
        rb'("turn/completed".*?"status":")completed', rb"\g<1>" + status.encode(), printed
    )
    ((reason, found),) = turns(changed)
    assert (reason, len(found)) == (status, failures)


def test_a_failed_turn_is_one_though_the_session_goes_on() -> None:
    """The same words of the CLI as of an interrupted turn, but nobody has interrupted it."""
    printed = stream_of(RECORDINGS / "interrupt.stdin.2.1.325").read_bytes()
    lines = [line for line in printed.splitlines(True) if b"[Request interrupted" not in line]
    assert len(lines) < len(printed.splitlines())
    (reason, (failure,)), last = turns(b"".join(lines))
    assert (reason, failure.detail) == ("failed", "error_during_execution")
    assert last == ("completed", [])


@pytest.mark.parametrize(
    ("ok", "subtype", "reason"),
    [
        (True, "success", "completed"),
        (False, "interrupted", "interrupted"),
        (False, "error", "failed"),
        (False, "success", "failed"),
    ],
)
def test_a_log_without_the_reason_is_read_as_if_it_had_one(
    ok: bool, subtype: str, reason: str
) -> None:
    place = {"seq": 1, "ts": 1, "stream_id": 0, "depth": 0, "agent": "main"}
    line = msgspec.json.encode({"type": "turn_complete", **place, "ok": ok, "subtype": subtype})
    event = e.decode_event(line)
    assert isinstance(event, e.FleetTurnComplete)
    assert event.reason == reason
    assert msgspec.json.decode(e.encode(event))["reason"] == reason
