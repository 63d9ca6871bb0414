"""Agents' Markdown: rendered as they meant it, readable unrendered, and inert."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from unbraid.send.export.markdown import agent_markdown, one_line

# What an agent's answer usually looks like.
ANSWER = """\
I **fixed** the *parser*, see `offset` in `src/a_b.py`: it took 2 * 3 steps at 07:20:25.

1. Read the file
2. Change it:
   - first `x`
   - then ~~y~~ z

   ```python
   def f(x: int) -> str:
       return "# no heading"
   ```
3. Test it

| case | result |
| --- | --- |
| one | `a` |
| two | **ok** |

> It was broken.
> Really.

Costs <$0.01, run c70d09fc-c820, 100% of snake_case_words, ~5 minutes, C:\\Users.
"""


def rendered(text: str) -> str:
    return str(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text))


def shown(text: str) -> str:
    return "\n".join(agent_markdown(text))


def test_a_usual_answer_looks_as_before_and_reads_as_before() -> None:
    assert rendered(shown(ANSWER)) == rendered(ANSWER)
    said = shown(ANSWER).splitlines()
    assert [line for line in ANSWER.splitlines() if line.strip() and line not in said] == []


@pytest.mark.parametrize(
    "words", ["c70d09fc-c820", "2026-11-15 07:20:25 UTC", "<$0.01", "a_b (c) d.e", "50% + 3 = x!"]
)
def test_what_means_nothing_is_not_escaped(words: str) -> None:
    assert one_line(words) == shown(words) == words


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("[docs](https://x.example/a)", "docs (`https://x.example/a`)"),
        ("<https://x.example>", "`https://x.example`"),
        ("![alt](http://x/y.png)", "(image: alt `http://x/y.png`)"),
        ("See www.x.example now", "See `www.x.example` now"),
        ("Thanks @someone, fixes #12 and a/b#3", "Thanks `@someone`, fixes `#12` and `a/b#3`"),
        ("a <b>bold</b> move", "a \\<b>bold\\</b> move"),
        ("<div>\nhi\n</div>", "```html\n<div>\nhi\n</div>\n```"),
        ("# Title", "### Title"),
        ("Title\n===", "### Title"),
        ("###### Deep", "###### Deep"),
        ("```py\nopen", "```py\nopen\n```"),
        ("```mermaid\ngraph\n```", "```\ngraph\n```"),
        ("```suggestion\nx\n```", "```\nx\n```"),
        ("[x]: http://x", "\\[x]: `http://x`"),
        ("[!NOTE]\nx", "\\[!NOTE]\nx"),
        # Parts that are harmless each, and a link, a tag or an image together.
        ("[a][(http://e](c) )", "\\[a](`http://e` (`c`) )"),
        ("<[script>](c)", "\\<script> (`c`)"),
        (r"\@someone &#64;other http:\//x", "`@someone` `@other` `http://x`"),
        ("@z``x`@y``", "`@z` ``x`@y``"),
        ("@http://x", "`@http` `://x`"),
        ("", ""),
    ],
)
def test_what_would_act_is_shown(written: str, expected: str) -> None:
    assert shown(written) == expected


@pytest.mark.parametrize(
    "text", ["> " * 100 + "deep words", "\n".join(" " * 2 * n + f"- w{n}" for n in range(60))]
)
def test_nothing_is_lost_of_what_is_nested_too_deep(text: str) -> None:
    for word in text.split():
        assert word in shown(text)


@pytest.mark.parametrize("part", ["[", "![", "word "])
def test_what_would_take_long_is_code(part: str) -> None:
    text = part * (60_000 // len(part))
    assert agent_markdown(text) == ["```", text, "```"]
