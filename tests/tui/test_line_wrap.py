"""Lines fit, and nothing is lost between them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from unbraid.screen import safe
from unbraid.tui.item_renderer import wrap_text

ANY = st.text(st.one_of(st.characters(), st.sampled_from(" \n\t-.,日本語👩🏽‍💻é\u0301")))


@given(ANY, st.integers(2, 40))
def test_every_line_fits_and_no_character_is_lost(text: str, width: int) -> None:
    lines = wrap_text(safe(text), width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(safe(text).split())


@given(st.text(st.sampled_from("abc ")), st.integers(3, 20))
def test_words_that_fit_are_kept_whole(text: str, width: int) -> None:
    whole = {word for line in wrap_text(text, width) for word in line.split()}
    assert {word for word in text.split() if len(word) <= width} <= whole


def test_a_long_line_of_wide_characters_is_cut_without_looking_for_words() -> None:
    lines = wrap_text("語" * 5000, 80)
    assert {len(line) for line in lines} == {40}
    assert len(lines) == 125
