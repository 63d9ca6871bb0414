"""What the answers in both dialects consist of."""

from __future__ import annotations

import json
from collections.abc import Iterator

from .model_request import Json
from .script import Turn


def encode(value: Json) -> bytes:
    """Compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def text_chunks(text: str, size: int) -> Iterator[str]:
    """Yields a text in chunks of that many characters."""
    size = max(size, 1)
    return (text[start : start + size] for start in range(0, len(text), size))


def arguments(block: Json) -> str:
    """Returns a call's input as the model writes it."""
    return json.dumps(block["input"], ensure_ascii=False)


def output_tokens(turn: Turn, blocks: list[Json]) -> int:
    """Returns the tokens that an answer is said to have."""
    if turn.usage.output_tokens is not None:
        return turn.usage.output_tokens
    return sum(len(block.get("text") or arguments(block)) // 4 + 1 for block in blocks)
