"""An export as one HTML file: the page that `unbraid` serves, with the run in it.

It needs no server and no network: the page's script and style are in the file, and so are the
events, packed: one JSON object a line, compressed, in base64. That is a file of some megabytes for
100,000 events, of which no character can be taken for markup. Notes that a CLI writes for the model
alone, and records that could not be read, are left out, as in every export.

The policy of the file allows that script and that style by their hashes and nothing else, so
whatever an agent wrote can neither run nor load nor send anything, even if it became markup by a
mistake. Readers without scripts get the run as plain HTML. There, too, what agents wrote is
escaped, every character of it, and shown as it was written: no word of theirs becomes a tag, an
attribute or a link.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterator
from functools import cache
from html import escape
from importlib.resources import files

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from unbraid import events as e
from unbraid.agents.registry import kind
from unbraid.fold.conversation import Item
from unbraid.screen import safe, safe_json
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

# The page decodes one line at a time. A multiple of 3, so that no line but the last is padded.
_LINE_BYTES = 48 * 1024
_LEFT_OUT = (e.FleetUnrecognized, e.FleetMalformed)


class ArchiveFacts(Struct):
    """What the page has to know before it has read any event. `stream` is the only one of the
    file, if it has one only, and `last_seq` the last of its events.
    """

    run: str
    title: str | None
    stream: int | None
    last_seq: int


class EventArchive:
    """The events of a run, or of one of its streams, to be written into a file."""

    def __init__(self, stream: int | None = None) -> None:
        self._stream = stream
        self._events: list[e.FleetEvent] = []
        self._agents: set[str] = set()
        self._source = ""

    def apply(self, event: e.FleetEvent) -> None:
        """Adds the run's next event."""
        if isinstance(event, e.StreamStart) and event.tool_use_id:
            self._agents.add(event.tool_use_id)
        if isinstance(event, e.RequestReceived):
            self._source = event.source
        if not isinstance(event, _LEFT_OUT):
            self._events.append(event)

    def facts(self, export: RunExport) -> ArchiveFacts:
        """Returns what the page has to know first."""
        shown = (event.seq for event in reversed(self._events) if self._of_stream(event, export))
        return ArchiveFacts(export.run, export.title, self._stream, last_seq=next(shown, 0))

    def lines(self, export: RunExport) -> Iterator[str]:
        """Yields the events as lines of base64; joined and decoded, they are one zlib stream."""
        packer, rest = zlib.compressobj(6), b""
        for event in self._events:
            shown = self._of_stream(event, export)
            if shown is None:
                continue
            rest += packer.compress(e.encode(self._without_notes(shown)) + b"\n")
            whole = len(rest) - len(rest) % _LINE_BYTES
            for at in range(0, whole, _LINE_BYTES):
                yield base64.b64encode(rest[at : at + _LINE_BYTES]).decode()
            rest = rest[whole:]
        yield base64.b64encode(rest + packer.flush()).decode()

    def _of_stream(self, event: e.FleetEvent, export: RunExport) -> e.FleetEvent | None:
        """Returns an event as one stream's file has it; None if it is about others."""
        if self._stream is None:
            return event
        if isinstance(event, e.RequestReceived):
            # The prompt is the main agent's.
            return event if self._stream == 0 else replace(event, prompt=None)
        if isinstance(event, e.Done):
            # The file's total is that of its agent and everyone below it.
            total = msgspec.structs.asdict(export.streams[0].total)
            return replace(event, **total, streams=1)
        return event if event.stream_id == self._stream else None

    def _without_notes(self, event: e.FleetEvent) -> e.FleetEvent:
        source = kind(self._source)
        if source is None:
            return event
        if isinstance(event, e.FleetToolResult):
            of_agent = event.tool_use_id in self._agents
            shown = source.without_notes(event.content, of_agent=of_agent)
            if shown != event.content:
                return replace(event, content_json=Raw(msgspec.json.encode(shown)))
        elif isinstance(event, e.SubAgentResponse):
            shown = source.without_notes(event.content, of_agent=True)
            return event if shown == event.content else replace(event, content=shown)
        return event


class _Bundle(Struct, frozen=True):
    """The built page, as it stands in a file."""

    script: str
    style: str
    icon: str
    policy: str


def html_page(export: RunExport, archive: EventArchive) -> Iterator[str]:
    """Yields the lines of the file."""
    bundle, title = _bundle(), escape(title_of(export))
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{bundle.policy}">'
    yield '<meta name="referrer" content="no-referrer">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="color-scheme" content="light dark">'
    yield f'<link rel="icon" href="{bundle.icon}">'
    yield f"<title>{title}</title><style>{bundle.style}</style>"
    yield f"<noscript><style>{PLAIN_STYLE}</style></noscript></head><body>"
    yield "<noscript>"
    yield from plain_page(export)
    yield "</noscript>"
    encoded = safe_json(msgspec.json.encode(archive.facts(export)))
    # JSON may have these as escapes, and then no word in it ends the element.
    facts = encoded.decode("utf-8", "backslashreplace").replace("<", "\\u003c")
    yield f'<script type="application/json" id="unbraid-run">{facts}</script>'
    yield '<script type="text/plain" id="unbraid-events">'
    yield from archive.lines(export)
    yield "</script>"
    yield f'<script type="module">{bundle.script}</script>'
    yield "</body></html>"


@cache
def _bundle() -> _Bundle:
    # By its path, not as a package: importing the server would cost more than the export.
    static = files("unbraid") / "serve" / "static"
    script = _inside_script((static / "assets" / "page.js").read_text("utf-8"))
    style = (static / "assets" / "index.css").read_text("utf-8")
    mark = base64.b64encode((static / "mark.svg").read_bytes()).decode()
    policy = (
        f"default-src 'none'; script-src {_hash(script)};"
        f" style-src {_hash(style)} {_hash(PLAIN_STYLE)}; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )
    return _Bundle(script, style, f"data:image/svg+xml;base64,{mark}", policy=policy)


def _inside_script(script: str) -> str:
    """Returns a script of which no string or pattern ends the element that it stands in, or opens
    another one in it; it means the same.
    """
    return script.replace("</script", "<\\/script").replace("<script", "\\x3Cscript")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


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
    yield f"<h1>{escape(title_of(export))}</h1><dl>"
    for name, fact in run_facts(export):
        yield f"<dt>{name}</dt><dd>{escape(fact)}</dd>"
    yield "</dl>"
    if len(export.streams) > 1:
        yield "<ul>"
        for stream in export.streams:
            depth = "&#8195;" * min(stream.depth, 20)
            name, facts = escape(name_of(stream)), escape(facts_of(stream))
            link = f'<a href="#stream-{stream.stream_id}">{name}</a>'
            yield f'<li>{depth}{link} <span class="facts">{facts}</span></li>'
        yield "</ul>"
    shown = {stream.stream_id for stream in export.streams}
    for stream in export.streams:
        yield from _stream(stream, shown)


def _stream(stream: ExportedStream, shown: set[int]) -> Iterator[str]:
    yield f'<section id="stream-{stream.stream_id}"><h2>{escape(name_of(stream))}</h2>'
    yield f'<div class="facts">{escape(facts_of(stream))}</div>'
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
        yield f'<details class="tool{retracted}"><summary>{escape(call_of(item))}</summary>'
        for text in (input_of(item), item.result):
            if text:
                yield f'<pre class="code">{_text(text)}</pre>'
        yield "</details>"
        if item.child in shown:
            yield f'<div class="note">→ <a href="#stream-{item.child}">agent {item.child}</a></div>'
    elif line := note(item):
        yield f'<pre class="note">{escape(line)}</pre>'


def _text(text: str | None) -> str:
    return escape(safe(text or ""))
