"""What Claude Code writes into results for the model alone: ids, reminders, hints on how to
continue.

Its own words say "never quote or paste any part of it into a user-facing reply". An agent may have
written anything around them, of any length: no byte is examined more than a few times here.
"""

from __future__ import annotations

import re

from unbraid.agents.claude.records import LAUNCHED

# How to resume an agent stands at the end, in a few lines.
MAX_END_CHARS = 2000

_REMINDER, _REMINDER_END = "<system-reminder>", "</system-reminder>"
_HAND_BACK = re.compile(r"^\[Subagent hand-back\] [^\n]*The report follows:\n", re.MULTILINE)
_HOW_TO_RESUME = re.compile(
    r"(?ms)\n?^agentId: [\w-]+ \((?:use SendMessage|for resuming|internal ID)[^\n]*\)"
    r"(?:\n<usage>.*?</usage>)?\s*\Z"
)


def without_notes(text: str, *, of_agent: bool) -> str:
    """Returns a result without such notes; `of_agent` if an agent was called, and not a tool."""
    text = _without_reminders(text)
    if not of_agent:
        return text
    if text.startswith(LAUNCHED):
        return ""
    text = text[:-MAX_END_CHARS] + _HOW_TO_RESUME.sub("", text[-MAX_END_CHARS:])
    report = _HAND_BACK.search(text)
    if report is None:
        return text
    lines = text[report.end() :].split("\n")
    return "\n".join(line.removeprefix("  ") for line in lines)


def _without_reminders(text: str) -> str:
    """Returns a text without the reminders that begin a line in it."""
    kept: list[str] = []
    at = look = 0
    while (begin := text.find(_REMINDER, look)) >= 0:
        look = begin + len(_REMINDER)
        if begin and text[begin - 1] != "\n":
            continue
        end = text.find(_REMINDER_END, look)
        if end < 0:
            break
        kept.append(text[at:begin])
        at = look = end + len(_REMINDER_END)
    return "".join(kept).rstrip("\n") + text[at:] if kept else text
