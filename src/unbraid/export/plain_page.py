"""An export as plain HTML, for readers that run no scripts.

What agents wrote is escaped, every character of it, and shown as it was written: no word of theirs
becomes a tag, an attribute or a link.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from unbraid.export import words
from unbraid.export.document import ExportedStream, RunExport
from unbraid.fleet.conversation import Item
from unbraid.screen import safe

PLAIN_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #888; --box: #8881; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2.5rem 0 .2rem; border-top: 1px solid var(--line);
  padding-top: 1rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dt, .facts, .note { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
ul { list-style: none; padding: 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .3rem 0; font: inherit; }
pre.code { font: 13px/1.4 ui-monospace, monospace; background: var(--box); padding: .6rem;
  border-radius: 4px; max-height: 40rem; overflow: auto; }
.prompt { border-left: 3px solid var(--line); padding-left: .8rem; margin: 1rem 0; }
.retracted { text-decoration: line-through; opacity: .6; }
details { margin: .4rem 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
"""


def plain_page(export: RunExport) -> Iterator[str]:
    """Yields what stands in the body of a page, line by line."""
    yield f"<h1>{escape(words.title_of(export))}</h1><dl>"
    for name, fact in words.run_facts(export):
        yield f"<dt>{name}</dt><dd>{escape(fact)}</dd>"
    yield "</dl>"
    if len(export.streams) > 1:
        yield "<ul>"
        for stream in export.streams:
            depth = "&#8195;" * min(stream.depth, 20)
            name, facts = escape(words.name_of(stream)), escape(words.facts_of(stream))
            link = f'<a href="#stream-{stream.stream_id}">{name}</a>'
            yield f'<li>{depth}{link} <span class="facts">{facts}</span></li>'
        yield "</ul>"
    shown = {stream.stream_id for stream in export.streams}
    for stream in export.streams:
        yield from _stream(stream, shown)


def _stream(stream: ExportedStream, shown: set[int]) -> Iterator[str]:
    yield f'<section id="stream-{stream.stream_id}"><h2>{escape(words.name_of(stream))}</h2>'
    yield f'<div class="facts">{escape(words.facts_of(stream))}</div>'
    for item in stream.items:
        yield from _item(item, shown)
    yield "</section>"


def _item(item: Item, shown: set[int]) -> Iterator[str]:
    retracted = " retracted" if item.retracted else ""
    if item.kind in ("prompt", "text"):
        yield f'<pre class="{item.kind}{retracted}">{_text(item.text)}</pre>'
    elif item.kind == "thinking":
        yield f'<details class="note{retracted}"><summary>Thinking</summary>'
        yield f"<pre>{_text(item.text)}</pre></details>"
    elif item.kind == "tool":
        yield f'<details class="tool{retracted}"><summary>{escape(words.call_of(item))}</summary>'
        for text in (words.input_of(item), item.result):
            if text:
                yield f'<pre class="code">{_text(text)}</pre>'
        yield "</details>"
        if item.child in shown:
            yield f'<div class="note">→ <a href="#stream-{item.child}">agent {item.child}</a></div>'
    elif line := words.note(item):
        yield f'<pre class="note">{escape(line)}</pre>'


def _text(text: str | None) -> str:
    return escape(safe(text or ""))
