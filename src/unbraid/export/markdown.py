"""An export as Markdown that can be pasted anywhere: a comment on a pull request, a wiki, a file.

What agents wrote is shown and never interpreted: their texts stand in quotes, rendered but inert
(`agent_markdown`), their titles are plain words (`plain_words`), and tool calls and results are
code in fences longer than any that stands in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from unbraid.export import words
from unbraid.export.agent_markdown import agent_markdown, fenced, quoted
from unbraid.export.document import ExportedStream, RunExport
from unbraid.export.plain_words import one_line, plain
from unbraid.fleet.conversation import Item
from unbraid.screen import safe

# In HTML: what a forge would look for once it is rendered, with the word that it belongs to.
_REFERENCE = re.compile(r"[\w.:/-]*(?:[@#!](?=\w)|://|www\.(?=\w))[\w.:/@#!?=-]*", re.IGNORECASE)


def as_markdown(export: RunExport) -> str:
    """Returns an export as Markdown."""
    return "\n".join(_document(export)) + "\n"


def _document(export: RunExport) -> Iterator[str]:
    yield f"# {one_line(words.title_of(export))}"
    yield ""
    facts = [f"**{name}** {plain(fact)}" for name, fact in words.run_facts(export)]
    yield " · ".join(facts)
    if len(export.streams) > 1:
        yield ""
        for stream in export.streams:
            indent = "  " * min(stream.depth, 20)
            name, facts_of = plain(words.name_of(stream)), plain(words.facts_of(stream))
            yield f"{indent}- {name} — {facts_of}"
    for stream in export.streams:
        yield from _stream(stream)


def _stream(stream: ExportedStream) -> Iterator[str]:
    yield ""
    yield f"## {plain(words.name_of(stream))}"
    yield ""
    yield one_line(words.facts_of(stream))
    for item in stream.items:
        lines = list(_item(item))
        if lines:
            yield ""
            yield from lines


def _item(item: Item) -> Iterator[str]:
    withdrawn = " (retracted)" if item.retracted else ""
    if item.kind in ("prompt", "text"):
        title = "Prompt" if item.kind == "prompt" else "Said"
        yield f"**{title}{withdrawn}**"
        yield ""
        yield from quoted(agent_markdown(item.text or ""))
    elif item.kind == "thinking":
        yield from _details(f"Thinking{withdrawn}", [item.text or ""])
    elif item.kind == "tool":
        started = "" if item.child is None else f" → agent {item.child}"
        title = f"{words.call_of(item)}{started}{withdrawn}"
        yield from _details(title, [words.input_of(item), safe(item.result or "")])
    elif line := words.note(item):
        yield from quoted(one_line(each) for each in line.split("\n"))


def _details(title: str, texts: list[str]) -> Iterator[str]:
    # A line that begins with a tag is HTML, where nothing can be escaped with a backslash.
    shown = _REFERENCE.sub(r"<code>\g<0></code>", escape(title, quote=False))
    yield f"<details><summary>{shown}</summary>"
    for text in filter(None, texts):
        yield ""
        yield from fenced(safe(text))
    yield ""
    yield "</details>"
