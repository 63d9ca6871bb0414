"""What the tools of agents are for and which argument of a call is what, as data.

Each kind of agent declares the formats of its own tools (`AgentKind.tools`); a `ToolTable` of all
of them reads calls for every face. The page has the same table, made by `web/generate.py`, and
reads it by the same rules (`web/src/model/tools.ts`): the two are compared by
`web/src/model/calls.json` and by the calls of all recordings. Inputs are an agent's: of any shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Literal

import msgspec
from msgspec import Struct

MAX_SUMMARY_CHARS = 300

Purpose = Literal["shell", "edit", "todo", "agent", "question", "other"]
_SHELL_FLAGS = ("-c", "-lc")
_BLANKS = re.compile(r"[ \t\r\n]+")
_PLAIN_WORD = re.compile(r"[\w@%+=:,./-]+", re.ASCII)
_PATCHED_FILE = re.compile(r"\*\*\* (?:Add|Update|Delete) File: (.*)")


class ToolFormat(Struct, frozen=True, omit_defaults=True):
    """The calls of tools that take the same arguments.

    `summary` are the arguments that tell most, the best one first. `command` is what a shell runs.
    An edit puts the text `new` for the text `old` in the file `path`, or does so for each entry of
    `edits`; or it is a `patch`; or `changes` has one for each file. `todos` is a list of entries
    whose words are in `todo`. `agent` is the type of an agent to start. `questions` are what a
    person is asked. A tool of several formats has the first one whose arguments a call has.
    """

    names: tuple[str, ...]
    purpose: Purpose = "other"
    summary: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    path: str = ""
    old: str = ""
    new: str = ""
    edits: str = ""
    patch: str = ""
    changes: str = ""
    todos: str = ""
    todo: tuple[str, ...] = ()
    agent: str = ""
    questions: str = ""
    multiple: str = ""
    """What a question has that can be answered with several of its options."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """Every argument that it names."""
        single = (self.path, self.new, self.old, self.edits, self.patch, self.changes, self.todos)
        named = (*self.summary, *self.command, *single, self.agent, self.questions)
        return tuple(name for name in named if name)


class TextChange(Struct, frozen=True):
    """Text of a file and what stands there instead."""

    path: str
    before: str
    after: str


class AskedQuestion(Struct, frozen=True):
    """A question that an agent asks a person, and the answers that it offers."""

    text: str
    labels: list[str]


UNKNOWN = ToolFormat(())


class ToolTable:
    """The formats of all tools, by their names."""

    def __init__(self, formats: Iterable[ToolFormat] = ()) -> None:
        self._formats: dict[str, list[ToolFormat]] = {}
        for each in formats:
            for name in each.names:
                self._formats.setdefault(name, []).append(each)

    def summary(self, tool: str, given: Any) -> str:
        """Returns what a call is about, on one line; nothing for a call without arguments."""
        return _one_line(self._summary(self._format(tool, given), given))

    def changes(self, tool: str, given: Any) -> list[TextChange]:
        """Returns what a call changes in files; nothing if it is no edit, or says nothing of it."""
        form, values = self._format(tool, given), _mapping(given)
        if form.purpose != "edit":
            return []
        if _has(values, form.changes):
            return _listed_changes(values[form.changes])
        path = _text(_argument(values, form.path))
        if _has(values, form.patch):
            return _patch_changes(_text(values[form.patch]), path)
        parts = _mappings(values[form.edits]) if _has(values, form.edits) else [values]
        found = [
            (_text(_argument(part, form.old)), _text(_argument(part, form.new))) for part in parts
        ]
        return [TextChange(path, before, after) for before, after in found if before or after]

    def questions(self, tool: str, given: Any) -> list[AskedQuestion]:
        """Returns the questions of a call that asks a person."""
        asked = _mappings(_argument(_mapping(given), self._format(tool, given).questions))
        return [
            AskedQuestion(
                _text(each.get("question")),
                [_text(option.get("label")) for option in _mappings(each.get("options"))],
            )
            for each in asked
        ]

    def _format(self, tool: str, given: Any) -> ToolFormat:
        forms, values = self._formats.get(tool, ()), _mapping(given)
        fitting = (each for each in forms if any(name in values for name in each.arguments))
        return next(fitting, forms[0] if forms else UNKNOWN)

    def _summary(self, form: ToolFormat, given: Any) -> str:
        values = _mapping(given)
        match form.purpose:
            case "todo" if _has(values, form.todos):
                done = [_is_done(each) for each in _mappings(values[form.todos])]
                return f"{sum(done)} of {len(done)} done"
            case "question" if asked := _mappings(_argument(values, form.questions)):
                return _text(asked[0].get("question"))
            case "edit" if paths := dict.fromkeys(_paths(form, values)):
                return ", ".join(paths)
        telling = (*form.command, form.path, *form.summary)
        best = next(filter(None, (_words(_argument(values, name)) for name in telling)), "")
        if form.purpose == "agent" and (who := _text(_argument(values, form.agent))):
            return f"{best} ({who})"
        return best or _anything(given)


def _anything(given: Any) -> str:
    """Returns the first text of an input of which nothing is known, else all of it."""
    if isinstance(given, str) or not given:
        return given or ""
    texts = (value for value in _mapping(given).values() if isinstance(value, str) and value)
    return next(texts, "") or msgspec.json.encode(given).decode()


def _paths(form: ToolFormat, values: dict[str, Any]) -> list[str]:
    """Returns the files that a patch or a list of changes names."""
    if not _has(values, form.changes):
        patched = _patch_changes(_text(_argument(values, form.patch)), "")
        return [change.path for change in patched if change.path]
    changes = values[form.changes]
    if isinstance(changes, dict):
        return list(changes)
    return [path for each in _mappings(changes) if (path := _text(each.get("path")))]


def _listed_changes(changes: Any) -> list[TextChange]:
    """Returns changes that are listed with their paths, or by them: each has a diff, or the text of
    a file that is new or deleted.
    """
    if isinstance(changes, dict):
        listed = [(path, _mapping(each)) for path, each in changes.items()]
    else:
        listed = [(_text(each.get("path")), each) for each in _mappings(changes)]
    found: list[TextChange] = []
    for path, each in listed:
        kind = each.get("kind", each.get("type"))
        kind = kind.get("type") if isinstance(kind, dict) else kind
        text = _text(each.get("diff")) or _text(each.get("unified_diff"))
        text = text or _text(each.get("content"))
        if kind in ("add", "delete"):
            before, after = ("", text) if kind == "add" else (text, "")
            found += [TextChange(path, before, after)] if text else []
        else:
            found += _patch_changes(text, path)
    return found


def _patch_changes(patch: str, path: str) -> list[TextChange]:
    """Returns what a patch changes: in one file, or in those whose names are in it."""
    files: list[tuple[str, list[str], list[str]]] = []
    for line in patch.split("\n"):
        if named := _PATCHED_FILE.fullmatch(line):
            files.append((named[1], [], []))
        elif line.startswith("@@"):
            if not files:
                files.append((path, [], []))
        elif files and line.startswith((" ", "-", "+")):
            _, before, after = files[-1]
            if line[0] != "+":
                before.append(line[1:])
            if line[0] != "-":
                after.append(line[1:])
    return [TextChange(name, "\n".join(old), "\n".join(new)) for name, old, new in files]


def _is_done(todo: dict[str, Any]) -> bool:
    return todo.get("status") == "completed" or todo.get("completed") is True


def _words(value: Any) -> str:
    """Returns a text, or the words of a command; of one that a shell is given, what it runs."""
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        return _text(value)
    if len(value) == 3 and value[1] in _SHELL_FLAGS:
        return str(value[2])
    return " ".join(map(_quoted, value))


def _quoted(word: str) -> str:
    if _PLAIN_WORD.fullmatch(word):
        return word
    return "'" + word.replace("'", "'\\''") + "'"


def _one_line(text: str) -> str:
    # Cut first: what is to be joined may be megabytes long.
    line = _BLANKS.sub(" ", text[: MAX_SUMMARY_CHARS * 4]).strip(" ")
    return line if len(line) <= MAX_SUMMARY_CHARS else line[: MAX_SUMMARY_CHARS - 1] + "…"


def _has(values: dict[str, Any], name: str) -> bool:
    # An agent may give an argument without a name: no format means that one.
    return name != "" and name in values


def _argument(values: dict[str, Any], name: str) -> Any:
    return values[name] if _has(values, name) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _mappings(value: Any) -> list[dict[str, Any]]:
    return [_mapping(each) for each in value] if isinstance(value, list) else []
