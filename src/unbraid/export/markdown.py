"""An export as Markdown that can be pasted anywhere: a comment on a pull request, a wiki, a file.

What agents wrote is shown and never obeyed. Words are quoted with every sign escaped that means
something to Markdown, so that they make no heading, link, image, HTML or comment of their own;
signs by which a forge would notify a person, refer to an issue or make a link are taken apart. Tool
calls and results are code in fences longer than any that stands in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from unbraid.export import words
from unbraid.export.document import ExportedStream, RunExport
from unbraid.fleet.conversation import Item
from unbraid.screen import safe

# Markdown lets each of these be escaped; none of them means anything then.
_SIGN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~&@$:=^])")
# A forge looks for these in what is rendered already: an empty comment takes them apart.
_REFERENCE = re.compile(r"([@#!](?=\w)|:(?=//)|www\\?\.(?=\w))", re.IGNORECASE)
_INDENT = re.compile(r"^[ \t]+")
_FENCES = re.compile(r"`{3,}")


def as_markdown(export: RunExport) -> str:
    """Returns an export as Markdown."""
    return "\n".join(_document(export)) + "\n"


def _document(export: RunExport) -> Iterator[str]:
    yield f"# {escaped(words.title_of(export))}"
    yield ""
    facts = [f"**{name}** {escaped(fact)}" for name, fact in words.run_facts(export)]
    yield " · ".join(facts)
    if len(export.streams) > 1:
        yield ""
        for stream in export.streams:
            indent = "  " * min(stream.depth, 20)
            name, facts_of = escaped(words.name_of(stream)), escaped(words.facts_of(stream))
            yield f"{indent}- {name} — {facts_of}"
    for stream in export.streams:
        yield from _stream(stream)


def _stream(stream: ExportedStream) -> Iterator[str]:
    yield ""
    yield f"## {escaped(words.name_of(stream))}"
    yield ""
    yield escaped(words.facts_of(stream))
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
        yield from _quote(item.text or "")
    elif item.kind == "thinking":
        yield from _details(f"Thinking{withdrawn}", [item.text or ""])
    elif item.kind == "tool":
        started = "" if item.child is None else f" → agent {item.child}"
        title = f"{words.call_of(item)}{started}{withdrawn}"
        yield from _details(title, [words.input_of(item), safe(item.result or "")])
    elif line := words.note(item):
        yield from _quote(line)


def _quote(text: str) -> Iterator[str]:
    for line in safe(text).split("\n"):
        indent = _INDENT.match(line)
        spaces = indent[0].expandtabs(4) if indent else ""
        shown = "&nbsp;" * len(spaces) + escaped(line)
        # Two spaces: the line ends where the agent has ended it.
        yield f"> {shown}  " if shown else ">"


def _details(title: str, texts: list[str]) -> Iterator[str]:
    # A line that begins with a tag is HTML, where nothing can be escaped with a backslash.
    yield f"<details><summary>{_apart(escape(title, quote=False))}</summary>"
    for text in filter(None, texts):
        longest = max((len(fence) for fence in _FENCES.findall(text)), default=2)
        fence = "`" * (longest + 1)
        yield ""
        yield fence
        yield safe(text)
        yield fence
    yield ""
    yield "</details>"


def escaped(text: str) -> str:
    """Returns words that mean nothing to Markdown."""
    return _apart(_SIGN.sub(r"\\\1", " ".join(text.split())))


def _apart(text: str) -> str:
    return _REFERENCE.sub(r"\1<!-- -->", text)
