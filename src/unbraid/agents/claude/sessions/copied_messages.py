"""Messages that were copied into a session that is followed: they count where they were said."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from unbraid.agents.claude.sessions.copies import First, first_message, originals_first
from unbraid.agents.claude.sessions.counts import message_lines
from unbraid.agents.claude.sessions.session_files import MAIN
from unbraid.agents.claude.transcript import copied_line
from unbraid.agents.stored import Recorded
from unbraid.wire.chunk import STORED, Chunk

COPIED = "copied"
MAIN_SOURCE = f"{MAIN}@"
ANSWER = b'"usage"'


class CopyNote:
    """Says which messages were copied into a session, before the first of them comes."""

    def __init__(self, main: Path, recorded: Recorded, firsts: FirstMessages) -> None:
        self._main, self._firsts = main, firsts
        self._is_due = COPIED not in recorded.offsets and not recorded.earlier_ms

    def before(self, chunk: Chunk) -> Iterator[Chunk]:
        """Yields that, if this chunk of the session has its first message."""
        if self._is_due and chunk.source.startswith(MAIN_SOURCE) and ANSWER in chunk.data:
            self._is_due = False
            if messages := self._firsts.copied(self._main):
                yield Chunk(COPIED, 0, copied_line(messages), STORED)


class FirstMessages:
    """With which message transcripts begin: read once, because that never changes."""

    def __init__(self) -> None:
        self._firsts: dict[str, First] = {}

    def copied(self, main: Path) -> list[str]:
        """Returns the messages of a transcript that were copied from one that was written before,
        where nothing in it says so.
        """
        first = self._first(str(main))
        if first is None or first[1] is not None:
            return []
        with contextlib.suppress(OSError):
            with os.scandir(main.parent) as entries:
                names = [entry.path for entry in entries if entry.name.endswith(".jsonl")]
            alike = [path for path in names if self._first(path) == first]
            ordered = originals_first(alike)
            ahead = ordered[: ordered.index(str(main))]
            known = {message for path in ahead for message in message_lines(path)}
            return [message for message in message_lines(str(main)) if message in known]
        return []

    def _first(self, path: str) -> First | None:
        first = self._firsts.get(path) or first_message(path)
        if first is not None:
            self._firsts[path] = first
        return first
