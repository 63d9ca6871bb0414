"""Lines that report an agent's end, and files that end with an agent's answer."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
from msgspec import Struct

LAST_BYTES = 1 << 18

# Where a line that reports an end begins to do so, and whose end it is.
_REPORT = re.compile(rb'"toolUseResult":\{|"tool_use_result":\{|<task-notification>|"task_noti')
_AGENT = re.compile(rb'"agentId":"([\w-]+)"|<task-id>([\w-]+)<|"task_id":"([\w-]+)"')


class _Block(Struct):
    type: str = ""


class _Message(Struct):
    content: list[_Block] | str = ""


class _Line(Struct):
    type: str = ""
    message: _Message | None = None


def reports_end(line: bytes) -> bool:
    """Whether a line of a transcript reports that an agent has ended."""
    result = line.find(b'"toolUseResult":{')
    return b"<task-notification>" in line or (result > 0 and line.find(b'"agentId"', result) > 0)


def done_agent(line: bytes) -> str | None:
    """The agent that a line, of a transcript or of stdout, reports to have completed its work."""
    report = _REPORT.search(line)
    if report is None or line.find(b"completed", report.start()) < 0:
        return None
    found = _AGENT.search(line, report.start())
    return found[found.lastindex or 0].decode() if found is not None else None


def answers(path: Path, upto: int) -> bool:
    """Whether the first bytes of a transcript, `upto` a place, end with what its agent says."""
    try:
        with path.open("rb") as file:
            first = max(upto - LAST_BYTES, 0)
            file.seek(first)
            *_, last, rest = [b"", *file.read(upto - first).split(b"\n")]
        line = msgspec.json.decode(last, type=_Line)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return False
    content = line.message.content if line.message is not None else ""
    says = isinstance(content, str) or [block.type for block in content][-1:] == ["text"]
    return not rest and line.type == "assistant" and says
