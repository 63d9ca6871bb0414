"""What stands beside a Claude Code transcript, as records of their own.

Transcript lines are records like any other. Some facts are outside them: an agent's `.meta.json`,
and the folder that a workflow's agents are in. The readers of the files pass both on as one record
of type `unbraid.agent`, so that bytes stay the only thing the pure core takes in. Which session
it is, and where, stands on every line and nowhere in particular: a record of type `unbraid.session`
says it once, before all others. What a process publishes of its session while it lives is a record
of type `unbraid.state`, and what comes and goes by hooks one of type `unbraid.permission`.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Raw, Struct, field

from unbraid.events import EMPTY_OBJECT
from unbraid.read.record import BAD_JSON

AGENT_FACTS = "unbraid.agent"
SESSION_STATE = "unbraid.state"
SESSION_INTRODUCTION = "unbraid.session"
HOOKED_PERMISSION = "unbraid.permission"
COPIED_MESSAGES = "unbraid.copied"
COUNTED_TOKENS = "unbraid.counted"
COST_STATE = "cost-state"
# The model of messages that the CLI itself has made.
SYNTHETIC = "<synthetic>"

NOTICE = "[SYSTEM NOTIFICATION - NOT USER INPUT]"
# What the CLI, and no person, has put where a prompt may stand.
NOT_A_PROMPT = ("<system-reminder>", "<local-command-", "<command-", "<bash-", "Caveat: ", NOTICE)
INTERRUPTION = "[Request interrupted by user"
# The result of a call that a person did not allow, or has interrupted.
REJECTION = "The user doesn't want to proceed with this tool use"
# An attachment of this type says that a hook has ended the turn of its agent.
HOOK_STOP = "hook_stopped_continuation"
TASK_NOTIFICATION = "<task-notification>"
_NOTIFICATION = re.compile(r"<(task-id|tool-use-id|status|result)>(.*?)</\1>", re.DOTALL)


class Attachment(Struct, gc=False):
    """What the CLI has added to a conversation."""

    type: str = ""


class WithAttachment(Struct):
    """An `attachment` record."""

    attachment: Attachment | None = None


# The prompt of the two warm-up agents that version 2.0 starts by itself.
WARMUP = "Warmup"


class AgentFacts(Struct):
    """An agent's meta file, and the workflow it belongs to."""

    agent_id: str = field(default="", name="agentId")
    agent_type: str | None = field(default=None, name="agentType")
    description: str | None = None
    tool_use_id: str | None = field(default=None, name="toolUseId")
    parent_agent_id: str | None = field(default=None, name="parentAgentId")
    spawn_depth: int | None = field(default=None, name="spawnDepth")
    workflow: str | None = None
    finished: bool | None = None


class SessionFacts(Struct):
    """What the readers of the files say of a session: which one the transcripts are of, where it
    works, the version of Claude Code, what it was begun with; or else the messages that were copied
    into it, and counted where they were said; or else how many of its tokens its reader has counted
    and not its dialect.
    """

    session_id: str | None = field(default=None, name="sessionId")
    cwd: str | None = None
    version: str | None = None
    prompt: str | None = None
    continues: bool = False
    messages: list[str] = field(default_factory=list)
    tokens: int = 0


class PublishedState(Struct):
    """What a process of Claude Code says that it does, and since when: `busy`, `idle`, or `waiting`
    for something.
    """

    status: str | None = None
    waiting_for: str | None = field(default=None, name="waitingFor")


class HookedPermission(Struct, omit_defaults=True):
    """A permission request that a hook has brought, or, with a `behavior`, the answer that was
    given here. `in_terminal`: the session's own terminal asks at the same time. `always` and
    `held_until` are those of `FleetPermissionAsked`.
    """

    request_id: str = ""
    tool: str = ""
    input: Raw = EMPTY_OBJECT
    in_terminal: bool = False
    always: list[str] = field(default_factory=list)
    held_until: int | None = None
    behavior: str | None = None
    by: str | None = None
    where: str | None = None
    message: str | None = None


class ProcessEntry(Struct):
    """Claude Code's own note of one of its processes: `sessions/<pid>.json`."""

    pid: int
    session_id: str = field(name="sessionId")
    pid_domain: str | None = field(default=None, name="pidDomain")
    proc_start: str | None = field(default=None, name="procStart")
    cwd: str | None = None
    status: str | None = None
    waiting_for: str | None = field(default=None, name="waitingFor")
    status_since: int = field(default=0, name="statusUpdatedAt")


process_entry = msgspec.json.Decoder(ProcessEntry).decode


def agent_line(agent_id: str, meta: bytes, workflow: str | None = None) -> bytes:
    """Returns an agent's facts as one line for the translator."""
    try:
        facts = msgspec.json.decode(meta, type=dict[str, Any])
    except BAD_JSON:
        facts = {}
    facts |= {"type": AGENT_FACTS, "agentId": agent_id}
    if workflow is not None:
        facts["workflow"] = workflow
    return msgspec.json.encode(facts) + b"\n"


def session_line(
    session_id: str,
    *,
    cwd: str | None,
    version: str | None,
    started_ms: int,
    prompt: str | None = None,
    continues: bool = False,
) -> bytes:
    """Returns a session's facts as one line for the translator; `started_ms` is when it began, 0 if
    that is not known, and `prompt` its first prompt, if that is known before it is written. A run
    that `continues` a session does not have what that said before.
    """
    facts = {"sessionId": session_id, "cwd": cwd, "version": version}
    more = {"prompt": prompt, "continues": continues or None, "timestamp": started_ms or None}
    return _line(SESSION_INTRODUCTION, facts, more)


def copied_line(messages: list[str]) -> bytes:
    """Returns the messages that were copied into a session as one line for the translator."""
    return _line(COPIED_MESSAGES, {"messages": messages})


def counted_line(tokens: int) -> bytes:
    """Returns how many tokens of a session were counted beside its dialect as such a line."""
    return _line(COUNTED_TOKENS, {"tokens": tokens})


def state_line(session_id: str, state: PublishedState, since_ms: int) -> bytes:
    """Returns what a process says of its session as such a line."""
    facts = {"sessionId": session_id, "status": state.status, "waitingFor": state.waiting_for}
    return _line(SESSION_STATE, facts, {"timestamp": since_ms or None})


def permission_line(
    session_id: str, agent_id: str | None, permission: HookedPermission, ts: int
) -> bytes:
    """Returns what came by a hook, or was answered to it, as such a line."""
    facts = {"sessionId": session_id, "timestamp": ts}
    line = _line(HOOKED_PERMISSION, facts, {"agentId": agent_id})
    # Encoded by itself, so that its input stays as it came.
    return line[:-2] + b"," + msgspec.json.encode(permission)[1:] + b"\n"


def _line(kind: str, facts: dict[str, Any], known: dict[str, Any] | None = None) -> bytes:
    """Returns facts as one line for the translator, and of others those that are `known`."""
    known = {name: value for name, value in (known or {}).items() if value is not None}
    return msgspec.json.encode({"type": kind} | facts | known) + b"\n"


def notification(text: str, *, certain: bool = False) -> dict[str, str] | None:
    """Returns the fields of a `<task-notification>`, which reports to a parent that an agent has
    ended. An interactive session puts a notice before it that no person has written it. If the
    record itself makes it `certain`, anything may stand before it.
    """
    text = text.lstrip()
    begin = text.find(TASK_NOTIFICATION) if certain or text.startswith(NOTICE) else 0
    if begin < 0 or not text.startswith(TASK_NOTIFICATION, begin):
        return None
    found: dict[str, str] = {}
    for name, value in _NOTIFICATION.findall(text, begin):
        found.setdefault(name, value)
    return found
