"""A person's command line, what is started in its place so that every agent can be seen, and what
that would have printed.

Only options that make agents visible are added, only if the version has them, and never against the
person's own options. A person who asked for `stream-json` gets exactly what their command prints;
the words of sub-agents then come from the transcripts alone.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from unbraid.agents.claude.heads import ProcessHead, process_head
from unbraid.agents.command_line import arguments_at, option
from unbraid.agents.port import Command
from unbraid.system.versions import Release

KIND = "claude"

# The releases since which Claude Code has certain features.
FIRST_SESSION_ID: Release = (1, 0, 54)
FIRST_PARTIAL: Release = (1, 0, 109)
FIRST_TOOLS: Release = (2, 0, 76)
FIRST_WITHOUT_HISTORY: Release = (2, 0, 76)
FIRST_FILE_PER_AGENT: Release = (2, 0, 0)
FIRST_NESTING: Release = (2, 1, 0)
FIRST_FORWARDING: Release = (2, 1, 211)

# Options of Claude Code that bring a session of their own.
_SESSION_GIVEN = ("--session-id", "--resume", "-r", "--continue", "-c", "--from-pr")

# Those of its flags that take no value and often stand before the prompt.
_FLAGS = (
    "-p", "--print", "-c", "--continue", "--verbose", "--dangerously-skip-permissions",
    "--include-partial-messages", "--forward-subagent-text", "--fork-session",
)  # fmt: skip


class ClaudeCommand(Command):
    """A command that starts Claude Code: whether the person wanted all of its JSON, and whether it
    prints what sub-agents say.
    """

    verbose: bool = False
    forwards: bool = False


def arguments_of(argv: Sequence[str]) -> int | None:
    """Returns where the arguments of Claude Code begin; None if a command does not start it."""
    return arguments_at(argv, _is_program)


def visible_command(
    argv: Sequence[str], version: Release, *, steered: bool = False
) -> ClaudeCommand:
    """Returns the command to start in place of this one; `steered`, one that listens, if that can
    be.
    """
    first = arguments_of(argv)
    assert first is not None
    command = ClaudeCommand(list(argv), KIND)
    place = _prompt_place(command.argv[first:])
    if place is not None and not command.argv[first + place].startswith("/"):
        command.asked = command.argv[first + place]
    if steered:
        _listen(command, first)
    _make_visible(command, first, version)
    return command


def _is_program(word: str) -> bool:
    name = Path(word).name
    return name in ("claude", "claude.exe") or (name == "cli.js" and "claude-code" in word)


def _listen(command: Command, first: int) -> None:
    """Takes the prompt out of the arguments, if it is clear which of them it is."""
    args = command.argv[first:]
    place = _prompt_place(args)
    prints = option(args, "--print", "-p") is not None
    if place is None or not prints or option(args, "--input-format") is not None:
        return
    command.prompt = args.pop(place)
    if args[-1] == "--":
        args.pop()
    added = ["--input-format", "stream-json"]
    if option(args, "--permission-prompt-tool") is None:
        added += ["--permission-prompt-tool", "stdio"]
    command.argv = [*command.argv[:first], *added, *args]


def _prompt_place(args: list[str]) -> int | None:
    """Returns where the prompt stands: right after a flag that takes no value, or alone
    after `--`.
    """
    if "--" in args:
        place = args.index("--") + 1
        return place if place == len(args) - 1 else None
    places = [
        number
        for number, (before, word) in enumerate(pairwise(args), 1)
        if before in _FLAGS and not word.startswith("-")
    ]
    # A word that begins with a slash may be a command, which is no prompt.
    return places[0] if len(places) == 1 and not args[places[0]].startswith("/") else None


def _make_visible(command: ClaudeCommand, first: int, version: Release) -> None:
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
        command.reads_stdin = option(args, "--input-format") == "stream-json"
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


# --- what is printed ---

# What `--output-format json --verbose` leaves out.
_LEFT_OUT = ("stream_event", "keep_alive")


class StreamJsonRenderer:
    """Takes the lines of `stream-json`; gives the bytes of `text` or `json` when they are due."""

    def __init__(self, command: ClaudeCommand) -> None:
        self._command = command
        self._all: list[bytes] = []
        self._results: list[ProcessHead] = []
        self._last = b""

    def line(self, line: bytes) -> bytes:
        read = process_head(line)
        if read is None:
            # Some wrapper's own words, which the person would have seen.
            return line + b"\n" if line.strip() else b""
        if read.type == "result":
            self._last = line
            if read.result_index is None:
                # Older versions show the last one only.
                self._results.clear()
            self._results.append(read)
        left_out = read.type in _LEFT_OUT or read.type.startswith("control_")
        if self._command.prints == "json" and self._command.verbose and not left_out:
            self._all.append(line)
        return b""

    def end(self) -> bytes:
        if not self._last:
            return b""
        if self._command.prints == "json":
            return (b"[" + b",".join(self._all) + b"]" if self._all else self._last) + b"\n"
        return "\n".join(map(self._text, self._results)).encode("utf-8", "replace")

    def exit_code(self, code: int) -> int:
        return code

    def _text(self, result: ProcessHead) -> str:
        match result.subtype:
            case "success":
                return (result.result or "").removesuffix("\n") + "\n"
            case "error_max_turns":
                return f"Error: Reached max turns ({self._limit('--max-turns')})"
            case "error_max_budget_usd":
                return f"Error: Exceeded USD budget ({self._limit('--max-budget-usd')})"
            case "error_max_structured_output_retries":
                return "Error: Failed to provide valid structured output after maximum retries"
            case _:
                return "Execution error"

    def _limit(self, name: str) -> str:
        return option(self._command.argv, name) or ""
