"""The words of a text are found, with the fast package and without."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.redact import anchors
from unbraid.redact.anchors import Present, finder, matches

WORDS = [b"psk", b"sk-", b"sk", b"key", b"token", b"://"]
TEXTS = st.lists(st.sampled_from([*WORDS, b"s", b"-", b" ", b"k"])).map(b"".join)


def finders() -> list[Present]:
    """With the package, and without."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anchors, "find_spec", lambda _: None)
        slow = finder(WORDS)
    return [finder(WORDS), slow]


FINDERS = finders()


@given(TEXTS)
def test_exactly_the_words_that_are_there(text: bytes) -> None:
    for find in FINDERS:
        found = find(text)
        assert set(found) == {word for word in WORDS if word in text}
        assert {word: sorted(found[word]) for word in found} == {
            word: [each.start() for each in re.finditer(b"(?=" + re.escape(word) + b")", text)]
            for word in found
        }


@given(TEXTS)
def test_a_pattern_is_found_wherever_it_would_be_without_anchors(text: bytes) -> None:
    pattern = re.compile(rb"(?:key|psk)[-s]*(?:key)?")
    expected = [found.span() for found in pattern.finditer(text)]
    for known in (find(text) for find in FINDERS):
        offsets = sorted([*known.get(b"key", []), *known.get(b"psk", [])])
        assert [found.span() for found in matches(pattern, offsets, text)] == expected
