"""Codex's recordings: what was printed of what the model served, and what can be compared.

`exec` prints calls without their ids, and thinking in parts or as one; an answer that broke off is
nobody's words; the calls that a script of an agent made are not the model's.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from unbraid.testing import Recording

Row = tuple[str, str, str]

_CALLS = {
    "command_execution",
    "file_change",
    "mcp_tool_call",
    "collab_tool_call",
    "web_search",
    "todo_list",
    "commandExecution",
    "fileChange",
    "mcpToolCall",
    "collabAgentToolCall",
    "webSearch",
}


def is_codex(recording: Recording) -> bool:
    """Whether a recording is Codex's."""
    return recording.version.startswith("codex")


def rollouts_of(folder: Path, recording: Recording) -> list[Path]:
    """The rollout of the main agent; those of its sub-agents lie beside it."""
    thread = recording.truth["thread"]
    return sorted(folder.glob(f"sessions/**/rollout-*{thread}.jsonl*"))


def printed(recording: Recording, owner: dict[str, str]) -> list[Row]:
    """Each item that the stream has printed, once."""
    agents = {thread: owner[name] for name, thread in recording.truth["threads"].items()}
    items: dict[tuple[Any, str], tuple[dict[str, Any], str, bool]] = {}
    process = 0
    for record in recording.records:
        kind = record.get("type") or record.get("method")
        given = record.get("params") or record
        process += kind == "thread.started"  # item ids begin again with each process
        if kind in ("item.started", "item.completed", "item/started", "item/completed"):
            item, thread = given["item"], given.get("threadId")
            ended = kind.endswith("completed")
            items[thread or process, item["id"]] = item, agents.get(thread, ""), ended
    rows: list[Row] = []
    for (_, item_id), (item, agent, ended) in items.items():
        if item["type"] in ("agent_message", "agentMessage") and ended:
            rows.append((agent, "text", item["text"]))
        elif item["type"] == "reasoning" and ended:
            words = item["text"] if "text" in item else "".join(item["summary"])
            rows.append((agent, "thinking", words))
        elif item["type"] in _CALLS:
            rows.append((agent, "tool_use", item_id))
    return rows


def comparable(recording: Recording, rows: list[Row], *, full: bool) -> list[Row]:
    """Rows without what one of the two sides cannot know."""
    blocks = recording.truth["blocks"]
    cut = [block.get("id") or block["text"] for block in blocks if "cut" in block]
    kept = [
        row
        for row in rows
        if (row[1] == "thinking" or not any(words.startswith(row[2]) for words in cut))
        and not (full and row[2].startswith("exec-"))
    ]
    if not full and recording.mode.startswith("exec"):
        mixed = recording.truth.get("mixed")
        kept = [
            ("" if mixed else agent, kind, "" if kind == "tool_use" else words)
            for agent, kind, words in kept
        ]
    thinking: dict[str, str] = {}
    for agent, kind, words in kept:
        if kind == "thinking":
            thinking[agent] = thinking.get(agent, "") + "".join(words.split())
    rest = [row for row in kept if row[1] != "thinking"]
    return rest + [(agent, "thinking", words) for agent, words in thinking.items()]


def known(recording: Recording, got: list[Row], want: list[Row]) -> list[Row]:
    """What was logged, but for calls that were made and not printed: they may be known all the
    same.
    """
    shown = {row[2] for row in want}
    made = {block.get("id") for block in recording.truth["blocks"]}
    return [row for row in got if row[2] in shown or row[2] not in made]
