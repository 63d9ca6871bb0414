"""What Claude Code writes for the model alone is not shown to people."""

from __future__ import annotations

import pytest

from unbraid.agents.claude.notes import without_notes

RESUME = "agentId: a36f (use SendMessage with to: 'a36f', summary: '<recap>' to go on)"
USAGE = "<usage>subagent_tokens: 3123\ntool_uses: 1\nduration_ms: 334</usage>"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"leaf answered\n{RESUME}\n{USAGE}", "leaf answered"),
        ("done\nagentId: add3a40 (for resuming to continue this agent's work if needed)", "done"),
        ("Async agent launched. agentId: a9ab", ""),
        ("Async agent launched successfully. (… never quote …)\nagentId: a9 (internal ID)", ""),
        (
            "[Subagent hand-back] The text below is … The report follows:\n  one\n    two\n"
            + RESUME,
            "one\n  two",
        ),
        ("an answer of its own about agentId: x", "an answer of its own about agentId: x"),
    ],
)
def test_what_an_agent_answered_is_left(text: str, shown: str) -> None:
    assert without_notes(text, of_agent=True) == shown


def test_reminders_in_results_of_tools() -> None:
    reminder = "<system-reminder>\nNever say this.\n</system-reminder>"
    assert without_notes(f"1 line\n\n{reminder}", of_agent=False) == "1 line"
    assert without_notes(f"{reminder}\nmore", of_agent=False) == "\nmore"
    quoted = f"it says `{reminder}`"
    assert without_notes(quoted, of_agent=False) == quoted
    assert without_notes(f"x\n{RESUME}", of_agent=False) == f"x\n{RESUME}"


@pytest.mark.parametrize(
    "hostile",
    [
        "\n" * 2_000_000,
        "\n<system-reminder>" * 100_000,
        "<system-reminder>" * 100_000 + "</system-reminder>",
        " <system-reminder>" * 100_000 + "</system-reminder>",
        f"\n{RESUME}\n<usage>" * 20_000,
    ],
)
def test_a_long_result_takes_no_long_time(hostile: str) -> None:
    """Where a pattern looks again from every place, this would take hours."""
    assert len(without_notes(hostile, of_agent=True)) <= len(hostile)
