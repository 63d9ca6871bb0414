"""Nothing that an agent says reaches the terminal as anything but text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from unbraid.cli import main
from unbraid.cli.printer import Printer
from unbraid.events import Text
from unbraid.screen import HIDDEN, JOINERS, safe

HOSTILE = {
    "colour": "\x1b[31mred\x1b[0m",
    "clipboard": "\x1b]52;c;cm0gLXJmIC8=\x07",
    "title": "\x1b]0;owned\x1b\\",
    "one-byte CSI": "\x9b2J",
    "one-byte OSC": "\x9d0;owned\x9c",
    "backspace": "rm -rf /\x08\x08\x08\x08ls",
    "return": "safe\rEVIL",
    "bidi override": "user\u202etxt.exe",
    "bidi isolate": "\u2066abc\u2069",
    "marks": "\u200e\u200f\u061c",
    "delete": "\x7f",
    "nul": "a\x00b",
    "separator": "a\u2028b\u2029c",
}
ACTED_ON = {*range(0x20), *range(0x7F, 0xA0), 0x061C, 0x200E, 0x200F, 0xFEFF}
ACTED_ON |= {*range(0x2028, 0x202F), *range(0x2066, 0x206A)}
ACTED_ON -= {0x0A}


def said_everywhere(text: str) -> bytes:
    """A stream in which this text stands wherever an agent can put one."""
    ids = {"session_id": "s", "parent_tool_use_id": None}
    call = {"description": text, "prompt": text, "subagent_type": text}
    blocks: list[dict[str, Any]] = [
        {"type": "text", "text": text},
        {"type": "thinking", "thinking": text},
        {"type": "tool_use", "id": "toolu_1", "name": text, "input": {text: text}},
        {"type": "tool_use", "id": "toolu_2", "name": "Task", "input": call},
    ]
    records: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "cwd": text, "model": text, "tools": [text], **ids},
        {"type": "user", "message": {"content": text}, **ids},
    ]
    records += [
        {"type": "assistant", "message": {"id": "m", "content": [block]}, "uuid": str(n), **ids}
        for n, block in enumerate(blocks)
    ]
    ask = {"subtype": "can_use_tool", "tool_name": text, "input": {}, "tool_use_id": "toolu_1"}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": text, "is_error": True}
    records += [
        {"type": "control_request", "request_id": text, "request": ask},
        {"type": "user", "message": {"content": [result]}, "uuid": "r", **ids},
        {"type": "error", "error": text},
        {"type": text, "session_id": "s", "x": text},
        {"type": "result", "subtype": text, "result": text, **ids},
    ]
    return b"".join(json.dumps(record).encode() + b"\n" for record in records) + text.encode()


@pytest.mark.parametrize("options", [["cat"], ["tree"], ["tree", "--mermaid"], ["tree", "--dot"]])
@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_nothing_hostile_is_printed_raw(text: str, options: list[str], tmp_path: Path) -> None:
    path = tmp_path / "stream"
    path.write_bytes(said_everywhere(text))
    result = CliRunner().invoke(main, [*options, str(path)], catch_exceptions=False)
    assert result.exit_code == 0
    assert [c for c in result.stdout if ord(c) in ACTED_ON] == []


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_in_colour_only_our_own_escapes_are_printed(text: str, tmp_path: Path) -> None:
    path = tmp_path / "stream"
    path.write_bytes(said_everywhere(text))
    result = CliRunner().invoke(main, ["cat", str(path)], color=True, catch_exceptions=False)
    assert "\x1b[" in result.stdout
    without = result.stdout
    for code in ("0", "1", "2", "3", *(str(n) for n in range(30, 38))):
        without = without.replace(f"\x1b[{code}m", "")
    assert [c for c in without if ord(c) in ACTED_ON] == []


@pytest.mark.parametrize("command", [["cat", "--json"], ["cat", "--relay"], ["tree", "--json"]])
def test_json_escapes_what_a_terminal_acts_on(command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "stream"
    path.write_bytes(said_everywhere(HOSTILE["clipboard"]))
    result = CliRunner().invoke(main, [*command, str(path)], catch_exceptions=False)
    assert "\x1b" not in result.stdout
    assert "\x07" not in result.stdout


def test_a_name_that_is_hostile_is_safe_in_the_error_too() -> None:
    result = CliRunner().invoke(main, ["cat", HOSTILE["clipboard"]])
    assert result.exit_code == 3
    assert [c for c in result.stderr if ord(c) in ACTED_ON] == []


@given(st.text())
def test_safe_text_has_nothing_that_a_terminal_acts_on(text: str) -> None:
    assert [c for c in safe(text) if ord(c) in ACTED_ON - {0x09}] == []


SHAPELESS = [chr(code) for first, last in HIDDEN for code in range(first, last + 1)]
SHAPELESS += map(chr, JOINERS)
ORDINARY = st.characters(exclude_categories=["C", "Mn", "Me"], exclude_characters=SHAPELESS)


@given(st.text(ORDINARY))
def test_ordinary_text_is_left_as_it_is(text: str) -> None:
    assert safe(text) == text


def words(*deltas: tuple[int, str]) -> list[str]:
    printer = Printer()
    lines = []
    for seq, (stream, delta) in enumerate(deltas):
        event = Text(
            seq=seq, ts=0, stream_id=stream, depth=0, agent="a", delta=delta, message_id="", block=0
        )
        lines += list(printer.lines(event))
    return [line.partition("│ ")[2].replace("\x1b[0m", "") for line in lines]


def test_an_escape_cut_in_two_by_deltas_is_neutralised() -> None:
    assert "\x1b" not in "".join(words((0, "\x1b"), (0, "]52;c;x\x07\n")))
