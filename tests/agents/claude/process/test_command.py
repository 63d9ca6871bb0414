"""What is started in place of a person's command, and what they see of it."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from unbraid.agents.claude.process.command import (
    ClaudeCommand,
    StreamJsonRenderer,
    visible_command,
)

NEW, OLD, OLDEST = (2, 1, 325), (2, 0, 76), (1, 0, 50)


def test_text_is_rendered_from_a_stream_that_shows_everyone() -> None:
    command = visible_command(["claude", "-p", "Go.", "--model", "opus"], NEW)
    assert command.prints == "text"
    assert command.session is not None
    assert command.argv == [
        "claude", "--session-id", command.session, "--output-format", "stream-json", "--verbose",
        "--include-partial-messages", "--forward-subagent-text", "-p", "Go.", "--model", "opus",
    ]  # fmt: skip


def test_older_versions_get_what_they_know() -> None:
    old = visible_command(["claude", "-p", "Go."], OLD).argv
    assert "--forward-subagent-text" not in old
    assert "--include-partial-messages" in old
    oldest = visible_command(["claude", "-p", "Go."], OLDEST).argv
    assert oldest == ["claude", "--output-format", "stream-json", "--verbose", "-p", "Go."]


def test_a_person_who_asked_for_the_stream_gets_theirs() -> None:
    argv = ["claude", "-p", "Go.", "--output-format=stream-json", "--verbose"]
    command = visible_command(argv, NEW)
    assert command.prints == "raw"
    assert [word for word in command.argv if word not in ("--session-id", command.session)] == argv


def test_a_format_that_was_said_is_replaced_wherever_it_stands() -> None:
    command = visible_command(
        ["claude", "-p", "--output-format", "json", "--", "--output-format"], NEW
    )
    assert command.prints == "json"
    assert command.argv[-3:] == ["-p", "--", "--output-format"]
    assert command.argv.count("--output-format") == 2


def test_a_session_that_was_chosen_stays() -> None:
    given = "11111111-2222-4333-8444-555555555555"
    assert visible_command(["claude", "-p", "--resume", given, "x"], NEW).session == given
    assert visible_command(["claude", "-p", "--session-id", given, "x"], NEW).session == given
    continued = visible_command(["claude", "-p", "-c", "x"], NEW)
    assert (continued.session, continued.resumes) == (None, True)
    assert (
        visible_command(["claude", "-p", "--resume", given, "--fork-session"], NEW).session is None
    )


def test_what_draws_on_the_terminal_keeps_it() -> None:
    assert visible_command(["claude", "mcp", "list"], NEW) == ClaudeCommand(
        ["claude", "mcp", "list"], "claude", captured=False
    )


@pytest.mark.parametrize(
    ("args", "prompt", "rest"),
    [
        (["-p", "Go."], "Go.", ["-p"]),
        (["--print", "Go.", "--model", "m"], "Go.", ["--print", "--model", "m"]),
        (["-p", "--allowedTools", "A", "B", "--", "-x"], "-x", ["-p", "--allowedTools", "A", "B"]),
        (["-p", "--verbose", "Go."], "Go.", ["-p", "--verbose"]),
    ],
)  # fmt: skip
def test_a_prompt_is_taken_out_to_be_said(args: list[str], prompt: str, rest: list[str]) -> None:
    command = visible_command(["claude", *args], NEW, steered=True)
    assert (command.prompt, command.reads_stdin, command.prints) == (prompt, True, "text")
    added = ["--input-format", "stream-json", "--permission-prompt-tool", "stdio"]
    assert command.argv[-len(rest) - 4 :] == [*added, *rest]


@pytest.mark.parametrize(
    "args",
    [
        ["-p"],
        ["Go."],
        ["-c", "Go."],
        ["-p", "/compact"],
        ["-p", "--model", "opus"],
        ["-p", "--allowedTools", "A", "Go."],
        ["-p", "Go.", "--input-format", "text"],
        ["-p", "Go.", "--verbose", "or not"],
        ["-p", "--", "Go.", "more"],
    ],
)
def test_what_may_be_no_prompt_stays_where_it_is(args: list[str]) -> None:
    command = visible_command(["claude", *args], NEW, steered=True)
    assert command.prompt is None
    assert not command.reads_stdin
    assert command.argv == visible_command(["claude", *args], NEW).argv[:-0] or set(args) <= set(
        command.argv
    )


def rendered(command: ClaudeCommand, *lines: Mapping[str, object] | bytes) -> bytes:
    rendering = StreamJsonRenderer(command)
    given = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    return b"".join([*map(rendering.line, given), rendering.end()])


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        ({"subtype": "success", "result": "Done."}, b"Done.\n"),
        ({"subtype": "success", "result": "Done.\n"}, b"Done.\n"),
        ({"subtype": "error_during_execution"}, b"Execution error"),
        ({"subtype": "error_max_turns"}, b"Error: Reached max turns (3)"),
    ],
)
def test_text_is_the_last_result(result: dict[str, object], shown: bytes) -> None:
    command = visible_command(["claude", "-p", "x", "--max-turns", "3"], NEW)
    first = {"type": "result", "subtype": "success", "result": "Not yet."}
    assert rendered(command, {"type": "system"}, first, {"type": "result"} | result) == shown


def test_newer_versions_show_every_result() -> None:
    results = [
        {"type": "result", "subtype": "success", "result": words, "result_index": number}
        for number, words in enumerate(("First.", "Second."))
    ]
    assert rendered(visible_command(["claude", "-p", "x"], NEW), *results) == b"First.\n\nSecond.\n"


def test_json_is_the_result_and_with_verbose_everything_but_deltas() -> None:
    init, delta = {"type": "system"}, {"type": "stream_event"}
    result = {"type": "result", "result": "x"}
    plain = visible_command(["claude", "-p", "x", "--output-format", "json"], NEW)
    assert json.loads(rendered(plain, init, delta, result)) == result
    verbose = visible_command(["claude", "-p", "x", "--output-format", "json", "--verbose"], NEW)
    assert json.loads(rendered(verbose, init, delta, result)) == [init, result]


def test_words_that_are_no_line_of_the_protocol_are_seen_at_once() -> None:
    assert rendered(visible_command(["claude", "-p", "x"], NEW), b"warning: old node") == (
        b"warning: old node\n"
    )


def test_a_prompt_in_the_arguments_is_known_where_it_is_plain() -> None:
    def asked(*args: str) -> str | None:
        return visible_command(["claude", *args], (2, 1, 325)).asked

    assert asked("-p", "Go") == "Go"
    assert asked("-p", "--model", "x", "--", "Go") == "Go"
    assert asked("-p", "--model", "x", "Go") is None
    assert asked("-p", "/review") is None
    assert asked("-p", "--", "/review") is None
    assert asked() is None
