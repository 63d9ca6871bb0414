"""The tools of Codex: what each is for, and which argument of a call is what."""

from __future__ import annotations

from unbraid.fold.tool_formats import ToolFormat

TOOLS = (
    ToolFormat(("shell", "exec_command"), "shell", command=("cmd", "command")),
    ToolFormat(("exec",), summary=("input",)),
    ToolFormat(("write_stdin",), summary=("chars",)),
    ToolFormat(("apply_patch", "fileChange"), "edit", changes="changes", patch="input"),
    ToolFormat(("update_plan",), "todo", todos="plan", todo=("step", "text")),
    ToolFormat(("spawn_agent",), "agent", summary=("message",), agent="agent_type"),
    ToolFormat(
        ("send_input", "send_message", "followup_task", "resume_agent"),
        summary=("message", "target", "id"),
    ),
    ToolFormat(
        ("wait", "wait_agent", "close_agent", "interrupt_agent"),
        summary=("target", "targets", "ids", "id"),
    ),
    ToolFormat(("view_image",), summary=("path",)),
    ToolFormat(("web_search",), summary=("query",)),
)
