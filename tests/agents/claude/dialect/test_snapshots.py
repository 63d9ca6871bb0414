"""Cumulative lines are read at the cost of what is new, and give the same as read whole."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unbraid.agents.claude.dialect.snapshots import Snapshots
from unbraid.agents.claude.records import ClaudeRecord, decode
from unbraid.read.record import BAD_JSON


def line(content: list[dict[str, Any]], uuid: str, **message: Any) -> bytes:
    output = {"id": "msg_1", "role": "assistant", "content": content, "stop_reason": None} | message
    fields = {"type": "assistant", "message": output, "session_id": "s", "uuid": uuid}
    return json.dumps(fields, separators=(",", ":")).encode()


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def words(record: ClaudeRecord) -> list[str | None]:
    assert record.message is not None and isinstance(record.message.content, list)
    return [block.text for block in record.message.content]


def test_what_a_line_repeats_is_skipped() -> None:
    snapshots = Snapshots()
    blocks = [text(f"block {n}") for n in range(24)]
    for n in range(1, len(blocks) + 1):
        record = snapshots.decode(line(blocks[:n], str(n)))
        assert (record.skipped, words(record)) == (n - 1, [f"block {n - 1}"]), n
        assert record.uuid == str(n)


def test_a_last_block_that_has_grown_is_read_again() -> None:
    snapshots = Snapshots()
    snapshots.decode(line([text("a"), text("b")], "1"))
    record = snapshots.decode(line([text("a"), text("bcd"), text("e")], "2"))
    assert (record.skipped, words(record)) == (1, ["bcd", "e"])


def test_a_line_that_adds_nothing_is_all_skipped() -> None:
    snapshots = Snapshots()
    snapshots.decode(line([text("a"), text("b")], "1"))
    record = snapshots.decode(line([text("a"), text("b")], "2"))
    assert (record.skipped, words(record)) == (2, [])


def test_what_follows_the_blocks_may_change_its_length() -> None:
    snapshots = Snapshots()
    blocks = [text(f"block {n}") for n in range(8)]
    for n, tokens in enumerate((9, 9, 10, 1_000_000, 1, 1, 12), 1):
        used = line(blocks[:n], str(n), usage={"output_tokens": tokens})
        record = snapshots.decode(used)
        assert (record.skipped, words(record)) == (n - 1, [f"block {n - 1}"]), n
        assert record.message is not None and record.message.usage is not None
        assert record.message.usage.output_tokens == tokens


def test_a_line_that_is_cut_off_behind_its_blocks_is_no_record() -> None:
    snapshots = Snapshots()
    first = line([text("a")], "1")
    snapshots.decode(first)
    with pytest.raises(BAD_JSON):
        snapshots.decode(first[: first.index(b"]")])
    record = snapshots.decode(line([text("a"), text("b")], "2"))
    assert (record.skipped, words(record)) == (0, ["a", "b"])


@pytest.mark.parametrize(
    "second",
    [
        line([text("other")], "2"),
        line([text("a"), text("b")], "2", id="msg_2"),
        line([text("a"), text("b")], "2").replace(b'":', b'": '),
        b'{"type":"user","message":{"role":"user","content":"hi"},"uuid":"2"}',
    ],
)
def test_a_line_that_begins_differently_is_read_whole(second: bytes) -> None:
    snapshots = Snapshots()
    snapshots.decode(line([text("a")], "1"))
    record = snapshots.decode(second)
    assert record.skipped == 0
    assert record.message == decode(second).message


@pytest.mark.parametrize("other", [{"id": "msg_01_other"}, {"call": "toolu_1"}])
def test_another_message_that_begins_alike_is_read_whole(other: dict[str, str]) -> None:
    """Where the ids stand behind the blocks, a line begins like one of another message."""

    def line(words: list[str], *, id: str = "msg_01_first", call: str | None = None) -> bytes:
        message = {"role": "assistant", "content": [text(each) for each in words], "id": id}
        fields = {"type": "assistant", "message": message, "parent_tool_use_id": call}
        return json.dumps(fields, separators=(",", ":")).encode()

    snapshots = Snapshots()
    long = "words " * 20
    snapshots.decode(line([long]))
    assert snapshots.decode(line([long, "b"])).skipped == 1
    record = snapshots.decode(line([long, "b", "c"], **other))
    assert (record.skipped, words(record)) == (0, [long, "b", "c"])


def test_without_an_id_nothing_is_skipped() -> None:
    snapshots = Snapshots()
    snapshots.decode(line([text("a")], "1", id=None))
    assert snapshots.decode(line([text("a"), text("b")], "2", id=None)).skipped == 0


def test_a_marker_inside_a_call_does_no_harm() -> None:
    snapshots = Snapshots()
    sly = {"type": "tool_use", "id": "t", "name": "x", "input": {"content": [1], "stop_reason": 2}}
    tail = {"type": "tool_use", "id": "u", "name": "x", "input": {"a": [], "stop_reason": None}}
    contents = [
        [text("a")],
        [text("a"), sly],
        [text("a"), sly, tail],
        [text("a"), sly, tail, text("b")],
    ]
    said: list[str | None] = []
    for number, content in enumerate(contents):
        record = snapshots.decode(line(content, str(number)))
        assert record.message is not None and isinstance(record.message.content, list)
        said = said[: record.skipped] + [block.id or block.text for block in record.message.content]
    assert said == ["a", "t", "u", "b"]
