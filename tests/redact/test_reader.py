"""A log that was written in clear shows no secret, however its events are cut and read."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.redact.test_lines import BODY, cut, said
from unbraid import events as e
from unbraid.events import FleetEvent, decode_event
from unbraid.log import Entry, MemoryLog
from unbraid.redact.reader import RedactedLog, RunRedactor, redact_snippet
from unbraid.testing.log_contract import gather, sample_run

KEY = "sk-" + "ant-" + BODY
SEEN = "sk-" + "ant-" + "*" * len(BODY)


def deltas(stream: int, parts: list[str]) -> list[dict[str, Any]]:
    """One block, bit by bit."""
    place = {"stream_id": stream, "depth": int(stream > 0), "agent": "a"}
    return [{"delta": part, "message_id": "m", "block": 0, **place} for part in parts]


def words_of(entries: list[Entry]) -> dict[int, str]:
    """What each stream said."""
    output: dict[int, str] = {}
    for entry in entries:
        event = decode_event(entry.data)
        if isinstance(event, e.Text):
            output[event.stream_id] = output.get(event.stream_id, "") + event.delta
    return output


@settings(max_examples=150, deadline=None)
@given(
    st.tuples(said(), said()),
    st.tuples(*[st.lists(st.integers(0, 400), max_size=40)] * 2),
    st.lists(st.integers(1, 9), max_size=40),
    st.randoms(use_true_random=False),
    st.integers(0, 60),
)
def test_any_secret_cut_anywhere_in_any_stream(
    output: tuple[tuple[str, str], tuple[str, str]],
    cuts: tuple[list[int], list[int]],
    sizes: list[int],
    dice: Any,
    since: int,
) -> None:
    lanes = [deltas(n, cut(output[n][0], cuts[n])) for n in (0, 1)]
    order = [n for n in (0, 1) for _ in lanes[n]]
    dice.shuffle(order)
    mixed = [lanes[n].pop(0) for n in order]
    events: list[FleetEvent] = [
        e.Text(seq=seq, ts=seq, **fields) for seq, fields in enumerate(mixed, 1)
    ]
    done = sample_run([])[-1]
    done.seq = len(events) + 1
    events.append(done)
    asyncio.run(_shown_however_it_is_read(events, [seen for _, seen in output], sizes, since))


async def test_a_cell_below_a_password_is_hidden_whole_wherever_it_is_cut() -> None:
    """The name stands in the row above: that the cell is a key of its own is no reason to show how
    it begins.
    """
    text = f" password\t**bold**\n{KEY}\nthe bearer of tokens: 5 ."
    seen = text.replace(KEY, "*" * len(KEY))
    for place in range(len(text)):
        parts = [*cut(text, [place, place + 3])]
        events: list[FleetEvent] = [
            e.Text(seq=seq, ts=seq, **fields) for seq, fields in enumerate(deltas(0, parts), 1)
        ]
        done = sample_run([])[-1]
        done.seq = len(events) + 1
        await _shown_however_it_is_read([*events, done], [seen], [1] * len(events), since=0)


async def _shown_however_it_is_read(
    events: list[FleetEvent], seen: list[str], sizes: list[int], since: int
) -> None:
    log = MemoryLog()
    await log.append("r", events)
    entries = await log.read("r", limit=10**6)
    redactor, shown, rest = RunRedactor(log, "r", 0), list[Entry](), entries
    for size in [*sizes, len(entries)]:
        shown += await redactor.push(rest[:size])
        rest = rest[size:]
        # At no time is there more to be seen than of the whole.
        for stream, words in words_of(shown).items():
            assert seen[stream].startswith(words)
    assert [entry.seq for entry in shown] == [entry.seq for entry in entries]
    assert words_of(shown) == dict(enumerate(seen))
    view = RedactedLog(log)
    assert await gather(view.follow("r")) == shown
    assert await view.read("r", limit=10**6) == shown
    # Whoever comes later, or asks for less, sees the same.
    late = [entry for entry in shown if entry.seq > since]
    assert await gather(view.follow("r", since)) == late
    assert await view.read("r", since, 10**6) == late
    assert await view.read("r", since, 3) == late[:3]
    assert await view.read_all(since, 10**6) == late
    for stream in (0, 1):
        own = [entry for entry in late if entry.stream_id == stream and entry.type == "text"]
        assert await view.read("r", since, 10**6, stream_id=stream, types=["text"]) == own


async def test_one_stream_ends_with_its_run() -> None:
    """The end of a run is an event of its main stream; who reads another one does not see it."""
    words = "-----BEGIN EC PRIVATE KEY-----x-----END EC PRIVATE KEY----- ."
    fields = deltas(1, [words])[0]
    done = sample_run([])[-1]
    done.seq = 2
    log = MemoryLog()
    await log.append("r", [e.Text(seq=1, ts=1, **fields), done])
    shown = await RedactedLog(log).read("r", stream_id=1)
    assert words_of(shown) == {1: words.replace("x", "*")}


async def test_what_waits_is_shown_as_soon_as_its_stream_says_something_else() -> None:
    events = sample_run(["the ", "x7Q"])
    log = MemoryLog()
    await log.append("r", events)
    redactor, entries = RunRedactor(log, "r", 0), await log.read("r")
    assert [entry.type for entry in await redactor.push(entries[:4])][-1] == "text"
    assert await redactor.push([]) == []
    assert [entry.seq for entry in await redactor.push(entries[4:5])] == [4, 5]


async def test_runs_are_redacted_each_for_itself() -> None:
    log = MemoryLog()
    parts = cut(f"I use {KEY}.", list(range(0, 60, 3)))
    for pair in itertools.zip_longest(sample_run(parts), sample_run(["A token"])):
        for run, event in zip(("one", "two"), pair, strict=True):
            if event is not None:
                await log.append(run, [event])
    count = (await log.bounds())[1]
    shown = await gather(RedactedLog(log).follow_all(0), count)
    for run, words in (("one", f"I use {SEEN}."), ("two", "A token")):
        own = [entry for entry in shown if entry.run == run]
        assert [entry.seq for entry in own] == list(range(1, len(own) + 1))
        assert words_of(own) == {0: words}


async def test_titles_and_places_are_redacted() -> None:
    log = MemoryLog()
    events = sample_run([f"a needle beside {KEY}"])
    events[0].prompt = f"Go with {KEY}"  # type: ignore[attr-defined]
    await log.append("r", events)
    view = RedactedLog(log)
    (run,) = await view.runs()
    assert run.title == f"Go with {SEEN}"
    assert await view.run("r") == run
    (found,) = await view.search("needle")
    assert SEEN in found.snippet and BODY not in found.snippet


@pytest.mark.parametrize(
    ("snippet", "seen"),
    [
        (f"all of {KEY} here", f"all of {SEEN} here"),
        (f"…{BODY} is the rest of one", "… is the rest of one"),
        (f"…n: {BODY} is the rest of one", "… is the rest of one"),
        (f"and here begins sk-ant-{BODY[:9]}…", "and here begins "),
    ],
)
def test_a_snippet_shows_no_half_of_a_secret(snippet: str, seen: str) -> None:
    assert redact_snippet(snippet) == seen


@pytest.mark.parametrize("between", [0, 3, 1500, 9000])
async def test_the_rest_of_a_key_is_hidden_however_much_others_said_in_between(
    between: int,
) -> None:
    """A viewer resumes in the middle of a key whose stream was silent for long."""
    log, parts = MemoryLog(), cut(f"I use {KEY}.", [10, 20, 30])
    fields = [*deltas(0, parts[:2]), *deltas(1, ["words "] * between), *deltas(0, parts[2:])]
    events: list[FleetEvent] = [e.Text(seq=seq, ts=1, **each) for seq, each in enumerate(fields, 1)]
    done = sample_run([])[-1]
    done.seq = len(events) + 1
    await log.append("r", [*events, done])
    view = RedactedLog(log)
    whole = await gather(view.follow("r"))
    assert words_of(whole)[0] == f"I use {SEEN}."
    for since in (2, len(events) - 2, len(events) - 1):
        rest = [entry for entry in whole if entry.seq > since]
        assert await gather(view.follow("r", since)) == rest
        assert await view.read("r", since, 10**6) == rest
        own = [entry for entry in rest if entry.stream_id == 0]
        assert await view.read("r", since, 10**6, stream_id=0) == own


async def test_what_does_not_end_a_block_does_not_part_a_key() -> None:
    log, parts = MemoryLog(), cut(f"I use {KEY}. Yes", [10, 20, 30])
    place: dict[str, Any] = {"stream_id": 0, "depth": 0, "agent": "a"}
    events: list[FleetEvent] = []
    for fields in deltas(0, parts):
        events.append(e.Text(seq=len(events) + 1, ts=1, **fields))
        events.append(e.FleetProgress(seq=len(events) + 1, ts=1, **place))
    await log.append("r", events)
    shown = await RedactedLog(log).read("r")
    assert words_of(shown) == {0: f"I use {SEEN}. Yes"}
    assert [entry.seq for entry in shown] == [event.seq for event in events]
