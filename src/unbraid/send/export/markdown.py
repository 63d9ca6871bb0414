"""An export as Markdown that can be pasted anywhere: a comment on a pull request, a wiki, a file.

What agents wrote is shown and never interpreted. Tool calls and results are code in fences longer
than any that stands in them. Titles are plain words: escaped where CommonMark or GitHub's dialect
would act on them, and nowhere else, so that they can also be read unrendered. A forge looks for
names, issues and addresses in what is rendered already, where no escape is left: they become code,
which notifies no one and links nothing.

An agent's text stands in quotes, still rendered, but it cannot do anything: it is parsed, and
written anew from what the parser has found. Only kinds that are listed here come out, so nothing
acts because it was overlooked. HTML is shown as code, links and images as words with their address,
headings below those of the document. Lists, tables and code stay what they are; whatever an agent
has left open is closed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from unbraid.fold.conversation import Item
from unbraid.screen import safe
from unbraid.send.export.document import (
    ExportedStream,
    RunExport,
    call_of,
    facts_of,
    input_of,
    name_of,
    note,
    run_facts,
    title_of,
)

# In HTML: what a forge would look for once it is rendered, with the word that it belongs to.
_HTML_REFERENCE = re.compile(
    r"[\w.:/-]*(?:[@#!](?=\w)|://|www\.(?=\w))[\w.:/@#!?=-]*", re.IGNORECASE
)


def as_markdown(export: RunExport) -> str:
    """Returns an export as Markdown."""
    return "\n".join(_document(export)) + "\n"


def _document(export: RunExport) -> Iterator[str]:
    yield f"# {one_line(title_of(export))}"
    yield ""
    facts = [f"**{name}** {plain(fact)}" for name, fact in run_facts(export)]
    yield " · ".join(facts)
    if len(export.streams) > 1:
        yield ""
        for stream in export.streams:
            indent = "  " * min(stream.depth, 20)
            name, stands = plain(name_of(stream)), plain(facts_of(stream))
            yield f"{indent}- {name} — {stands}"
    for stream in export.streams:
        yield from _stream(stream)


def _stream(stream: ExportedStream) -> Iterator[str]:
    yield ""
    yield f"## {plain(name_of(stream))}"
    yield ""
    yield one_line(facts_of(stream))
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
        title = f"{call_of(item)}{started}{withdrawn}"
        yield from _details(title, [input_of(item), safe(item.result or "")])
    elif line := note(item):
        yield from quoted(one_line(each) for each in line.split("\n"))


def _details(title: str, texts: list[str]) -> Iterator[str]:
    # A line that begins with a tag is HTML, where nothing can be escaped with a backslash.
    shown = _HTML_REFERENCE.sub(r"<code>\g<0></code>", escape(title, quote=False))
    yield f"<details><summary>{shown}</summary>"
    for text in filter(None, texts):
        yield ""
        yield from fenced(safe(text))
    yield ""
    yield "</details>"


# Longer texts are shown as code, and those with more brackets, for which the parser's time grows
# with the square of their number; so are deeper ones, of which it would leave out parts.
_MOST_CHARACTERS, _MOST_BRACKETS = 50_000, 1_000
_DEEPEST = 40
# What comes below the titles of the document.
_FIRST_HEADING = 3
# Forges run some languages: diagrams, maps, suggested changes. Of these they only colour the words.
_LANGUAGES = frozenset(
    "bash c cpp cs css csv diff dockerfile go html ini java javascript js json jsonl jsx kotlin"
    " lua makefile perl php powershell py python rb ruby rs rust scala scss sh shell sql swift text"
    " toml ts tsx txt typescript vue xml yaml yml zsh".split()
)
_WORDS = frozenset(("text", "text_special", "html_inline"))
_MARKS = {"strong": "**", "em": "*", "s": "~~"}

# References are left as they are written: the parser would take their addresses out of the text.
_PARSER = MarkdownIt("commonmark", {"maxNesting": _DEEPEST})
_PARSER.enable(["table", "strikethrough"]).disable("reference")


def agent_markdown(text: str) -> list[str]:
    """Returns the lines of an agent's text as Markdown that cannot do anything."""
    text = safe(text).replace("\t", "    ").strip("\n")
    simple = len(text) <= _MOST_CHARACTERS and text.count("[") <= _MOST_BRACKETS
    tokens = _PARSER.parse(text) if simple else []
    if not tokens or any(token.level >= _DEEPEST - 3 for token in tokens):
        return fenced(text) if text.strip() else []
    return _blocks(SyntaxTreeNode(tokens).children)


def fenced(text: str, language: str = "") -> list[str]:
    """Returns text as a block of code that no line of it can close."""
    fence = "```"
    while fence in text:
        fence += "`"
    lines = text.rstrip("\n").split("\n")
    return [f"{fence}{language if language in _LANGUAGES else ''}", *lines, fence]


def _blocks(nodes: Iterable[SyntaxTreeNode], *, tight: bool = False) -> list[str]:
    lines: list[str] = []
    for node in nodes:
        block = _block(node)
        # Nothing but a list can stand right below a paragraph without becoming a part of it.
        if lines and block and not (tight and node.type.endswith("_list")):
            lines.append("")
        lines += block
    return lines


def _block(node: SyntaxTreeNode) -> list[str]:
    match node.type:
        case "paragraph":
            return [whole_line(line) + end for line, end in _lines(node)]
        case "heading":
            level = min(int(node.tag[1]) + _FIRST_HEADING - 1, 6)
            words = " ".join(line for line, _ in _lines(node)).strip()
            return [f"{'#' * level} {words}" + (" #" if words.endswith("#") else "")]
        case "blockquote":
            return quoted(_blocks(node.children)) or [">"]
        case "bullet_list" | "ordered_list":
            return _list(node)
        case "table":
            return _table(node)
        case "hr":
            return ["***"]
        case "fence":
            return fenced(node.content, node.info.strip().lower())
        case "html_block":
            return fenced(node.content, "html")
        case _:
            return fenced(node.content)


def quoted(lines: Iterable[str]) -> list[str]:
    """Returns lines in a block quote."""
    return [f"> {line}" if line else ">" for line in lines]


def _list(node: SyntaxTreeNode) -> list[str]:
    lines: list[str] = []
    number = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
    tight = all(part.hidden for item in node.children for part in _paragraphs(item))
    for item in node.children:
        mark = "-" if number is None else f"{min(number, 999_999_999)}."
        inner = _blocks(item.children, tight=tight) or [""]
        if lines and not tight:
            lines.append("")
        indent = " " * (len(mark) + 1)
        lines.append(f"{mark} {inner[0]}".rstrip())
        lines += [indent + line if line else "" for line in inner[1:]]
        number = None if number is None else number + 1
    return lines


def _paragraphs(item: SyntaxTreeNode) -> list[SyntaxTreeNode]:
    return [part for part in item.children if part.type == "paragraph"]


def _table(node: SyntaxTreeNode) -> list[str]:
    rows = [row for part in node.children for row in part.children]
    lines = []
    for row in rows:
        cells = [" ".join(line for line, _ in _lines(cell, in_table=True)) for cell in row.children]
        lines.append(f"| {' | '.join(cells)} |")
    lines.insert(1, "|" + " --- |" * len(rows[0].children))
    return lines


def _lines(node: SyntaxTreeNode, *, in_table: bool = False) -> list[tuple[str, str]]:
    """Returns the lines of a block's words, each with what ends it."""
    lines = _inlines(node, in_table=in_table).split("\n")
    return [(line.removesuffix("\0"), "  " if line.endswith("\0") else "") for line in lines]


def _inlines(node: SyntaxTreeNode, *, in_table: bool) -> str:
    shown = []
    # Words in one piece: an escape may stand within what a forge sees as one name or address.
    for is_words, parts in groupby(node.children, lambda part: part.type in _WORDS):
        if is_words:
            # Once more: names and numbers of characters have become what they stand for.
            words = safe("".join(part.content for part in parts))
            shown += ["\n".join(map(plain, words.split("\n")))]
        else:
            shown += [_inline(part, in_table=in_table) for part in parts]
    return joined(shown)


def _inline(node: SyntaxTreeNode, *, in_table: bool) -> str:
    match node.type:
        case "softbreak":
            return "\n"
        case "hardbreak":
            return "\0\n"  # No text has this: it is shown as an escape.
        case "code_inline":
            shown = code(node.content)
            return shown.replace("|", "\\|") if in_table else shown
        case "link" | "image":
            key = "href" if node.type == "link" else "src"
            return _address(node, str(node.attrs.get(key, "")), in_table=in_table)
        case "inline" | "strong" | "em" | "s":
            mark = _MARKS.get(node.type, "")
            return mark + _inlines(node, in_table=in_table) + mark
        case _:
            return ""


def _address(node: SyntaxTreeNode, address: str, *, in_table: bool) -> str:
    words = _inlines(node, in_table=in_table)
    shown = code(address)
    if in_table:
        shown = shown.replace("|", "\\|")
    if node.type == "image":
        return f"(image: {words} {shown})"
    return shown if words in (shown, plain(address)) or not words else f"{words} ({shown})"


# An address, a name or mail address, an issue or merge request: with all that stands around it.
_REFERENCE = re.compile(
    r"(?:(?:[a-z][a-z0-9+.-]*)?://|www\.|mailto:|xmpp:)[^\s`]*"
    r"|[\w./+-]*@+\w[\w./@+-]*|[\w./-]*#+\w[\w/-]*|[\w./-]*!\d+|\bGH-\d+",
    re.IGNORECASE,
)
# The text before and after is not known here, so a character at either end is escaped if it could
# be active.
_ACTIVE = re.compile(
    r"""\\(?=[!-/:-@\[-`{-~]|$)                 # before what it would escape
      | [`|]
      | \*(?!(?<=\s\*)\s)                      # but not between spaces
      | (?<![^\W_])_ | _(?![^\W_])             # but not within a word
      | ~(?!(?<=\s~)[^~])                      # but not at the beginning of a word
      | <(?=[a-z/!?]|$)
      | &(?=\#?\w+;|\#?\w*$)
      | \$(?!\d)                               # amounts of money stay
      | \[(?![\w\s,.-]{0,80}\](?!$|[(\[:{]))   # but not one that ends as nothing
    """,
    re.VERBOSE | re.IGNORECASE,
)
# What begins a block where a line begins.
_BEGINNING = re.compile(r"(?:#{1,6}|[-+*])(?=\s|$)|>|[-=:+](?=[-=:+\s]*$)|(?<=\d)[.)](?=\s|$)")
_NUMBER = re.compile(r"\d{1,9}(?=[.)])")
_TICKS = re.compile(r"`+")


def plain(text: str) -> str:
    """Returns words of one line, which may follow other words, as Markdown that shows them."""
    shown, done = [], 0
    for found in _REFERENCE.finditer(text):
        shown += [_ACTIVE.sub(r"\\\g<0>", text[done : found.start()]), code(found[0])]
        done = found.end()
    return joined((*shown, _ACTIVE.sub(r"\\\g<0>", text[done:])))


def joined(parts: Iterable[str]) -> str:
    """Returns parts as one. Ticks of two parts do not touch: they would be other ticks."""
    whole: list[str] = []
    for part in filter(None, parts):
        if whole and whole[-1].endswith("`") and part.startswith("`"):
            whole.append(" ")
        whole.append(part)
    return "".join(whole)


def whole_line(shown: str) -> str:
    """Returns a line of Markdown made to begin no block."""
    shown = shown.strip()
    number = _NUMBER.match(shown)
    at = number.end() if number else 0
    found = _BEGINNING.match(shown, at)
    return f"{shown[:at]}\\{shown[at:]}" if found else shown


def code(text: str) -> str:
    """Returns text as code within a line."""
    text = " ".join(text.splitlines())
    ticks = {len(run) for run in _TICKS.findall(text)}
    fence = "`" * next(count for count in range(1, len(ticks) + 2) if count not in ticks)
    padded = not text.strip() or text[0] in "` " or text[-1] in "` "
    return f"{fence} {text} {fence}" if padded else f"{fence}{text}{fence}"


def one_line(text: str) -> str:
    """Returns words that begin a line of their own, such as a title."""
    return whole_line(plain(" ".join(text.split())))
