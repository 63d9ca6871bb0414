"""Lines that report an agent's end, and files that end with an agent's answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from unbraid.agents.claude.records import LAUNCHED
from unbraid.wire.record import BAD_JSON

LAST_BYTES = 1 << 18

# Where a line that reports an end begins to do so, and whose end it is.
_REPORT = re.compile(rb'"toolUseResult":\{|"tool_use_result":\{|<task-notification>|"task_noti')
_AGENT = re.compile(rb'"agentId":"([\w-]+)"|<task-id>([\w-]+)<|"task_id":"([\w-]+)"')
# A sub-agent's own calls have no such report beside them: only what the model is told, and the id.
_CALL = re.compile(rb'"tool_use_id":"([^"]+)"')
_HANDED_BACK = re.compile(rb"agentId: ([\w-]+) \(use SendMessage")


class _Block(Struct):
    type: str = ""


class _Message(Struct):
    content: list[_Block] | str = ""


class _Line(Struct):
    type: str = ""
    message: _Message | None = None


def reports_end(line: bytes, calls: Mapping[bytes, str]) -> bool:
    """Whether a line of a transcript reports that an agent has ended."""
    result = line.find(b'"toolUseResult":{')
    if b"<task-notification>" in line or (result > 0 and line.find(b'"agentId"', result) > 0):
        return True
    return done_agent(line, calls) is not None


def done_agent(line: bytes, calls: Mapping[bytes, str]) -> str | None:
    """The agent that a line, of a transcript or of stdout, reports to have completed its work;
    `calls` are those that are known to have started agents.
    """
    report = _REPORT.search(line)
    if report is not None:
        if line.find(b"completed", report.start()) < 0:
            return None
        found = _AGENT.search(line, report.start())
        return found[found.lastindex or 0].decode() if found is not None else None
    call = _CALL.search(line)
    if call is None or LAUNCHED.encode() in line:
        return None
    handed_back = _HANDED_BACK.search(line)
    return handed_back[1].decode() if handed_back is not None else calls.get(call[1])


def answers(path: Path, upto: int) -> bool:
    """Whether the first bytes of a transcript, `upto` a place, end with what its agent says."""
    try:
        with path.open("rb") as file:
            first = max(upto - LAST_BYTES, 0)
            file.seek(first)
            *_, last, rest = [b"", *file.read(upto - first).split(b"\n")]
        line = msgspec.json.decode(last, type=_Line)
    except (OSError, *BAD_JSON):
        return False
    content = line.message.content if line.message is not None else ""
    says = isinstance(content, str) or [block.type for block in content][-1:] == ["text"]
    return not rest and line.type == "assistant" and says
