"""The master does not answer before its helpers have, and then it answers live."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.orchestrate.fleets import APIS, fleet, orchestrator, played, scripted, text_of
from tests.polling import PATIENCE_SECONDS
from unbraid import events as e
from unbraid.fold.gate import DELEGATING, Gate
from unbraid.orchestrate.grammar import Parser
from unbraid.testing import ScriptedThinking, say

ANSWER = "Here is what they found, and what it means for you. " * 8
PLAN = "Let me think about this first.\nI shall ask two of them.\n\n- a knows\n- b as well\n\n"


@pytest.mark.parametrize("backend", APIS)
async def test_the_answer_streams_while_the_model_still_speaks(backend: str) -> None:
    """The model says the second half of its answer only after the first has been seen."""
    agents = {
        "main": [
            say(PLAN + "/parallel\n/agent a [[a]] go\n/agent b [[b]] go\n/endparallel"),
            say(ScriptedThinking("Hm."), ANSWER, chunk_chars=10, chunk_delay_seconds=0.01),
        ],
        "a": [say("A. " * 30, chunk_chars=5)],
        "b": [say("B. " * 30, chunk_chars=5)],
    }
    drafts: list[e.Draft] = []
    seen: list[e.FleetEvent] = []
    served_at_first_word = None
    async with scripted(agents) as model:
        made = orchestrator(
            model, fleet("a", "b"), backend=backend, on_draft=lambda _, draft: drafts.append(draft)
        )
        async for event in made.run("[[main]] go"):
            seen.append(event)
            answering = isinstance(event, e.Text) and event.depth == 0 and event.delta in ANSWER
            if answering and served_at_first_word is None:
                served_at_first_word = model.ledger.servings[-1].complete
    assert served_at_first_word is False, "the first word is out before the last was served"
    words = [event for event in seen if isinstance(event, e.Text) and event.stream_id == 0]
    assert words[0].delta == f"{DELEGATING}a, b\n"
    assert text_of(seen) == f"{DELEGATING}a, b\n{ANSWER}"
    last_end = max(x.seq for x in seen if isinstance(x, e.StreamEnd) and x.stream_id)
    assert all(event.seq > last_end for event in words[1:])
    # Live viewers saw what was held, and the log never did.
    shown = "".join(draft.delta for draft in drafts)
    assert shown.startswith(PLAN) and ANSWER.startswith(shown.partition("/endparallel")[2])
    assert {(draft.stream_id, draft.depth, draft.agent) for draft in drafts} == {(0, 0, "index")}
    assert not any(event.type == "draft" for event in seen)


async def test_an_answer_without_delegation_is_said_at_the_latest_when_the_turn_ends() -> None:
    events, _ = await played({"main": [say("Four.")]}, fleet("a"))
    assert text_of(events) == "Four."


async def test_one_who_cannot_delegate_streams_at_once() -> None:
    from unbraid.agents.agent_spec import AgentSpec, Limits

    drafts: list[e.Draft] = []
    events, _ = await played(
        {"main": [say("/agent a [[a]] x, I would say.", chunk_chars=5)]},
        fleet("a", AgentSpec("index", limits=Limits(turns=1))),
        on_draft=lambda _, draft: drafts.append(draft),
    )
    assert not drafts
    assert text_of(events) == "/agent a [[a]] x, I would say."


async def test_sub_agents_are_not_held() -> None:
    said = "I plan to ask b about it.\n/agent b [[b]] go\n"
    agents = {
        "main": [say("/agent a [[a]] go"), say("Done.")],
        "a": [say(said, chunk_chars=5), say("So b says.")],
        "b": [say("B.")],
    }
    events, _ = await played(agents, fleet("a", "b"))
    assert text_of(events, 1) == said + "So b says."


LINES = st.sampled_from(
    ["Prose.", "More prose, a little longer.", "/agent a do it", "/parallel", "/endparallel", ""]
)


@given(st.lists(LINES, max_size=12), st.integers(0, 60), st.data())
def test_a_turn_speaks_or_delegates_and_never_both(
    lines: list[str], opening: int, data: st.DataObject
) -> None:
    text = "\n".join(lines)
    gate, parser, passed, at = Gate(opening), Parser(), list[e.TextDelta](), 0
    while at < len(text):
        piece = text[at : at + data.draw(st.integers(1, 9))]
        at += len(piece)
        parser.feed(piece)
        event = e.TextDelta(message_id="m", delta=piece)
        passed += gate.text(event, prose_chars=parser.prose_chars, delegating=parser.delegating)
        if gate.open:
            parser.close()
    commands = parser.finish()
    if commands:
        assert passed == [], "not a word of a turn that delegates"
        assert gate.delegate(["a"]).delta == f"{DELEGATING}a\n"
        assert gate.release() == []
    else:
        passed += gate.release()
        assert "".join(event.delta for event in passed) == text, "every word, once, in order"


@given(st.lists(st.text(max_size=100), max_size=20))
def test_the_line_is_one_line_and_short(labels: list[str]) -> None:
    gate = Gate(10)
    gate.text(e.TextDelta("", message_id="m", delta="/"), prose_chars=0, delegating=True)
    line = gate.delegate(labels)
    assert line.message_id == "m"
    assert line.delta.startswith(DELEGATING) and len(line.delta.splitlines()) == 1
    assert len(line.delta) <= 220


async def test_leaving_the_loop_cancels_the_run() -> None:
    agents = {"main": [say("x " * 100, delay_seconds=3600)]}
    async with scripted(agents) as model:
        made = orchestrator(model, fleet())
        async with asyncio.timeout(PATIENCE_SECONDS):
            async for event in made.run("[[main]] go"):
                if isinstance(event, e.StreamStart):
                    break
            # The generator is closed when it is collected; closing again waits for it.
            await made.close()
        (summary,) = await made.log.runs()
        assert summary.status == "interrupted"
