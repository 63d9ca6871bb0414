"""A person's command line, and what is started in its place so that every agent can be seen.

Only what makes agents visible is added, only where the version has it, and never against what the
person said. Someone who asked for `stream-json` gets exactly what their command prints; the words
of sub-agents then come from the transcripts alone.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from unbraid.sources.release import FIRST_FORWARDING, FIRST_PARTIAL, FIRST_SESSION_ID, Release

# Options of Claude Code's that bring a session of their own.
_SESSION_GIVEN = ("--session-id", "--resume", "-r", "--continue", "-c", "--from-pr")


class Command(Struct):
    """What to start. `prints` is the format that the person will see: text, json, or raw."""

    argv: list[str]
    kind: str = "other"
    prints: str = "raw"
    talks: bool = False  # reads prompts and answers as lines of JSON
    verbose: bool = False
    captured: bool = True  # its stdout goes through us
    session: str | None = None
    resumes: bool = False
    forwards: bool = False


def kind_of(argv: Sequence[str]) -> tuple[str, int]:
    """Whose CLI a command starts, and where its own arguments begin."""
    for number, word in enumerate(argv[:3]):
        name = Path(word).name
        if name in ("claude", "claude.exe") or (name == "cli.js" and "claude-code" in word):
            return "claude", number + 1
        if name in ("opencode", "opencode.exe"):
            return "opencode", number + 1
        if number == 0 and name not in ("node", "bun", "npx", "env", "bunx"):
            break
    return "other", 1


def visible(argv: Sequence[str], version: Release) -> Command:
    """The command to start in place of this one."""
    kind, first = kind_of(argv)
    command = Command(list(argv), kind)
    if kind == "claude":
        _claude(command, first, version)
    elif kind == "opencode":
        # Anything but JSON is meant for the person's own terminal; the database tells the rest.
        command.captured = option(argv[first:], "--format") == "json"
        command.session = option(argv[first:], "--session", "-s")
    return command


def option(args: Sequence[str], *names: str) -> str | None:
    """The value of an option in any of its spellings; "" if it has none."""
    for number, word in enumerate(args):
        if word == "--":
            return None
        if word in names:
            return args[number + 1] if number + 1 < len(args) else ""
        for name in names:
            if name.startswith("--") and word.startswith(f"{name}="):
                return word[len(name) + 1 :]
    return None


def _claude(command: Command, first: int, version: Release) -> None:
    args = command.argv[first:]
    added: list[str] = []
    given = option(args, "--session-id")
    resumed = option(args, "--resume", "-r")
    command.resumes = resumed is not None or option(args, "--continue", "-c") is not None
    if option(args, "--fork-session") is None:
        command.session = given or (resumed if resumed and resumed.count("-") == 4 else None)
    if option(args, "--print", "-p") is None:
        command.captured = False  # it draws on the terminal, which must be its own
    else:
        if version >= FIRST_SESSION_ID and option(args, *_SESSION_GIVEN) is None:
            command.session = str(uuid.uuid4())
            added += ["--session-id", command.session]
        wanted = option(args, "--output-format")
        command.talks = option(args, "--input-format") == "stream-json"
        if wanted in (None, "text", "json"):
            command.prints = wanted or "text"
            command.verbose = option(args, "--verbose") is not None
            args = _without(args, "--output-format")
            added += ["--output-format", "stream-json"]
            added += [] if command.verbose else ["--verbose"]
            if version >= FIRST_PARTIAL and option(args, "--include-partial-messages") is None:
                added.append("--include-partial-messages")
            if version >= FIRST_FORWARDING and option(args, "--forward-subagent-text") is None:
                added.append("--forward-subagent-text")
        command.forwards = option([*args, *added], "--forward-subagent-text") is not None
    # In front: after `--`, or a flag that takes many values, they would be read as something else.
    command.argv = [*command.argv[:first], *added, *args]


def _without(args: list[str], name: str) -> list[str]:
    kept: list[str] = []
    words = iter(args)
    for word in words:
        if word == "--":
            return [*kept, word, *words]
        if word == name:
            next(words, None)
        elif not word.startswith(f"{name}="):
            kept.append(word)
    return kept
