"""The formats of an export, by the names that people ask for."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from unbraid.export.document import RunExport
from unbraid.export.html_page import as_html
from unbraid.export.markdown import as_markdown

MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "markdown": "text/markdown; charset=utf-8",
    "json": "application/json",
}
FORMATS = tuple(MEDIA_TYPES)


def as_json(export: RunExport) -> str:
    """Returns an export as one JSON object."""
    return msgspec.json.encode(export).decode() + "\n"


_RENDERERS: dict[str, Callable[[RunExport], str]] = {
    "html": as_html,
    "markdown": as_markdown,
    "json": as_json,
}


def render(export: RunExport, form: str) -> bytes:
    """Returns an export as the bytes of a file."""
    # A lone surrogate, which some agents print, has no bytes.
    return _RENDERERS[form](export).encode("utf-8", "backslashreplace")
