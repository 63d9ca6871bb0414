"""A person's `codex exec …`, as what an app-server is to be asked for in its place.

Only a command that is understood to its last word is replaced: one with an option that an
app-server does not take in the same sense runs as it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from unbraid.agents.codex.places import SESSION_ID
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
