"""The tools of Claude Code: what each is for, and which argument of a call is what."""

from __future__ import annotations

from unbraid.fold.tool_formats import ToolFormat

TOOLS = (
    ToolFormat(("Bash",), "shell", command=("command",)),
    ToolFormat(("BashOutput", "KillShell", "KillBash"), summary=("bash_id", "shell_id")),
    ToolFormat(("Read",), summary=("file_path",)),
    ToolFormat(("LS",), summary=("path",)),
    ToolFormat(("Glob", "Grep"), summary=("pattern",)),
    ToolFormat(("Edit",), "edit", path="file_path", old="old_string", new="new_string"),
    ToolFormat(
        ("MultiEdit",),
        "edit",
        path="file_path",
        edits="edits",
        old="old_string",
        new="new_string",
    ),
    ToolFormat(("Write",), "edit", path="file_path", new="content"),
    ToolFormat(("NotebookEdit",), "edit", path="notebook_path", new="new_source"),
    ToolFormat(("NotebookRead",), summary=("notebook_path",)),
    ToolFormat(("TodoWrite",), "todo", todos="todos", todo=("content",)),
    ToolFormat(
        ("Task", "Agent"), "agent", summary=("description", "prompt"), agent="subagent_type"
    ),
    ToolFormat(("SendMessage",), summary=("summary", "message")),
    ToolFormat(("TaskCreate",), summary=("subject", "description")),
    ToolFormat(("TaskOutput", "TaskStop"), summary=("task_id",)),
    ToolFormat(("Workflow",), summary=("script",)),
    ToolFormat(("Skill", "SlashCommand"), summary=("skill", "command")),
    ToolFormat(("WebFetch",), summary=("url",)),
    ToolFormat(("WebSearch", "ToolSearch"), summary=("query",)),
    ToolFormat(("AskUserQuestion",), "question", questions="questions", multiple="multiSelect"),
    ToolFormat(("ExitPlanMode",), summary=("plan",)),
)
