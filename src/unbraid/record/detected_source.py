"""A stream of unknown origin: the first line that an agent kind recognizes decides which kind it
is.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence

from unbraid.agents.process_port import Launcher
from unbraid.agents.source import Recorded, Source
from unbraid.read.chunk import Chunk
from unbraid.read.lines import Lines
from unbraid.read.record import Record, read_as
from unbraid.system.clock import now_ms


class DetectedSource(Source):
    """Holds what is printed until a kind takes it over. What no kind wants is still recorded at its
    end if any of it looks like records: their translator may know them.
    """

    def __init__(self, launchers: Sequence[Launcher]) -> None:
        self._launchers = launchers
        self._found: Source | None = None
        self._lines = Lines()
        self._held: list[bytes] = []
        self._has_records = self._begun = False
        self._session_id: str | None = None
        self._source = f"stdout.{now_ms()}"

    @property
    def session_id(self) -> str | None:
        """Its session, once that is known."""
        return self._session_id if self._found is None else self._found.session_id

    def printed(self, data: bytes) -> None:
        """Takes more of the stream."""
        if self._found is None:
            self._held.append(data)
            self._look(self._lines.feed(data))
        else:
            self._found.printed(data)

    def end(self) -> None:
        """Notes that the stream is over."""
        super().end()
        if self._found is None:
            self._look(self._lines.finish())
        if self._found is not None:
            self._found.end()
        elif self._has_records:
            self._session_id = str(uuid.uuid4())

    def begin(self, recorded: Recorded) -> None:
        """Notes that the session's run is open."""
        self._begun = True
        if self._found is not None:
            self._found.begin(recorded)

    def read(self, *, at_once: bool = False) -> Iterable[Chunk]:
        """Yields what can be recorded now."""
        if self._found is not None:
            yield from self._found.read()
        elif self._begun:
            held, self._held = self._held, []
            offset = 0
            for data in held:
                yield Chunk(self._source, offset, data)
                offset += len(data)

    def _look(self, lines: Iterable[object]) -> None:
        for line in lines:
            # Most programs print no records: nothing else of their lines is looked at.
            if (
                self._found is not None
                or not isinstance(line, bytes)
                or not line.lstrip().startswith(b"{")
            ):
                continue
            self._has_records = self._has_records or bool(read_as(Record, line).type)
            sources = (launcher.piped(line) for launcher in self._launchers)
            self._found = next((source for source in sources if source is not None), None)
        if self._found is not None:
            for data in self._held:
                self._found.printed(data)
            self._held.clear()
