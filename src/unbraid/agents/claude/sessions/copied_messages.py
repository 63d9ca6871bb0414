"""Messages that were copied into a session that is followed: they are counted in the session in
which they were said.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path

from unbraid.agents.claude.sessions.copies import originals_first
from unbraid.agents.claude.sessions.counts import first_message, message_lines
from unbraid.agents.claude.sessions.session_files import MAIN
from unbraid.agents.claude.sessions.transcript_facts import First
from unbraid.agents.claude.transcript import copied_line
from unbraid.agents.session_port import Recorded
from unbraid.wire.chunk import STORED, Chunk

COPIED = "copied"
MAIN_SOURCE = f"{MAIN}@"
ANSWER = b'"usage"'
# Real forks have less to compare: more was made up to keep the reader busy.
MAX_COMPARED_BYTES = 1 << 30


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
                yield Chunk(COPIED, 0, copied_line(messages), arrived_ms=STORED)


class FirstMessages:
    """With which message transcripts begin: read once, because that never changes."""

    def __init__(self) -> None:
        self._firsts: dict[str, First] = {}
        self._alike: dict[First, dict[str, None]] = {}
        self._empty: dict[str, int] = {}  # transcripts without a message, and how long they were
        # Each session is read by a thread of its own.
        self._reading = threading.Lock()

    def copied(self, main: Path) -> list[str]:
        """Returns the messages of a transcript that were copied from one that was written before,
        where nothing in it says so.
        """
        # It may be cut or deleted at any moment, by the agent itself.
        with self._reading, contextlib.suppress(OSError, ValueError):
            first = self._first(str(main))
            if first is None or first[1] is not None:
                return []
            # All of a folder are asked, one by one: what is known is not looked at again.
            with os.scandir(main.parent) as entries:
                present = {each.path for each in entries if each.name.endswith(".jsonl")}
            for path in present - self._firsts.keys():
                self._first(path)
            alike = [path for path in self._alike[first] if path in present]
            if len(alike) < 2 or sum(map(os.path.getsize, alike)) > MAX_COMPARED_BYTES:
                return []
            ordered = originals_first(alike)
            ahead = ordered[: ordered.index(str(main))]
            known = {message for path in ahead for message in message_lines(path)}
            return [message for message in message_lines(str(main)) if message in known]
        return []

    def _first(self, path: str) -> First | None:
        known = self._firsts.get(path)
        if known is None:
            try:
                size = Path(path).stat().st_size
            except OSError:
                return None
            if self._empty.get(path) == size:
                return None
            known = first_message(path)
            if known is None:
                self._empty[path] = size
            else:
                self._firsts[path] = known
                self._alike.setdefault(known, {})[path] = None
        return known
