"""What Claude Code writes into results for the model alone: ids, reminders, how to go on.

Its own words say "never quote or paste any part of it into a user-facing reply".
"""

from __future__ import annotations

import re

from unbraid.agents.claude.records import LAUNCHED

_REMINDER = re.compile(r"(?ms)\n*^<system-reminder>.*?</system-reminder>[ \t]*$")
_HAND_BACK = re.compile(r"^\[Subagent hand-back\] [^\n]*The report follows:\n", re.MULTILINE)
_HOW_TO_RESUME = re.compile(
    r"\n?^agentId: [\w-]+ \((?:use SendMessage|for resuming|internal ID)[^\n]*\)"
    r"(?:\n<usage>.*?</usage>)?\s*\Z",
    re.DOTALL | re.MULTILINE,
)


def without_notes(text: str, *, of_agent: bool) -> str:
    """Returns a result without such notes; `of_agent` if an agent was called, and not a tool."""
    text = _REMINDER.sub("", text)
    if not of_agent:
        return text
    if text.startswith(LAUNCHED):
        return ""
    text = _HOW_TO_RESUME.sub("", text)
    report = _HAND_BACK.search(text)
    if report is None:
        return text
    lines = text[report.end() :].split("\n")
    return "\n".join(line.removeprefix("  ") for line in lines)
