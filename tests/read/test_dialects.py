"""Every block once, under the agent that said it, in order: random fleets in every dialect."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.read import dialects
from tests.read.dialects import WRITTEN
from tests.read.fleets import OPENING, WHOLE, Fleet, alike, grow
from tests.read.reading import blocks_of, by_agent
from unbraid.agents.claude.dialect.dispatcher import ClaudeDialect
from unbraid.agents.claude.records import ClaudeRecord
from unbraid.events import RelayEvent, encode
from unbraid.read.translator import Translator

LONGER = WHOLE + " It reads the file"
SPEAKING = ("text_delta", "thinking_delta", "tool_use")
SEEDS = st.integers(0, 2**32)
THREE = ("one", "two", "three")


def text_block(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def translated(data: bytes, cuts: list[int] | None = None) -> list[RelayEvent]:
    translator = Translator()
    events: list[RelayEvent] = []
    edges = [0, *sorted(cuts or []), len(data)]
    for start, end in pairwise(edges):
        events += translator.feed(data[start:end])
    return events + translator.finish()


def calls_of(fleet: Fleet) -> dict[str, str | None]:
    return {name: agent.call for name, agent in fleet.agents.items()}


@pytest.mark.parametrize("name", sorted(dialects.DIALECTS))
@given(seed=SEEDS)
def test_each_block_once_under_its_agent_in_order(name: str, seed: int) -> None:
    rng = random.Random(seed)
    fleet = grow(rng)
    events = translated(dialects.DIALECTS[name](fleet, rng))
    assert by_agent(blocks_of(events), calls_of(fleet)) == fleet.truth()


@given(seed=SEEDS)
def test_without_any_ids_each_block_is_said_once(seed: int) -> None:
    rng = random.Random(seed)
    # Where nothing else tells blocks apart, a text that continues another one is its growth.
    fleet = grow(rng, texts=["ok", "Done.", OPENING + "report A.", OPENING + "report B."])
    events = translated(dialects.bare(fleet, rng))
    said = Counter(block for blocks in blocks_of(events).values() for block in blocks)
    assert said == Counter(block for blocks in fleet.truth().values() for block in blocks)


# In these, no line says by itself which message it belongs to; the others do.
CONFUSING = [45, 1285, 1303, 1620, 2051, 2196, 2795, 3733, 4230]


@pytest.mark.parametrize("seed", [*range(24), *CONFUSING])
@pytest.mark.parametrize("name", ["one_block", "cumulative", "growing", "bare", "bare_growing"])
def test_texts_that_begin_alike_are_told_apart(name: str, seed: int) -> None:
    rng = random.Random(seed)
    fleet = grow(rng, texts=alike(rng), works=True)
    events = translated(getattr(dialects, name)(fleet, rng))
    said = Counter(block for blocks in blocks_of(events).values() for block in blocks)
    assert said == Counter(block for blocks in fleet.truth().values() for block in blocks)
    ended = set()
    for event in events:
        assert event.context not in ended or event.type not in SPEAKING
        if event.type == "sub_agent_ended":
            ended.add(event.context)


@pytest.mark.parametrize("name", [*sorted(dialects.DIALECTS), "bare"])
@given(seed=SEEDS, data=st.data())
def test_the_cut_of_the_chunks_does_not_matter(name: str, seed: int, data: st.DataObject) -> None:
    rng = random.Random(seed)
    printed = getattr(dialects, name)(grow(rng, depth=2), rng)
    cuts = data.draw(st.lists(st.integers(0, len(printed)), max_size=20))
    whole = [encode(event) for event in translated(printed)]
    assert [encode(event) for event in translated(printed, cuts)] == whole


@given(seed=SEEDS)
def test_byte_by_byte_is_the_same(seed: int) -> None:
    rng = random.Random(seed)
    printed = dialects.one_block(grow(rng, depth=1), rng)
    one_by_one = translated(printed, list(range(len(printed))))
    assert [encode(e) for e in one_by_one] == [encode(e) for e in translated(printed)]


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("printed", ["with_transcripts", "partial_with_transcripts"])
@given(seed=SEEDS)
def test_stdout_and_transcripts_in_any_order_say_each_block_once(
    printed: str, written: str, seed: int
) -> None:
    rng = random.Random(seed)
    fleet = grow(rng)
    sources: dict[str, list[bytes]] = getattr(dialects, printed)(fleet, rng)
    sources = {name: WRITTEN[written](name, lines, rng) for name, lines in sources.items()}
    translator = Translator()
    events: list[RelayEvent] = []
    while sources:
        name = rng.choice(sorted(sources))
        events += translator.feed(sources[name].pop(0), name)
        if not sources[name]:
            del sources[name]
    events += translator.finish()
    read = by_agent(blocks_of(events), calls_of(fleet))
    truth = fleet.truth()
    assert {n: Counter(b) for n, b in read.items()} == {n: Counter(b) for n, b in truth.items()}


@pytest.mark.parametrize("written", WRITTEN)
@given(seed=SEEDS)
def test_transcripts_alone_say_each_block_once_in_order(written: str, seed: int) -> None:
    rng = random.Random(seed)
    fleet = grow(rng)
    sources = dialects.with_transcripts(fleet, rng)
    del sources["stdout"]
    sources = {name: WRITTEN[written](name, lines, rng) for name, lines in sources.items()}
    translator = Translator()
    events: list[RelayEvent] = []
    for name in rng.sample(sorted(sources), len(sources)):
        events += translator.feed(b"".join(sources[name]), name)
    events += translator.finish()
    assert by_agent(blocks_of(events), calls_of(fleet)) == fleet.truth()


def test_a_whole_run_in_one_feed_teaches_its_dialect_on_the_way() -> None:
    """Cumulative lines cost what is new in them, however large the pieces are that they come in."""
    skipped: list[int] = []

    class Watched(ClaudeDialect):
        def translate(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
            skipped.append(record.skipped)
            super().translate(record, out)

    for rng in map(random.Random, range(10)):
        translator = Translator(dialects={"claude": Watched})
        translator.feed(dialects.cumulative(grow(rng), rng))
    assert any(skipped)


@pytest.mark.parametrize(
    ("later", "wanted"),
    [
        ([[{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]], [WHOLE, LONGER]),
        ([[text_block("Something else.")]], [WHOLE, LONGER, "Something else."]),
        ([], [WHOLE, LONGER]),
        ([[text_block(LONGER + " today")]], [LONGER + " today"]),
        ([[text_block(LONGER), text_block("ok")]], [LONGER, "ok"]),
    ],
)
def test_a_sentence_that_goes_on_is_another_text_or_growth_as_what_follows_shows(
    later: list[list[dict[str, Any]]], wanted: list[str]
) -> None:
    """At first nothing says how a source repeats itself."""
    translator = Translator()
    events: list[RelayEvent] = []
    for content in [[text_block(WHOLE)], [text_block(LONGER)], *later]:
        message = {"id": "m", "role": "assistant", "content": content}
        record = {"type": "assistant", "message": message, "session_id": "s"}
        events += translator.feed(json.dumps(record).encode() + b"\n")
    events += translator.finish()
    assert [words for kind, words in blocks_of(events)[""] if kind == "text"] == wanted


def printed_without_ids(*contents: list[str] | str) -> bytes:
    """Lines of three sub-agents without ids, whose texts grow in place: the texts of each, or the
    name of an agent that has ended.
    """
    tasks = [
        {"type": "tool_use", "id": name, "name": "Task", "input": {"prompt": name}}
        for name in THREE
    ]
    first = [[text_block("St")], [text_block("Start.")], [text_block("Start."), *tasks]]
    messages: list[dict[str, Any]] = [{"type": "assistant", "content": each} for each in first]
    for each in contents:
        if isinstance(each, str):
            result = {"type": "tool_result", "tool_use_id": each, "content": "fine"}
            messages.append({"type": "user", "content": [result]})
        else:
            said = [text_block(words) for words in each]
            messages.append({"type": "assistant", "content": said})
    return b"".join(
        json.dumps({"type": each["type"], "message": {"content": each["content"]}}).encode() + b"\n"
        for each in messages
    )


def growing_without_ids(*contents: list[str] | str) -> Counter[str]:
    """What the three sub-agents say."""
    blocks = blocks_of(translated(printed_without_ids(*contents)))
    return Counter(words for name in THREE for _, words in blocks.get(name, []))


def test_two_texts_that_were_taken_for_each_other_change_places() -> None:
    """The second agent has come to "I'll st" when the first goes on after a sentence; only its next
    line shows that it was not the second who did.
    """
    assert growing_without_ids(
        ["Never."],
        "three",
        ["I'll start by loo"],
        [WHOLE],
        ["I'll st"],
        [LONGER],
        ["I'll start by"],
        [WHOLE],
        [WHOLE, "ok"],
    ) == Counter(["Never.", WHOLE, LONGER, "ok"])


def test_who_has_ended_had_said_a_text() -> None:
    """What is said after an agent's end is no growth of its words, if nobody else had spoken."""
    assert growing_without_ids(
        ["Done"], "one", ["Done with it"], ["Done with it all"], "two", ["Never"], "three"
    ) == Counter(["Done", "Done with it all", "Never"])


def test_a_text_that_was_taken_for_growth_is_reported_once_it_is_known_to_be_missing() -> None:
    """Three agents have ended, so one of them has said the sentence and another has gone on."""
    assert growing_without_ids(
        [WHOLE], [LONGER], ["Something else."], "one", "two", "three"
    ) == Counter([WHOLE, LONGER, "Something else."])
    assert growing_without_ids(
        [WHOLE], [LONGER], ["Some"], ["More."], "one", "two", ["Something"], "three"
    ) == Counter([LONGER, "Something", "More."])


def test_where_two_readings_are_even_nothing_is_lost_in_either() -> None:
    """Two agents have said a sentence and what begins with it, and the third one's text has grown:
    but which pair of lines is the growth? Both truths print the same.
    """
    first = ["Look.", "Look. There.", "See.", "See. Here."]
    lines = printed_without_ids(*([words] for words in first), *THREE)
    one = {"one": ["Look."], "two": ["Look. There."], "three": ["See.", "See. Here."]}
    other = {"one": ["Look.", "Look. There."], "two": ["See."], "three": ["See. Here."]}
    for truth in (one, other):
        printed = sorted(words for texts in truth.values() for words in texts)
        assert printed == sorted(first)
        ends = Counter(texts[-1] for texts in truth.values())
        blocks = blocks_of(translated(lines))
        assert Counter(words for name in THREE for _, words in blocks[name]) >= ends


@pytest.mark.parametrize("agents", [8, 40])
def test_many_agents_that_say_the_same_are_told_apart(agents: int) -> None:
    """The ways to read their lines are countless; the likeliest are enough."""
    rng = random.Random(agents)
    names = [f"task{number}" for number in range(agents)]
    spawn = [{"type": "tool_use", "id": n, "name": "Task", "input": {"prompt": n}} for n in names]
    contents = [[text_block("Wor")], [text_block("Work.")], [text_block("Work."), *spawn]]
    words = " ".join([WHOLE, "Then I change it.", "And I test what I have changed.", WHOLE])
    said = dict.fromkeys(names, 0)
    while running := [name for name in names if said[name] < len(words)]:
        name = rng.choice(running)
        said[name] = min(said[name] + rng.randint(5, 40), len(words))
        contents.append([text_block(words[: said[name]])])
    data = b"".join(
        json.dumps({"type": "assistant", "message": {"content": content}}).encode() + b"\n"
        for content in contents
    )
    blocks = blocks_of(translated(data))
    assert [blocks[name] for name in names] == [[("text", words)]] * agents
