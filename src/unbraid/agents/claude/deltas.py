"""Where Claude Code's stdout carries text in small parts: `--include-partial-messages`."""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from unbraid.read.dialects import BlockEnd, Delta
from unbraid.read.record import BAD_JSON, MISSING

BLOCK_LIMITS = ("content_block_start", "content_block_stop")
MESSAGE_LIMITS = ("message_start", "message_stop")


class DeltaHead(Struct, gc=False):
    """The text in a streamed delta, as it is written."""

    text: Raw = MISSING
    thinking: Raw = MISSING
    partial_json: Raw = MISSING


class StreamEventHead(Struct, gc=False):
    """A raw API event, with its text as it is written."""

    type: str = ""
    index: int = 0
    delta: DeltaHead | None = None


class StreamedHead(Struct, gc=False):
    """A line of stdout as a part of a block that comes in parts."""

    type: str = ""
    parent_tool_use_id: str | None = None
    event: StreamEventHead | None = None


_decode = msgspec.json.Decoder(StreamedHead).decode


DELTA_SIGNS = b'"stream_event"', b'"assistant"', b'"result"'
PART_SIGNS = (b'"delta"',)


def delta_in(line: bytes) -> Delta | BlockEnd | None:
    """Returns what a line says about blocks. A block belongs to the agent that its line names, by
    the call that spawned it.
    """
    if not any(sign in line for sign in DELTA_SIGNS):
        return None
    try:
        read = _decode(line)
    except BAD_JSON:
        return None
    owner, event = read.parent_tool_use_id or "", read.event
    if event is not None and event.delta is not None:
        delta = event.delta
        text = bytes(delta.text) or bytes(delta.thinking) or bytes(delta.partial_json)
        if text.startswith(b'"'):
            return Delta(owner, event.index, text)
    if read.type == "stream_event" and event is not None:
        if event.type in BLOCK_LIMITS:
            return BlockEnd(owner, event.index)
        return BlockEnd(owner) if event.type in MESSAGE_LIMITS else None
    if read.type == "assistant":
        return BlockEnd(owner)
    return BlockEnd() if read.type == "result" else None
