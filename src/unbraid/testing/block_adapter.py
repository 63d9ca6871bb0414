"""Adapts a script's blocks to the CLI that asks: its tools' names, parameters and agent types."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from .model_request import Json, ModelRequest
from .script import (
    Block,
    ScriptedText,
    ScriptedThinking,
    ScriptedToolUse,
    SendMessage,
    Spawn,
    Wait,
    Workflow,
    marker,
)

_CODEX_SPAWN = "spawn_agent"
_CODEX_WAITS = ("wait_agent", "wait")
_SPAWNING_TOOLS = ("Agent", "Task", "task")
_RESUMING_PARAMETERS = ("resume", "task_id", "session_id")


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
