"""What was said, in the form of the GenAI conventions: messages of parts, as JSON in one attribute.

How much of it a span holds is bounded: collectors refuse what is too large, and with it all spans
of the same request.
"""

from __future__ import annotations

from typing import Any

import msgspec

# Of one attribute; some collectors take no request of more than a megabyte.
MAX_CONTENT_CHARS = 32_768
CUT = "… (cut)"

Part = dict[str, Any]


def cut(text: str, most: int = MAX_CONTENT_CHARS) -> str:
    """Returns a text that is no longer than an attribute may be."""
    return text if len(text) <= most else text[:most] + CUT


def message(role: str, parts: list[Part], **facts: str) -> str:
    """Returns one message as the attributes for messages have it."""
    return msgspec.json.encode([{"role": role, "parts": parts, **facts}]).decode()


def text_part(text: str) -> Part:
    """Returns words as a part."""
    return {"type": "text", "content": text}


class MessageParts:
    """What a model says in one message, joined from its deltas."""

    def __init__(self) -> None:
        self._blocks: dict[tuple[str, int], list[str]] = {}
        self._parts: list[Part | tuple[str, int]] = []
        self._room = MAX_CONTENT_CHARS
        self._calls = False

    def say(self, kind: str, block: int, delta: str) -> None:
        """Takes more of a block: of a `text`, or of `reasoning`."""
        key = (kind, block)
        if key not in self._blocks:
            self._blocks[key] = []
            self._parts.append(key)
        if delta := self._fitting(delta):
            self._blocks[key].append(delta)

    def call(self, tool_use_id: str, tool: str, arguments: bytes) -> None:
        """Takes a tool call."""
        self._calls = True
        part: Part = {"type": "tool_call", "id": tool_use_id, "name": tool}
        text = arguments.decode("utf-8", "replace")
        if len(text) <= self._room:
            part["arguments"] = msgspec.Raw(text.encode())
            self._room -= len(text)
        self._parts.append(part)

    def encoded(self) -> str:
        """Returns the message as JSON."""
        parts = [
            part
            if isinstance(part, dict)
            else {"type": part[0], "content": "".join(self._blocks[part])}
            for part in self._parts
        ]
        return message("assistant", parts, finish_reason="tool_call" if self._calls else "stop")

    def _fitting(self, text: str) -> str:
        if self._room <= 0:
            return ""
        self._room -= len(text)
        return text if self._room >= 0 else text[: self._room] + CUT
