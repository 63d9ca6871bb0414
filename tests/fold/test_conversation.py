"""One fold for every face: whole blocks, calls with their results, and nothing that is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from tests.block_rows import FOLDERS, stream_of
from unbraid import events as e
from unbraid.cli.printer import Printer
from unbraid.fold.conversation import Item, ItemLimits, RunConversation, StreamConversation
from unbraid.fold.pipeline import Pipeline
from unbraid.log.fold import SearchBlocks
from unbraid.tui.item_renderer import render_item

ROOT: dict[str, Any] = {"stream_id": 0, "depth": 0, "agent": "main"}
CHILD: dict[str, Any] = {"stream_id": 1, "depth": 1, "agent": "helper"}


def numbered(*events: tuple[type[e.FleetEvent], dict[str, Any]]) -> list[e.FleetEvent]:
    return [kind(seq=i, ts=1000 + i, **fields) for i, (kind, fields) in enumerate(events, 1)]


def words(message: str, block: int, delta: str) -> tuple[type[e.FleetEvent], dict[str, Any]]:
    return e.Text, {**ROOT, "message_id": message, "block": block, "delta": delta}


def items_of(events: list[e.FleetEvent], stream_id: int = 0) -> list[Item]:
    run = RunConversation()
    for event in events:
        run.apply(event)
    return run.streams[stream_id].items


BEGIN = (
    (e.RequestReceived, {**ROOT, "source": "test", "prompt": "Go"}),
    (e.StreamStart, {**ROOT, "parent_stream_id": None, "prompt": "Go"}),
)
USE = {**ROOT, "tool_use_id": "t", "tool": "Bash", "input_json": Raw(b'{"command":"ls"}')}
RESULT = {**ROOT, "tool_use_id": "t", "ok": True, "content_json": Raw(b'"a.txt"')}
ASKED = {**ROOT, "request_id": "r", "tool": "Bash", "input_json": Raw(b'{"command":"rm x"}')}
# One of everything that a face shows, with a word by which it can be recognized.
EVERYTHING = numbered(
    *BEGIN,
    words("m", 0, "wrong words"),
    (e.FleetPermissionAsked, ASKED),
    (e.FleetPermissionReplied, {**ROOT, "request_id": "r", "behavior": "deny", "by": "Ann"}),
    (e.FleetToolUse, USE),
    (e.FleetToolResult, RESULT),
    (e.FleetRetracted, {**ROOT, "message_ids": ["m"]}),
    (e.FleetError, {**ROOT, "message": "overloaded"}),
    (e.FleetMalformed, {**ROOT, "raw": "{brok", "reason": "cut short", "offset": 77}),
    (e.FleetUnrecognized, {**ROOT, "raw": Raw(b'{"type":"novelty"}')}),
    (e.FleetTurnComplete, {**ROOT, "ok": False, "subtype": "error_max_turns"}),
    (e.SubAgentResponse, {**ROOT, "content": "the answer"}),
    (e.ToolCall, {**ROOT, "tool": "parallel", "ok": True}),
    (e.StreamEnd, {**ROOT, "ok": False, "reason": "interrupted"}),
)
SIGNS = (
    "Go", "wrong words", "Bash", "rm x", "denied", "Ann", "ls", "a.txt", "retracted", "overloaded",
    "byte 77", "cut short", "{brok", "novelty", "error_max_turns", "the answer", "parallel",
    "interrupted",
)  # fmt: skip


def test_blocks_calls_and_requests_are_joined() -> None:
    items = items_of(EVERYTHING)
    assert [item.kind for item in items] == [
        "prompt", "text", "permission", "tool", "retracted", "error", "malformed", "unrecognized",
        "turn", "response", "tool", "end",
    ]  # fmt: skip
    prompt, text, permission, call = items[:4]
    assert (prompt.seq, prompt.text) == (2, "Go")
    assert (text.text, text.retracted, text.last_seq) == ("wrong words", True, 8)
    assert (permission.behavior, permission.by, permission.last_seq) == ("deny", "Ann", 5)
    assert (call.result, call.ok, call.duration_ms, call.last_seq) == ("a.txt", True, 1, 7)


def test_the_terminal_view_and_the_printed_lines_show_every_item() -> None:
    printer = Printer()
    printed = "\n".join(click.unstyle(x) for event in EVERYTHING for x in printer.lines(event))
    shown = "\n".join(
        x.plain for item in items_of(EVERYTHING) for x in render_item(item, 100, whole=True)
    )
    served = msgspec.json.encode(items_of(EVERYTHING)).decode()
    assert [sign for sign in SIGNS if sign not in printed] == []
    assert [sign for sign in SIGNS if sign not in shown] == []
    own = {"byte 77": '"offset":77', "denied": '"behavior":"deny"', "{brok": "{brok"}
    assert [sign for sign in SIGNS if own.get(sign, sign) not in served] == []


def test_the_search_index_holds_what_was_said_asked_for_and_reported() -> None:
    blocks = SearchBlocks()
    said = [each for event in EVERYTHING for each in blocks.feed(event)]
    assert {(each.kind, each.seq, each.text) for each in said} == {
        ("prompt", 2, "Go"),
        ("text", 3, "wrong words"),
        ("permission", 4, 'Bash {"command":"rm x"}'),
        ("tool_use", 6, 'Bash {"command":"ls"}'),
        ("error", 9, "overloaded"),
        ("malformed", 10, "{brok"),
        ("response", 13, "the answer"),
    }


def test_a_record_in_the_middle_of_a_block_does_not_cut_it_for_the_search() -> None:
    blocks, raw = SearchBlocks(), (e.FleetUnrecognized, {**ROOT, "raw": Raw(b"{}")})
    events = numbered(
        words("m", 0, "a nee"), raw, (e.FleetError, {**ROOT, "message": "late"}),
        (e.FleetToolResult, RESULT), words("m", 0, "dle"),
        (e.StreamEnd, {**ROOT, "ok": True, "reason": "completed"}),
    )  # fmt: skip
    said = [each for event in events for each in blocks.feed(event)]
    assert [each.text for each in said] == ["late", "a needle"]


def test_a_prompt_that_differs_from_the_request_is_a_second_one() -> None:
    start = (e.StreamStart, {**ROOT, "parent_stream_id": None, "prompt": "Other"})
    items = items_of(numbered(BEGIN[0], start))
    assert [(item.seq, item.text) for item in items] == [(1, "Go"), (2, "Other")]


def test_a_call_knows_the_stream_that_it_started() -> None:
    start = {**CHILD, "parent_stream_id": 0, "tool_use_id": "t", "prompt": "Look", "resumes": 7}
    events = numbered(
        *BEGIN, (e.FleetToolUse, USE), (e.StreamStart, start), (e.FleetToolResult, RESULT)
    )
    assert items_of(events)[1].child == 1
    assert [(item.text, item.resumes) for item in items_of(events, 1)] == [("Look", 7)]
    alone = StreamConversation(children={"t": 1})
    alone.feed(event for event in events if event.stream_id == 0)
    assert alone.items[1].child == 1


def test_results_and_answers_whose_beginning_is_unknown_are_items_of_their_own() -> None:
    replied = {**ROOT, "request_id": "r", "behavior": "allow"}
    items = items_of(numbered((e.FleetToolResult, RESULT), (e.FleetPermissionReplied, replied)))
    assert [(item.kind, item.tool, item.result) for item in items] == [
        ("tool", "result", "a.txt"),
        ("permission", None, None),
    ]


def test_limits_keep_the_beginning_and_count_the_rest() -> None:
    limits = ItemLimits(text_chars=4, result_chars=2, input_bytes=3)
    conversation = StreamConversation(limits=limits)
    image = {"type": "image", "data": "x" * 1000}
    conversation.feed(
        numbered(
            words("m", 0, "abc"),
            words("m", 0, "def"),
            (e.FleetToolUse, USE),
            (e.FleetToolResult, {**RESULT, "parts": [image]}),
        )
    )
    text, call = conversation.items
    assert (text.text, text.left_out) == ("abcd", 2)
    assert (call.input, call.result, call.left_out) == ('{"c…', "a.", 3)
    assert call.parts == [{"type": "image"}]


DELTAS = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 2), st.text(max_size=5), st.booleans()),
    max_size=60,
)


@given(DELTAS)
def test_every_block_is_the_sum_of_its_deltas_whenever_someone_looks(
    deltas: list[tuple[str, int, str, bool]],
) -> None:
    conversation, truth = StreamConversation(), dict[tuple[str, int], str]()
    events = numbered(*(words(message, block, delta) for message, block, delta, _ in deltas))
    for event, (message, block, delta, looks) in zip(events, deltas, strict=True):
        conversation.apply(event)
        truth[message, block] = truth.get((message, block), "") + delta
        if looks:
            assert [item.text for item in conversation.items] == list(truth.values())
    assert [item.text for item in conversation.items] == list(truth.values())


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_delta_of_a_recording_is_in_one_item_and_in_the_index(folder: Path) -> None:
    pipeline = Pipeline()
    events = pipeline.feed(stream_of(folder).read_bytes()) + pipeline.finish()
    run, blocks = RunConversation(), SearchBlocks()
    indexed = [said for event in events for said in blocks.feed(event)]
    truth: dict[tuple[int, str, str, int], str] = {}
    for event in events:
        run.apply(event)
        if isinstance(event, e.Text | e.Thinking):
            key = (event.stream_id, event.type, event.message_id, event.block)
            truth[key] = truth.get(key, "") + event.delta
    shown = [
        (stream_id, item.kind, item.message_id, item.text)
        for stream_id, stream in run.streams.items()
        for item in stream.items
        if item.kind in ("text", "thinking")
    ]
    assert sorted(shown) == sorted((k[0], k[1], k[2], text) for k, text in truth.items())
    joined = "".join(each.text for each in indexed if each.kind in ("text", "thinking"))
    assert sorted(joined) == sorted("".join(truth.values()))
