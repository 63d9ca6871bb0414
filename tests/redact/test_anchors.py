"""The words of a text are found, with the fast package and without."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.redact import anchors
from unbraid.redact.anchors import finder, matches

WORDS = [b"psk", b"sk-", b"key", b"token", b"://"]
TEXTS = st.lists(st.sampled_from([*WORDS, b"s", b"-", b" ", b"k"])).map(b"".join)


@given(TEXTS)
def test_exactly_the_words_that_are_there(text: bytes) -> None:
    assert finder(WORDS)(text) == {word for word in WORDS if word in text}


@given(TEXTS)
def test_a_pattern_is_found_wherever_it_would_be_without_anchors(text: bytes) -> None:
    pattern, begins = re.compile(rb"(?:key|psk)[-s]*(?:key)?"), frozenset((b"key", b"psk"))
    expected = [found.span() for found in pattern.finditer(text)]
    for known in (finder(WORDS)(text), frozenset(WORDS)):
        assert [found.span() for found in matches(pattern, begins, text, known)] == expected


def test_without_the_package_every_word_may_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anchors, "find_spec", lambda _: None)
    assert finder(WORDS)(b"no key") == set(WORDS)
