"""Exports: everything is there, and nothing that an agent wrote acts."""

from __future__ import annotations

import base64
import hashlib
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

from tests.block_rows import RECORDINGS, sources_of
from tests.send.export.saved import events_in
from unbraid.errors import CallerError
from unbraid.events import FleetEvent, FleetToolResult, FleetToolUse, StreamStart, Text, encode
from unbraid.record.sessions.sources import events_of, runs_of_sources
from unbraid.screen import cost
from unbraid.send.export import RunExport, RunFile
from unbraid.testing.sample_runs import sample_run

NESTED = "nested.partial-fwd.2.1.260"


def recorded(folder: Path) -> list[FleetEvent]:
    (run,) = runs_of_sources(sources_of(folder, full=True), {})
    return list(events_of(run))


def exported(folder: Path, stream: int | None = None) -> RunExport:
    file = RunFile("r", "json", stream=stream)
    file.apply(recorded(folder))
    return file.export()


def made(events: list[FleetEvent], form: str, stream: int | None = None) -> str:
    file = RunFile("r", form, stream=stream)
    file.apply(events)
    return file.content(file.export()).decode()


@pytest.mark.parametrize("name", [NESTED, "deep-fan.plain.2.1.197", "many-turns.stdin.2.0.76"])
def test_every_block_that_the_model_served_is_there_and_no_note(name: str) -> None:
    truth = json.loads((RECORDINGS / name / "truth.json").read_bytes())
    events = recorded(RECORDINGS / name)
    page = made(events, "json")
    said = json.loads(page)
    texts = {item.get("text") for stream in said["streams"] for item in stream["items"]}
    for block in truth["blocks"]:
        if block["type"] == "text":
            assert block["text"] in texts
    packed = events_in(made(events, "html"))
    known = "".join(json.loads(line).get("delta", "") for line in packed.splitlines())
    assert all(block["text"] in known for block in truth["blocks"] if block["type"] == "text")
    for note in ("never quote", "agentId", "use SendMessage", "for resuming", "<usage>"):
        assert note not in page
        assert note not in packed


def test_costs_of_the_run_and_of_each_agent_are_there() -> None:
    export = exported(RECORDINGS / NESTED)
    assert [stream.stream_id for stream in export.streams] == [0, 1, 2]
    assert export.usage.cost_usd
    own = sum(stream.usage.total_tokens for stream in export.streams)
    assert own == export.streams[0].total.total_tokens == export.usage.total_tokens
    for form in ("html", "markdown"):
        shown = made(recorded(RECORDINGS / NESTED), form).replace("\\", "")
        assert cost(export.usage) in shown
        for stream in export.streams:
            assert f"{stream.usage.total_tokens:,} tokens" in shown


def test_one_stream_alone() -> None:
    export = exported(RECORDINGS / NESTED, 1)
    assert [stream.stream_id for stream in export.streams] == [1]
    with pytest.raises(CallerError, match="no stream 9"):
        exported(RECORDINGS / NESTED, 9)
    events = recorded(RECORDINGS / NESTED)
    page = [json.loads(line) for line in events_in(made(events, "html", stream=1)).splitlines()]
    assert page[0]["type"] == "request_received"
    assert "prompt" not in page[0]
    assert {event["stream_id"] for event in page[1:-1]} == {1}
    total = export.streams[0].total
    assert (page[-1]["type"], page[-1]["output_tokens"]) == ("done", total.output_tokens)


# --- what agents write, and what it must not become ---


def hostile(words: str) -> list[FleetEvent]:
    """A run that says some words everywhere where an agent can say anything."""
    place: dict[str, Any] = {"ts": 5, "stream_id": 1, "depth": 1, "agent": words or "a"}
    events: list[FleetEvent] = sample_run([words])[:3]
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
    return events


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


def before_script(page: str) -> tuple[str, str]:
    """A page's content, and its script, which is half a megabyte and always the same."""
    shown, script = page.split('<script type="module">')
    return shown, script


@attacks
@given(words=any_words())
def test_a_page_has_our_tags_alone(words: str) -> None:
    # A log has no lone surrogates.
    words = words.encode("utf-8", "replace").decode()
    page, same = Page(), Page()
    shown, script = before_script(made(hostile(words), "html"))
    plain, ours_too = before_script(made(hostile("plain words"), "html"))
    assert script == ours_too
    page.feed(shown)
    same.feed(plain)
    assert set(page.tags) <= set(same.tags)
    ours = ["application/json", "text/plain"]
    assert [value for name, value in page.attributes if name == "type"] == ours
    assert page.tags.count("script") == len(ours)
    icon = next(value for _, value in same.attributes if value and value.startswith("data:image/"))
    for name, value in page.attributes:
        start = value if name in ("type", "href") and value in (*ours, icon) else None
        assert (name, start or (value or "").split("-")[0]) in {
            ("lang", "en"), ("class", value), ("id", "stream"), ("href", "#stream"),
            ("id", "unbraid"), ("type", value), ("rel", "icon"), ("href", icon),
        }  # fmt: skip
        if name == "class":
            assert value in {"facts", "prompt", "text", "tool", "code", "note"}


def test_a_page_forbids_itself_everything_but_its_own_script_and_style() -> None:
    page = made(hostile("x"), "html")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert set(rules) == {
        "default-src",
        "script-src",
        "style-src",
        "img-src",
        "base-uri",
        "form-action",
    }
    assert rules["img-src"] == "data:"
    (script,) = re.findall(r'<script type="module">(.*?)</script>', page, re.S)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert rules["script-src"] == f"'sha256-{digest}'"
    assert re.fullmatch(r"'sha256-\S+' 'sha256-\S+'", rules["style-src"])
    assert not re.search(
        r'<(?:script|link|img)[^>]*(?:src|href)="(?!data:)', before_script(page)[0]
    )


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


def parsed(events: list[FleetEvent]) -> list[Token]:
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": 1000})
    parser.enable(["table", "strikethrough"])
    return parser.parse(made(events, "markdown"))


def test_the_json_is_one_object() -> None:
    for attack in ATTACKS[:-1]:
        assert json.loads(made(hostile(attack), "json"))["streams"][0]["stream_id"] == 0


def test_events_are_not_needed_to_be_complete() -> None:
    file = RunFile("r", "markdown")
    file.apply(sample_run(["Half"])[:3])
    assert file.export().status == "working"
    assert encode(sample_run(["x"])[0])
    assert b"Half" in file.content(file.export())


def test_a_run_that_says_no_times_shows_none() -> None:
    events = sample_run(["Hello"])
    for event in events:
        event.ts = 0
    for form in ("html", "markdown"):
        shown = made(events, form).split('<script type="application/json"')[0]
        shown = re.sub(r"<style>.*?</style>", "", shown, flags=re.S)
        assert "Hello" in shown
        assert not any(word in shown for word in ("Started", "Duration", "1970"))
