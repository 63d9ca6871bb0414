"""The little of a line that says where it belongs: its ids, its time, and whose end it reports.

Each line that is put in order is read once, into a `LineHead`. Whether a line reports an agent's
end is seen from its bytes alone: such lines are rare, long, and of many forms.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec
from msgspec import Struct, field

from unbraid.agents.claude.records import LAUNCHED, TaskPatch, ToolPermissionRequest, decode
from unbraid.read.record import BAD_JSON, any_json, coerce, milliseconds, read_as
from unbraid.read.tracks import LineOrder


class LineHead(Struct, gc=False):
    """A line of stdout or of a transcript, without what it says."""

    # In the order real lines have them: the decoder looks for the next field first.
    type: str = ""
    parent_uuid: str | None = field(default=None, name="parentUuid")
    is_sidechain: bool | None = field(default=None, name="isSidechain")
    session_id: str | None = None
    uuid: str | None = None
    timestamp: str | int | float | None = None


class ResponseHead(Struct, gc=False):
    """Which request a `control_response` answers."""

    request_id: str = ""


class ProcessHead(Struct, gc=False):
    """What a line of stdout or stdin means to the code that shows or steers the process: its
    answer, its requests, and which of its tasks are under way.
    """

    type: str = ""
    subtype: str | None = None
    result: str | None = None
    result_index: int | None = None
    request_id: str = ""
    request: ToolPermissionRequest | None = None
    response: ResponseHead | None = None
    task_id: str | None = None
    subagent_type: str | None = None
    patch: TaskPatch | None = None


_decode = msgspec.json.Decoder(LineHead).decode
_decode_process = msgspec.json.Decoder(ProcessHead).decode


_TIMES = (b'"timestamp":"', b'"timestamp": "')
_SIDECHAIN = re.compile(rb'"isSidechain"\s*:\s*true')


def head_of(line: bytes) -> LineHead:
    """Returns a line's head; of one that is wrong in some places, the rest."""
    try:
        return _decode(line)
    except BAD_JSON:
        return read_as(LineHead, line)


def first_time(lines: bytes) -> int:
    """Returns the first time that some lines say, in milliseconds since 1970; 0 if none does."""
    times = (milliseconds(head_of(line).timestamp) for line in lines.split(b"\n") if line)
    return next(filter(None, times), 0)


def last_time(block: bytes) -> tuple[int, int]:
    """Returns the last time that some lines say, and where the line that says it ends; zeros if
    none does.
    """
    stamp = max((block.rfind(key), key) for key in _TIMES)
    if stamp[0] < 0:
        return 0, 0
    at = stamp[0] + len(stamp[1])
    time = milliseconds(block[at : at + 24].decode("ascii", "replace"))
    return time, block.find(b"\n", at) + 1 or len(block)


def is_sidechain(line: bytes) -> bool:
    """Returns whether a line of a transcript is a sub-agent's."""
    return _SIDECHAIN.search(line) is not None


def process_head(line: bytes) -> ProcessHead | None:
    """Returns the head of a line that a process reads or prints; None if it is no record at all."""
    try:
        return _decode_process(line)
    except BAD_JSON:
        value = any_json(line)
        return coerce(ProcessHead, value)[0] if isinstance(value, dict) else None


def line_order(line: bytes) -> LineOrder:
    """Returns where a line of stdout or of a transcript belongs."""
    return _order(head_of(line))


def workflow_line_order(line: bytes) -> LineOrder:
    """Returns where a line of a workflow's agent belongs: an answer counts from when it was asked
    for, not from when it came, because the agents of a workflow share one call and are reported in
    the order in which the script asked them.
    """
    head = head_of(line)
    if head.type == "assistant":
        head.timestamp = None
    return _order(head)


def _order(head: LineHead) -> LineOrder:
    at = milliseconds(head.timestamp)
    if head.is_sidechain:
        return LineOrder(at, key=head.uuid, chain=True, follows=head.parent_uuid)
    return LineOrder(at, key=head.uuid)


# --- which line of stdout a line of a transcript is ---

_UUID = re.compile(rb'"uuid":"([^"]+)"')
_ANSWERED = re.compile(rb'"tool_use_id":"([^"]+)"')


def uuids_in(line: bytes) -> list[str]:
    """Returns the ids of the records in a line; the last is its own, those before are of what it
    quotes.
    """
    if b'"uuid"' not in line:
        return []
    return [uuid.decode("ascii", "replace") for uuid in _UUID.findall(line)]


def calls_answered(line: bytes) -> list[str]:
    """Returns the calls whose results are in a line."""
    return [call.decode("ascii", "replace") for call in _ANSWERED.findall(line)]


_NO_PROMPT = (b'"tool_use_id"', b'"isMeta":true', b"[Request interrupted by user")


def is_prompt(line: bytes) -> bool:
    """Returns whether a line of a session's own transcript is what its main agent is asked."""
    if any(mark in line for mark in _NO_PROMPT):
        return False
    head = head_of(line)
    return head.type == "user" and not head.is_sidechain


# --- whose end a line reports ---

# Searched for one by one: one pattern of all of them takes three times as long.
_REPORTS = (b'"toolUseResult":{', b'"tool_use_result":{', b"<task-notification>", b'"task_noti')
_AGENT = re.compile(rb'"agentId":"([\w-]+)"|<task-id>([\w-]+)<|"task_id":"([\w-]+)"')
# A sub-agent's own calls have no such report beside them: only what the model reads, and the id.
_HANDED_BACK = re.compile(rb"agentId: ([\w-]+) \(use SendMessage")
_LAUNCHED = LAUNCHED.encode()


class Ending(NamedTuple):
    """What a line says of an agent's end.

    `agent` has completed its work; or the agent that `call` has started has, if it has started
    one. `certain`: the line reports some end even if neither is known.
    """

    agent: str | None = None
    call: str | None = None
    certain: bool = False


NO_ENDING = Ending()


def ending_of(line: bytes) -> Ending:
    """Returns whose end a line of a transcript or of stdout reports."""
    begin = min((at for mark in _REPORTS if (at := line.find(mark)) >= 0), default=-1)
    if begin < 0:
        call = _ANSWERED.search(line)
        if call is None or _LAUNCHED in line:
            return NO_ENDING
        handed_back = _HANDED_BACK.search(line)
        agent = handed_back[1].decode() if handed_back is not None else None
        return Ending(agent, call[1].decode("ascii", "replace"))
    result = line.find(b'"toolUseResult":{')
    certain = b"<task-notification>" in line or (result > 0 and line.find(b'"agentId"', result) > 0)
    if line.find(b"completed", begin) < 0:
        return Ending(certain=certain)
    found = _AGENT.search(line, begin)
    named = found[found.lastindex or 0].decode() if found is not None else None
    return Ending(named, certain=certain)


def is_answer(line: bytes) -> bool:
    """Returns whether a line is what an agent says at the end of its work, not a call."""
    try:
        record = decode(line)
    except BAD_JSON:
        return False
    content = None if record.message is None else record.message.content
    says = not isinstance(content, list) or [block.type for block in content][-1:] == ["text"]
    return record.type == "assistant" and says
