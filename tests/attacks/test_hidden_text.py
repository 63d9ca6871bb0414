"""Attack: an agent asks for permission with a command of which the person sees only a part.

`"ls -la \\x1b]\\nid > /tmp/x"` was shown as `$ ls -la`: the card dropped what a terminal would have
taken for an escape sequence. Characters without a width, direction marks and tags hide text too.
What is approved is shown whole: one table says which characters a screen would not show.
"""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from unbraid.screen import HIDDEN, JOINERS, MAX_MARKS, safe
from unbraid.send.export.markdown import agent_markdown
from unbraid.tui.dialogs import tool_input_text

COMMAND = "ls -la \x1b]\nid > /tmp/x\n"
# Formats, controls, surrogates, line and paragraph separators have no shape of their own.
SHAPELESS = ("Cc", "Cf", "Cs", "Zl", "Zp")
# Unicode calls these formats, but they are drawn: signs around numbers and verses.
DRAWN = {
    *range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD,
    *range(0x13430, 0x13440),
}  # fmt: skip


def test_every_code_point_is_shown_or_named() -> None:
    assert safe("a\tb\nc") == "a\tb\nc"
    points = [code for code in range(0x110000) if chr(code) not in "\t\n"]
    # In lines of one text, because a million calls take seconds.
    for code, shown in zip(points, safe("\n".join(map(_between, points))).split("\n"), strict=True):
        character = chr(code)
        if unicodedata.category(character) in SHAPELESS and code not in DRAWN:
            assert character not in shown, hex(code)
            assert f"{code:x}" in shown, hex(code)
        else:
            # Either as it is, or named, and never anything else.
            assert shown in (_between(code), f"a\\u{code:04x}b", f"a\\U{code:08x}b"), hex(code)


def _between(code: int) -> str:
    return f"a{chr(code)}b"


@pytest.mark.parametrize("hidden", ["\x1b]", "\x9b]", "\x1b[8m", "\x1b[2K\r", "\u200b", "\u2060"])
def test_nothing_of_a_command_is_left_out(hidden: str) -> None:
    shown = tool_input_text({"command": f"ls -la {hidden}\nid > /tmp/x\n"})
    assert "id > /tmp/x" in shown
    assert not any(first <= ord(c) <= last for first, last in HIDDEN for c in shown)


@given(st.text())
def test_what_is_visible_stays_in_its_order(text: str) -> None:
    assume(not re.search(rf"[^\w\s\x00-\x7f]{{{MAX_MARKS + 1}}}", text))
    kept = [c for c in text if safe(f"a{c}") == f"a{c}"]
    shown = iter(safe(text))
    assert all(any(c == other for other in shown) for c in kept)


def test_joiners_are_shown_where_they_join_nothing() -> None:
    for code in JOINERS:
        assert chr(code) not in safe(f"rm{chr(code)} -rf")
        assert safe(f"👨{chr(code)}") == f"👨{chr(code)}"
        assert safe(f"👨{chr(code)}{chr(code)}").count(chr(code)) == 1


@pytest.mark.parametrize("mark", ["\u0301", "\u0e47", "\u20dd", "\u0489", "\U0001d167", "\u0f72"])
def test_marks_on_a_letter_cannot_cover_the_lines_around_it(mark: str) -> None:
    shown = safe(f"rm -rf ~ # e{mark * 300} ok e{mark * MAX_MARKS}")
    assert shown.count(mark) == 2 * MAX_MARKS
    assert shown.startswith("rm -rf ~ # e") and shown.endswith(f" ok e{mark * MAX_MARKS}")
    assert shown.lower().count(f"{ord(mark):x}") == 300 - MAX_MARKS


@pytest.mark.parametrize("code", JOINERS)
def test_joiners_do_not_make_room_for_more_marks(code: int) -> None:
    shown = safe("e" + ("\u0301" * MAX_MARKS + chr(code)) * 50)
    assert shown.count("\u0301") <= MAX_MARKS


@pytest.mark.parametrize("blank", "\U00013441\U00013442\U00016fe4\U0001d159")
def test_signs_that_are_drawn_as_nothing_are_named(blank: str) -> None:
    assert safe(f"ls {blank}") == f"ls \\U{ord(blank):08x}"


@pytest.mark.parametrize("name", ["#x202e", "#8203", "shy", "zwj", "#xE0041", "#x2028"])
def test_names_of_characters_in_markdown_hide_nothing_in_an_export(name: str) -> None:
    shown = "\n".join(agent_markdown(f"a &{name}; b [c &{name};](https://e.org) **d &{name};**"))
    assert not any(first <= ord(c) <= last for first, last in HIDDEN for c in shown if c != "\n")
