"""Commands in text: a table, and what holds for any text cut in any way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.orchestrate.grammar import FleetCommand, Parser

A = FleetCommand("agent", "a do it")
B = FleetCommand("agent", "b do that")


def parallel(*children: FleetCommand, complete: bool = True) -> FleetCommand:
    return FleetCommand("parallel", "", children, complete)


def read(text: str, *plugins: str) -> list[FleetCommand]:
    parser = Parser(plugins)
    parser.feed(text)
    return parser.finish()


TABLE: dict[str, tuple[str, list[FleetCommand]]] = {
    "nothing": ("", []),
    "prose": ("Just an answer.\n", []),
    "one": ("/agent a do it\n", [A]),
    "no line end": ("/agent a do it", [A]),
    "after prose": ("Plan: ask a.\n\n/agent a do it\n", [A]),
    "before prose": ("/agent a do it\nThat is all.", [A]),
    "two": ("/agent a do it\n/agent b do that\n", [A, B]),
    "crlf": ("Plan.\r\n/agent a do it\r\n/agent b do that\r\n", [A, B]),
    "trailing spaces": ("/agent a do it \t \n", [A]),
    "tab after the word": ("/agent\ta do it\n", [A]),
    "many spaces": ("/agent   a do it\n", [A]),
    "no argument": ("/agent\n", [FleetCommand("agent")]),
    "unicode": (
        "/agent übersetzer Sag 你好 🦊\n",
        [FleetCommand("agent", "übersetzer Sag 你好 🦊")],
    ),
    "not a line end": ("x\u2028/agent a do it\x85/agent b do that\x0b/agent c", []),
    "lone carriage return": ("x\r/agent a do it\n", []),
    "indented": (" /agent a do it\n\t/agent b do that\n", []),
    "in a sentence": ("use /agent a do it\n", []),
    "another word": ("/agents a do it\n/agentx\n/Agent a do it\n/help\n/ agent a\n//agent a\n", []),
    "quoted": ("> /agent a do it\n- /agent a do it\n`/agent a do it`\n", []),
    "parallel": (
        "/parallel\n/agent a do it\n/agent b do that\n/endparallel\n",
        [parallel(A, B)],
    ),
    "parallel in crlf": (
        "/parallel\r\n/agent a do it\r\n/agent b do that\r\n/endparallel\r\n",
        [parallel(A, B)],
    ),
    "parallel with spaces": ("/parallel  \n/agent a do it\n/endparallel\t\n", [parallel(A)]),
    "parallel at the very end": ("/parallel\n/agent a do it\n/endparallel", [parallel(A)]),
    "parallel in a sentence": ("/parallel lines never meet\n", []),
    "the same agent twice": (
        "/parallel\n/agent a do it\n/agent a do it\n/endparallel\n",
        [parallel(A, A)],
    ),
    "empty parallel": ("/parallel\n/endparallel\n", [parallel()]),
    "parallel of prose": ("/parallel\nhm\n\n/endparallel\n", [parallel()]),
    "cut off": ("/parallel\n/agent a do it\n", [parallel(A, complete=False)]),
    "cut off in its end": ("/parallel\n/agent a do it\n/endpar", [
        parallel(FleetCommand("agent", "a do it\n/endpar"), complete=False)
    ]),
    "parallel in parallel": (
        "/parallel\n/parallel\n/agent a do it\n/endparallel\n",
        [parallel(FleetCommand("parallel"), A)],
    ),
    "two parallels": (
        "/parallel\n/agent a do it\n/endparallel\n/parallel\n/agent b do that\n/endparallel\n",
        [parallel(A), parallel(B)],
    ),
    "an end without a beginning": ("/endparallel\n/agent a do it\n", [A]),
    "several lines": (
        "/parallel\n/agent a do it\n- first\n\n- then\n\n/agent b do that\n/endparallel\n",
        [parallel(FleetCommand("agent", "a do it\n- first\n\n- then"), B)],
    ),
    "a fence in a message": (
        "/parallel\n/agent a do it\n```\n/agent b do that\n```\n/endparallel\n",
        [parallel(FleetCommand("agent", "a do it\n```\n/agent b do that\n```"))],
    ),
    "fenced": ("```\n/agent a do it\n```\n", []),
    "fenced with tildes": ("~~~\n/agent a do it\n~~~\n", []),
    "fenced with a language": ("```text\n/agent a do it\n```\n/agent b do that\n", [B]),
    "fenced in crlf": ("```\r\n/agent a do it\r\n```\r\n/agent b do that\r\n", [B]),
    "fence indented": ("   ```\n/agent a do it\n   ```\n/agent b do that\n", [B]),
    "fence never closed": ("```\n/agent a do it\n", []),
    "closed by more": ("```\n/agent a do it\n`````\n/agent b do that\n", [B]),
    "not closed by fewer": ("````\n```\n/agent a do it\n````\n/agent b do that\n", [B]),
    "not closed by the other": ("```\n~~~\n/agent a do it\n```\n/agent b do that\n", [B]),
    "nested": ("````md\n```py\n/agent a do it\n```\n````\n/agent b do that\n", [B]),
    "nested in tildes": ("~~~\n```\n/agent a do it\n```\n/agent a\n~~~\n/agent b do that", [B]),
    "nested, all alike": (
        "```md\n```py\n/agent a do it\n```\n/agent a do it\n```\n/agent b do that\n",
        [B],
    ),
    "no fence": ("```code``` here\n/agent b do that\n", [B]),
    "two of them are none": ("``\n/agent b do that\n", [B]),
    "a fenced parallel": ("```\n/parallel\n/agent a do it\n/endparallel\n```\n", []),
    "an end in a fence": (
        "/parallel\n/agent a do it\n```\n/endparallel\n```\n",
        [parallel(FleetCommand("agent", "a do it\n```\n/endparallel\n```"), complete=False)],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "commands"), TABLE.values(), ids=TABLE)
def test_the_table(text: str, commands: list[FleetCommand]) -> None:
    assert read(text) == commands


def test_plugins_are_commands_where_they_are_known() -> None:
    assert read("/fetch https://x.org\n") == []
    assert read("/fetch https://x.org\n", "fetch") == [FleetCommand("fetch", "https://x.org")]


LINES = st.sampled_from(
    "/agent a do it|/agent|/parallel|/parallel |/endparallel|/endparallel x|/agents|```|````|```py"
    "|~~~|~~~~ x|`x`|prose| /agent a|/|/a|/fetch u|/fetching||  |\t|é🦊|\r|/agent b\r"
    "|a\u2028/agent c".split("|")
)  # fmt: skip
TEXTS = st.one_of(
    st.lists(LINES).map("\n".join),
    st.lists(LINES).map("\r\n".join),
    st.text(st.sampled_from("/agentprl \n\r`~é"), max_size=80),
    st.text(max_size=80),
)


@given(TEXTS, st.data())
def test_any_cut_gives_the_same_commands(text: str, data: st.DataObject) -> None:
    whole = Parser(("fetch",))
    whole.feed(text)
    cut, at = Parser(("fetch",)), 0
    while at < len(text):
        size = data.draw(st.integers(1, 5))
        cut.feed(text[at : at + size])
        at += size
    assert (cut.delegating, cut.prose_chars) == (whole.delegating, whole.prose_chars)
    assert cut.finish() == whole.finish()


@given(TEXTS)
def test_every_character_by_itself_gives_the_same_commands(text: str) -> None:
    parser = Parser(("fetch",))
    for character in text:
        parser.feed(character)
    assert parser.finish() == read(text, "fetch")


@given(TEXTS, TEXTS)
def test_what_was_prose_stays_prose(text: str, more: str) -> None:
    """Whatever follows, what counts as prose was no part of a command."""
    parser = Parser(("fetch",))
    parser.feed(text)
    before = parser.prose_chars
    parser.feed(more)
    parser.finish()
    # White space at a line's ends may be counted while the line is still open.
    assert parser.prose_chars >= before - len(text) + len("".join(text.split()))


@given(TEXTS)
def test_a_line_that_does_not_begin_with_a_slash_is_never_a_command(text: str) -> None:
    assert read(text.replace("/", "|"), "fetch") == []


@given(TEXTS)
def test_after_the_close_nothing_is_a_command(text: str) -> None:
    parser = Parser(("fetch",))
    parser.close()
    parser.feed(text)
    assert parser.finish() == []
    assert parser.late == len(read(text, "fetch"))
