"""What agents said, as whole blocks: the unit of search.

Deltas cut words anywhere, so a search over events would miss most of them. A block is complete when
its stream says something else or ends, and only then is it given out. What is held is what is open:
`open_from` is the first seq that a restart must read again to hold the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec import Struct

from unbraid.events import (
    Done,
    FleetEvent,
    FleetPrompt,
    FleetToolUse,
    RequestReceived,
    StreamEnd,
    StreamStart,
    SubAgentResponse,
    Text,
    Thinking,
)

MAX_BLOCK_CHARS = 256 * 1024


class Said(Struct, frozen=True, gc=False):
    """One block that an agent said or was told, whole (or its first `MAX_BLOCK_CHARS`)."""

    stream_id: int
    seq: int
    ts: int
    kind: str
    text: str


@dataclass(slots=True)
class _Open:
    key: tuple[str, str, int]
    seq: int
    ts: int
    chars: int = 0
    parts: list[str] = field(default_factory=list)


class Blocks:
    """The open blocks of one run."""

    __slots__ = ("_open", "last_seq")

    def __init__(self) -> None:
        self._open: dict[int, _Open] = {}
        self.last_seq = 0

    @property
    def open_from(self) -> int:
        """Where to begin reading to rebuild this state."""
        return min((block.seq for block in self._open.values()), default=self.last_seq + 1)

    def feed(self, event: FleetEvent) -> list[Said]:
        """Take in the next event; the blocks that it completes."""
        self.last_seq = event.seq
        match event:
            case Text() | Thinking():
                return self._grow(event)
            case FleetToolUse():
                call = f"{event.tool} {bytes(event.input_json).decode('utf-8', 'replace')}"
                return self._whole(event, "tool_use", call)
            case SubAgentResponse():
                return self._whole(event, "response", event.content)
            case FleetPrompt():
                return self._whole(event, "prompt", event.text)
            case RequestReceived() if event.prompt:
                # The stream that it starts tells it again. It is one prompt, and that is its place.
                complete = self._close(event.stream_id)
                self._open[event.stream_id] = _asked(event, event.prompt)
                return complete
            case StreamStart() if event.prompt:
                first = self._open.get(event.stream_id)
                if first is not None and first.parts == _asked(event, event.prompt).parts:
                    del self._open[event.stream_id]
                return self._whole(event, "prompt", event.prompt)
            case StreamStart():
                return self._close(event.stream_id)
            case StreamEnd():
                return self._close(event.stream_id)
            case Done():
                return [said for stream_id in list(self._open) for said in self._close(stream_id)]
        return []

    def _grow(self, event: Text | Thinking) -> list[Said]:
        key = (event.type, event.message_id, event.block)
        block, complete = self._open.get(event.stream_id), []
        if block is None or block.key != key:
            complete = self._close(event.stream_id)
            block = self._open[event.stream_id] = _Open(key, event.seq, event.ts)
        if block.chars < MAX_BLOCK_CHARS:
            block.parts.append(event.delta[: MAX_BLOCK_CHARS - block.chars])
            block.chars += len(event.delta)
        return complete

    def _whole(self, event: FleetEvent, kind: str, text: str) -> list[Said]:
        complete = self._close(event.stream_id)
        complete.append(Said(event.stream_id, event.seq, event.ts, kind, text[:MAX_BLOCK_CHARS]))
        return complete

    def _close(self, stream_id: int) -> list[Said]:
        block = self._open.pop(stream_id, None)
        if block is None:
            return []
        text = "".join(block.parts)
        return [Said(stream_id, block.seq, block.ts, block.key[0], text)] if text else []


def _asked(event: FleetEvent, prompt: str) -> _Open:
    return _Open(("prompt", "", 0), event.seq, event.ts, parts=[prompt[:MAX_BLOCK_CHARS]])
