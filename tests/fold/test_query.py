"""What a search finds, and how well: the rule alone. The table is the page's
(`web/src/model/terms.test.ts`).
"""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from unbraid.fold.query import CUT, Query, Rank, composed, folded, json_forms

TABLE = Path(__file__).parents[2] / "web" / "src" / "model" / "terms.json"
CASES: list[dict[str, Any]] = json.loads(TABLE.read_text())

# What agents write: names in code, prose with accents, scripts without spaces.
SCRIPTS = st.one_of(
    st.text("ab_.AB é/\n"),
    st.text("日本語かが한국ไทยй ,"),
    st.text(),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["query"])
def test_a_query_is_found_as_the_table_says(case: dict[str, Any]) -> None:
    query = Query(case["query"])
    match = query.match(case["text"]) if query else None
    assert (match is not None) == bool(case["hits"])
    if match is not None:
        assert match.snippet == composed(case["text"])
        assert "rank" not in case or match.rank == case["rank"]


@given(SCRIPTS, SCRIPTS, SCRIPTS)
@example("Stream", "Translator", "s")
@example("", "İ", "ΑΣ")
def test_every_part_of_a_text_is_found_in_it(before: str, part: str, after: str) -> None:
    part = composed(part)
    text = before + part + after
    assume(part in composed(text))
    assume(any(map(str.isalnum, part)))
    for query in (part, f'"{part}"'):
        match = Query(query).match(text)
        assert match is not None
        assert Query(query).match(text.upper() if text.isascii() else text) is not None


@given(st.from_regex(r"[a-c]{1,4}", fullmatch=True), st.text("abcA _\n", max_size=30))
def test_a_word_is_found_where_it_is_and_nowhere_else(word: str, text: str) -> None:
    match = Query(word).match(text)
    assert (match is not None) == (word in text.lower())
    if match is not None:
        words = re.split(r"[ _\n]+", text.lower())
        whole, begun = word in words, any(each.startswith(word) for each in words)
        assert match.rank == (Rank.WHOLE_WORDS if whole else 2 - begun)


@given(st.text())
def test_folding_keeps_every_character_in_its_place(text: str) -> None:
    assert len(folded(text)) == len(composed(text))
    assert folded(folded(text)) == folded(text)


def test_a_snippet_shows_the_best_place_and_marks_its_cuts() -> None:
    text = "needles " * 50 + "a needle in hay " + "stack " * 50
    match = Query("needle").match(text)
    assert match is not None
    assert match.snippet.startswith(CUT) and match.snippet.endswith(CUT)
    assert "a needle in hay" in match.snippet


@given(st.text(min_size=1, max_size=5).map(lambda text: composed(text).lower()))
def test_json_has_a_word_in_one_of_its_forms(word: str) -> None:
    forms = json_forms(word)
    if forms is None:
        return
    spelled = [
        json.dumps(word, ensure_ascii=ascii_only)[1:-1].lower() for ascii_only in (False, True)
    ]
    if word.isalnum():
        assert all(any(form in each for form in forms) for each in spelled)
    assert word.isascii() or unicodedata.normalize("NFD", word.upper()) == word
