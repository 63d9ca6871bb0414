"""The words of a text are found, with the fast package and without."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.redact import anchors
from unbraid.redact.anchors import finder

WORDS = [b"psk", b"sk-", b"key", b"token", b"://"]
TEXTS = st.lists(st.sampled_from([*WORDS, b"s", b"-", b" ", b"k"])).map(b"".join)


@given(TEXTS)
def test_exactly_the_words_that_are_there(text: bytes) -> None:
    assert finder(WORDS)(text) == {word for word in WORDS if word in text}


@given(TEXTS)
def test_a_word_is_there_if_it_is_anywhere_without_the_longer_one(text: bytes) -> None:
    found = finder(WORDS, longer={b"token": b"tokens"})(text)
    assert (b"token" in found) == (b"token" in text.replace(b"tokens", b""))


def test_without_the_package_every_word_may_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anchors, "find_spec", lambda _: None)
    assert finder(WORDS)(b"no key") == set(WORDS)
