"""Why a run cannot be steered, and what would make it so that it can."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from unbraid.agents.claude.hooks.installer import ClaudeHooks
from unbraid.agents.registry import kinds
from unbraid.log import RunSummary
from unbraid.steer.hints import steering_hint


def test_a_run_that_listens_needs_no_hint() -> None:
    assert steering_hint(RunSummary("r", "claude"), ["message", "cancel"]) is None


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.name)
def test_a_live_run_of_each_kind(kind: object) -> None:
    name, command = getattr(kind, "name", ""), getattr(kind, "steered_command", "")
    hint = steering_hint(RunSummary("r", name), [])
    assert hint is not None
    assert (hint.command or "") == command
    assert "its own terminal" in hint.reason or not command


def test_one_whose_hooks_have_nothing_to_run_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a session that was at its prompt before we began: nothing can wake it."""
    for name in ("HOME", "CLAUDE_CONFIG_DIR", "UNBRAID_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    ClaudeHooks(os.environ).install()
    hint = steering_hint(RunSummary("r", "claude"), [])
    assert hint is not None
    assert "only when something happens" in hint.reason
    assert "in its own terminal" in hint.reason


def test_one_that_can_only_be_ended() -> None:
    hint = steering_hint(RunSummary("r", "claude"), ["cancel"])
    assert hint is not None
    assert "can only be ended" in hint.reason
    assert str(hint).endswith('unbraid run --steer -- claude -p "…"')


def test_one_that_is_over() -> None:
    hint = steering_hint(RunSummary("r", "claude", session_id="s", status="done"), [])
    assert hint is not None
    assert str(hint) == "This run has ended. To continue it: unbraid attach r --resume"
    hint = steering_hint(RunSummary("r", "of nobody", status="done"), [])
    assert hint is not None
    assert str(hint) == "This run has ended."
