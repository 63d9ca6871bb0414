"""A request to the model, in either dialect, as the few facts that the script needs.

An agent's turn cannot be counted by requests: a CLI asks again after an error. Nor by the answers
that a request shows: after an interrupt, or when it reads a transcript that is not written to its
end, the last of them may be missing. So a request that shows a conversation seen before is that
turn again, and any other is the next one.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .script import markers

Json = dict[str, Any]

_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
_AGENT_ID = re.compile(
    r"(?:agentId|task_id|session_id): *([\w-]+)|<task id=\"([\w-]+)\"|\"agent_id\": *\"([\w-]+)\""
)
_SUMMARY = re.compile(r"detailed summary of (?:the|our|this) conversation", re.IGNORECASE)


@dataclass(frozen=True)
class ModelRequest:
    """One request: the agent, how far its conversation is, and the tools that it may use."""

    agent: str | None
    opening: str = ""
    answers: int = 0
    shown: str = ""
    tools: Mapping[str, Json] = field(default_factory=dict)
    results: Mapping[str, str] = field(default_factory=dict)
    wants_summary: bool = False


def read_request(body: Json, agents: Container[str]) -> ModelRequest:
    """Returns the facts of a request to `/v1/messages` or `/v1/chat/completions`."""
    answers, last_role, last_text = 0, "", ""
    agent, opening = None, ""
    results: dict[str, str] = {}
    shown = hashlib.sha256()
    for message in body.get("messages", []):
        role = message["role"]
        if role == "assistant":
            # One answer may be sent back in several messages, block by block.
            answers += last_role != "assistant"
        elif role in ("user", "tool"):
            for tool_use_id, text in _parts(message):
                if tool_use_id is not None:
                    results[tool_use_id] = text
                    shown.update(f"\0{answers}\0{tool_use_id}".encode())
                    continue
                last_text = text
                shown.update(f"\0{answers}\0{text}".encode("utf-8", "surrogatepass"))
                known = [name for name in markers(text) if name in agents]
                if agent is None and known:
                    agent, opening = known[0], text
        if role != "system":
            last_role = role
    # A notification may be a reminder and nothing else: then only the answer before it is new.
    shown.update(f"\0{answers}".encode())
    return ModelRequest(
        agent=agent,
        opening=opening,
        answers=answers,
        shown=shown.hexdigest(),
        tools=dict(_tools(body)),
        results=results,
        wants_summary=_SUMMARY.search(last_text) is not None,
    )


def agent_id(result: str) -> str | None:
    """Returns the id by which a CLI names a spawned agent, if the call's result has it."""
    found = _AGENT_ID.search(result)
    return (found[1] or found[2] or found[3]) if found else None


def _parts(message: Json) -> Iterator[tuple[str | None, str]]:
    """Yields a message's parts without reminders: of which call it is the result, if any, and its
    text.
    """
    content = message.get("content")
    if message["role"] == "tool":
        yield message.get("tool_call_id", ""), _text(content)
        return
    for block in [content] if isinstance(content, str) else content or []:
        if isinstance(block, dict) and block.get("type") == "tool_result":
            yield block.get("tool_use_id", ""), _text(block.get("content"))
        else:
            # A CLI puts reminders in and takes them out again: they say nothing about the turn.
            text = _REMINDER.sub("", _text(block)).strip()
            if text:
                yield None, text


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_text(part) for part in content)
    if isinstance(content, dict) and content.get("type") == "text":
        return str(content.get("text", ""))
    return "" if content is None else json.dumps(content)


def _tools(body: Json) -> Iterator[tuple[str, Json]]:
    for tool in body.get("tools") or []:
        inner = tool.get("function", tool)
        yield inner.get("name", ""), inner


@dataclass
class Turns:
    """Counts one agent's turns by the conversations that its requests show."""

    _seen: dict[str, int] = field(default_factory=dict)
    _opening: str | None = None
    _next: int = 0

    def number(self, asking: ModelRequest) -> int:
        """Returns which turn this request asks for."""
        if asking.shown not in self._seen:
            # A first request may show answers of an earlier life (a resumed session): they count.
            # Another opening is the same conversation in a compacted form: its answers do not.
            first = self._opening is None or self._opening == asking.opening
            self._seen[asking.shown] = max(self._next, asking.answers if first else 0)
            self._opening = asking.opening
        turn = self._seen[asking.shown]
        self._next = max(self._next, turn + 1)
        return turn
