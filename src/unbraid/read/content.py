"""What a tool gave, as plain text and whatever else there is."""

from __future__ import annotations

from typing import Any


def extract_content(content: Any) -> str:
    """Returns a tool result's content as plain text, whichever of its shapes it comes in."""
    return split_content(content)[0]


def split_content(content: Any) -> tuple[str, list[Any] | None]:
    """Returns a tool result's text, and every part of it that is not text."""
    if content is None:
        return "", None
    if isinstance(content, str):
        return content, None
    if not isinstance(content, list):
        content = [content]
    texts: list[str] = []
    parts: list[Any] = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif _is_text(part):
            texts.append(part["text"])
        elif part is not None:
            parts.append(part)
    return "\n".join(texts), parts or None


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and type(part.get("text")) is str
