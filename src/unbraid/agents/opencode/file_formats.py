"""OpenCode's databases, exports, event captures and stdout in files, wherever they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from unbraid.agents.opencode.database import database_runs, is_database
from unbraid.agents.opencode.records import OpenCodeRecord, RunLine, export_as_lines
from unbraid.agents.opencode.storage import is_storage
from unbraid.agents.stored import SourceForm
from unbraid.events.parts import decoded
from unbraid.translate.reader import read_line
from unbraid.translate.tracks import Run, Track, split
from unbraid.wire.record import read_as


class OpenCodeFiles:
    """OpenCode's `FileFormats`."""

    def opened(self, path: Path) -> list[Run] | None:
        """Its database, or the folder of files that was its database before 1.2."""
        if is_storage(path):
            return database_runs(path)
        if path.is_dir():
            return None
        with path.open("rb") as file:
            is_its = is_database(file.read(16))
        return database_runs(path) if is_its else None

    def form(self, line: bytes) -> SourceForm | None:
        """Its events and its stdout arrive in their order."""
        return None if _telling(line) is None else "stream"

    def runs(
        self, name: str, read: Callable[[], Iterator[bytes]], *, first: bytes, path: Path | None
    ) -> list[Run]:
        """A capture of its events, or its stdout."""
        record = _telling(first) or OpenCodeRecord()
        if bytes(record.properties):
            return [Run("opencode", None, [Track(name, read, False)])]
        session = record.session_id
        ordered = Track(name, lambda: in_call_order(split(read())), False, session)
        return [Run("opencode", session, [ordered])]

    def document(self, name: str, whole: bytes) -> list[Run] | None:
        """An export of a session."""
        exported = decoded(whole)
        if not isinstance(exported, dict) or not isinstance(exported.get("info"), dict):
            return None
        lines = export_as_lines(exported)
        info = exported["info"]
        session = info.get("id")
        # A child belongs to its parent's run, should that be here too.
        above = info.get("parentID") or session
        return [Run("opencode", above, [Track(name, lambda: iter(lines), True, session)])]


def in_call_order(lines: Iterable[bytes]) -> Iterator[bytes]:
    """`opencode run` prints parallel calls as they end: put them back as the model made them."""
    calls: list[tuple[str, bytes]] = []
    for line in lines:
        first = _telling(line)
        if first is not None and first.type == "tool_use":
            part = read_as(RunLine, first.raw).part
            calls.append((part.id if part is not None else "", line))
            continue
        yield from (call for _, call in sorted(calls, key=lambda call: call[0]))
        calls.clear()
        yield line
    yield from (call for _, call in sorted(calls, key=lambda call: call[0]))


def _telling(line: bytes) -> OpenCodeRecord | None:
    """A record of a line that only OpenCode would write."""
    for item in read_line(line):
        if isinstance(item, OpenCodeRecord) and (
            bytes(item.properties) or (item.type and item.session_id is not None)
        ):
            return item
    return None
