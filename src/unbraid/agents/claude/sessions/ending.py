"""How a session has ended whose transcript is no longer written, judged by its last lines alone.

The dialect says the same of a session that is read whole (`ClaudeDialect.finish`); a list of
sessions has no time for that.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import BinaryIO

import msgspec
from msgspec import Struct, field

from unbraid.agents.claude.transcript import (
    HOOK_STOP,
    INTERRUPTION,
    NOT_A_PROMPT,
    TASK_NOTIFICATION,
    Attachment,
)
from unbraid.fleet.status import DONE, FAILED, INTERRUPTED, ORPHANED
from unbraid.system.files import line_blocks, open_regular
from unbraid.wire.record import BAD_JSON

# What stands behind the last words: notes of the CLI's own, which may be long.
TAIL_BYTES = 1 << 18
STEP_BYTES = 1 << 14
API_ERROR = "API Error"


class TailBlock(Struct, gc=False):
    """A block of one of the last messages."""

    type: str = ""
    text: str | None = None
    tool_use_id: str | None = None


class TailMessage(Struct, gc=False):
    """One of the last messages."""

    content: str | list[TailBlock] | None = None
    model: str | None = None


class TailLine(Struct, gc=False):
    """One of a transcript's last lines."""

    type: str = ""
    attachment: Attachment | None = None
    is_sidechain: bool | None = field(default=None, name="isSidechain")
    is_meta: bool | None = field(default=None, name="isMeta")
    message: TailMessage | None = None


_decode = msgspec.json.Decoder(TailLine).decode


def ending_of(file: BinaryIO, *, sidechain: bool) -> str:
    """Returns the status that a transcript's agent has ended with. Raises OSError."""
    for line in last_lines(file.fileno()):
        try:
            read = _decode(line)
        except BAD_JSON:
            continue
        if bool(read.is_sidechain) != sidechain:
            continue
        if read.attachment is not None and read.attachment.type == HOOK_STOP:
            return INTERRUPTED
        if read.message is None:
            continue
        if read.type == "assistant":
            return _ending_of_answer(read.message)
        if read.type == "user" and (ending := _ending_of_input(read)) is not None:
            return ending
    # There is no prompt, or it is too far back to be looked for.
    is_unused = not sidechain and os.fstat(file.fileno()).st_size <= TAIL_BYTES
    return DONE if is_unused else ORPHANED


def is_reported(agent_id: str, files: Sequence[str]) -> bool:
    """Returns whether some transcript has the notification that an agent has ended."""
    report = f"<task-id>{agent_id}</task-id>".encode()
    for path in files:
        try:
            with open_regular(path) as file:
                found = any(report in block for block in line_blocks(file))
            if found:
                return True
        except OSError:
            continue
    return False


def _ending_of_answer(message: TailMessage) -> str:
    content = message.content
    blocks = [TailBlock("text", content)] if isinstance(content, str) else content or []
    last = blocks[-1] if blocks else TailBlock()
    if last.type != "text" or not last.text:
        return ORPHANED
    failed = message.model == "<synthetic>" and last.text.startswith(API_ERROR)
    return FAILED if failed else DONE


def _ending_of_input(line: TailLine) -> str | None:
    """Returns how it has ended if this was the last that its agent was given; None if it needs no
    answer.
    """
    assert line.message is not None
    content = line.message.content
    blocks = [TailBlock("text", content)] if isinstance(content, str) else content or []
    if any(block.tool_use_id is not None for block in blocks):
        return ORPHANED
    for block in blocks:
        text = (block.text or "").lstrip()
        if text.startswith(INTERRUPTION):
            return INTERRUPTED
        if text and not line.is_meta and not text.startswith((*NOT_A_PROMPT, TASK_NOTIFICATION)):
            return ORPHANED
    return None


def last_lines(number: int) -> Iterator[bytes]:
    """Yields the lines in the last bytes of a file, the last one first. Mostly one will do, so more
    bytes are read only as they are needed.
    """
    begin = end = os.fstat(number).st_size
    first, rest = max(end - TAIL_BYTES, 0), b""
    while begin > first:
        end, begin = begin, max(begin - STEP_BYTES, first)
        rest = os.pread(number, end - begin, begin) + rest
        stop = len(rest)
        while (at := rest.rfind(b"\n", 0, stop)) >= 0:
            yield rest[at + 1 : stop]
            stop = at
        rest = rest[:stop]
    # What is left is whole only if it is the file's own first line.
    if not first:
        yield rest
