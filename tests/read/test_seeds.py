"""The worked examples of the documents that describe the protocol, line by line."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from unbraid import Translator, extract_content, fingerprint, parse_double_encoded, parse_line
from unbraid import events as e

SPEAKING = ("thinking_delta", "text_delta", "tool_use", "tool_result", "session_meta")


def line(value: dict[str, Any]) -> bytes:
    return msgspec.json.encode(value)


def assistant(*blocks: dict[str, Any]) -> bytes:
    return line({"type": "assistant", "message": {"content": list(blocks)}})


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def thinking(words: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": words}


def call(tool_id: str, name: str = "Bash", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": tool_id, "name": name, "input": given or {"x": 1}}


def results(*tool_ids: str) -> bytes:
    blocks = [{"type": "tool_result", "tool_use_id": i, "content": "ok"} for i in tool_ids]
    return line({"type": "user", "message": {"content": blocks}})


def said(events: list[e.RelayEvent]) -> list[tuple[str, str]]:
    """The events of the documents: their type, and the words or the call."""
    output = []
    for event in events:
        what = getattr(event, "delta", getattr(event, "tool_use_id", ""))
        if event.type in SPEAKING or event.type == "turn_complete":
            output.append((event.type, what))
    return output


def play(*lines: bytes) -> list[list[tuple[str, str]]]:
    translator = Translator()
    out = []
    for each in lines:
        record = parse_line(each)
        assert record is not None
        out.append(said(translator.translate(record)))
    return out


def test_three_consecutive_events() -> None:
    look, found = thinking("Let me look at the code..."), text("I found the issue.")
    edit = call("toolu_1", "Edit")
    assert play(assistant(look), assistant(look, found), assistant(look, found, edit)) == [
        [("thinking_delta", "Let me look at the code...")],
        [("text_delta", "I found the issue.")],
        [("tool_use", "toolu_1")],
    ]


def test_parallel_sub_agents_line_by_line() -> None:
    a = call("agent_a", "Agent", prompt="search", subagent_type="Explore")
    b = call("agent_b", "Agent", prompt="test", subagent_type="general-purpose")
    search, check = text("Agent A searching..."), text("Agent B testing...")
    assert play(
        line({"type": "system", "subtype": "init", "session_id": "s", "tools": []}),
        assistant(thinking("plan"), text("Both at once."), a, b),
        assistant(search),
        assistant(search, call("grep", "Grep")),
        assistant(check),
        assistant(check, call("bash")),
        results("grep", "bash"),
        results("agent_a", "agent_b"),
        assistant(text("Both done.")),
        line({"type": "result", "subtype": "success", "result": '"Both done."'}),
    ) == [
        [("session_meta", "")],
        [
            ("thinking_delta", "plan"),
            ("text_delta", "Both at once."),
            ("tool_use", "agent_a"),
            ("tool_use", "agent_b"),
        ],
        [("text_delta", "Agent A searching...")],
        [("tool_use", "grep")],
        [("text_delta", "Agent B testing...")],
        [("tool_use", "bash")],
        [("tool_result", "grep"), ("tool_result", "bash")],
        [("tool_result", "agent_a"), ("tool_result", "agent_b")],
        [("text_delta", "Both done.")],
        [("turn_complete", "")],
    ]


def test_the_two_sub_agents_are_distinguished_by_content() -> None:
    translator = Translator()
    a = call("agent_a", "Agent", prompt="search")
    b = call("agent_b", "Agent", prompt="test")
    contexts = {}
    for each in (
        assistant(text("Both."), a, b),
        assistant(text("Agent A searching...")),
        assistant(text("Agent B testing...")),
        assistant(text("Agent A searching..."), call("grep", "Grep")),
        assistant(text("Agent B testing..."), call("bash")),
        results("grep", "bash"),
        results("agent_a", "agent_b"),
        assistant(text("Both done.")),
    ):
        for event in translator.feed(each + b"\n"):
            if event.type in ("text_delta", "tool_use"):
                contexts[getattr(event, "delta", getattr(event, "tool_use_id", ""))] = event.context
    assert contexts["Agent A searching..."] == contexts["grep"] == "agent_a"
    assert contexts["Agent B testing..."] == contexts["bash"] == "agent_b"
    assert contexts["Both."] == contexts["Both done."] == ""


def test_sub_agent_b_is_not_dropped() -> None:
    assert play(
        assistant(thinking("t"), text("x"), call("agent", "Agent", prompt="p")),
        assistant(text("text_A")),
        assistant(text("text_B")),
    )[1:] == [[("text_delta", "text_A")], [("text_delta", "text_B")]]


def test_returning_to_an_agent_does_not_say_its_blocks_again() -> None:
    search = text("Searching...")
    assert play(
        assistant(thinking("plan...")),
        assistant(search),
        assistant(text("Running tests...")),
        assistant(search, call("grep", "Grep")),
    ) == [
        [("thinking_delta", "plan...")],
        [("text_delta", "Searching...")],
        [("text_delta", "Running tests...")],
        [("tool_use", "grep")],
    ]


def test_text_that_grows_in_place_yields_its_growth() -> None:
    assert play(
        assistant(thinking("Let me")),
        assistant(thinking("Let me look")),
        assistant(thinking("Let me look"), text("I fou")),
        assistant(thinking("Let me look"), text("I found it.")),
    ) == [
        [("thinking_delta", "Let me")],
        [("thinking_delta", " look")],
        [("text_delta", "I fou")],
        [("text_delta", "nd it.")],
    ]


def test_a_call_that_fills_in_place_is_reported_when_its_input_is_there() -> None:
    empty = {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}
    translator = Translator()
    output = []
    for each in (
        assistant(text("Look."), empty),
        assistant(text("Look."), empty),
        assistant(text("Look."), call("t", command="ls")),
        assistant(text("Look."), call("t", command="ls"), text("Done.")),
    ):
        events = translator.feed(each + b"\n")
        output.append([(x.type, x.input) for x in events if isinstance(x, e.ToolUse)])
    assert output == [[], [], [("tool_use", {"command": "ls"})], []]


@pytest.mark.parametrize("ending", ["result", "answer", "end", "next"])
def test_a_call_without_arguments_is_reported_at_the_latest_when_its_message_is_over(
    ending: str,
) -> None:
    empty = {"type": "tool_use", "id": "t", "name": "Done", "input": {}}
    translator = Translator()
    events = translator.feed(assistant(text("Look."), empty) + b"\n")
    if ending == "result":
        events += translator.feed(line({"type": "result", "subtype": "success"}) + b"\n")
    elif ending == "answer":
        events += translator.feed(results("t") + b"\n")
    elif ending == "next":
        events += translator.feed(assistant(text("Something else.")) + b"\n")
    else:
        events += translator.finish()
    assert [x.tool_use_id for x in events if isinstance(x, e.ToolUse)] == ["t"]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ('"The actual text here"', "The actual text here"),
        ("plain", "plain"),
        ('{"answer": 42}', '{"answer": 42}'),
        ('"cut off', '"cut off'),
        ('"a" and "b"', '"a" and "b"'),
        (None, ""),
        (7, "7"),
    ],
)
def test_double_encoded_results(given: Any, wanted: str) -> None:
    assert parse_double_encoded(given) == wanted


def test_a_double_encoded_result_line() -> None:
    translator = Translator()
    events = translator.feed(
        line({"type": "result", "subtype": "success", "result": '"The actual text here"'}) + b"\n"
    )
    assert isinstance(events[0], e.TurnComplete)
    assert events[0].result == "The actual text here"


def test_a_result_that_repeats_quoted_words_keeps_its_quotes() -> None:
    translator = Translator()
    words = '"The actual text here"'
    translator.feed(assistant(text(words)) + b"\n")
    events = translator.feed(
        line({"type": "result", "subtype": "success", "result": words}) + b"\n"
    )
    assert isinstance(events[-1], e.TurnComplete)
    assert events[-1].result == words


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        ("file contents here", "file contents here"),
        ([text("File edited successfully")], "File edited successfully"),
        (None, ""),
        (["2 + 2 = 4"], "2 + 2 = 4"),
        ([text("a"), {"type": "image", "source": {}}, "b"], "a\nb"),
    ],
)
def test_shapes_of_a_tool_results_content(content: Any, wanted: str) -> None:
    assert extract_content(content) == wanted
    block = {"type": "tool_result", "tool_use_id": "t", "content": content}
    events = Translator().feed(line({"type": "user", "message": {"content": [block]}}) + b"\n")
    assert isinstance(events[0], e.ToolResult)
    assert events[0].content == wanted


def test_a_missing_content_and_parts_that_are_not_text() -> None:
    image = {"type": "image", "source": {"data": "…"}}
    blocks = [
        {"type": "tool_result", "tool_use_id": "none"},
        {"type": "tool_result", "tool_use_id": "image", "content": [image]},
    ]
    events = Translator().feed(line({"type": "user", "message": {"content": blocks}}) + b"\n")
    assert [(x.content, x.parts) for x in events if isinstance(x, e.ToolResult)] == [
        ("", None),
        ("", [image]),
    ]


@pytest.mark.parametrize("field", ["thinking", "text"])
def test_thinking_sits_in_either_field(field: str) -> None:
    assert play(assistant({"type": "thinking", field: "Let me analyze..."})) == [
        [("thinking_delta", "Let me analyze...")]
    ]


@pytest.mark.parametrize(
    ("block", "wanted"),
    [
        (call("toolu_1"), "tool_use:toolu_1"),
        (thinking("x" * 70), "thinking:" + "x" * 64),
        ({"type": "thinking", "text": "in text"}, "thinking:in text"),
        (text("hello"), "text:hello"),
        ({"type": "tool_result", "tool_use_id": "t1"}, "tool_result:t1"),
        ({"type": "image"}, "image:unknown"),
    ],
)
def test_fingerprints(block: dict[str, Any], wanted: str) -> None:
    assert fingerprint(block) == wanted


TASK_RESULT = {
    "type": "user",
    "message": {
        "role": "user",
        "content": [
            {
                "tool_use_id": "toolu_014bmYNjTN754JKMTVXd9ijG",
                "type": "tool_result",
                "content": ["2 + 2 = 4"],
            }
        ],
    },
    "tool_use_result": {
        "status": "completed",
        "prompt": "What is 2+2?",
        "agentId": "a9a57a7",
        "totalDurationMs": 2710,
        "totalTokens": 40348,
    },
}


def test_a_completed_task_alone_announces_its_agent() -> None:
    events = Translator().feed(line(TASK_RESULT) + b"\n")
    spawned = next(x for x in events if isinstance(x, e.SubAgentSpawned))
    ended = next(x for x in events if isinstance(x, e.SubAgentEnded))
    result = next(x for x in events if isinstance(x, e.ToolResult))
    assert spawned.agent_id == ended.agent_id == "a9a57a7"
    assert spawned.prompt == "What is 2+2?"
    assert spawned.parent_tool_id == "toolu_014bmYNjTN754JKMTVXd9ijG"
    assert result.content == ended.content == "2 + 2 = 4"


def test_the_type_comes_from_the_call() -> None:
    translator = Translator()
    task = call(
        "toolu_014bmYNjTN754JKMTVXd9ijG",
        "Task",
        prompt="What is 2+2?",
        subagent_type="general-purpose",
    )
    events = translator.feed(assistant(task) + b"\n" + line(TASK_RESULT) + b"\n")
    spawned = [x for x in events if isinstance(x, e.SubAgentSpawned)]
    assert [s.subagent_type for s in spawned] == ["general-purpose"]
    meta = next(x for x in events if isinstance(x, e.SessionMeta))
    assert (meta.context, meta.agent_id) == (spawned[0].context, "a9a57a7")


def test_the_opencode_task_part() -> None:
    record = {
        "type": "tool_use",
        "timestamp": 1766901159273,
        "sessionID": "ses_49c7c7eb8ffev6NZJAKSt5p48e",
        "part": {
            "tool": "task",
            "type": "tool",
            "callID": "call_1",
            "state": {
                "status": "completed",
                "input": {
                    "description": "Search CLI files",
                    "prompt": "Search the codebase for...",
                    "subagent_type": "explore",
                },
                "output": "...",
                "metadata": {"sessionId": "ses_49c7c5e7bffeI3pI0nEWWAO4p9"},
            },
        },
    }
    parsed = parse_line(line(record))
    assert parsed is not None
    events = Translator().translate(parsed)
    spawned = next(x for x in events if isinstance(x, e.SubAgentSpawned))
    assert spawned.agent_id == "ses_49c7c5e7bffeI3pI0nEWWAO4p9"
    assert spawned.prompt == "Search the codebase for..."
    assert spawned.subagent_type == "explore"
    assert spawned.parent_tool_id == "call_1"
    assert any(isinstance(x, e.SubAgentEnded) and x.ok for x in events)
