"""What a CLI asks of the model: its requests, in each dialect, as the few facts that the script
needs, and a script's blocks as the CLI names its tools, their parameters and its types of agents.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .script import (
    Block,
    Json,
    ScriptedText,
    ScriptedThinking,
    ScriptedToolUse,
    SendMessage,
    Spawn,
    Wait,
    Workflow,
    marker,
    markers,
)

_CODEX_SPAWN = "spawn_agent"
_CODEX_WAITS = ("wait_agent", "wait")
_SPAWNING_TOOLS = ("Agent", "Task", "task")
_RESUMING_PARAMETERS = ("resume", "task_id", "session_id")

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
    """Returns the facts of a request; one to `/v1/responses` is given `as_messages`."""
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


def as_messages(body: Json) -> Json:
    """Returns a request with its input as messages, and its tools in one list: what other dialects
    have.
    """
    messages: list[Json] = []
    for item in body.get("input") or []:
        kind = item.get("type", "message")
        if kind == "message":
            role = {"developer": "system"}.get(item["role"], item["role"])
            messages.append({"role": role, "content": _plain(item.get("content"))})
        elif kind.endswith("_output"):
            output = item.get("output")
            text = output if isinstance(output, str) else json.dumps(output)
            messages.append({"role": "tool", "tool_call_id": item["call_id"], "content": text})
        elif kind in ("function_call", "custom_tool_call", "reasoning"):
            messages.append({"role": "assistant", "content": ""})
    return {**body, "messages": messages, "tools": list(_flat_tools(body.get("tools") or []))}


def _flat_tools(tools: list[Json], namespace: str | None = None) -> Iterator[Json]:
    for tool in tools:
        if isinstance(tool.get("tools"), list):
            yield from _flat_tools(tool["tools"], tool.get("name"))
        elif "name" in tool:
            yield {**tool, "namespace": namespace} if namespace else tool


def _plain(content: Any) -> Any:
    if isinstance(content, str):
        return content
    return [{"type": "text", "text": part.get("text", "")} for part in content or []]


# --- a script's blocks for the CLI that asks ---


def adapt_block(block: Block, asking: ModelRequest, agent_ids: Mapping[str, str]) -> Json:
    """Returns a block as it is served, without its ids: `type`, and `text` or `name` and
    `input`.
    """
    match block:
        case ScriptedText(text):
            return {"type": "text", "text": text}
        case ScriptedThinking(text):
            return {"type": "thinking", "text": text}
        case ScriptedToolUse(name, given):
            if name == "Bash" and (shell := _shell(given, asking)) is not None:
                return shell
            return _tool(_named(name, asking), _parameters(name, given, asking))
        case Workflow(script):
            return _tool(_named("Workflow", asking), {"script": script})
        case Spawn():
            if _CODEX_SPAWN in asking.tools:
                given = {"message": f"{marker(block.child)} {block.prompt}"}
                return {**_codex(_CODEX_SPAWN, given, asking), "child": block.child}
            return {**_spawn(block, asking), "child": block.child}
        case Wait(child):
            return _wait(agent_ids.get(child, child), asking)
        case SendMessage(child, message):
            if _CODEX_SPAWN in asking.tools:
                given = {
                    "message": message,
                    _target("send_input", asking): agent_ids.get(child, child),
                }
                return _codex("send_input", given, asking)
            return _resume(child, message, asking, agent_ids.get(child, child))


def _codex(name: str, given: Mapping[str, Any], asking: ModelRequest) -> Json:
    """Returns a call of a tool that may be in a namespace."""
    namespace = asking.tools.get(name, {}).get("namespace")
    return {**_tool(name, given), **({"namespace": namespace} if namespace else {})}


def _shell(given: Mapping[str, Any], asking: ModelRequest) -> Json | None:
    """Returns a call of the shell as Codex names it; None for other CLIs."""
    command = given.get("command", "")
    if "exec_command" in asking.tools:
        return _tool("exec_command", {"cmd": command})
    if "shell_command" in asking.tools:
        return _tool("shell_command", {"command": command})
    if "shell" in asking.tools:
        return _tool("shell", {"command": ["bash", "-lc", command]})
    return None


def _target(tool: str, asking: ModelRequest) -> str:
    return next((key for key in ("target", "id") if key in _properties(tool, asking)), "target")


def _wait(agent_id: str, asking: ModelRequest) -> Json:
    name = next((name for name in _CODEX_WAITS if name in asking.tools), _CODEX_WAITS[0])
    key = "ids" if "ids" in _properties(name, asking) else "targets"
    return _codex(name, {key: [agent_id], "timeout_ms": 20_000}, asking)


def _tool(name: str, given: Mapping[str, Any]) -> Json:
    return {"type": "tool_use", "name": name, "input": dict(given)}


def _named(name: str, asking: ModelRequest) -> str:
    if name in asking.tools:
        return name
    return next((known for known in asking.tools if known.lower() == name.lower()), name)


def _properties(name: str, asking: ModelRequest) -> Json:
    tool = asking.tools.get(name, {})
    schema = tool.get("input_schema") or tool.get("parameters") or {}
    properties: Json = schema.get("properties", {})
    return properties


def _parameters(name: str, given: Mapping[str, Any], asking: ModelRequest) -> Json:
    """Returns the call's parameters in the CLI's spelling: OpenCode has `filePath` for
    `file_path`.
    """
    known = _properties(_named(name, asking), asking)
    fitted = {}
    for key, value in given.items():
        camel = re.sub(r"_(\w)", lambda found: found[1].upper(), key)
        fitted[camel if key not in known and camel in known else key] = value
    return fitted


def _spawning_tool(asking: ModelRequest) -> str:
    return next((name for name in _SPAWNING_TOOLS if name in asking.tools), "Task")


def _spawn(block: Spawn, asking: ModelRequest) -> Json:
    name = _spawning_tool(asking)
    given: Json = {
        "description": f"run {block.child}",
        "prompt": f"{marker(block.child)} {block.prompt}",
        "subagent_type": _kind(block.subagent_type, name, asking),
    }
    if block.background is not None and "run_in_background" in _properties(name, asking):
        given["run_in_background"] = block.background
    return _tool(name, given)


def _kind(wanted: str | None, tool: str, asking: ModelRequest) -> str:
    usual = "general" if tool == "task" else "general-purpose"
    if wanted is None:
        return usual
    if tool == "task":
        wanted = wanted.lower()
    # Newer CLIs list their kinds of agents in a reminder, not with the tool: then any may exist.
    offered = json.dumps(asking.tools.get(tool, {}))
    return wanted if wanted in offered or usual not in offered else usual


def _resume(child: str, message: str, asking: ModelRequest, agent_id: str) -> Json:
    name = _spawning_tool(asking)
    known = _properties(name, asking)
    parameter = next((key for key in _RESUMING_PARAMETERS if key in known), None)
    if "SendMessage" in asking.tools or parameter is None:
        # If an agent cannot be continued, the call fails and starts no agent.
        given = {"to": agent_id, "summary": "go on please with it", "message": message}
        return _tool("SendMessage", given)
    given = {
        "description": f"go on with {child}",
        "prompt": message,
        "subagent_type": _kind(None, name, asking),
    }
    return _tool(name, {**given, parameter: agent_id})
