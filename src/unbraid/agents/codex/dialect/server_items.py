"""Calls as an app-server describes them, in the words of the agents' own calls."""

from __future__ import annotations

from typing import Any

# What an agent does to another one, where its calls are not reported (multi-agent v2).
ACTIVITIES = {"interacted": "send_message", "interrupted": "interrupt_agent"}
_TOOLS = {
    "spawnAgent": "spawn_agent",
    "sendInput": "send_input",
    "resumeAgent": "resume_agent",
    "wait": "wait_agent",
    "closeAgent": "close_agent",
}


def described(item: dict[str, Any]) -> tuple[str, dict[str, Any], Any]:
    """Returns a call's name, its input and what it gave."""
    match item.get("type"):
        case "commandExecution":
            return "exec_command", {"command": item.get("command")}, item.get("aggregatedOutput")
        case "fileChange":
            return "apply_patch", {"changes": item.get("changes")}, ""
        case "webSearch":
            return "web_search", {"query": item.get("query")}, ""
    given = {"server": item.get("server"), "arguments": item.get("arguments")}
    return str(item.get("tool")), given, item.get("result") or item.get("error") or ""


def described_collab(
    item: dict[str, Any],
) -> tuple[str, str | None, list[str], dict[str, Any]]:
    """Returns the name of a call to another agent, its prompt, the threads that it reaches, and its
    input.
    """
    named, said, listed = item.get("tool"), item.get("prompt"), item.get("receiverThreadIds")
    tool = _TOOLS.get(named, named) if isinstance(named, str) else ""
    prompt = said if isinstance(said, str) else None
    threads = [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else []
    given: dict[str, Any] = {"message": prompt} if prompt else {}
    if threads and tool == "wait_agent":
        given["targets"] = threads
    elif threads and tool != "spawn_agent":
        given["target"] = threads[0]
    return tool, prompt, threads, given
