"""Sessions in files of lines, one file an agent: listed, searched, opened and followed in one way,
whatever the kind.

A kind whose sessions are one file of JSON lines each, named by its id, needs no more than a dialect
and a folder:

    def sessions(self, env):
        return JsonlSessions(self.name, Path(env["HOME"]) / ".toy" / "sessions")

One with another layout says what is different about it (`FileLayout`).

A source's name says which file it is, which generation of it (see `unbraid.system.file_tail`), and
from which byte on it belongs to the run: `main.jsonl@1+0`. These names are in logs, and all that a
restart needs is them and how much of each source is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from unbraid.agents.port import (
    AgentKind,
    FileFormats,
    SessionStore,
    SourceForm,
    StoredBlock,
    StoredSession,
    WatchOptions,
    files_version,
    translate_run,
)
from unbraid.agents.source import Recorded, Source
from unbraid.errors import SourceError
from unbraid.events import Prompt, RelayEvent, TextDelta, ThinkingDelta, ToolUse
from unbraid.events.parts import call_text
from unbraid.read.chunk import Chunk
from unbraid.read.names import names_run
from unbraid.read.record import BAD_JSON
from unbraid.read.tracks import UNKNOWN, LineOrder, RunTracks, Track, merge
from unbraid.system.file_tail import Place, Tail
from unbraid.system.files import chunks, is_regular, modified_ms, seconds_since

if TYPE_CHECKING:
    from unbraid.agents.file_watch import FileWatch

MAX_NAME_CHARS = 200
BATCH_BYTES = 1 << 16

_SOURCE = re.compile(r"(.+)@(\d+)\+(\d+)")
_UNFIT = re.compile(r"[^A-Za-z0-9._:@+/-]")


class RecordedFile(NamedTuple):
    """How far a file is known to the log, and from which byte on it belongs to the run."""

    place: Place = Place()
    base: int = 0

    @classmethod
    def from_end(cls, generation: int, size: int) -> RecordedFile:
        """Returns a file for a run that begins behind what is in it already."""
        return cls(Place(generation, size), size)

    def chunk(self, name: str, generation: int, read: Chunk) -> Chunk:
        """Returns what was read of the file as a chunk of its source in the run."""
        # A file that was rewritten belongs to the run from its first byte on.
        base = self.base if generation == self.place.generation else 0
        return Chunk(source_name(name, generation, base), read.offset - base, read.data)


def file_name(name: str) -> str:
    """Returns the name of a file as it is in the names of its sources."""
    return _UNFIT.sub("_", name)[:MAX_NAME_CHARS]


def source_name(name: str, generation: int = 1, base: int = 0) -> str:
    """Returns the name of a file as a source."""
    return f"{file_name(name)}@{generation}+{base}"


def recorded_files(recorded: Recorded) -> dict[str, RecordedFile]:
    """Returns how far the files of a run are recorded, by `file_name`; of several sources of one
    file, the one that is furthest. A new run begins where the earlier ones have ended.
    """
    is_new = recorded.is_new
    found: dict[str, RecordedFile] = {}
    for source, offset in (recorded.earlier if is_new else recorded.offsets).items():
        if (match := _SOURCE.fullmatch(source)) is None:
            continue
        name, generation, base = match[1], int(match[2]), int(match[3])
        if is_new:
            file = RecordedFile.from_end(generation, base + offset)
        else:
            head, tail = recorded.ends.get(source, (b"", b""))
            place = Place(generation, base + offset, head=b"" if base else head, tail=tail)
            file = RecordedFile(place, base)
        if name not in found or found[name].place[:2] < file.place[:2]:
            found[name] = file
    return found


def begin_chunks(files: Mapping[str, RecordedFile]) -> Iterator[Chunk]:
    """Yields where the files of a new run begin, to be recorded with its first bytes: after a
    kill, nothing else would say what had been there before.
    """
    for name, file in files.items():
        yield file.chunk(name, file.place.generation, Chunk(name, file.place.offset, b""))


class FollowedFiles:
    """The files of one session, by their names in it, each read from where the log stands."""

    def __init__(
        self, known: Mapping[str, RecordedFile], opened: Callable[[Path, Place], Tail] = Tail
    ) -> None:
        self.tails: dict[str, Tail] = {}
        self._opened, self._known = opened, known
        self._files: dict[str, RecordedFile] = {}  # as they were known at first

    def add(self, name: str, path: Path) -> RecordedFile:
        """Follows one more file. Returns how far it is recorded."""
        known = self._files[name] = self._known.get(file_name(name), RecordedFile())
        self.tails[name] = self._opened(path, known.place)
        return known

    def changed(self) -> dict[str, int | None]:
        """Returns the sizes of the files that may have something new, in the order in which they
        were added; parents first, so that a child is read as far as its parent tells of it.
        """
        return {name: tail.changed() for name, tail in self.tails.items()}

    def chunk(self, name: str, read: Chunk) -> Chunk:
        """Returns what was read of a file as a chunk of its source."""
        return self._files[name].chunk(name, self.tails[name].generation, read)

    def read(self, name: str, upto: int | None = None) -> Iterator[Chunk]:
        """Yields what is new in one file."""
        for read in self.tails[name].read(upto):
            yield self.chunk(name, read)

    def rest(self) -> Iterator[tuple[str, Chunk]]:
        """Yields what will never be whole, with the names of the files."""
        for name, tail in self.tails.items():
            for read in tail.rest():
                yield name, self.chunk(name, read)

    def merged(
        self,
        sizes: Mapping[str, int | None],
        order_in: Callable[[str], Callable[[bytes], LineOrder]],
    ) -> Iterator[tuple[str, Chunk]]:
        """Yields what is new in files up to these sizes, by the times of the lines, with the names
        of the files; where times are equal, in the order of `sizes`.
        """
        begun: dict[str, Chunk] = {}

        def reader(name: str, upto: int) -> Callable[[], Iterator[bytes]]:
            def read() -> Iterator[bytes]:
                for chunk in self.read(name, upto):
                    begun.setdefault(name, chunk)
                    yield chunk.data

            return read

        tracks = [
            Track(name, reader(name, size), dated=True, order=order_in(name))
            for name, size in sizes.items()
            if size is not None
        ]
        return _chunks(merge(tracks) if tracks else (), begun)

    def silent_seconds(self) -> float:
        """Returns for how long none of the files has been written."""
        return seconds_since(tail.path for tail in self.tails.values())


def _chunks(
    lines: Iterable[tuple[str, bytes]], begun: Mapping[str, Chunk]
) -> Iterator[tuple[str, Chunk]]:
    """Yields lines of named files as chunks, neighbours of one file in one chunk; `begun` has the
    first chunk that was read of each.
    """
    offsets: dict[str, int] = {}
    name, held, size = "", list[bytes](), 0

    def flush() -> Iterator[tuple[str, Chunk]]:
        if held:
            first, data = begun[name], b"".join(held)
            at = offsets.get(name, first.offset)
            offsets[name] = at + len(data)
            yield name, Chunk(first.source, at, data)

    for here, line in lines:
        if here != name or size >= BATCH_BYTES:
            yield from flush()
            name, held, size = here, [], 0
        held.append(line)
        size += len(line)
    yield from flush()


# --- the sessions of a layout ---

# The files of agents, by the agents' ids.
Files = Mapping[str, Path]


class FileLayout:
    """Where a kind keeps its files, and which of them are one session: by default, each is one."""

    kind = ""
    is_dated = False  # whether each line has its time

    def __init__(self) -> None:
        self.problems: dict[str, str] = {}  # folders that could not be read, and why

    def folders(self) -> list[Path]:
        """Returns the folders that there are now, without links."""
        raise NotImplementedError

    def files(self) -> dict[str, Path]:
        """Returns the files of all agents."""
        raise NotImplementedError

    def agent_of(self, path: Path) -> str | None:
        """Returns the agent whose file this is, if it is one that may grow."""
        raise NotImplementedError

    def is_id(self, name: str) -> bool:
        """Returns whether an id has the form of this kind's."""
        return names_run(name)

    def has_begun(self, path: Path) -> bool:
        """Returns whether it can be said yet which session a file is part of."""
        return True

    def root(self, agent: str, files: Files) -> str | None:
        """Returns the main agent of an agent's session, which the session is named by; None if the
        agent itself is not stored.
        """
        return agent if agent in files else None

    def tree(self, root: str, files: Files) -> dict[str, Path]:
        """Returns the files of a session, parents first."""
        return {root: files[root]} if root in files else {}

    def source(self, agent: str) -> str:
        """Returns the name of an agent's file as a source of its session."""
        return "file"

    def read(self, path: Path) -> Iterator[bytes]:
        """Yields the bytes of a file."""
        return chunks(path)

    def order(self, line: bytes) -> LineOrder:
        """Returns where a line belongs among those of other files."""
        return UNKNOWN

    def tail(self, path: Path, place: Place) -> Tail:
        """Returns what reads a file as it grows."""
        return Tail(path, place)

    def tracks(self, root: str, tree: Files) -> RunTracks:
        """Returns a session as one run."""
        tracks = [
            Track(
                str(path), partial(self.read, path), self.is_dated, session=agent, order=self.order
            )
            for agent, path in tree.items()
        ]
        return RunTracks(self.kind, root, tracks)


class FileSessions(SessionStore):
    """The sessions of a layout."""

    def __init__(self, layout: FileLayout) -> None:
        self._layout = layout

    def is_session_id(self, name: str) -> bool:
        """Returns whether an id has the form of this kind's."""
        return self._layout.is_id(name)

    def matching(self, prefix: str) -> Iterator[str]:
        """Yields the ids of agents that begin like this, sub-agents too."""
        return (agent for agent in self._layout.files() if agent.startswith(prefix))

    def root(self, session_id: str) -> str | None:
        """Returns the main agent of an agent's session."""
        return self._tree_of(session_id)[0]

    def listed(
        self,
        *,
        since_ms: int = 0,
        cache: Path | None = None,
        warn: Callable[[str], None] = lambda text: None,
    ) -> list[StoredSession]:
        """Returns the sessions with their sub-agents, newest first."""
        found: list[StoredSession] = []
        for root, tree, changed_ms in self._newest_first(since_ms):
            stamps = [_stamp(path) for path in tree.values()]
            translate = partial(translate_run, self._layout.tracks(root, tree))
            size = sum(size for size, _ in stamps)
            version = files_version(stamps)
            found.append(StoredSession(root, changed_ms, version, translate, size=size))
        for place, problem in self._layout.problems.items():
            warn(f"{place}: {problem}")
        return found

    def blocks(self, needle: str, known: Collection[str]) -> Iterator[StoredBlock]:
        """Yields what was said in files that may hold the needle."""
        for root, tree, _ in self._newest_first(0):
            for agent, path in tree.items() if root not in known else ():
                agent_id = None if agent == root else agent
                yield from self._blocks(path, needle, session_id=root, agent_id=agent_id)

    def run(self, session_id: str) -> RunTracks | None:
        """Returns the files of an agent's session, as tracks."""
        root, tree = self._tree_of(session_id)
        return None if root is None else self._layout.tracks(root, tree)

    def updated(self, session_id: str) -> int:
        """Returns when a file of its session was last written."""
        return max(map(modified_ms, self._tree_of(session_id)[1].values()), default=0)

    def follow(self, session_id: str, recorded: Recorded) -> FilesFollower | None:
        """Returns a follower that reads the session's files from where the log stands."""
        root, layout = self.root(session_id), self._layout
        return None if root is None else self.follower(root, recorded, layout.files)

    def follower(self, root: str, recorded: Recorded, files: Callable[[], Files]) -> FilesFollower:
        """Returns a follower of a session, whose files are among those that `files` returns."""
        return FilesFollower(self._layout, recorded, lambda: self._layout.tree(root, files()))

    def watch(self, options: WatchOptions) -> FileWatch:
        """Returns a watch of the folders."""
        from unbraid.agents.file_watch import FileWatch

        return FileWatch(self._layout, self.follower, options)

    def files(self) -> dict[str, Path]:
        """Returns the files of all agents."""
        return self._layout.files()

    def _tree_of(self, agent: str) -> tuple[str | None, dict[str, Path]]:
        """Returns the session that an agent is part of, with its files."""
        if not self._layout.is_id(agent):
            return None, {}
        files = self._layout.files()
        root = self._layout.root(agent, files)
        return root, {} if root is None else self._layout.tree(root, files)

    def _newest_first(self, since_ms: int) -> list[tuple[str, dict[str, Path], int]]:
        """Returns the sessions with their files and when one of these was last written."""
        files = self._layout.files()
        newest: dict[str, int] = {}
        for agent, path in files.items():
            at = modified_ms(path)
            if at >= since_ms:
                root = self._layout.root(agent, files) or agent
                newest[root] = max(newest.get(root, 0), at)
        order = sorted(newest, key=lambda root: newest[root], reverse=True)
        return [(root, self._layout.tree(root, files), newest[root]) for root in order]

    def _blocks(
        self, path: Path, needle: str, *, session_id: str, agent_id: str | None
    ) -> Iterator[StoredBlock]:
        # Here, because the translator asks the registry for all kinds.
        from unbraid.read.translator import Translator

        try:
            if not may_hold(self._layout.read(path), needle):
                return
            translator = Translator()
            for data in self._layout.read(path):
                for event in translator.feed(data, path.name):
                    agent = event.context or agent_id
                    block = stored_block(event, session_id=session_id, agent_id=agent)
                    if block is not None:
                        yield block
        except (OSError, SourceError):
            return


class JsonlSessions(FileSessions):
    """The sessions in files below a folder, at any depth, whose names end in `suffix`."""

    def __init__(self, kind: str, folder: Path, suffix: str = ".jsonl") -> None:
        super().__init__(_OneFolder(kind, folder.resolve(), suffix))

    def is_session_id(self, name: str) -> bool:
        """Returns whether there is a session of that name: ids may have any form."""
        return self.root(name) is not None

    def follow(self, session_id: str, recorded: Recorded) -> FilesFollower | None:
        """Returns a follower of the session's file, which stays where it is."""
        found = self._tree_of(session_id)[1]
        return self.follower(session_id, recorded, lambda: found) if found else None


class _OneFolder(FileLayout):
    """The files of `JsonlSessions`."""

    def __init__(self, kind: str, folder: Path, suffix: str) -> None:
        super().__init__()
        self.kind, self._folder, self._suffix = kind, folder, suffix

    def folders(self) -> list[Path]:
        return [self._folder] if self._folder.is_dir() else []

    def files(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for path in sorted(self._folder.rglob(f"*{self._suffix}")):
            session = self.agent_of(path)
            # Not everything with such a name is a file, and opening a pipe would wait forever.
            if session is not None and is_regular(path):
                found.setdefault(session, path)
        return found

    def agent_of(self, path: Path) -> str | None:
        session = path.name.removesuffix(self._suffix)
        return session if session != path.name and names_run(session) else None


class FilesFollower(Source):
    """The files of one session as they grow; `tree` returns those that there are now."""

    def __init__(self, layout: FileLayout, recorded: Recorded, tree: Callable[[], Files]) -> None:
        self._layout, self._tree = layout, tree
        self._files = FollowedFiles(recorded_files(recorded), layout.tail)

    @property
    def problems(self) -> Mapping[str, str]:
        """The files that could not be read, and why."""
        tails = self._files.tails.values()
        return {str(tail.path): tail.problem for tail in tails if tail.problem}

    def read(self, *, at_once: bool = False) -> Iterator[Chunk]:
        """Yields their new whole lines, by their times; at the end, also half a line."""
        return (chunk for _, chunk in self._read())

    def silent_seconds(self) -> float:
        """Returns for how long none of the files has been written."""
        return self._files.silent_seconds()

    def _read(self) -> Iterator[tuple[str, Chunk]]:
        """Yields what is new, with the names of the files."""
        for agent, path in self._tree().items():
            self._add(self._layout.source(agent), path)
        new = self._files.merged(self._files.changed(), lambda name: self._layout.order)
        yield from chain(new, self._files.rest() if self.has_ended else ())

    def _add(self, name: str, path: Path) -> None:
        tail = self._files.tails.get(name)
        if tail is None:
            self._added(name, self._files.add(name, path).base)
        elif path.suffix == tail.path.suffix:
            tail.path = path  # it may have been moved

    def _added(self, name: str, base: int) -> None:
        """Notes that a file is read from now on, of which the run has what is behind `base`."""


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns


def may_hold(chunks: Iterable[bytes], needle: str) -> bool:
    """Returns whether JSON lines, wherever they are cut, may hold a needle in small letters. One
    that JSON may spell in many ways they always may.
    """
    from unbraid.fold.query import json_forms

    forms = json_forms(needle)
    if forms is None or '"' in needle or "\\" in needle:
        return True
    wanted = [form.encode() for form in forms]
    overlap, rest = max(map(len, wanted)) - 1, b""
    for chunk in chunks:
        text = rest + chunk.lower()
        if any(form in text for form in wanted):
            return True
        rest = text[max(len(text) - overlap, 0) :]
    return False


def stored_block(event: RelayEvent, *, session_id: str, agent_id: str | None) -> StoredBlock | None:
    """Returns what was said, asked or called in an event. What a call gave is nothing to search
    for, as in the log.
    """
    match event:
        case TextDelta():
            kind, text = "text", event.delta
        case ThinkingDelta():
            kind, text = "thinking", event.delta
        case ToolUse():
            kind, text = "tool_use", call_text(event.tool, bytes(event.input_json))
        case Prompt():
            kind, text = "prompt", event.text
        case _:
            return None
    return StoredBlock(session_id=session_id, agent_id=agent_id, kind=kind, ts=event.ts, text=text)


class DialectFiles(FileFormats):
    """The files of a kind that has only a dialect: lines that the dialect can decode."""

    def __init__(self, kind: AgentKind) -> None:
        self._kind = kind

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
