"""Attack: an agent reports that it cost 1e308 dollars, or took 10**400 tokens.

Sums became infinite, a division of them ended `tree`, and JSON has no word for such numbers. What
cannot be true counts as not reported.
"""

from __future__ import annotations

import json

import msgspec
import pytest

from unbraid import events as e
from unbraid.fold.amounts import MAX_COUNT, MAX_DOLLARS
from unbraid.fold.pipeline import Pipeline
from unbraid.fold.tree import Tree

NUMBERS = ("1e308", "NaN", "Infinity", "-5", "-1e308", "1e999", "1" + "0" * 400, "true", '"x"')
SESSION = "11111111-2222-4333-8444-555555555555"


def lines(number: str) -> bytes:
    result = (
        f'{{"type":"result","subtype":"success","session_id":"{SESSION}","is_error":false,'
        f'"result":"ok","total_cost_usd":{number},"num_turns":{number},"duration_ms":{number},'
        f'"usage":{{"input_tokens":{number},"output_tokens":1}}}}\n'
    )
    message = (
        f'{{"type":"assistant","session_id":"{SESSION}","message":{{"id":"m{number[:9]}","role":'
        f'"assistant","content":[{{"type":"text","text":"Hi."}}],"usage":{{"input_tokens":{number},'
        f'"cache_read_input_tokens":{number},"output_tokens":{number}}}}}}}\n'
    )
    return (message + 3 * result).encode()


@pytest.mark.parametrize("number", NUMBERS)
def test_sums_stay_numbers(number: str) -> None:
    pipeline = Pipeline("claude")
    events = pipeline.feed(lines(number)) + pipeline.finish()
    tree = Tree(events)
    done = events[-1]
    assert isinstance(done, e.Done)
    assert 0 <= (done.cost_usd or 0.0) <= 10 * MAX_DOLLARS
    assert 0 <= done.input_tokens <= 10 * MAX_COUNT
    assert "main" in tree.to_text()
    for event in events:
        # As strict readers read it: `NaN` is no JSON.
        json.loads(msgspec.json.encode(event), parse_constant=pytest.fail)
