"""Messages that were copied into a session: they are counted in the session in which they were
said.

Resuming and forking copy records into a new file, with the messages' own ids. A copied record may
be marked (`forkedFrom`), and its dialect does not count it. Of files without marks that begin with
the same message, the original is the one that has more lines among the messages that they share:
what a CLI notes between messages is not copied. Where there is no difference, the one that was
written later is the copy. Which messages a file has in common with its originals its readers pass
on as one record, before the first of them.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from unbraid.agents.claude.records import ClaudeRecord, decode
from unbraid.agents.claude.sessions.session_files import MAIN
from unbraid.agents.claude.transcript import copied_line
from unbraid.agents.session_port import Recorded
from unbraid.read.chunk import STORED, Chunk
from unbraid.read.record import BAD_JSON
from unbraid.system.files import line_blocks, open_regular, read_small

# The id of a transcript's first message, and the session that it is marked to be copied from.
First = tuple[str, str | None]

COPIED = "copied"
MAIN_SOURCE = f"{MAIN}@"
ANSWER = b'"usage"'
HEAD_BYTES = 1 << 14  # what mostly holds the first answer
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
        self._alike: dict[str, dict[str, None]] = {}
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
            alike = {path: self._firsts[path] for path in self._alike[first[0]] if path in present}
            return copied_messages(str(main), alike)
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
                self._alike.setdefault(known[0], {})[path] = None
        return known


def copied_messages(main: str, alike: Mapping[str, First]) -> list[str]:
    """Returns the messages of a transcript that were copied from others of those, which all begin
    with the same message. Raises OSError.
    """
    if len(alike) < 2 or sum(map(os.path.getsize, alike)) > MAX_COMPARED_BYTES:
        return []
    ordered = originals_first(alike)
    ahead = ordered[: ordered.index(main)]
    known = {message for path in ahead for message in message_lines(path)}
    return [message for message in message_lines(main) if message in known] if known else []


def originals_first(alike: Mapping[str, First]) -> list[str]:
    """Returns transcripts that begin with the same message, each before its copies. First come
    those that others are marked to be copied from, then those without a mark, which a CLI may have
    left out of a further copy.
    """
    named = {source for _, source in alike.values() if source}
    if named:

        def mark(path: str) -> tuple[bool, str, int]:
            return Path(path).stem not in named, alike[path][1] or "", _written_ns(path)

        return sorted(alike, key=mark)
    lines = {path: message_lines(path) for path in alike}
    shared = set.intersection(*(set(each) for each in lines.values()))

    def reach(path: str) -> tuple[int, int]:
        numbers = [number for message, number in lines[path].items() if message in shared]
        return min(numbers, default=0) - max(numbers, default=0), _written_ns(path)

    return sorted(alike, key=reach)


def first_message(path: str, read: Callable[[str, int], bytes] = read_small) -> First | None:
    """Returns with which message a transcript begins; None if it has none, or cannot be read."""
    try:
        # A history has thousands of transcripts: most need no more than one small read. A line that
        # is cut off by it is no JSON.
        found = next(_answers(read(path, HEAD_BYTES)), None) or next(_all_answers(path), None)
    except (OSError, ValueError):
        return None  # reading it will report the error
    if found is None:
        return None
    _, message, record = found
    source = record.forked_from
    return message, None if source is None else str(source.get("sessionId"))


def message_lines(path: str) -> dict[str, int]:
    """Returns in which line of a transcript each message begins. Raises OSError."""
    found: dict[str, int] = {}
    for number, message, _ in _all_answers(path):
        found.setdefault(message, number)
    return found


def _all_answers(path: str) -> Iterator[tuple[int, str, ClaudeRecord]]:
    before = 0
    with open_regular(path) as file:
        for block in line_blocks(file):
            for number, message, record in _answers(block):
                yield before + number, message, record
            before += block.count(b"\n")


def _answers(block: bytes) -> Iterator[tuple[int, str, ClaudeRecord]]:
    """Yields the lines that have a message of a model: their numbers, the messages' ids, and the
    records.
    """
    at = block.find(ANSWER)
    while at >= 0:
        start, end = block.rfind(b"\n", 0, at) + 1, block.find(b"\n", at)
        if end < 0:
            end = len(block)
        with contextlib.suppress(*BAD_JSON):
            record = decode(block[start:end])
            message = record.message
            if message is not None and message.usage is not None and message.id is not None:
                yield block.count(b"\n", 0, start), message.id, record
        at = block.find(ANSWER, end)


def _written_ns(path: str) -> int:
    return Path(path).stat().st_mtime_ns
