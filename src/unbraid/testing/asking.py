"""Who is asking: a request to the model, in either dialect, as the few facts that the script needs.

An agent's turn cannot be counted by requests: a CLI asks again after an error, and after an interrupt it asks
about a longer conversation from which the half-said answer may be gone. So a turn is known by how much of the
conversation the request shows, and a request that shows the same as an earlier one is that turn again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .script import markers

Json = dict[str, Any]

_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
_AGENT_ID = re.compile(r"(?:agentId|task_id|session_id): *([\w-]+)|<task id=\"([\w-]+)\"")


@dataclass(frozen=True)
class Asking:
    """One request: the agent, how far its conversation is, and the tools that it may use."""

    agent: str | None
    opening: str = ""
    answers: int = 0
    inputs: int = 0
    tools: Mapping[str, Json] = field(default_factory=dict)
    results: Mapping[str, str] = field(default_factory=dict)
    wants_summary: bool = False


def read(body: Json, agents: Container[str]) -> Asking:
    """The facts of a request to `/v1/messages` or `/v1/chat/completions`."""
    answers, inputs, last_role = 0, 0, ""
    agent, opening, last_text = None, "", ""
    results: dict[str, str] = {}
    for message in body.get("messages", []):
        role = message["role"]
        if role == "assistant":
            # One answer may be sent back in several messages, block by block.
            answers += last_role != "assistant"
        elif role in ("user", "tool"):
            for tool_use_id, text in _parts(message):
                inputs += 1
                if tool_use_id is not None:
                    results[tool_use_id] = text
                    continue
                last_text = text
                known = [name for name in markers(text) if name in agents]
                if agent is None and known:
                    agent, opening = known[0], text
        if role != "system":
            last_role = role
    return Asking(
        agent=agent,
        opening=opening,
        answers=answers,
        inputs=inputs,
        tools=dict(_tools(body)),
        results=results,
        wants_summary="detailed summary of the conversation" in last_text.lower()
        or "detailed summary of our conversation" in last_text.lower(),
    )


def agent_id(result: str) -> str | None:
    """The id by which a CLI names a spawned agent, if the call's result tells it."""
    found = _AGENT_ID.search(result)
    return (found[1] or found[2]) if found else None


def _parts(message: Json) -> Iterator[tuple[str | None, str]]:
    """A message's pieces: of which tool call it is the result, and its text. Reminders are left out."""
    content = message.get("content")
    if message["role"] == "tool":
        yield message.get("tool_call_id", ""), _text(content)
        return
    for block in [content] if isinstance(content, str) else content or []:
        if isinstance(block, dict) and block.get("type") == "tool_result":
            yield block.get("tool_use_id", ""), _text(block.get("content"))
        else:
            # A CLI puts reminders in and takes them out again: they tell nothing about the turn.
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

    _opening: str = ""
    _first: int = 0
    _seen: dict[tuple[int, int], int] = field(default_factory=dict)
    _next: int = 0

    def number(self, asking: Asking) -> int:
        """Which turn this request asks for."""
        if asking.opening != self._opening:
            # Another opening is another telling of the conversation (compacted): go on where it was left.
            self._opening, self._first, self._seen = asking.opening, self._next - asking.answers, {}
        shown = (asking.answers, asking.inputs)
        if shown not in self._seen:
            before = [
                turn
                for (answers, inputs), turn in self._seen.items()
                if answers <= asking.answers and inputs < asking.inputs
            ]
            self._seen[shown] = max([asking.answers + self._first, *(turn + 1 for turn in before)])
        turn = self._seen[shown]
        self._next = max(self._next, turn + 1)
        return turn
