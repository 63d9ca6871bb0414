"""OpenCode's databases, exports, event captures and stdout in files, wherever they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from unbraid.agents.opencode.editions import UNFORKED, Editions
from unbraid.agents.opencode.heads import event_order, printed_order
from unbraid.agents.opencode.records import OpenCodeRecord, export_as_lines
from unbraid.agents.opencode.sessions.database import database_runs, is_database
from unbraid.agents.opencode.sessions.storage import is_storage
from unbraid.agents.session_port import SourceForm
from unbraid.events.parts import decoded
from unbraid.read.reader import read_line
from unbraid.read.tracks import RunTracks, Track
from unbraid.system.files import open_regular


class OpenCodeFiles:
    """OpenCode's `FileFormats`, and those of the programs made from it."""

    def __init__(self, editions: Editions = UNFORKED) -> None:
        self._editions = editions

    def opened(self, path: Path) -> list[RunTracks] | None:
        """Returns its database, or the folder of files that was its database before 1.2."""
        if is_storage(path):
            return database_runs(path, editions=self._editions)
        if path.is_dir():
            return None
        with open_regular(path) as file:
            is_its = is_database(file.read(16))
        return database_runs(path, editions=self._editions) if is_its else None

    def form(self, line: bytes) -> SourceForm | None:
        """Returns the form of its events and its stdout, which arrive in their order."""
        return None if _own_record(line) is None else "stream"

    def runs(
        self, name: str, read: Callable[[], Iterator[bytes]], *, first: bytes, path: Path | None
    ) -> list[RunTracks]:
        """Returns a capture of its events, or its stdout."""
        record = _own_record(first) or OpenCodeRecord()
        # Its first lines show which program a stream is of.
        source = self._editions.of_lines(next(read(), b"")).name
        if bytes(record.properties):
            return [RunTracks(source, None, [Track(name, read, dated=False, order=event_order)])]
        session = record.session_id
        printed = Track(
            name=name, read=read, dated=False, session=session, order=printed_order, in_turns=True
        )
        return [RunTracks(source, session, [printed])]

    def document(self, name: str, whole: bytes) -> list[RunTracks] | None:
        """Returns an export of a session."""
        exported = decoded(whole)
        if not isinstance(exported, dict) or not isinstance(exported.get("info"), dict):
            return None
        lines = export_as_lines(exported)
        info = exported["info"]
        session = info.get("id")
        # A child belongs to its parent's run, should that be here too.
        above = info.get("parentID") or session
        return [
            RunTracks(
                self._editions.of_version(info.get("version")).name,
                above,
                [
                    Track(
                        name=name,
                        read=lambda: iter(lines),
                        dated=True,
                        session=session,
                        order=event_order,
                    )
                ],
            )
        ]


def _own_record(line: bytes) -> OpenCodeRecord | None:
    """Returns a record of a line that only OpenCode would write."""
    for item in read_line(line):
        if isinstance(item, OpenCodeRecord) and (
            bytes(item.properties) or (item.type and item.session_id is not None)
        ):
            return item
    return None
