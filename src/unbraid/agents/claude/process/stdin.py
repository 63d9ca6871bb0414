r"""The messages written to Claude Code's standard input (`--input-format stream-json`).

Each function gives the bytes of one whole line. JSON escapes every newline inside a string, so
whatever is said, a message is one line and ends with the only `\n` in it.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct


class UserMessage(Struct):
    """What a person says: a list of content blocks."""

    content: Sequence[Mapping[str, Any]]
    role: str = "user"


class User(Struct, tag_field="type", tag="user"):
    """A prompt."""

    message: UserMessage
    parent_tool_use_id: str | None = None
    session_id: str = ""


class Initialize(Struct, tag_field="subtype", tag="initialize", rename="camel"):
    """The first request of all: how the CLI shall print."""

    hooks: Mapping[str, Any] | None = None
    forward_subagent_text: bool = True


class Interrupt(Struct, tag_field="subtype", tag="interrupt"):
    """Stop the present turn; the process lives on."""


class StopTask(Struct, tag_field="subtype", tag="stop_task"):
    """Stop one sub-agent."""

    task_id: str


Request = Initialize | Interrupt | StopTask


class OutgoingRequest(Struct, tag_field="type", tag="control_request"):
    """Something asked of the CLI; it answers with a `control_response` of the same id."""

    request_id: str
    request: Request


class Allow(Struct, tag_field="behavior", tag="allow", rename="camel"):
    """The tool may be used, with this input."""

    updated_input: Any


class Deny(Struct, tag_field="behavior", tag="deny"):
    """The tool may not be used; the agent gets the reason."""

    message: str


class Success(Struct, tag_field="subtype", tag="success"):
    """The answer to a request of the CLI."""

    request_id: str
    response: Allow | Deny


class ControlResponse(Struct, tag_field="type", tag="control_response"):
    """An answer to the CLI."""

    response: Success


def new_request_id() -> str:
    """Returns an id for a request of ours."""
    return f"unbraid_{secrets.token_hex(8)}"


def prompt(said: str | Sequence[Mapping[str, Any]], session_id: str = "") -> bytes:
    """Returns the line that says something to the main agent: a text, or content blocks."""
    blocks = [{"type": "text", "text": _sound(said)}] if isinstance(said, str) else said
    return _line(User(UserMessage(blocks), session_id=session_id))


def initialize(
    request_id: str,
    *,
    forward_subagent_text: bool = True,
    hooks: Mapping[str, Any] | None = None,
) -> bytes:
    """Returns the line that opens the conversation; sub-agents' texts are printed if that is
    requested here.
    """
    return _request(request_id, Initialize(hooks, forward_subagent_text))


def allow(request_id: str, updated_input: Any) -> bytes:
    """Returns the line that allows the use of a tool, with the input it asked for or a changed
    one.
    """
    return _line(ControlResponse(Success(request_id, Allow(updated_input))))


def deny(request_id: str, message: str) -> bytes:
    """Returns the line that denies the use of a tool, and says why."""
    return _line(ControlResponse(Success(request_id, Deny(_sound(message)))))


def interrupt(request_id: str) -> bytes:
    """Returns the line that stops the present turn."""
    return _request(request_id, Interrupt())


def stop_task(request_id: str, task_id: str) -> bytes:
    """Returns the line that stops one sub-agent, by its id."""
    return _request(request_id, StopTask(task_id))


def _request(request_id: str, request: Request) -> bytes:
    return _line(OutgoingRequest(request_id, request))


def _line(message: User | OutgoingRequest | ControlResponse) -> bytes:
    return msgspec.json.encode(message) + b"\n"


def _sound(text: str) -> str:
    # A text typed in a broken locale may hold lone surrogates, which no UTF-8 can carry.
    return text.encode("utf-8", "replace").decode()
