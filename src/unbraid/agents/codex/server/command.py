"""A person's `codex exec …`, as what an app-server is to be asked for in its place.

Only a command that is understood to its last word is replaced: one with an option that an
app-server does not take in the same sense runs as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct, field

from unbraid.agents.codex.places import SESSION_ID

# Options of `codex exec`, by their long names.
_SHORT = {"-c": "--config", "-m": "--model", "-s": "--sandbox", "-C": "--cd"}
# Those that the app-server itself takes.
_PASSED_ON = ("--config", "--enable", "--disable")
# Those that a thread is started with.
_OF_THREAD = {"--model": "model", "--sandbox": "sandbox", "--cd": "cwd"}
_WITH_VALUE = (*_PASSED_ON, *_OF_THREAD, "--color")
_FLAGS: dict[str, dict[str, Any]] = {
    "--json": {},
    "--experimental-json": {},
    "--skip-git-repo-check": {},  # an app-server does not check
    "--ephemeral": {"ephemeral": True},
    "--full-auto": {"sandbox": "workspace-write", "approvalPolicy": "on-request"},
    "--yolo": {"sandbox": "danger-full-access", "approvalPolicy": "never"},
    "--dangerously-bypass-approvals-and-sandbox": {
        "sandbox": "danger-full-access",
        "approvalPolicy": "never",
    },
}


class ServedExec(Struct):
    """What to start and to ask for: a thread, new or `resumed`, with the settings in `thread`."""

    options: list[str] = field(default_factory=list)  # of the app-server
    thread: dict[str, Any] = field(default_factory=dict)
    resumed: str | None = None
    prompt: str = ""
    prints_json: bool = False

    def argv(self, program: Sequence[str]) -> list[str]:
        """Returns the command that starts the app-server."""
        return [*program, "app-server", *self.options]


def served_exec(args: Sequence[str], cwd: str) -> ServedExec | None:
    """Returns what stands for the arguments of `codex`; None if that cannot be done."""
    found = ServedExec(thread={"cwd": cwd})
    words: list[str] = []
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
        elif name != "--color":
            return None
    match words:
        case ["exec" | "e", "resume", thread, prompt] if SESSION_ID.fullmatch(thread):
            found.resumed, found.prompt = thread, prompt
            found.thread.pop("ephemeral", None)
        case ["exec" | "e", prompt] if prompt not in _COMMANDS:
            found.prompt = prompt
        case _:
            return None
    # A dash stands for what comes in on stdin.
    return None if found.prompt in ("", "-") else found


_COMMANDS = ("resume", "review", "fork", "help")


def _read(args: Sequence[str]) -> Iterator[tuple[str | None, str]]:
    """Yields options with their values, and other words without a name. An option that is not
    known comes with what may be its value.
    """
    words = iter(args)
    for word in words:
        if word == "--":
            yield from ((None, rest) for rest in words)
        elif not word.startswith("-") or word == "-":
            yield None, word
        else:
            name, equals, value = word.partition("=")
            name = _SHORT.get(name, name)
            if name in _WITH_VALUE and not equals:
                value = next(words, "")
            yield name, value
