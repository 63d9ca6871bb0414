"""The seed's example, and what a request promises, on a scripted model."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.orchestrate.fleets import APIS, command_results, fleet, of, played, shape, text_of
from unbraid import events as e
from unbraid.testing import ScriptedUsage, say

CITIES = {"researcher_a": "Paris", "researcher_b": "Berlin", "researcher_c": "Rome"}


@pytest.mark.parametrize("backend", APIS)
async def test_the_seeds_example(backend: str) -> None:
    asked = "\n".join(f"/agent {name} [[{name}]] Which city?" for name in CITIES)
    agents = {
        "main": [
            say(f"Plan: fan out three.\n/parallel\n{asked}\n/endparallel\n"),
            say("Paris, Berlin, and Rome are the capitals that were asked for. " * 4),
        ],
        **{
            name: [say(f"RESULT: {city}, as everybody knows. " * 10, chunk_delay_seconds=0.001)]
            for name, city in CITIES.items()
        },
    }
    events, model = await played(agents, fleet(*CITIES), backend=backend)
    starts = [event for event in events if isinstance(event, e.StreamStart)]
    assert [(s.stream_id, s.depth, s.agent, s.parent_stream_id) for s in starts] == [
        (0, 0, "index", None),
        (1, 1, "researcher_a", 0),
        (2, 1, "researcher_b", 0),
        (3, 1, "researcher_c", 0),
    ]
    assert shape(of(events, 0)) == [
        "request_received", "stream_start", "agent_start", "text",
        "tool_call", "token_usage", "text", "token_usage", "stream_end", "done",
    ]  # fmt: skip
    for stream in (1, 2, 3):
        assert shape(of(events, stream)) == [
            "stream_start", "agent_start", "text", "sub_agent_response", "token_usage",
            "stream_end",
        ]  # fmt: skip
    # All have begun before the first is done, and their words arrive mixed.
    children = [event.stream_id for event in events if isinstance(event, e.Text) and event.depth]
    assert sum(one != other for one, other in pairwise(children)) > 5
    assert text_of(events) == (
        "→ delegating: researcher_a, researcher_b, researcher_c\n"
        + "Paris, Berlin, and Rome are the capitals that were asked for. " * 4
    )
    for number, (name, city) in enumerate(CITIES.items(), 1):
        assert text_of(events, number) == f"RESULT: {city}, as everybody knows. " * 10
        (response,) = [x for x in of(events, number) if isinstance(x, e.SubAgentResponse)]
        assert response.content == text_of(events, number)
        assert response.agent == name
    told_back = command_results(model)
    assert told_back.startswith("[/parallel 3 children]\n[1/3 researcher_a]\nRESULT: Paris")
    assert told_back.endswith("\n[END PARALLEL]")
    assert told_back.index("Paris") < told_back.index("Berlin") < told_back.index("Rome")
    call = next(event for event in events if isinstance(event, e.ToolCall))
    assert (call.tool, call.ok) == ("parallel", True)


@pytest.mark.parametrize("backend", APIS)
async def test_done_has_the_totals_of_the_whole_fleet(backend: str) -> None:
    agents = {
        "main": [
            say("/agent a [[a]] go", usage=ScriptedUsage(10, 1, 100, 0)),
            say("Fine.", usage=ScriptedUsage(20, 2, 200, 0)),
        ],
        "a": [say("Yes.", usage=ScriptedUsage(40, 4, 400, 0))],
    }
    events, _ = await played(agents, fleet("a"), backend=backend)
    done = events[-1]
    assert isinstance(done, e.Done)
    assert (done.ok, done.streams) == (True, 2)
    used = (done.input_tokens, done.output_tokens, done.cache_read_tokens)
    assert used == (70, 7, 700)
