"""An export as one HTML file: the page that `unbraid` serves, with the run in it.

It needs no server and no network: the page's script and style are in the file, and so are the
events, packed (`archive`). Its policy allows that script and that style by their hashes and nothing
else, so whatever an agent wrote can neither run nor load nor send anything, even if it became
markup by a mistake. Readers without scripts get the run as plain HTML (`plain_page`).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from functools import cache
from html import escape
from importlib.resources import files

import msgspec
from msgspec import Struct

from unbraid.export import words
from unbraid.export.archive import EventArchive
from unbraid.export.document import RunExport
from unbraid.export.plain_page import PLAIN_STYLE, plain_page


class _Bundle(Struct, frozen=True):
    """The built page, as it stands in a file."""

    script: str
    style: str
    icon: str
    policy: str


def html_page(export: RunExport, archive: EventArchive) -> Iterator[str]:
    """Yields the lines of the file."""
    bundle, title = _bundle(), escape(words.title_of(export))
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
    facts = msgspec.json.encode(archive.facts(export)).decode("utf-8", "backslashreplace")
    # JSON may have these as escapes, and then no word in it ends the element.
    facts = facts.replace("<", "\\u003c")
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
