"""The lines written to Claude Code's stdin are those that real ones have accepted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.block_rows import RECORDINGS
from unbraid.agents.claude.process import stdin as claude_input

Json = dict[str, Any]


def accepted() -> list[Json]:
    """Every line in the recordings that a real Claude Code was told."""
    rows = []
    for path in sorted(RECORDINGS.glob("*/stdin.ndjson")):
        if not {"opencode", "codex"} & set(re.split(r"[.-]", path.parent.name)):
            rows += [json.loads(row)["line"] for row in path.read_bytes().splitlines()]
    return rows


def again(line: Json) -> bytes:
    """The same message, by our functions."""
    if line["type"] == "user":
        assert set(line) == {"type", "message", "parent_tool_use_id", "session_id"}
        return claude_input.prompt(line["message"]["content"][0]["text"], line["session_id"])
    if line["type"] == "control_response":
        answer = line["response"]["response"]
        request_id = line["response"]["request_id"]
        if answer["behavior"] == "allow":
            return claude_input.allow(request_id, answer["updatedInput"])
        return claude_input.deny(request_id, answer["message"])
    request = line["request"]
    match request["subtype"]:
        case "initialize":
            forward = request.get("forwardSubagentText", True)
            return claude_input.initialize(line["request_id"], forward_subagent_text=forward)
        case "interrupt":
            return claude_input.interrupt(line["request_id"])
    raise AssertionError(f"a message that we cannot write: {line}")


def test_every_kind_of_line_was_accepted_by_a_real_cli() -> None:
    output: list[Json] = [
        line.get("request") or line.get("response") or line for line in accepted()
    ]
    assert {line.get("subtype", "prompt") for line in output} == {
        "prompt",
        "initialize",
        "interrupt",
        "success",
    }


@pytest.mark.parametrize("line", accepted(), ids=lambda line: str(line["type"]))
def test_we_write_what_a_real_cli_has_accepted(line: Json) -> None:
    ours = json.loads(again(line))
    if line["type"] == "control_request" and line["request"]["subtype"] == "initialize":
        line["request"].setdefault("forwardSubagentText", True)
        line["request"].setdefault("hooks", None)
    assert ours == line


@pytest.mark.parametrize(
    ("written", "request_"),
    [
        (claude_input.stop_task("r", "a1"), {"subtype": "stop_task", "task_id": "a1"}),
        (
            claude_input.initialize("r", forward_subagent_text=False, hooks={"Stop": []}),
            {"subtype": "initialize", "forwardSubagentText": False, "hooks": {"Stop": []}},
        ),
    ],
)
def test_control_requests_name_themselves(written: bytes, request_: Json) -> None:
    wanted = {"type": "control_request", "request_id": "r", "request": request_}
    assert json.loads(written) == wanted


def test_a_prompt_may_be_blocks() -> None:
    blocks: list[Json] = [
        {"type": "text", "text": "look"},
        {"type": "image", "source": {"type": "url"}},
    ]
    message = json.loads(claude_input.prompt(blocks, "s1"))
    assert message["message"] == {"role": "user", "content": blocks}
    assert message["session_id"] == "s1"


WRITERS: list[Callable[[str], bytes]] = [
    claude_input.prompt,
    lambda text: claude_input.prompt("hi", text),
    lambda text: claude_input.deny("r", text),
    lambda text: claude_input.allow(text, {"command": text}),
    lambda text: claude_input.stop_task(text, text),
]


@given(st.text(), st.sampled_from(WRITERS))
def test_whatever_is_said_a_message_is_one_line(text: str, write: Callable[[str], bytes]) -> None:
    line = write(text)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert json.dumps(text)[1:-1] in json.dumps(json.loads(line))


def test_a_lone_surrogate_does_not_break_the_line() -> None:
    message = json.loads(claude_input.prompt("a\ud800b"))
    assert message["message"]["content"][0]["text"] == "a?b"
