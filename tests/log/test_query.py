"""What a search finds: the same in every log, in stored sessions, and on the page.

The table is the page's (`web/src/model/terms.test.ts`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.watch.writing import Writer, append
from unbraid.log import MemoryLog, SqliteLog
from unbraid.log.contract import story
from unbraid.log.query import composed, folded, patterns_of, snippet_of
from unbraid.redact.matches import contains_words
from unbraid.sessions.search import search_files

TABLE = Path(__file__).parents[2] / "web" / "src" / "model" / "terms.json"
CASES: list[dict[str, Any]] = json.loads(TABLE.read_text())
MATCHING = [case for case in CASES if any(char.isalnum() for char in case["query"])]


@pytest.mark.parametrize("case", MATCHING, ids=lambda case: case["query"])
def test_a_query_is_found_as_the_table_says(case: dict[str, Any]) -> None:
    text, patterns = case["text"], patterns_of(case["query"])
    assert (snippet_of(text, patterns) is not None) == bool(case["hits"])
    assert contains_words(text, case["query"]) == bool(case["hits"])
    if case["hits"]:
        places = sorted(
            place.span() for pattern in patterns for place in pattern.finditer(folded(text))
        )
        assert [composed(text)[slice(*place)] for place in places] == case["hits"]


async def test_logs_and_stored_sessions_find_the_same(tmp_path: Path) -> None:
    logs = (MemoryLog(), await SqliteLog.open(tmp_path / "log.db"))
    writer = Writer(tmp_path / "claude")
    for number, case in enumerate(CASES):
        for log in logs:
            await log.append(f"r{number}", story([case["text"]]))
    append(writer.main, b"".join(writer.text(case["text"]) for case in CASES))
    env = {"CLAUDE_CONFIG_DIR": str(tmp_path / "claude"), "HOME": str(tmp_path)}
    for number, case in enumerate(CASES):
        found = [
            any(place.run == f"r{number}" for place in await log.search(case["query"], limit=100))
            for log in logs
        ]
        assert found == [bool(case["hits"])] * 2, case
        if case["query"].isascii() == case["text"].isascii():  # accents have to be typed there
            stored = search_files(case["query"], env, limit=100)
            here = any(place.snippet == composed(case["text"]) for place in stored)
            assert here == bool(case["hits"]), case
    for log in logs:
        await log.close()
