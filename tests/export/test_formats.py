"""Exports: everything is there, and nothing that an agent wrote acts."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec import Raw

from tests.said import RECORDINGS, sources_of
from unbraid.errors import CallerError
from unbraid.events import FleetEvent, FleetToolResult, FleetToolUse, StreamStart, Text, encode
from unbraid.export import RunExport, RunFold, render
from unbraid.log.sample import story
from unbraid.screen import cost
from unbraid.sessions.sources import events_of, runs_of_sources

NESTED = "nested.partial-fwd.2.1.260"


def exported(folder: Path, stream: int | None = None) -> RunExport:
    (run,) = runs_of_sources(sources_of(folder, full=True), {})
    fold = RunFold("r")
    fold.apply(events_of(run))
    return fold.export(stream)


@pytest.mark.parametrize("name", [NESTED, "deep-fan.plain.2.1.197", "many-turns.stdin.2.0.76"])
def test_every_block_that_the_model_served_is_there_and_no_note(name: str) -> None:
    truth = json.loads((RECORDINGS / name / "truth.json").read_bytes())
    page = render(exported(RECORDINGS / name), "json").decode()
    said = json.loads(page)
    texts = {item.get("text") for stream in said["streams"] for item in stream["items"]}
    for block in truth["blocks"]:
        if block["type"] == "text":
            assert block["text"] in texts
    for note in ("never quote", "agentId", "use SendMessage", "for resuming", "<usage>"):
        assert note not in page


def test_costs_of_the_run_and_of_each_agent_are_there() -> None:
    export = exported(RECORDINGS / NESTED)
    assert [stream.stream_id for stream in export.streams] == [0, 1, 2]
    assert export.usage.cost_usd
    own = sum(stream.usage.total_tokens for stream in export.streams)
    assert own == export.streams[0].total.total_tokens == export.usage.total_tokens
    for form in ("html", "markdown"):
        shown = render(export, form).decode().replace("\\", "")
        assert cost(export.usage) in shown
        for stream in export.streams:
            assert f"{stream.usage.total_tokens:,} tokens" in shown


def test_one_stream_alone() -> None:
    export = exported(RECORDINGS / NESTED, 1)
    assert [stream.stream_id for stream in export.streams] == [1]
    with pytest.raises(CallerError, match="no stream 9"):
        exported(RECORDINGS / NESTED, 9)


# --- what agents write, and what it must not become ---


def hostile(words: str) -> RunExport:
    """A run that says some words everywhere where an agent can say anything."""
    place: dict[str, Any] = {"ts": 5, "stream_id": 1, "depth": 1, "agent": words or "a"}
    events: list[FleetEvent] = story([words])[:3]
    events[0].prompt = events[1].prompt = words  # type: ignore[attr-defined]
    events[0].cwd = words  # type: ignore[attr-defined]
    content = Raw(json.dumps(words.encode("utf-8", "replace").decode()).encode())
    given = Raw(json.dumps({"w": words, "command": words}).encode())
    events += [
        StreamStart(seq=4, parent_stream_id=0, description=words, model=words, **place),
        FleetToolUse(seq=5, tool_use_id="t", tool=words, input_json=given, **place),
        FleetToolResult(seq=6, tool_use_id="t", ok=True, content_json=content, **place),
        Text(seq=7, delta=words, message_id="m", block=0, **place),
    ]
    fold = RunFold("r")
    fold.apply(events)
    return fold.export()


class Page(HTMLParser):
    """The tags and attributes of a page, and its visible text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag != "meta":
            self.attributes += attrs

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_data(self, data: str) -> None:
        self.text += data


ATTACKS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</pre></details></style><iframe src=//x>",
    "<!-- --><svg/onload=alert(1)>",
    "javascript:alert(1)",
    "[click](javascript:alert(1)) ![x](http://x/y.png) <http://x> http://x.example www.x.example",
    "# heading\n\n- list\n1. one\n\n---\n> quote\n    code\n| a | b |\n|---|---|\n| 1 | 2 |",
    "```\nfence\n```\n````\n</details>\n~~~\n",
    "setext\n===\nsetext\n---",
    "[x]: http://x\n[^1]: note\n&lt;b&gt; &#60;b&#62; \\<b>",
    "@everyone #1 !2 a@b.example",
    "\u202e\x1b[2J\x00\r\n\u2028<b>",
    "\ud800",
)


def any_words() -> Any:
    return st.text(alphabet=st.sampled_from(list("<>&\"'`~*_[]()!#-=|\\ \n\tab1.:/@$\u2028\r+{}")))


def attacks(test: Any) -> Any:
    for attack in ATTACKS:
        test = example(words=attack)(test)
    return test


@attacks
@given(words=any_words())
def test_a_page_has_our_tags_alone(words: str) -> None:
    page, same = Page(), Page()
    page.feed(render(hostile(words), "html").decode())
    same.feed(render(hostile("plain words"), "html").decode())
    assert set(page.tags) <= set(same.tags)
    assert "script" not in page.tags
    for name, value in page.attributes:
        assert (name, (value or "").split("-")[0]) in {
            ("lang", "en"), ("class", value), ("id", "stream"), ("href", "#stream"),
        }  # fmt: skip
        if name == "class":
            assert value in {"facts", "prompt", "text", "tool", "code", "note"}


def test_a_page_forbids_itself_everything_but_its_style() -> None:
    page = render(hostile("x"), "html").decode()
    assert "default-src 'none'; style-src 'sha256-" in page
    assert "<script" not in page
    assert "http://" not in page
    assert "https://" not in page


@attacks
@given(words=any_words())
def test_markdown_has_our_structure_alone(words: str) -> None:
    tokens = parsed(hostile(words))
    assert [t.tag for t in tokens if t.type == "heading_open" and not t.level] == ["h1", "h2", "h2"]
    if words.strip():
        ours = [token.type for token in parsed(hostile("plain words")) if not token.level]
        assert [token.type for token in tokens if not token.level] == ours
    quotes = 0
    for token in tokens:
        quotes += (token.type == "blockquote_open") - (token.type == "blockquote_close")
        if token.type == "html_block":
            lines = token.content.strip().splitlines()
            assert len(lines) == 1
            assert lines[0].startswith("<details><summary>") or lines[0] == "</details>"
            page = Page()
            page.feed(lines[0])
            assert set(page.tags) <= {"details", "summary", "code"}
            assert page.attributes == []
        if token.type in {"hr", "table_open", "ordered_list_open"}:
            assert quotes
        if token.type == "heading_open" and quotes:
            assert token.tag >= "h3"
        assert token.type != "code_block"
        for inline in token.children or ():
            assert inline.type in {
                "text", "text_special", "softbreak", "hardbreak", "code_inline", "strong_open",
                "strong_close", "em_open", "em_close", "s_open", "s_close",
            }  # fmt: skip
            # What a forge would link, or notify, once it is rendered.
            if inline.type == "text":
                assert not re.search(r"://|www\.\w|[@#]\w|!\d", inline.content)


def parsed(export: RunExport) -> list[Token]:
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": 1000})
    parser.enable(["table", "strikethrough"])
    return parser.parse(render(export, "markdown").decode())


def test_the_json_is_one_object() -> None:
    for attack in ATTACKS[:-1]:
        assert json.loads(render(hostile(attack), "json"))["streams"][0]["stream_id"] == 0


def test_events_are_not_needed_to_be_complete() -> None:
    fold = RunFold("r")
    fold.apply(story(["Half"])[:3])
    export = fold.export()
    assert export.status == "working"
    assert encode(story(["x"])[0])
    assert b"Half" in render(export, "markdown")


def test_a_run_that_says_no_times_shows_none() -> None:
    events = story(["Hello"])
    for event in events:
        event.ts = 0
    fold = RunFold("r")
    fold.apply(events)
    for form in ("html", "markdown"):
        shown = render(fold.export(), form)
        assert b"Hello" in shown
        assert not any(word in shown for word in (b"Started", b"Duration", b"1970"))
