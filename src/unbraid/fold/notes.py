"""One line for an item that is an occurrence rather than text: the same in every view.

The text may hold what an agent or a person wrote: a caller that prints it must make it safe.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from unbraid.fold.conversation import Item
from unbraid.fold.tool_formats import ToolTable
from unbraid.screen import token_count

MAX_RAW_CHARS = 200
ANSWERS = {"allow": "allowed", "deny": "denied"}

Tone = Literal["good", "bad", "waiting", "quiet"]


class Note(NamedTuple):
    """What happened, and how it is to be coloured."""

    text: str
    tone: Tone


def note_of(item: Item, tools: ToolTable) -> Note | None:
    """Returns the line that stands for an item; None for words and tool calls."""
    match item.kind:
        case "permission":
            return Note(_permission(item, tools), "waiting")
        case "turn" if item.ok:
            return Note("— turn complete", "quiet")
        case "turn" if item.reason == "interrupted":
            return Note("■ turn interrupted", "bad")
        case "turn":
            return Note(": ".join(filter(None, ("✘ turn failed", item.text))), "bad")
        case "response":
            answer = "" if item.repeats is not None else f": {item.text}"
            return Note(f"↩ answered its parent{answer}", "quiet")
        case "error":
            return Note(f"✘ {item.text}", "bad")
        case "compacted":
            return Note(_compacted(item), "quiet")
        case "retracted":
            count = len(item.message_ids or ())
            return Note(f"✘ retracted {count} message{'s'[: count != 1]}", "bad")
        case "malformed":
            raw = (item.text or "")[:MAX_RAW_CHARS]
            return Note(f"✘ unreadable at byte {item.offset}: {item.reason}: {raw}", "bad")
        case "unrecognized":
            return Note(f"· unrecognized: {item.raw_text[:MAX_RAW_CHARS]}", "quiet")
        case "end":
            return Note(f"■ {item.reason}", "good" if item.ok else "bad")
    return None


def _compacted(item: Item) -> str:
    before, after = item.before_tokens, item.after_tokens
    if before is None or after is None:
        return "— context compacted"
    return f"— context compacted: {token_count(before)} → {token_count(after)} tokens"


def _permission(item: Item, tools: ToolTable) -> str:
    answer = item.behavior or "requested"
    state = ANSWERS.get(answer, answer) + (f" by {item.by}" if item.by else "")
    if item.tool is None:
        return f"? permission {state}"
    return f"? permission {state}: {item.tool} {tools.summary(item.tool, item.arguments)}".rstrip()
