"""What of a line says where it belongs, and whose end it reports."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unbraid.agents.claude.heads import (
    NO_ENDING,
    Ending,
    ending_of,
    head_of,
    is_answer,
    line_order,
    uuids_in,
    workflow_line_order,
)
from unbraid.read.tracks import LineOrder

RESULT = {"type": "tool_result", "tool_use_id": "c", "content": "Done."}


def line(**record: Any) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode()


def test_a_line_that_is_wrong_in_one_place_keeps_the_rest() -> None:
    head = head_of(line(type="user", uuid="u", session_id=7, message={"content": [RESULT]}))
    assert (head.type, head.uuid, head.session_id) == ("user", "u", None)


@pytest.mark.parametrize("junk", [b"junk", b"", b"[]", b"\xff", b'{"message":7}'])
def test_a_line_that_cannot_be_read_has_nothing_in_its_head(junk: bytes) -> None:
    assert head_of(junk).type == ""
    assert not is_answer(junk)
    assert line_order(junk) == LineOrder()


def test_only_a_line_of_a_sidechain_follows_another() -> None:
    times: dict[str, Any] = {"timestamp": "1970-01-01T00:00:01.000Z", "parentUuid": "p"}
    assert line_order(line(uuid="u", **times)) == LineOrder(at=1000, key="u")
    side = line_order(line(uuid="u", isSidechain=True, **times))
    assert side == LineOrder(at=1000, key="u", chain=True, follows="p")


def test_an_answer_in_a_workflow_counts_from_when_it_was_asked_for() -> None:
    asked = line(type="user", timestamp=5000)
    answer = line(type="assistant", timestamp=9000)
    assert workflow_line_order(asked).at == 5000
    assert workflow_line_order(answer).at == 0
    assert line_order(answer).at == 9000


def test_the_last_id_in_a_line_is_its_own() -> None:
    quoting = line(type="progress", data={"message": {"uuid": "quoted"}}, uuid="own")
    assert uuids_in(quoting) == ["quoted", "own"]
    assert uuids_in(b"{}") == []


@pytest.mark.parametrize(
    ("reports", "record"),
    [
        (Ending("a1", certain=True), {"toolUseResult": {"status": "completed", "agentId": "a1"}}),
        (Ending(certain=True), {"toolUseResult": {"status": "async_launched", "agentId": "a1"}}),
        (Ending("a1"), {"tool_use_result": {"status": "completed", "agentId": "a1"}}),
        (
            Ending("a1"),
            {"subtype": "task_notification", "task_id": "a1", "status": "completed"},
        ),
        (
            Ending("a1", certain=True),
            {"text": "<task-notification><task-id>a1</task-id><status>completed</status>"},
        ),
        (Ending(call="c"), {"message": {"content": [RESULT]}}),
        (
            Ending("a2", "c"),
            {"message": {"content": [RESULT | {"content": "agentId: a2 (use SendMessage)"}]}},
        ),
        (NO_ENDING, {"message": {"content": [RESULT | {"content": "Async agent launched"}]}}),
        (NO_ENDING, {"message": {"content": [{"type": "text", "text": "completed"}]}}),
    ],
)
def test_whose_end_a_line_reports(reports: Ending, record: dict[str, Any]) -> None:
    assert ending_of(line(**record)) == reports


@pytest.mark.parametrize(
    ("answers", "record"),
    [
        (True, {"type": "assistant", "message": {"content": [{"type": "text"}]}}),
        (True, {"type": "assistant", "message": {"content": "Done."}}),
        (False, {"type": "assistant", "message": {"content": [{"type": "tool_use"}]}}),
        (False, {"type": "assistant", "message": {"content": []}}),
        (False, {"type": "user", "message": {"content": "Do it."}}),
    ],
)
def test_what_an_agent_says_at_the_end_is_no_call(*, answers: bool, record: dict[str, Any]) -> None:
    assert is_answer(line(**record)) is answers
