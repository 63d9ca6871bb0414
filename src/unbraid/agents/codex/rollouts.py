"""Codex's rollouts, one file a thread: where they are, what their first lines say, and which of
them are of one session; read as they are stored, also compressed, or wherever a person has put
them.

A compressed file is never longer in memory than a part of it. One that ends in the middle gives
all that was readable, and a last line that says what is missing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from unbraid.agents.codex.records import (
    THREAD_ID,
    CodexRecord,
    SessionHead,
    decode,
    session_head,
)
from unbraid.agents.files import FileLayout, Files
from unbraid.agents.port import FileFormats, SourceForm
from unbraid.errors import SourceError
from unbraid.read.chunk import Chunk
from unbraid.read.lines import DEFAULT_MAX_LINE_BYTES
from unbraid.read.record import BAD_JSON, milliseconds
from unbraid.read.tracks import UNKNOWN, LineOrder, RunTracks, Track
from unbraid.system.file_tail import Place, Tail
from unbraid.system.files import CHUNK_BYTES, chunks, modified_ms, open_regular

# A thread's file of Codex is written after its children were started; clocks are less exact.
THREAD_FILE_SLACK_MS = 120_000

KIND = "codex"
PACKED = ".zst"
NAME = re.compile(
    r"rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-"
    r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl(\.zst)?"
)
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
# Ids begin with their time: version 7, by which they differ from those of other kinds.
SESSION_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
# Where Codex keeps rollouts below its home: a folder a year, a month, a day.
_KEPT = re.compile(r"\d{4}|\d\d|sessions|archived_sessions")
_DAY = re.compile(r"\d{2,4}")
_TIMESTAMP = re.compile(rb'^\{"timestamp":"([0-9T:.Z+-]{20,40})"')
_EMITTED = re.compile(rb'"emittedAtMs":(\d{10,14})\}\s*$')
_SERVED_THREAD = re.compile(
    rb'"thread":\{"id":"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"'
)
# The first line holds the instructions of the model, some ten thousand characters.
MAX_HEAD_BYTES = 4 << 20
# How the lines begin that start and end a turn. The latter repeats the agent's last words.
_TURN = re.compile(
    rb'^\{"timestamp":[^{\n]*"type":"event_msg",'
    rb'"payload":\{"type":"(?:(task_started)|task_complete|turn_aborted)"',
    re.MULTILINE,
)
MAX_TURN_END_BYTES = 1 << 20
# A running total of the tokens; one is written for every answer.
_COUNT = re.compile(
    rb'^\{"timestamp":[^{\n]*"type":"event_msg","payload":\{"type":"token_count","info":\{.*\n',
    re.MULTILINE,
)
MAX_COUNT_BYTES = 1 << 20
# Lines of agents are packed to a tenth or a hundredth; nothing but a trap to a thousandth.
MAX_RATIO, MIN_UNPACKED_BYTES = 1000, 64 << 20


def codex_home(env: Mapping[str, str]) -> Path:
    """Returns Codex's own folder."""
    return _named_home(env).resolve()


def codex_folders(env: Mapping[str, str]) -> list[Path]:
    """Returns the folders with rollouts that there are. They may be links; what is in them may
    not.
    """
    # Watchers call this all the time, so only folders that exist are resolved.
    folders = [_named_home(env) / name for name in ("sessions", "archived_sessions")]
    return [folder.resolve() for folder in folders if folder.is_dir()]


def _named_home(env: Mapping[str, str]) -> Path:
    given = env.get("CODEX_HOME")
    return Path(given) if given else Path(env.get("HOME") or Path.home()) / ".codex"


def thread_of_name(name: str) -> str | None:
    """Returns the thread whose rollout has this name; None if it is not one."""
    found = NAME.fullmatch(name)
    return None if found is None else found[1]


def created_ms(thread_id: str) -> int:
    """Returns when a thread was made, in milliseconds since 1970: its id begins with that."""
    return int(thread_id[:8] + thread_id[9:13], 16)


# --- which rollouts are of one session ---


class RolloutFolders(FileLayout):
    """The rollouts below some folders, and which of them are of one session: links count, not
    folders. An agent is a thread. First lines never change, so they are read once.
    """

    kind = KIND
    is_dated = True

    def __init__(self, folders: Callable[[], list[Path]]) -> None:
        super().__init__()
        self._folders = folders
        self._heads: dict[Path, SessionHead | None] = {}

    @classmethod
    def of(cls, env: Mapping[str, str]) -> RolloutFolders:
        """Returns those of a machine."""
        return cls(partial(codex_folders, env))

    def folders(self) -> list[Path]:
        """Returns the folders that there are now."""
        return self._folders()

    def files(self) -> dict[str, Path]:
        """Returns the file of every thread. Of a thread that is there twice, the plain one."""
        found: dict[str, Path] = {}
        self.problems = {}
        for folder in self._folders():
            for path in self._walked(folder):
                thread = thread_of_name(path.name)
                if thread is not None and (thread not in found or path.suffix == ".jsonl"):
                    found[thread] = path
        return found

    def agent_of(self, path: Path) -> str | None:
        """Returns the thread whose rollout this is, unless it is compressed: that is read whole."""
        return thread_of_name(path.name) if path.suffix == ".jsonl" else None

    def is_id(self, name: str) -> bool:
        """Returns whether an id has the form of a thread's."""
        return SESSION_ID.fullmatch(name) is not None

    def has_begun(self, path: Path) -> bool:
        """Returns whether its first line, which names its parent, is written to its end."""
        if self.head(path) is not None:
            return True
        line = _beginning(path)
        return b"\n" in line or len(line) > MAX_HEAD_BYTES

    def head(self, path: Path) -> SessionHead | None:
        """Returns what a file's first line says."""
        known = self._heads.get(path)
        if known is None:
            known = self._heads[path] = session_head(_beginning(path).split(b"\n", 1)[0])
        return known

    def root(self, agent: str, files: Files | None = None) -> str | None:
        """Returns the thread at the top of this one's tree, as far as it is stored; None if the
        thread itself is not.
        """
        files = self.files() if files is None else files
        if agent not in files:
            return None
        seen = {agent}
        while True:
            head = self.head(files[agent])
            above = head.parent if head is not None else None
            if above is None or above not in files or above in seen:
                return agent
            seen.add(above)
            agent = above

    def tree(self, root: str, files: Files | None = None) -> dict[str, Path]:
        """Returns the files of a thread and of all threads below it, parents first."""
        files = self.files() if files is None else files
        if root not in files:
            return {}
        children: dict[str, list[str]] = {}
        for thread in self._candidates(root, files):
            head = self.head(files[thread])
            if head is not None and head.parent is not None and head.id == thread:
                children.setdefault(head.parent, []).append(thread)
        found = {root: files[root]}
        waiting = [root]
        while waiting:
            for child in sorted(children.get(waiting.pop(0), ())):
                if child not in found:
                    found[child] = files[child]
                    waiting.append(child)
        return found

    def source(self, agent: str) -> str:
        """Returns the name that a thread's rollout has as a source of its session: the same
        wherever the file is, and when it is compressed.
        """
        return f"rollout-{agent}"

    def read(self, path: Path) -> Iterator[bytes]:
        """Yields the lines of a rollout as bytes."""
        return rollout_bytes(path)

    def order(self, line: bytes) -> LineOrder:
        """Returns where a line of a rollout belongs."""
        return stored_order(line)

    def tail(self, path: Path, place: Place) -> Tail:
        """Returns what reads a rollout as it grows."""
        return PackedTail(path, place) if path.suffix == PACKED else Tail(path, place)

    def _candidates(self, root: str, files: Files) -> Iterator[str]:
        """Yields threads that may be below one, by the time at which they were made."""
        since = created_ms(root) - THREAD_FILE_SLACK_MS
        upto = modified_ms(files[root]) + THREAD_FILE_SLACK_MS
        for thread in files:
            at = created_ms(thread)
            if thread != root and at >= since and (at <= upto or upto < since):
                yield thread

    def _walked(self, folder: Path) -> Iterator[Path]:
        """Yields the files of a folder, and of the years, months and days in it: a person may name
        any folder, and a whole disk is not searched.
        """
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except FileNotFoundError:
            return  # it has just been deleted
        except OSError as error:
            self.problems[str(folder)] = error.strerror or str(error)
            return
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if _KEPT.fullmatch(entry.name) is not None:
                    yield from self._walked(Path(entry.path))
            elif entry.is_file(follow_symlinks=False):
                yield Path(entry.path)


# --- the bytes of one ---


def rollout_bytes(path: Path) -> Iterator[bytes]:
    """Yields the lines of a rollout as bytes, in chunks."""
    with open_regular(path) as file:
        compressed = file.read(4) == ZSTD_MAGIC
    return _unpacked(path) if compressed else chunks(path)


def file_size(path: Path) -> int | None:
    """Returns how long a file is; None if it is gone."""
    try:
        return path.stat().st_size
    except OSError:
        return None


def first_line(path: Path) -> bytes:
    """Returns a rollout's first line with its end; nothing if that cannot be read."""
    line, newline, _ = _beginning(path).partition(b"\n")
    return line + newline if newline else b""


def ends_turn(path: Path) -> bool:
    """Returns whether the last turn of a rollout has ended, as far as its last bytes say."""
    end = _bytes_before(path, None, MAX_TURN_END_BYTES)
    # What an agent is sent after its turn is no turn yet. A half line at the end is none, either.
    turns = list(_TURN.finditer(end[: end.rfind(b"\n") + 1]))
    return bool(turns) and turns[-1][1] is None


def last_count(path: Path, before: int) -> bytes:
    """Returns the line with the last running total of tokens before an offset; nothing if there is
    none near it.
    """
    found = [match[0] for match in _COUNT.finditer(_bytes_before(path, before, MAX_COUNT_BYTES))]
    return found[-1] if found else b""


def _bytes_before(path: Path, end: int | None, most: int) -> bytes:
    """Returns the last bytes of a file before an offset, or before its end; nothing if it cannot be
    read.
    """
    try:
        with open_regular(path) as file:
            end = os.fstat(file.fileno()).st_size if end is None else end
            begin = max(0, end - most)
            return os.pread(file.fileno(), end - begin, begin)
    except OSError:
        return b""


def _beginning(path: Path) -> bytes:
    """Returns the beginning of a rollout, with its first line if that is not too long; nothing if
    it cannot be read.
    """
    line = b""
    try:
        for data in rollout_bytes(path):
            line += data
            if b"\n" in data or len(line) > MAX_HEAD_BYTES:
                break
    except (OSError, SourceError):
        return b""
    return line


def zstd_module(path: Path) -> Any:
    """Returns the module that reads zstd: of Python itself from 3.14 on."""
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        try:
            from backports import zstd  # type: ignore[no-redef, unused-ignore]
        except ImportError:
            problem = "is compressed, and this Python cannot read zstd: pip install backports.zstd"
            raise SourceError(str(path), problem) from None
    return zstd


def _unpacked(path: Path) -> Iterator[bytes]:
    zstd = zstd_module(path)
    reader = zstd.ZstdDecompressor()
    ended, size = True, 0
    last = b"\n"
    most = max(MIN_UNPACKED_BYTES, MAX_RATIO * path.stat().st_size)
    try:
        for data in chunks(path):
            while data or not reader.needs_input:
                made = reader.decompress(data, max_length=CHUNK_BYTES)
                data = b""
                ended = False
                if made:
                    last = made[-1:]
                    size += len(made)
                    yield made
                if size > most:
                    yield _mark(last, f"{path.name}: unpacks to more than any session, not read on")
                    return
                if reader.eof:
                    ended = True
                    data = reader.unused_data
                    if not data:
                        break
                    reader = zstd.ZstdDecompressor()
    except zstd.ZstdError as error:
        yield _mark(last, f"{path.name}: the compressed data is damaged ({error})")
        return
    if not ended:
        yield _mark(last, f"{path.name}: the compressed data ends in the middle")


def _mark(last: bytes, problem: str) -> bytes:
    """Returns a line that is no record, so that it is reported where it stands."""
    return (b"" if last == b"\n" else b"\n") + problem.encode() + b"\n"


class PackedTail(Tail):
    """A rollout that Codex has compressed, to which nothing is written any more: it is read once.
    What is in it is what the file was before it was compressed, byte for byte.
    """

    def __init__(self, path: Path, place: Place) -> None:
        super().__init__(path, place)
        self._is_read = False

    def changed(self) -> int | None:
        """Returns a size, whatever it is, until the file is read."""
        return None if self._is_read else 0

    def read(self, upto: int | None = None) -> Iterator[Chunk]:
        """Yields what is behind the place, at the first call."""
        if self._is_read:
            return
        self._is_read, at, from_offset = True, 0, self.offset
        begun, size = list[bytes](), 0
        try:
            for data in rollout_bytes(self.path):
                begin = max(from_offset - at, 0)
                at += len(data)
                end = data.rfind(b"\n") + 1
                if end > begin:
                    yield self._chunk(b"".join((*begun, data[begin:end])))
                    begun, size, begin = [], 0, end
                begun.append(data[begin:])
                size += len(begun[-1])
                if size > DEFAULT_MAX_LINE_BYTES:
                    # Some kilobytes can be unpacked to a line of any length.
                    yield self._chunk(b"".join(begun))
                    begun, size = [], 0
        except (OSError, SourceError) as error:
            self.problem = getattr(error, "strerror", None) or str(error)
        if size:
            yield self._chunk(b"".join(begun))

    def rest(self) -> Iterator[Chunk]:
        """Yields nothing: the file was read to its end."""
        return iter(())

    def _chunk(self, data: bytes) -> Chunk:
        chunk = Chunk(self.path.name, self.offset, data)
        self.offset += len(data)
        return chunk


def stored_order(line: bytes) -> LineOrder:
    """Returns where a line of a rollout belongs: each has its time."""
    found = _TIMESTAMP.match(line)
    return UNKNOWN if found is None else LineOrder(at=milliseconds(found[1].decode()))


def with_time(line: bytes, at_ms: int) -> bytes:
    """Returns a line of a rollout with another time."""
    found = _TIMESTAMP.match(line)
    if found is None or not at_ms:
        return line
    stamp = datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds")
    return line[: found.start(1)] + stamp.encode() + line[found.end(1) :]


# --- rollouts, stdout and captures, wherever a person has put them ---


class CodexFiles(FileFormats):
    """Codex's `FileFormats`."""

    def opened(self, path: Path) -> list[RunTracks] | None:
        """Returns the runs of a folder with rollouts, or that of a compressed rollout."""
        if path.is_dir():
            return _folder_runs(path)
        with open_regular(path) as file:
            is_packed = file.read(4) == ZSTD_MAGIC
        return [_run_beside(path)] if is_packed and ".jsonl" in path.name else None

    def form(self, line: bytes) -> SourceForm | None:
        """Returns the form of a line that only Codex writes."""
        record = _own_record(line)
        if record is None:
            return None
        return "stored" if record.is_stored else "stream"

    def runs(
        self, name: str, read: Callable[[], Iterator[bytes]], *, first: bytes, path: Path | None
    ) -> list[RunTracks]:
        """Returns a rollout with those of its sub-agents, or a stdout, or a capture."""
        record = _own_record(first) or CodexRecord()
        if record.is_stored:
            if path is not None and thread_of_name(path.name) is not None:
                return [_run_beside(path)]
            head = session_head(first)
            return [_stored_run(name, read, None if head is None else head.id)]
        thread = record.thread_id if record.is_printed else _served_thread(read)
        track = Track(name, read, False, session=thread, order=_served_order)
        return [RunTracks(KIND, thread, [track])]


def _run_beside(path: Path) -> RunTracks:
    """Returns the run of a rollout: its sub-agents' lie beside it, or in the folders of other
    days.
    """
    thread = thread_of_name(path.name)
    if thread is None:
        found = THREAD_ID.findall(path.name)
        read = partial(rollout_bytes, path)
        return _stored_run(str(path), read, found[-1] if found else None)
    folders = RolloutFolders(lambda: [_base(path)])
    files = {**folders.files(), thread: path}
    return folders.tracks(thread, folders.tree(thread, files))


def _stored_run(name: str, read: Callable[[], Iterator[bytes]], thread: str | None) -> RunTracks:
    """Returns the run of one rollout alone, wherever it is."""
    return RunTracks(KIND, thread, [Track(name, read, True, session=thread, order=stored_order)])


def _served_order(line: bytes) -> LineOrder:
    """Returns where a line of the app-server belongs; early releases and `exec` give no times."""
    found = _EMITTED.search(line[-64:])
    return UNKNOWN if found is None else LineOrder(at=int(found[1]))


def _base(path: Path) -> Path:
    """Returns the folder that has all days, of a rollout's path; its own, if it lies elsewhere."""
    days = path.absolute().parents
    if len(days) > 3 and all(_DAY.fullmatch(day.name) for day in days[:3]):
        return days[3]
    return path.absolute().parent


def _folder_runs(path: Path) -> list[RunTracks] | None:
    folders = RolloutFolders(lambda: [path])
    files = folders.files()
    if not files:
        return None
    roots = dict.fromkeys(folders.root(thread, files) or thread for thread in sorted(files))
    return [folders.tracks(root, folders.tree(root, files)) for root in roots]


def _served_thread(read: Callable[[], Iterator[bytes]]) -> str | None:
    """Returns the first thread that a capture of the app-server names."""
    for data in read():
        found = _SERVED_THREAD.search(data)
        return None if found is None else found[1].decode()
    return None


def _own_record(line: bytes) -> CodexRecord | None:
    try:
        record = decode(line)
    except BAD_JSON:
        return None
    return record if record.is_identified else None
