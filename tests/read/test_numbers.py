"""Numbers that fit nowhere, and nesting that nobody can follow: reported, and never a crash."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from unbraid.events import FleetEvent, FleetToolUse, decode_event, encode
from unbraid.fold.pipeline import Pipeline

NUMBERS = ["1e999", "-1e999", "9" * 30, "9" * 5000, "NaN", "Infinity", "-Infinity", "1e308"]

LINES = {
    "a call": '{"type":"assistant","session_id":"s","message":{"id":"m","content":'
    '[{"type":"tool_use","id":"t","name":"Bash","input":{"n":@}}]}}',
    "a broken call": '{"type":"assistant","session_id":"s","message":{"id":"m","content":'
    '[{"type":"tool_use","id":"t","name":"\\ud800","input":{"n":@}}]}}',
    "parts of a result": '{"type":"user","session_id":"s","message":{"content":'
    '[{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","n":@}]}]}}',
    "an unknown line": '{"type":"brand_new","n":@}',
    "a block of unknown type": '{"type":"assistant","session_id":"s","message":{"id":"m","content":'
    '[{"type":"brand_new","n":@},@]}}',
    "usage": '{"type":"assistant","session_id":"s","message":{"id":"m","content":'
    '[{"type":"text","text":"hi"}],"usage":{"input_tokens":@,"output_tokens":@}}}',
    "a result": '{"type":"result","subtype":"success","result":"hi","duration_ms":@,"num_turns":@,'
    '"total_cost_usd":@,"modelUsage":{"a":{"inputTokens":@},"b":{"inputTokens":@}}}',
    "a request": '{"type":"control_request","request_id":"r","request":'
    '{"subtype":"can_use_tool","tool_name":"Bash","input":{"n":@}}}',
    "a task": '{"type":"system","subtype":"task_progress","task_id":"a","usage":'
    '{"total_tokens":@,"tool_uses":@,"duration_ms":@}}',
    "a step of OpenCode's": '{"type":"step_finish","timestamp":@,"sessionID":"s","part":{"id":"p",'
    '"sessionID":"s","messageID":"m","type":"step-finish","cost":@,"tokens":{"input":@,"output":@,'
    '"reasoning":@,"cache":{"read":@,"write":@}}}}',
    "a call of OpenCode's": '{"type":"tool_use","timestamp":1,"sessionID":"s","part":{"id":"p",'
    '"sessionID":"s","messageID":"m","type":"tool","callID":"c","tool":"bash","state":{"status":'
    '"completed","input":{"n":@},"output":"x","time":{"start":-@,"end":@},"metadata":{"n":@}}}}',
}


def play(line: str) -> list[FleetEvent]:
    pipeline = Pipeline()
    return pipeline.feed(line.encode() + b"\n") + pipeline.finish()


def no_constant(name: str) -> Any:
    raise AssertionError(f"{name} is no JSON")


@pytest.mark.parametrize("number", NUMBERS, ids=lambda n: n[:9])
@pytest.mark.parametrize("line", LINES.values(), ids=list(LINES))
def test_a_number_that_fits_nowhere_is_reported_in_json_that_anyone_can_read(
    line: str, number: str
) -> None:
    for event in play(line.replace("@", number)):
        data = encode(event)
        # Whole, however many digits: what they are read into is the reader's matter.
        json.loads(data, parse_constant=no_constant, parse_int=str)
        again = decode_event(data)
        assert again.type == event.type
        _ = getattr(again, "input", None), getattr(again, "content", None)


@pytest.mark.parametrize("number", ["1e999", "9" * 5000, "NaN"], ids=lambda n: n[:9])
def test_what_no_number_can_hold_is_not_lost(number: str) -> None:
    for line in ("a call", "parts of a result", "an unknown line"):
        output = b"".join(map(encode, play(LINES[line].replace("@", number))))
        assert number.encode() in output, line


@pytest.mark.parametrize("number", ["1e999", "9" * 5000], ids=lambda n: n[:9])
def test_the_input_of_a_call_holds_it_as_text(number: str) -> None:
    [call] = [e for e in play(LINES["a call"].replace("@", number)) if isinstance(e, FleetToolUse)]
    assert call.input == {"n": number}


def test_input_that_is_nested_too_deep_for_its_reader_is_text() -> None:
    deep = "[" * 900 + "]" * 900
    [call] = [e for e in play(LINES["a call"].replace("@", deep)) if isinstance(e, FleetToolUse)]

    def read(frames: int) -> Any:
        return read(frames - 1) if frames else call.input

    found = read(sys.getrecursionlimit() // 2)
    # Python 3.14 counts the frames of C apart: there its reader reaches the bottom.
    whole = found if isinstance(found, str) else json.dumps(found, separators=(",", ":"))
    assert whole == f'{{"n":{deep}}}'
