"""`unbraid cat`: what the agents said, for eyes and for programs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.block_rows import CLEAN, RECORDINGS, judge, sources_of, stream_of
from unbraid import events as e
from unbraid.cli import EXIT_CODES, main
from unbraid.cli.cat import cat
from unbraid.errors import SourceError
from unbraid.record.sessions.sources import events_of, runs_of_sources

NESTED = RECORDINGS / "nested.plain-fwd.2.1.325"
STREAM = str(stream_of(NESTED))


def run(*args: str, given: bytes | None = None) -> str:
    result = CliRunner().invoke(main, ["cat", *args], input=given, catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


def test_json_is_the_log_one_event_a_line() -> None:
    (own,) = runs_of_sources([STREAM], {})
    printed = run("--json", STREAM)
    assert printed.encode() == b"".join(e.encode(event) + b"\n" for event in events_of(own))
    assert json.loads(printed.split("\n")[0])["type"] == "request_received"


def test_relay_is_what_the_translator_says_one_event_a_line() -> None:
    types = [json.loads(line)["type"] for line in run("--relay", STREAM).split("\n")[:-1]]
    assert {"session_meta", "text_delta", "tool_use", "sub_agent_spawned"} <= set(types)
    assert "stream_start" not in types


def test_of_two_shapes_the_last_one_counts() -> None:
    assert run("--relay", "--json", STREAM) == run("--json", STREAM)
    assert run("--json", "--relay", STREAM) == run("--relay", STREAM)


def test_several_sources_of_one_run_are_one_run() -> None:
    names = sources_of(NESTED, full=True)
    printed = run("--json", *names)
    assert printed.count('"type":"done"') == 1
    (own,) = runs_of_sources(names, {})
    assert judge(NESTED, events_of(own), full=True) == CLEAN


def test_every_agent_has_its_gutter() -> None:
    gutters = {line.split("│")[0].strip() for line in run(STREAM).splitlines()}
    assert gutters == {"0 main", "1 run mid", "2 run leaf"}


def test_every_text_is_printed_once_in_its_agents_gutter() -> None:
    printed = run(STREAM).splitlines()
    (own,) = runs_of_sources([STREAM], {})
    said = [event for event in events_of(own) if isinstance(event, e.Text)]
    assert said
    for event in said:
        found = [line for line in printed if line.endswith(f"│ {event.delta}")]
        assert len(found) == 1
        assert found[0].lstrip().startswith(f"{event.stream_id} ")


def test_a_dash_is_standard_input() -> None:
    assert run("-", given=Path(STREAM).read_bytes()) == run(STREAM)


def test_what_is_no_terminal_gets_no_colours() -> None:
    assert "\x1b" not in run(STREAM)


def test_several_runs_are_printed_one_after_the_other() -> None:
    other = str(stream_of(RECORDINGS / "single.plain.2.0.76"))
    assert run("--json", STREAM, other) == run("--json", STREAM) + run("--json", other)


@pytest.mark.parametrize("options", [[], ["--json"], ["--relay"]])
@pytest.mark.parametrize("content", [None, b"", b"Dear diary,\n", b"{}"])
@pytest.mark.parametrize("command", ["cat", "tree"])
def test_what_cannot_be_read_is_one_sentence_and_nothing_half_printed(
    command: str, content: bytes | None, options: list[str], tmp_path: Path
) -> None:
    if command == "tree" and "--relay" in options:
        options = ["--dot"]
    path = tmp_path / "source"
    if content is not None:
        path.write_bytes(content)
    # The good one first: it must not be printed either.
    result = CliRunner().invoke(main, [command, *options, STREAM, str(path)])
    assert result.exit_code == EXIT_CODES[SourceError]
    assert result.stdout == ""
    assert re.fullmatch(rf"unbraid: {re.escape(str(path))}: [^\n]+\n", result.stderr)


def test_no_source_is_the_callers_mistake() -> None:
    result = CliRunner().invoke(main, ["cat"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "SOURCE" in result.stderr


@pytest.mark.parametrize("command", ["cat", "tree"])
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_has_examples_and_every_option(command: str, option: str) -> None:
    text = CliRunner().invoke(main, [command, option]).stdout
    assert "Examples:" in text
    assert f"unbraid {command}" in text.partition("Examples:")[2]
    for each in main.get_command(None, command).params:  # type: ignore[arg-type, union-attr]
        assert any(name in text for name in each.opts) or "SOURCE" in text


def test_every_option_says_what_it_does() -> None:
    assert all(getattr(each, "help", "") or each.name == "sources" for each in cat.params)
