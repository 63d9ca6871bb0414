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
_FOREWORD = re.compile(r"\A<tools-used-before-summary>[^<]*</tools-used-before-summary>\s*")
_FRAME = re.compile(r"^\[Subagent hand-back\][^\n]*\n", re.MULTILINE)
_HAND_BACK = re.compile(r"^\[Subagent hand-back\] [^\n]*The report follows:\n", re.MULTILINE)
_INDENT = re.compile(r"^  ", re.MULTILINE)
_AFTERWORD = re.compile(r"\n?agentId: [\w-]+ \(use SendMessage[^\n]*(\n<usage>[^<]*</usage>)?\s*\Z")
_HOW_TO_RESUME = re.compile(
    r"(?ms)\n?^agentId: [\w-]+ \((?:use SendMessage|for resuming|internal ID)[^\n]*\)"
    r"(?:\n<usage>.*?</usage>)?\s*\Z"
)


def agent_answer(text: str) -> str:
    """Returns what an agent answered, out of what its caller gets: without the list of tools before
    it, the id and the usage after it, and the frame that newer versions put every line of it in.
    """
    text = _AFTERWORD.sub("", text)
    frame = _FRAME.search(text)
    if frame is not None:
        return _INDENT.sub("", text[frame.end() :])
    return _FOREWORD.sub("", text)


def without_notes(text: str, *, of_agent: bool) -> str:
    """Returns a result without such notes; `of_agent` if an agent was called, and not a tool."""
    text = _without_reminders(text)
    if not of_agent:
        return text
    if text.startswith(LAUNCHED):
        return ""
    text = text[:-MAX_END_CHARS] + _HOW_TO_RESUME.sub("", text[-MAX_END_CHARS:])
    frame = _HAND_BACK.search(text)
    return text if frame is None else _INDENT.sub("", text[frame.end() :])


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
