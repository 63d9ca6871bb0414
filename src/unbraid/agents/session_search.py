"""What was said in stored sessions, as far as their files may hold some words."""

from __future__ import annotations

from collections.abc import Iterable

from unbraid.agents.session_port import StoredBlock
from unbraid.events import Prompt, RelayEvent, TextDelta, ThinkingDelta, ToolUse
from unbraid.events.parts import call_text
from unbraid.fold.query import json_forms


def may_hold(chunks: Iterable[bytes], needle: str) -> bool:
    """Returns whether JSON lines, wherever they are cut, may hold a needle in small letters. One
    that JSON may spell in many ways they always may.
    """
    forms = json_forms(needle)
    if forms is None or '"' in needle or "\\" in needle:
        return True
    wanted = [form.encode() for form in forms]
    overlap, rest = max(map(len, wanted)) - 1, b""
    for chunk in chunks:
        text = rest + chunk.lower()
        if any(form in text for form in wanted):
            return True
        rest = text[max(len(text) - overlap, 0) :]
    return False


def stored_block(event: RelayEvent, *, session_id: str, agent_id: str | None) -> StoredBlock | None:
    """Returns what was said, asked or called in an event. What a call gave is nothing to search
    for, as in the log.
    """
    match event:
        case TextDelta():
            kind, text = "text", event.delta
        case ThinkingDelta():
            kind, text = "thinking", event.delta
        case ToolUse():
            kind, text = "tool_use", call_text(event.tool, bytes(event.input_json))
        case Prompt():
            kind, text = "prompt", event.text
        case _:
            return None
    return StoredBlock(session_id=session_id, agent_id=agent_id, kind=kind, ts=event.ts, text=text)
