"""The tools of OpenCode: what each is for, and which argument of a call is what. Programs made from
it have the same.
"""

from __future__ import annotations

from unbraid.fold.tool_formats import ToolFormat

TOOLS = (
    ToolFormat(("bash",), "shell", command=("command",)),
    ToolFormat(("read",), summary=("filePath",)),
    ToolFormat(("list",), summary=("path",)),
    ToolFormat(("glob", "grep"), summary=("pattern",)),
    ToolFormat(("edit",), "edit", path="filePath", old="oldString", new="newString"),
    # As it asks for permission to write.
    ToolFormat(("edit",), "edit", path="filepath", patch="diff"),
    ToolFormat(
        ("multiedit",), "edit", path="filePath", edits="edits", old="oldString", new="newString"
    ),
    ToolFormat(("write",), "edit", path="filePath", new="content"),
    ToolFormat(("patch", "apply_patch"), "edit", patch="patchText"),
    ToolFormat(("todowrite",), "todo", todos="todos", todo=("content",)),
    ToolFormat(("task",), "agent", summary=("description", "prompt"), agent="subagent_type"),
    ToolFormat(("skill",), summary=("name",)),
    ToolFormat(("webfetch",), summary=("url",)),
    ToolFormat(("websearch", "codesearch"), summary=("query",)),
    ToolFormat(("question",), "question", questions="questions", multiple="multiple"),
    ToolFormat(("invalid",), summary=("error",)),
)
