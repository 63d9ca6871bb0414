"""A person's `codex exec …`, as what an app-server is to be asked for in its place, and what it
would have printed, from what the app-server writes.

Only a command that is understood to its last word is replaced: one with an option that an
app-server does not take in the same sense runs as it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from unbraid.agents.codex.app_server import ServerMessage, server_message, text_of
from unbraid.agents.codex.records import snake
from unbraid.agents.codex.rollouts import SESSION_ID
from unbraid.read.record import BAD_JSON

# Options of `codex exec`, by their long names.
_SHORT = {
    "-c": "--config",
    "-m": "--model",
    "-s": "--sandbox",
    "-C": "--cd",
    "-i": "--image",
    "-o": "--output-last-message",
}
# Those that the app-server itself takes.
_PASSED_ON = ("--config", "--enable", "--disable")
# Those that a thread is started with.
_OF_THREAD = {"--model": "model", "--sandbox": "sandbox", "--cd": "cwd"}
_OF_TURN = ("--image", "--output-last-message", "--output-schema")
_WITH_VALUE = (*_PASSED_ON, *_OF_THREAD, *_OF_TURN, "--color")
_FLAGS: dict[str, dict[str, Any]] = {
    "--json": {},
    "--experimental-json": {},
    "--skip-git-repo-check": {},
    "--ephemeral": {"ephemeral": True},
    "--full-auto": {"sandbox": "workspace-write", "approvalPolicy": "on-request"},
    "--yolo": {"sandbox": "danger-full-access", "approvalPolicy": "never"},
    "--dangerously-bypass-approvals-and-sandbox": {
        "sandbox": "danger-full-access",
        "approvalPolicy": "never",
    },
}
_BY_ID = "name the thread by its id, as in `unbraid ps --all`"
# What to give instead of what an app-server does not take.
_INSTEAD = {
    "-p": "give the profile's settings with -c KEY=VALUE",
    "--profile": "give the profile's settings with -c KEY=VALUE",
    "--last": _BY_ID,
    "--all": _BY_ID,
    "review": "ask for it with `codex exec PROMPT`",
    "fork": "continue the thread with `codex exec resume ID PROMPT`",
}
# With these, `exec` works in any folder.
_UNCHECKED = (
    "--skip-git-repo-check",
    "--yolo",
    "--dangerously-bypass-approvals-and-sandbox",
)


# Parts of an item that are named alike, and what they are in the lines of `exec --json`.
_FIELDS: dict[str, tuple[str, ...]] = {
    "commandExecution": ("command", "aggregatedOutput", "exitCode", "status"),
    "fileChange": ("changes", "status"),
    "mcpToolCall": ("server", "tool", "arguments", "result", "error", "status"),
    "collabAgentToolCall": (
        "tool",
        "senderThreadId",
        "receiverThreadIds",
        "prompt",
        "agentsStates",
        "status",
    ),
    "webSearch": ("query",),
}
_TYPES = {"collabAgentToolCall": "collab_tool_call"}
_WORDS = ("status", "tool", "kind")  # whose values are names, too
# Items that `exec --json` reports only when they are whole.
_WHOLE = ("agentMessage", "reasoning", "webSearch")


class ServedExec(Struct):
    """What to start and to ask for: a thread, new or `resumed`, with the settings in `thread`."""

    options: list[str] = field(default_factory=list)  # of the app-server
    thread: dict[str, Any] = field(default_factory=dict)
    resumed: str | None = None
    prompt: str = ""
    images: list[str] = field(default_factory=list)  # that come with the prompt
    schema: Any = None  # of the answer
    answer_path: str | None = None  # where the answer is to be written
    prints_json: bool = False

    def argv(self, program: Sequence[str]) -> list[str]:
        """Returns the command that starts the app-server."""
        return [*program, "app-server", *self.options]


def served_exec(args: Sequence[str], cwd: str) -> ServedExec | str:
    """Returns what stands for the arguments of `codex`, or why nothing does."""
    found = ServedExec(thread={"cwd": cwd})
    words: list[str] = []
    checks_folder = True
    for name, value in _read(args):
        if name is None:
            words.append(value)
        elif name in _PASSED_ON:
            found.options += [name, value]
        elif name in _OF_THREAD:
            found.thread[_OF_THREAD[name]] = value
        elif name in _FLAGS:
            found.thread |= _FLAGS[name]
            found.prints_json |= name.endswith("json")
            checks_folder &= name not in _UNCHECKED
        elif name == "--image":
            found.images += [str(Path(cwd, each)) for each in value.split(",")]
        elif name == "--output-last-message":
            found.answer_path = value
        elif name == "--output-schema":
            found.schema = _read_schema(value)
            if found.schema is None:
                return f"{value} is no JSON file that can be read"
        elif name != "--color":
            return _not_taken(f"does not take {name}", name)
    match words:
        case ["exec" | "e", "resume", thread, prompt] if SESSION_ID.fullmatch(thread):
            found.resumed, found.prompt = thread, prompt
            found.thread.pop("ephemeral", None)
        case ["exec" | "e", "resume", *_]:
            return f"{_BY_ID}, and give a prompt"
        case ["exec" | "e", ("review" | "fork" | "help") as command, *_]:
            return _not_taken(f"has no `{command}`", command)
        case [("review" | "fork") as command, *_]:
            return _not_taken(f"has no `{command}`", command)
        case ["exec" | "e", prompt]:
            found.prompt = prompt
        case ["exec" | "e", *_]:
            return "the prompt has to be one argument"
        case _:
            return "only `codex exec PROMPT` can be steered, not an interactive Codex"
    if found.prompt in ("", "-"):
        return "the prompt has to be an argument"  # a dash stands for what comes in on stdin
    if checks_folder and not _is_in_repository(Path(cwd, found.thread["cwd"])):
        return "outside of a Git repository, Codex wants --skip-git-repo-check"
    return found


def _not_taken(what: str, name: str) -> str:
    instead = f"; {_INSTEAD[name]}" if name in _INSTEAD else ""
    return f"`codex app-server`, which would do the work, {what}{instead}"


def _read_schema(path: str) -> Any:
    try:
        return msgspec.json.decode(Path(path).read_bytes())
    except (OSError, *BAD_JSON):
        return None


def _is_in_repository(folder: Path) -> bool:
    """Returns whether `exec` would work in a folder; an app-server does not check."""
    return any((each / ".git").exists() for each in (folder, *folder.absolute().parents))


def _read(args: Sequence[str]) -> Iterator[tuple[str | None, str]]:
    """Yields options with their values, and other words without a name. An option that is not
    known comes with what may be its value.
    """
    words = deque(args)
    while words:
        word = words.popleft()
        if word == "--":
            yield from ((None, rest) for rest in words)
            return
        if not word.startswith("-") or word == "-":
            yield None, word
            continue
        name, equals, value = word.partition("=")
        name = _SHORT.get(name, name)
        if name in _WITH_VALUE and not equals:
            value = words.popleft() if words else ""
        yield name, value
        # Images are all words up to the next option.
        while name == "--image" and not equals and words and not words[0].startswith("-"):
            yield name, words.popleft()


class ExecRenderer:
    """Takes the lines of an app-server; gives the lines of `exec --json`, or the last words of the
    main agent, which is all that `exec` itself writes to its stdout. These are written to
    `answer_path`, too. An error that ends it goes to `show_error`.
    """

    def __init__(
        self,
        show_error: Callable[[str], None],
        *,
        prints_json: bool,
        answer_path: str | None = None,
    ) -> None:
        self._show_error, self._prints_json = show_error, prints_json
        self._answer_path = answer_path
        self._thread: str | None = None
        self._items = 0
        self._names: dict[str, str] = {}  # of items: the server's, and ours
        self._plan: tuple[str, list[dict[str, Any]]] | None = None
        self._used: dict[str, Any] = {}
        self._last_words = ""
        self._problem: str | None = None
        self._is_done = False

    def line(self, line: bytes) -> bytes:
        """Takes one line, without its end; returns what it makes visible at once."""
        message = server_message(line)
        if message is None:
            return line + b"\n" if line.strip() else b""
        records = self._records(message)
        if not self._prints_json:
            return b""
        return b"".join(msgspec.json.encode(record) + b"\n" for record in records)

    def end(self) -> bytes:
        """Returns the rest, when the stream is over."""
        if self._answer_path is not None:
            try:
                Path(self._answer_path).write_text(self._last_words, "utf-8", "replace")
            except OSError as error:
                self._show_error(f"{self._answer_path}: {error.strerror or error}")
        if self._problem is not None and not self._prints_json:
            self._show_error(self._problem)
        if self._prints_json or not self._last_words:
            return b""
        return self._last_words.encode("utf-8", "replace") + b"\n"

    def exit_code(self, code: int) -> int:
        """Returns the exit code of `exec`: the server's own, or 1 if the last turn is not well
        ended.
        """
        return code or int(not self._is_done)

    def _records(self, message: ServerMessage) -> list[dict[str, Any]]:
        if message.method is None:
            return self._answered(message)
        if message.thread_id not in (None, self._thread):
            return []  # `exec` prints nothing of sub-agents
        match message.method:
            case "turn/started":
                self._problem, self._plan, self._is_done = None, None, False
                return [{"type": "turn.started"}]
            case "turn/completed":
                return self._completed(message)
            case "item/started" | "item/completed":
                return self._item(message.method.replace("/", "."), message.params.get("item"))
            case "turn/plan/updated":
                return self._planned(message.params.get("plan"))
            case "thread/tokenUsage/updated":
                self._used = message.params.get("tokenUsage", {}).get("total") or {}
            case "warning" if message.thread_id is not None:
                about = {"type": "error", "message": text_of(message.params, "message")}
                return [{"type": "item.completed", "item": {"id": self._name(), **about}}]
            case "error":
                problem = text_of(message.params, "error", "message") or "error"
                return [{"type": "error", "message": problem}]
        return []

    def _answered(self, message: ServerMessage) -> list[dict[str, Any]]:
        thread = text_of(message.result, "thread", "id")
        if thread is not None and self._thread is None:
            self._thread = thread
            return [{"type": "thread.started", "thread_id": thread}]
        # A message that came too late for its turn is no failure: it begins the next one.
        if message.problem is not None and self._problem is None and not self._used:
            self._problem = message.problem
            return [{"type": "error", "message": message.problem}]
        return []

    def _completed(self, message: ServerMessage) -> list[dict[str, Any]]:
        records = []
        if self._plan is not None:
            records.append(_plan_record("item.completed", self._plan))
        status = text_of(message.params, "turn", "status")
        self._is_done = status == "completed"
        if status == "failed":
            self._problem = text_of(message.params, "turn", "error", "message") or "failed"
            return [*records, {"type": "turn.failed", "error": {"message": self._problem}}]
        if status == "interrupted":
            return records  # `exec` writes no last line then
        return [*records, {"type": "turn.completed", "usage": self._usage()}]

    def _usage(self) -> dict[str, Any]:
        used = {snake(name): count for name, count in self._used.items() if name != "totalTokens"}
        if "cache_write_input_tokens" not in used:
            used.pop("reasoning_output_tokens", None)  # releases that do not count these
        return used

    def _item(self, kind: str, item: Any) -> list[dict[str, Any]]:
        if not isinstance(item, dict):
            return []
        what, ends = text_of(item, "type") or "", kind == "item.completed"
        if what in _WHOLE and not ends:
            return []
        match what:
            case "agentMessage":
                self._last_words = text_of(item, "text") or ""
                shown: dict[str, Any] = {"type": "agent_message", "text": self._last_words}
            case "reasoning":
                parts = item.get("summary")
                text = "\n".join(part for part in parts or () if isinstance(part, str))
                shown = {"type": "reasoning", "text": text}
                if not text:
                    return []
            case _ if what in _FIELDS:
                shown = {"type": _TYPES.get(what, snake(what))}
                shown |= {snake(name): _renamed(name, item.get(name)) for name in _FIELDS[what]}
                if what == "commandExecution":
                    shown["aggregated_output"] = shown["aggregated_output"] or ""
            case _:
                return []
        name = self._names.pop(text_of(item, "id") or "", None) or self._name()
        if not ends:
            self._names[text_of(item, "id") or ""] = name
        return [{"type": kind, "item": {"id": name, **shown}}]

    def _planned(self, steps: Any) -> list[dict[str, Any]]:
        kind = "item.started" if self._plan is None else "item.updated"
        name = self._name() if self._plan is None else self._plan[0]
        given = [step for step in steps or () if isinstance(step, dict)]
        items = [
            {"text": text_of(step, "step") or "", "completed": step.get("status") == "completed"}
            for step in given
        ]
        self._plan = (name, items)
        return [_plan_record(kind, self._plan)]

    def _name(self) -> str:
        self._items += 1
        return f"item_{self._items - 1}"


def _plan_record(kind: str, plan: tuple[str, list[dict[str, Any]]]) -> dict[str, Any]:
    return {"type": kind, "item": {"id": plan[0], "type": "todo_list", "items": plan[1]}}


def _renamed(name: str, value: Any) -> Any:
    """Returns a value as `exec --json` writes it: names within it in snake case."""
    if name in _WORDS and isinstance(value, str):
        return snake(value)
    if name == "changes" and isinstance(value, list):
        changes = [each for each in value if isinstance(each, dict)]
        return [
            {"path": each.get("path"), "kind": text_of(each, "kind", "type") or each.get("kind")}
            for each in changes
        ]
    if name == "agentsStates" and isinstance(value, dict):
        return {
            thread: {key: _renamed(key, part) for key, part in state.items()}
            for thread, state in value.items()
            if isinstance(state, dict)
        }
    return value
