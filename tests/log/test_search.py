"""Every log and the stored sessions find the same: what `tests/fold/test_query.py` says."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Raw

from tests.block_rows import FOLDERS
from tests.fold.test_query import CASES
from tests.record.watch.writing import Writer, append
from unbraid.events import FleetToolUse, Text
from unbraid.fold.query import composed
from unbraid.log import MemoryLog, SqliteLog
from unbraid.log.sqlite import reader
from unbraid.record.sessions.stored_sessions import search_files
from unbraid.testing import load
from unbraid.testing.log_contract import sample_run

Logs = tuple[MemoryLog, SqliteLog]


@pytest.fixture
async def logs(tmp_path: Path) -> AsyncIterator[Logs]:
    logs = (MemoryLog(), await SqliteLog.open(tmp_path / "log.db"))
    yield logs
    for log in logs:
        await log.close()


def stored(config: Path, texts: list[str]) -> dict[str, str]:
    """Writes a session that says these texts, and returns where it is."""
    writer = Writer(config)
    append(writer.main, b"".join(map(writer.text, texts)))
    return {"CLAUDE_CONFIG_DIR": str(config), "HOME": str(config)}


async def test_all_find_what_the_table_says(logs: Logs, tmp_path: Path) -> None:
    for number, case in enumerate(CASES):
        for log in logs:
            await log.append(f"r{number}", sample_run([case["text"]]))
    env = stored(tmp_path / "claude", [case["text"] for case in CASES])
    for number, case in enumerate(CASES):
        found = [
            any(place.run == f"r{number}" for place in await log.search(case["query"], limit=100))
            for log in logs
        ]
        assert found == [bool(case["hits"])] * 2, case
        if case["query"].isascii() == case["text"].isascii():  # accents have to be typed there
            places = search_files(case["query"], env, limit=100)
            here = any(place.snippet == composed(case["text"]) for place in places)
            assert here == bool(case["hits"]), case


@pytest.mark.parametrize("max_words", [reader.MAX_WORDS, 2])
async def test_every_part_of_what_agents_said_is_found(
    logs: Logs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, max_words: int
) -> None:
    monkeypatch.setattr(reader, "PAGE_CHARS", 1000)  # many reads
    monkeypatch.setattr(reader, "MAX_WORDS", max_words)  # few words looked up, more blocks read
    served: list[dict[str, Any]] = [block for folder in FOLDERS for block in load(folder).blocks]
    texts = sorted({composed(block["text"])[:600] for block in served if block.get("text")})
    chance = random.Random("parts")
    texts = [text for text in texts if not text.isascii() or chance.random() < 0.3]
    for number, text in enumerate(texts):
        for log in logs:
            await log.append(f"r{number}", sample_run([text]))
    env = stored(tmp_path / "claude", texts)
    for number, text in enumerate(texts):
        start = chance.randrange(max(1, len(text) - 1))
        part = text[start : start + chance.randint(2, 12)].replace('"', " ")
        if not any(map(str.isalnum, part)):
            continue
        holding = {f"r{at}" for at, other in enumerate(texts) if part in other}
        for query in (part, f'"{part}"'):
            for log in logs:
                places = await log.search(query, limit=1000)
                assert holding <= {place.run for place in places}, (number, query)
            assert search_files(query, env, limit=1), query


async def test_whole_words_come_first_then_beginnings_then_the_latest(logs: Logs) -> None:
    said = ["a sparse one", "a parser", "an old pars", "a new pars", "unparsed"]
    for number, text in enumerate(said):
        events = sample_run([text])
        for event in events:
            event.ts += 1000 * number
        for log in logs:
            await log.append(f"r{number}", events)
    for log in logs:
        places = await log.search("pars")
        assert [place.run for place in places] == ["r3", "r2", "r1", "r4", "r0"]
        assert [place.run for place in await log.search("pars", limit=4)] == [
            "r3", "r2", "r1", "r4",
        ]  # fmt: skip
        assert [place.run for place in await log.search("arse", run="r1")] == ["r1"]
        assert await log.search("arse", run="nobody") == []


async def test_one_run_does_not_hide_the_others(logs: Logs) -> None:
    for number in range(3):
        texts = ["a needle"] * (30 if number == 2 else 1)
        events = sample_run(texts)
        for at, event in enumerate(events):
            event.ts += 100_000 * number
            if isinstance(event, Text):
                event.message_id = f"m{at}"
        for log in logs:
            await log.append(f"r{number}", events)
    for log in logs:
        places = await log.search("needle", limit=10)
        assert len(places) == 10
        assert [place.run for place in places[-2:]] == ["r1", "r0"]
        assert {place.run for place in places[:-2]} == {"r2"}
        assert len(await log.search("needle", limit=100)) == 32
        assert len(await log.search("needle", run="r2", limit=20)) == 20


async def test_a_word_longer_than_the_index_takes_is_found_to_its_end(logs: Logs) -> None:
    text = "".join(chr(0x4E00 + number % 5000) for number in range(20_000)) + "針"
    for log in logs:
        await log.append("r", sample_run([text]))
        for part in (text[:9], text[10_000:10_009], text[-9:]):
            assert [place.run for place in await log.search(part)] == ["r"]
        assert await log.search(text[-9:][::-1]) == []


async def test_calls_are_searched_for_what_they_say(logs: Logs) -> None:
    begun = sample_run([])[:2]
    call = FleetToolUse(
        seq=3,
        ts=begun[1].ts,
        stream_id=0,
        depth=0,
        agent=begun[1].agent,
        tool="Bash",
        tool_use_id="t",
        input_json=Raw(rb'{"command": "cd one\ntwo \"\u65e5\u672c\u8a9e\" C:\\new"}'),
    )
    for log in logs:
        await log.append("r", [*begun, call])
        for query in ('"one two"', "本語", '"two 日本語"', r"C:\new"):
            (place,) = await log.search(query)
            assert place.kind == "tool_use", query
