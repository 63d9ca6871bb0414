"""A run, or one of its streams, as one file for people: HTML, Markdown or JSON."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from unbraid.events import FleetEvent
from unbraid.fold.conversation import RunConversation
from unbraid.fold.tree import Tree
from unbraid.log.summary import RunSummary
from unbraid.screen import safe_json
from unbraid.send.export.document import RunExport, run_export
from unbraid.send.export.html_page import EventArchive, html_page

__all__ = ["FORMATS", "MEDIA_TYPES", "RunExport", "RunFile"]

MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "markdown": "text/markdown; charset=utf-8",
    "json": "application/json",
}
FORMATS = tuple(MEDIA_TYPES)


class RunFile:
    """Makes one file of a run, or of one of its streams, in one of the formats."""

    def __init__(self, run: str, form: str, *, stream: int | None = None) -> None:
        self._form, self._stream = form, stream
        self._summary, self._tree = RunSummary(run), Tree()
        self._conversation = RunConversation()
        self._archive = EventArchive(stream) if form == "html" else None

    def apply(self, events: Iterable[FleetEvent]) -> None:
        """Applies more events of the run."""
        for event in events:
            self._summary.fold(event, 0)
            self._tree.apply((event,))
            self._conversation.apply(event)
            if self._archive is not None:
                self._archive.apply(event)

    def export(self) -> RunExport:
        """Returns what the file will hold. Raises CallerError if there is no such stream."""
        return run_export(self._summary, self._tree, self._conversation, self._stream)

    def content(self, export: RunExport) -> bytes:
        """Returns the bytes of the file."""
        if self._archive is not None:
            text = "\n".join(html_page(export, self._archive)) + "\n"
        elif self._form == "json":
            text = safe_json(msgspec.json.encode(export)).decode() + "\n"
        else:
            # Its parser takes long to import, and servers export little.
            from unbraid.send.export.markdown import as_markdown

            text = as_markdown(export)
        # A lone surrogate, which some agents print, has no bytes.
        return text.encode("utf-8", "backslashreplace")
