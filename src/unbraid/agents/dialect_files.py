"""The file formats of a kind that has only a dialect."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from unbraid.agents.port import AgentKind
from unbraid.agents.session_port import SourceForm
from unbraid.translate.tracks import RunTracks, Track
from unbraid.wire.record import BAD_JSON


class DialectFiles:
    """The `FileFormats` of a kind that has only a dialect: lines that the dialect can decode."""

    def __init__(self, kind: AgentKind) -> None:
        self._kind = kind

    def opened(self, path: Path) -> list[RunTracks] | None:
        """Returns None: only files of lines are known."""
        return None

    def form(self, line: bytes) -> SourceForm | None:
        """Returns a form if the dialect can decode the line."""
        try:
            return None if self._kind.dialect().decode(line) is None else "stream"
        except BAD_JSON:
            return None

    def runs(
        self, name: str, read: Callable[[], Iterator[bytes]], *, first: bytes, path: Path | None
    ) -> list[RunTracks]:
        """Returns one run: one source is one run."""
        return [RunTracks(self._kind.name, None, [Track(name, read, False)])]

    def document(self, name: str, whole: bytes) -> list[RunTracks] | None:
        """Returns None: only files of lines are known."""
        return None
