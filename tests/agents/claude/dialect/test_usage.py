"""What counts, and when: each message once, as soon as its numbers are final."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unbraid.agents.claude.transcript import copied_line, session_line
from unbraid.events import RelayEvent, SessionMeta, TokenUsage
from unbraid.read.translator import Translator

SESSION = "11111111-2222-4333-8444-555555555555"


def line(number: int, kind: str, *, agent: str | None = None, **given: Any) -> bytes:
    """A line of a transcript."""
    about = {
        "parentUuid": None,
        "isSidechain": agent is not None,
        "type": kind,
        "uuid": f"{number:08}-0000-4000-8000-000000000000",
        "timestamp": f"2026-11-15T07:14:{number:02}.000Z",
        "sessionId": SESSION,
    }
    return json.dumps(about | ({"agentId": agent} if agent else {}) | given).encode() + b"\n"


def answer(number: int, said: int, *, stop: str | None, block: Any = None, **given: Any) -> bytes:
    """A message's line; messages have the number of their tens."""
    message = {
        "id": f"msg_{number // 10}",
        "model": "claude-opus-5-5",
        "content": [block or {"type": "text", "text": f"word {number}"}],
        "stop_reason": stop,
        "usage": {
            "input_tokens": 100,
            "output_tokens": said,
            "cache_creation_input_tokens": 7,
            "cache_creation": {"ephemeral_1h_input_tokens": 5},
        },
    }
    return line(number, "assistant", message=message, **given)


def used(events: list[RelayEvent]) -> list[tuple[str, str, int, bool]]:
    return [
        (event.context, event.message_id, event.output_tokens, event.estimated)
        for event in events
        if isinstance(event, TokenUsage)
    ]


def test_a_message_counts_as_soon_as_its_record_says_why_it_has_stopped() -> None:
    translator = Translator()
    events = translator.feed(answer(10, 3, stop="end_turn"), "main")
    assert used(events) == [("", "msg_1", 3, False)]
    (usage,) = [event for event in events if isinstance(event, TokenUsage)]
    assert (usage.cache_creation_tokens, usage.cache_1h_tokens) == (7, 5)
    # Its other blocks have the same usage: nothing counts twice.
    assert used(translator.feed(answer(11, 3, stop="end_turn"), "main")) == []
    assert used(translator.finish()) == []


def test_a_message_without_final_numbers_waits_and_counts_as_an_estimate() -> None:
    translator = Translator()
    assert used(translator.feed(answer(10, 1, stop=None), "main")) == []
    assert used(translator.feed(answer(20, 5, stop="end_turn"), "main")) == [
        ("", "msg_1", 1, True),
        ("", "msg_2", 5, False),
    ]


def printed(written: bytes) -> bytes:
    """The line of stdout of one of a transcript, which has no final numbers."""
    record = json.loads(written)
    record["message"]["stop_reason"], record["message"]["usage"]["output_tokens"] = None, 1
    about = {"parent_tool_use_id": None, "session_id": SESSION}
    kept = ("type", "uuid", "message")
    return json.dumps({name: record[name] for name in kept} | about).encode() + b"\n"


MESSAGES = [answer(10 * number, 10 + number, stop="end_turn") for number in range(1, 10)]
FINAL = [("", f"msg_{number}", 10 + number, False) for number in range(1, 10)]
RESULT = json.dumps({"type": "result", "subtype": "success", "session_id": SESSION}).encode()
ABOUT = session_line(SESSION, cwd="/app", version="2.1.300", started_ms=1)


@pytest.mark.parametrize("behind", [1, 2, 3])
def test_messages_of_a_followed_session_count_with_the_numbers_of_its_transcript(
    behind: int,
) -> None:
    """However far that is behind stdout; at most two messages until its first line has come."""
    translator = Translator()
    events = translator.feed(ABOUT, "about")
    for number, message in enumerate(MESSAGES):
        if number >= min(behind, 2):
            before = MESSAGES[max(number - behind, 0)]
            events += translator.feed(before, "main")
        events += translator.feed(printed(message), "stdout")
        events += translator.feed(RESULT + b"\n", "stdout")
    for message in MESSAGES[-behind:]:
        events += translator.feed(message, "main")
    events += translator.finish()
    assert used(events) == FINAL


def test_a_session_that_writes_no_transcript_is_counted_soon() -> None:
    translator = Translator()
    events = translator.feed(ABOUT, "about")
    for number, message in enumerate(MESSAGES, 1):
        events += translator.feed(printed(message), "stdout")
        assert len(used(events)) == max(number - 3, 0)
    events += translator.finish()
    assert used(events) == [(*each[:2], 1, True) for each in FINAL]


def test_lines_of_copied_messages_say_nothing_of_those_that_are_printed() -> None:
    """A forked session first has what was said before."""
    translator = Translator()
    copied, (first, second, *_) = MESSAGES[5:], MESSAGES
    events = translator.feed(copied_line([f"msg_{n}" for n in range(6, 10)]), "copied")
    events += translator.feed(ABOUT, "about") + translator.feed(printed(first), "stdout")
    for message in (*copied, first):
        events += translator.feed(message, "main")
    events += translator.feed(printed(second), "stdout") + translator.feed(second, "main")
    assert used(events) == FINAL[:2]


def test_copied_records_are_said_and_not_counted() -> None:
    translator = Translator()
    mark = {"sessionId": "another", "messageUuid": "x"}
    events = translator.feed(answer(10, 3, stop="end_turn", forkedFrom=mark), "main")
    assert [event.type for event in events] == ["text_delta"]
    assert used(translator.feed(answer(20, 5, stop="end_turn"), "main")) == [
        ("", "msg_2", 5, False)
    ]
    assert used(translator.finish()) == []


def test_what_a_sub_agents_transcript_was_never_given_comes_from_its_parent() -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "Task", "input": {"prompt": "Go."}}
    report: dict[str, Any] = {
        "status": "completed",
        "agentId": "a1",
        "prompt": "Go.",
        "content": [],
    }
    report["usage"] = {"input_tokens": 100, "output_tokens": 44}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1"}]}
    translator = Translator()
    events = translator.feed(answer(10, 3, stop="tool_use", block=call), "main")
    prompt = {"role": "user", "content": "Go."}
    events += translator.feed(line(11, "user", agent="a1", message=prompt), "agent")
    events += translator.feed(answer(20, 1, stop=None, agent="a1"), "agent")
    events += translator.feed(line(30, "user", message=result, toolUseResult=report), "main")
    assert [each[1:] for each in used(events)] == [("msg_1", 3, False), ("msg_2", 44, False)]


def cost_state(**given: Any) -> bytes:
    model = {"inputTokens": 100, "outputTokens": 3, "cacheCreationInputTokens": 7}
    record = {"type": "cost-state", "sessionId": SESSION, "totalCostUSD": 0.25}
    return json.dumps(record | {"modelUsage": {"m": model}} | given).encode() + b"\n"


def test_a_sessions_own_account_is_reported() -> None:
    translator = Translator()
    translator.feed(answer(10, 3, stop="end_turn"), "main")
    (meta,) = translator.feed(cost_state(), "main")
    assert isinstance(meta, SessionMeta)
    assert (meta.cost_usd, meta.input_tokens, meta.cache_creation_tokens) == (0.25, 100, 7)


def test_an_account_that_is_a_guess_or_of_more_than_this_run_is_left_out() -> None:
    translator = Translator()
    assert translator.feed(cost_state(), "main") == []
    translator.feed(answer(10, 3, stop="end_turn"), "main")
    assert translator.feed(cost_state(hasUnknownModelCost=True), "main") == []
    much = {"m": {"inputTokens": 1_000_000}}
    assert translator.feed(cost_state(modelUsage=much), "main") == []
