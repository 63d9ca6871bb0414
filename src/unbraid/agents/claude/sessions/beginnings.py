"""What is read of session files before they are translated.

What never changes of them is read once: with which message a session begins, and of which session a
sub-agent of 2.0 is. The first lines also say where a session works; that stands on every line of a
conversation and nowhere in particular.

Messages that were copied into a session are counted in the session in which they were said.
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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import msgspec
from msgspec import Struct, field

from unbraid.agents.claude.records import ClaudeRecord, decode
from unbraid.agents.claude.sessions.layout import stem_of, workflow_of
from unbraid.agents.claude.transcript import agent_line
from unbraid.events.codec import msgpack_decoder
from unbraid.read.lines import Lines
from unbraid.read.reader import read_line
from unbraid.read.record import BAD_JSON, milliseconds
from unbraid.read.tracks import first_lines
from unbraid.system.files import HeadReader, chunks, line_blocks, open_regular, read_small

# So many lines that have a time are read; notes of the CLI have none, and many may come first.
HEAD_LINES, MAX_LINES = 40, 10_000
HEAD_BYTES = 1 << 13

# The id of a transcript's first message, and the session that it is marked to be copied from.
First = tuple[str, str | None]
ANSWER = b'"usage"'
ANSWER_BYTES = 1 << 14  # what mostly holds the first answer
# Real forks have less to compare: more was made up to keep the reader busy.
MAX_COMPARED_BYTES = 1 << 30


def records_in(line: bytes) -> Sequence[ClaudeRecord]:
    """Returns the records in a line of a transcript; of a damaged one, those that are left."""
    try:
        return (decode(line),)
    except BAD_JSON:
        return [item for item in read_line(line) if isinstance(item, ClaudeRecord)]


def lines_of(path: str) -> Iterator[bytes]:
    """Yields the lines of a file; not those past the limit."""
    lines = Lines()
    for chunk in chunks(Path(path)):
        yield from (line for line in lines.feed(chunk) if isinstance(line, bytes))
    yield from (line for line in lines.finish() if isinstance(line, bytes))


# --- the first lines ---


class OpeningLine(Struct):
    """One of a transcript's first lines."""

    timestamp: str | None = None
    cwd: str | None = None
    session_id: str | None = field(default=None, name="sessionId")
    version: str | None = None


class Opening(Struct):
    """What the first lines say; `started` is in milliseconds since 1970, 0 if no line has a
    time.
    """

    session_id: str | None = None
    cwd: str | None = None
    version: str | None = None
    started: int = 0


_decode_opening = msgspec.json.Decoder(OpeningLine).decode


def opening_of(lines: Iterable[bytes]) -> Opening:
    """Returns what the first of some lines say."""
    found, left = Opening(), HEAD_LINES
    for line in lines:
        try:
            head = _decode_opening(line)
        except BAD_JSON:
            left -= 1
        else:
            left -= head.timestamp is not None
            found.cwd = found.cwd or head.cwd
            found.session_id = found.session_id or head.session_id
            found.version = found.version or head.version
            found.started = found.started or milliseconds(head.timestamp)
        if not left or (found.cwd is not None and found.started):
            break
    return found


def opening_of_file(main: Path | str) -> Opening:
    """Returns what the first lines of a transcript say; nothing if it cannot be read."""
    try:
        # Mostly one small read will do. A line that is cut off by it is no JSON.
        found = opening_of(read_small(main, HEAD_BYTES).split(b"\n")[:HEAD_LINES])
        if found.cwd is None or not found.started:
            found = opening_of(first_lines(chunks(Path(main)), MAX_LINES))
    except (OSError, ValueError):
        return Opening()
    return found


# --- sub-agents ---


def agent_facts(transcript: str, meta: bytes | None) -> bytes:
    """Returns what stands beside a sub-agent's transcript as one line for the translator: its
    `meta` file, and its workflow. Nothing if there is neither.
    """
    name, workflow = stem_of(transcript), workflow_of(transcript)
    if not name.startswith("agent-") or (meta is None and workflow is None):
        return b""
    return agent_line(name.removeprefix("agent-"), b"{}" if meta is None else meta, workflow)


def in_start_order(paths: Iterable[str]) -> list[str]:
    """Returns the files below a session's folder; a workflow's agents in the order in which its
    journal started them.
    """
    paths, started = sorted(paths), dict[str, int]()
    for path in paths:
        if path.endswith("/journal.jsonl"):
            for record in chain.from_iterable(map(records_in, lines_of(path))):
                if record.type == "started":
                    started.setdefault(f"agent-{record.agent_id_transcript}", len(started))
    return sorted(paths, key=lambda path: started.get(stem_of(path), len(started)))


# --- what never changes ---


class _Known(Struct):
    firsts: dict[str, First] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)


class Beginnings:
    """With which messages transcripts begin, and of which sessions the sub-agents of 2.0 are. It is
    kept in a file, if one is given. May be used by several threads.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path, self._kept, self._known = path, _Known(), _Known()
        if path is not None:
            with contextlib.suppress(OSError, ValueError, msgspec.MsgspecError):
                self._kept = msgpack_decoder(_Known).decode(path.read_bytes())
        self._alike: dict[str, dict[str, First]] = {}
        self._empty: dict[str, int] = {}  # transcripts without a message, and how long they were
        # Each session is read by a thread of its own.
        self._reading = threading.Lock()

    def owner(self, path: str) -> str | None:
        """Returns the session of a sub-agent's transcript, None while the file does not say."""
        owner = self._known.owners.get(path) or self._kept.owners.get(path)
        if (owner := owner or opening_of_file(path).session_id) is not None:
            self._known.owners[path] = owner
        return owner

    def read(self, mains: Iterable[str]) -> None:
        """Reads with which messages many transcripts begin."""
        with contextlib.closing(HeadReader()) as heads:
            for path in mains:
                self._add(path, self._kept.firsts.get(path) or first_message(path, heads.read))

    def alike(self, main: str) -> tuple[bool, Mapping[str, First]]:
        """Returns whether a transcript that was read is marked as a copy; and if it is not, those
        that begin with the same message.
        """
        first = self._known.firsts.get(main)
        if first is None or first[1] is not None:
            return first is not None, {}
        return False, self._alike[first[0]]

    def copied(self, main: Path) -> list[str]:
        """Returns the messages of a transcript that were copied from one of its folder that was
        written before, where nothing in it says so.
        """
        # It may be cut or deleted at any moment, by the agent itself.
        with self._reading, contextlib.suppress(OSError, ValueError):
            first = self._first(str(main))
            if first is None or first[1] is not None:
                return []
            # All of a folder are asked, one by one: what is known is not read again.
            with os.scandir(main.parent) as entries:
                present = {each.path for each in entries if each.name.endswith(".jsonl")}
            for path in present - self._known.firsts.keys():
                self._first(path)
            alike = self._alike[first[0]].items()
            return copied_messages(str(main), {path: it for path, it in alike if path in present})
        return []

    def save(self) -> None:
        """Keeps what was read, and nothing of files that are there no more."""
        if self._path is None or self._kept == self._known:
            return
        # Here, because most starts have nothing to write.
        from unbraid.system.atomic_file import write_atomically

        content = msgspec.msgpack.encode(self._known)
        with contextlib.suppress(OSError):  # only the next start suffers
            write_atomically(self._path, content, durable=False, private_folder=True)

    def _first(self, path: str) -> First | None:
        known = self._known.firsts.get(path)
        if known is not None:
            return known
        try:
            size = Path(path).stat().st_size
        except OSError:
            return None
        if self._empty.get(path) == size:
            return None
        known = first_message(path)
        if known is None:
            self._empty[path] = size
        self._add(path, known)
        return known

    def _add(self, path: str, first: First | None) -> None:
        if first is not None:
            self._known.firsts[path] = first
            self._alike.setdefault(first[0], {})[path] = first


# --- copies ---


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
        found = next(_answers(read(path, ANSWER_BYTES)), None) or next(_all_answers(path), None)
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
