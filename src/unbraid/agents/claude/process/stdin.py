r"""The messages written to Claude Code's standard input (`--input-format stream-json`).

Each function gives the bytes of one whole line. JSON escapes every newline inside a string, so
whatever is said, a message is one line and ends with the only `\n` in it.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec


def new_request_id() -> str:
    """Returns an id for a request of ours."""
    return f"unbraid_{secrets.token_hex(8)}"


def prompt(said: str | Sequence[Mapping[str, Any]], session_id: str = "") -> bytes:
    """Returns the line that says something to the main agent: a text, or content blocks."""
    blocks = [{"type": "text", "text": _sound(said)}] if isinstance(said, str) else said
    message = {"content": blocks, "role": "user"}
    return _line("user", message=message, parent_tool_use_id=None, session_id=session_id)


def initialize(
    request_id: str,
    *,
    forward_subagent_text: bool = True,
    hooks: Mapping[str, Any] | None = None,
) -> bytes:
    """Returns the line that opens the conversation; sub-agents' texts are printed if that is
    requested here.
    """
    asked = {"hooks": hooks, "forwardSubagentText": forward_subagent_text}
    return _request(request_id, "initialize", **asked)


def allow(request_id: str, updated_input: Any) -> bytes:
    """Returns the line that allows the use of a tool, with the input it asked for or a changed
    one.
    """
    return _answer(request_id, {"behavior": "allow", "updatedInput": updated_input})


def deny(request_id: str, message: str) -> bytes:
    """Returns the line that denies the use of a tool, and says why."""
    return _answer(request_id, {"behavior": "deny", "message": _sound(message)})


def interrupt(request_id: str) -> bytes:
    """Returns the line that stops the present turn; the process lives on."""
    return _request(request_id, "interrupt")


def stop_task(request_id: str, task_id: str) -> bytes:
    """Returns the line that stops one sub-agent, by its id."""
    return _request(request_id, "stop_task", task_id=task_id)


def _request(request_id: str, subtype: str, **asked: Any) -> bytes:
    """Returns a request to the CLI, which answers with a `control_response` of the same id."""
    request = {"subtype": subtype, **asked}
    return _line("control_request", request_id=request_id, request=request)


def _answer(request_id: str, answer: Mapping[str, Any]) -> bytes:
    """Returns the answer to a request of the CLI."""
    response = {"subtype": "success", "request_id": request_id, "response": answer}
    return _line("control_response", response=response)


def _line(kind: str, **fields: Any) -> bytes:
    return msgspec.json.encode({"type": kind, **fields}) + b"\n"


def _sound(text: str) -> str:
    # A text typed in a broken locale may hold lone surrogates, which no UTF-8 can carry.
    return text.encode("utf-8", "replace").decode()
