"""One of Claude Code's sessions, read as it grows, from where the log stands.

Causes first: the sizes of its files are noted from the parents to the children, then everything is
read up to them. So when the parent's line that reports a child's end is read, the child's last
records are read, too. What is new at one look is merged by its own times, children before parents
where those are equal.

Claude Code writes each file by itself, so a parent's may be ahead of its child's by moments: a line
that reports an agent's end stays in its file until it has been there for a moment, and, for a
while, until the agent's own file ends with its answer (`_hold_back`).

Everything is given out as chunks of the sources that the files are (`unbraid.agents.files`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from unbraid.agents.claude.heads import (
    Ending,
    ending_of,
    first_time,
    is_answer,
    last_time,
    line_order,
    workflow_line_order,
)
from unbraid.agents.claude.hooks.session import HookLines
from unbraid.agents.claude.sessions.beginnings import (
    ANSWER,
    Beginnings,
    agent_facts,
    opening_of_file,
)
from unbraid.agents.claude.sessions.layout import (
    MAX_DEPTH,
    ChangedFolders,
    child_files,
    files_beside,
    meta_path,
    workflow_of,
)
from unbraid.agents.claude.sessions.processes import Processes, process_folder
from unbraid.agents.claude.transcript import AgentFacts, copied_line, session_line
from unbraid.agents.files import (
    FollowedFiles,
    RecordedFile,
    begin_chunks,
    file_name,
    recorded_files,
    source_name,
)
from unbraid.agents.source import Recorded, Source
from unbraid.errors import SourceError
from unbraid.read.chunk import STORED, Chunk, ChunkedSource
from unbraid.read.record import BAD_JSON, read_as
from unbraid.read.sequencer import Aged, Closed, Sequencer, SourceItem
from unbraid.read.tracks import LineOrder
from unbraid.system.clock import now_ms
from unbraid.system.files import is_regular, modified_ms, open_regular, read_small
from unbraid.timings import CHILD_FILE_SETTLE_SECONDS, LIVE_RECORD_MS

# The end of an agent waits at most this long for the agent's own answer. After a kill there is
# none, and a finished agent must not be shown as working for longer than this.
CHILD_ANSWER_TIMEOUT_SECONDS = 1.0

MAIN = "main.jsonl"
ABOUT, STATE, HOOKS, COPIED = "about", "state", "hooks", "copied"
ABOUT_AGENT = ".meta.json@"
# More than this at once is history, not news.
MAX_SETTLING_BYTES = 1 << 20
# Where a file that ends with an answer has that: an answer is not longer.
LAST_BYTES = 1 << 18


class EndReport(NamedTuple):
    """A line that reports an agent's end: its file, the offset behind it, whose end, and when."""

    file: str
    offset: int
    agent: str
    at: int


class Session:
    """One session: its own file and those of its sub-agents, in every layout."""

    def __init__(
        self,
        main: Path,
        known: Mapping[str, RecordedFile] | None = None,
        *,
        beginnings: Beginnings | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.main, self.id, self._clock = main, main.stem, clock
        self._beginnings = beginnings or Beginnings()
        self._folder = ChangedFolders(main.parent)
        self._folders = ChangedFolders(main.with_suffix("") / "subagents", depth=MAX_DEPTH)
        self._known = known or {}
        self._files = FollowedFiles(self._known)
        self._tails = self._files.tails
        self._without_facts: list[str] = []  # agents' files whose facts were not given out yet
        self._beside: list[Chunk] = []
        self._calls: dict[str, str] = {}  # a call that has started an agent: that agent's id
        # What stays in the files: ends of stretches of whole lines, as (file, offset).
        self._lines = Sequencer[tuple[str, int]](is_open=self.awaits)
        self._declared: dict[str, tuple[int, int]] = {}  # file: its generation, and up to where
        self._limits: dict[str, int] = {}  # file: up to where it will be read at this look
        self._reports: list[EndReport] = []  # in what has to wait
        self._files.add(MAIN, main)

    @property
    def unsettled(self) -> bool:
        """Whether something was left in the files at the last look, to be read soon."""
        return self._lines.holds()

    @property
    def problems(self) -> dict[str, str]:
        """The files that could not be read, and why."""
        return {str(t.path): t.problem for t in self._tails.values() if t.problem and t.offset}

    @property
    def has_children(self) -> bool:
        """Whether its sub-agents have files of their own."""
        return len(self._tails) > 1

    def silent_seconds(self) -> float:
        """Returns for how long none of its files has been written."""
        return self._files.silent_seconds()

    def own(self) -> Iterator[Chunk]:
        """Yields what is new in the session's own file."""
        if self._tails[MAIN].changed() is not None:
            yield from self._files.read(MAIN)

    def drain(
        self, *, with_main: bool = True, now: bool = False, last: bool = False
    ) -> Iterator[Chunk]:
        """Yields what is new in all files, or in those of the sub-agents alone; `now` without
        waiting for any of it to settle, and with `last` also what will never be whole.
        """
        sizes = {MAIN: self._tails[MAIN].changed()} if with_main else {}
        self._beside += self._find_files(last=last)
        for name, tail in self._tails.items():
            if name != MAIN:
                sizes[name] = tail.changed()
        has_news = set(sizes.values()) - {None} or self._beside or self._lines.holds()
        if not has_news and not last:
            return
        if now or last:
            for name in sizes:
                self._release(name)
        else:
            self._hold_back(sizes)
        # Children first, where times are equal.
        news = self._files.merged(dict(reversed(sizes.items())), _order_in)
        first = next(news, None)
        # A meta file alone does not begin a run.
        if first is not None or last:
            beside, self._beside = self._beside, []
            yield from beside
        if first is not None:
            yield first[1]
            for _, chunk in news:
                yield chunk
        for _, rest in self._files.rest() if last else ():
            yield rest

    def awaits(self, ending: Ending) -> bool:
        """Returns whether the agent that has completed its work has a file of its own which, as far
        as it has been read, does not end with its answer.
        """
        name = self._file_of(self._agent_of(ending))
        if name is None:
            return False
        # Consider only what this poll reads. Anything newer would be yielded after the line that
        # waits for it.
        upto = self._limits.get(name) or self._tails[name].offset
        return not _ends_with_answer(self._tails[name].path, upto)

    def _file_of(self, agent: str | None) -> str | None:
        file = f"agent-{agent}.jsonl"
        return next((name for name, t in self._tails.items() if t.path.name == file), None)

    def _agent_of(self, ending: Ending) -> str | None:
        return ending.agent or self._calls.get(ending.call or "")

    def _hold_back(self, sizes: dict[str, int | None]) -> None:
        """Shortens the sizes so that a line which reports an end too early stays in its file."""
        now = self._clock()
        for name, size in sizes.items() if self.has_children else ():
            if size is None or not 0 < size - self._tails[name].offset < MAX_SETTLING_BYTES:
                self._release(name)
            else:
                self._declare(name, size, now)
            if size is not None and not self._lines.holds(name):
                self._limits[name] = size
        cuts = [(report, *self._before_end(report)) for report in self._reports]
        for _, child, end in cuts:
            if child in self._limits:
                self._limits[child] = min(end, self._limits[child])
        for name, end in self._lines.take(now):
            self._limits[name] = end
        for name in sizes:
            if self._lines.holds(name):
                sizes[name] = self._limits.get(name, self._tails[name].offset)
        self._limits.clear()
        for report, child, end in cuts:
            size, limit = sizes.get(child), sizes.get(report.file)
            if size is not None and limit is not None and limit < report.offset:
                sizes[child] = min(end, size)
        self._reports = [report for report in self._reports if self._lines.holds(report.file)]

    def _before_end(self, report: EndReport) -> tuple[str, int]:
        """Returns an agent's file, and up to where that is about what came before its end. An agent
        that gets a new prompt at once would otherwise continue before it has ended.
        """
        child = self._file_of(report.agent) or MAIN
        at = (tail := self._tails[child]).offset
        upto = min(tail.size(), at + MAX_SETTLING_BYTES)
        for line in tail.peek(upto).split(b"\n") if child != MAIN else ():
            if line_order(line).at > report.at:
                return child, at
            at += len(line) + 1
        return child, tail.size()

    def _declare(self, name: str, size: int, now: float) -> None:
        """Declares to the sequencer which of a file's new lines have to wait, and for what. Each
        line is examined once; the other lines have to wait only for those.
        """
        tail = self._tails[name]
        generation, at = self._declared.get(name, (0, 0))
        if generation != tail.generation or at < tail.offset:
            self._release(name)
            at = tail.offset
        *lines, _ = tail.peek(size, at).split(b"\n")
        for line in lines:
            begin, at = at, at + len(line) + 1
            ending = ending_of(line)
            if not ending.certain and self._agent_of(ending) is None:
                continue
            self._lines.add(SourceItem(name, (name, begin)), now)
            report = SourceItem(
                name,
                (name, at),
                waits_for=(Aged(CHILD_FILE_SETTLE_SECONDS), Closed(ending)),
                max_wait_seconds=CHILD_ANSWER_TIMEOUT_SECONDS,
            )
            self._lines.add(report, now)
            if (agent := self._agent_of(ending)) is not None:
                self._reports.append(EndReport(name, at, agent, at=line_order(line).at))
        if lines and self._lines.holds(name):
            self._lines.add(SourceItem(name, (name, size)), now)
        self._declared[name] = (tail.generation, at)

    def _release(self, name: str) -> None:
        """Holds back nothing of a file any more."""
        self._lines.forget(name)
        self._declared.pop(name, None)

    def _find_files(self, *, last: bool) -> Iterator[Chunk]:
        """Finds files that are new, and gives out what stands beside a transcript."""
        inner, found = self.main.with_suffix(""), dict[str, Path]()
        for file in child_files(self.main) if self._folders.changed() or last else ():
            path = Path(file.path)
            found[str(path.relative_to(inner))] = path
        for path in map(Path, files_beside(self.main)) if self._folder.changed() else ():
            owner = self._beginnings.owner(str(path))
            if owner is None:
                self._folder.again()  # it does not name its session yet
            elif owner == self.id:
                found[path.name] = path
        for name, path in found.items():
            if name not in self._tails:
                self._files.add(name, path)
                is_agent = name.startswith("subagents/") and "/agent-" in name
                if is_agent and file_name(meta_path(name)) not in self._known:
                    self._without_facts.append(name)
        for name in list(self._without_facts):
            yield from self._facts(name, last=last)

    def _facts(self, name: str, *, last: bool) -> Iterator[Chunk]:
        meta, path = meta_path(name), str(self._tails[name].path)
        about: bytes | None = None
        try:
            about = read_small(meta_path(path))
            msgspec.json.decode(about)
        except (OSError, *BAD_JSON):
            about = None  # not there yet, or half-written
            if not last:
                return
        if line := agent_facts(path, about):
            self._without_facts.remove(name)
            facts = read_as(AgentFacts, line)
            if facts.tool_use_id is not None:
                self._calls[facts.tool_use_id] = facts.agent_id
            yield Chunk(source_name(meta), 0, line)


def _order_in(name: str) -> Callable[[bytes], LineOrder]:
    return line_order if workflow_of(name) is None else workflow_line_order


def _ends_with_answer(path: Path, upto: int) -> bool:
    """Returns whether the first bytes of a transcript, up to an offset, end with what its agent
    says.
    """
    try:
        with open_regular(path) as file:
            first = max(upto - LAST_BYTES, 0)
            *_, last, rest = [b"", *os.pread(file.fileno(), upto - first, first).split(b"\n")]
    except OSError:
        return False
    return not rest and is_answer(last)


class TranscriptFollower(Source):
    """A session by its transcripts as they grow."""

    def __init__(
        self,
        main: Path,
        recorded: Recorded,
        beginnings: Beginnings,
        processes: Processes,
        hooked: HookLines | None = None,
        main_now: Callable[[], Path | None] = lambda: None,
    ) -> None:
        self._main_now = main_now
        self._known = known_files(recorded)
        self._session = Session(main, self._known, beginnings=beginnings)
        self._begun = not recorded.is_new
        self._states = StateSource(main.stem, recorded, processes)
        self._hooked = hooked or HookLines()
        self._hooks = ChunkedSource(HOOKS, recorded.offsets.get(HOOKS, 0))
        self._copies = CopyNote(main, recorded, beginnings)
        self._about_agents: list[Chunk] = []
        self._latest_ms = 0
        self._is_live = False
        self._earlier_ms = recorded.earlier_ms
        self._about = recorded.offsets.get(ABOUT, 0)
        # A session that has only just begun does not say where it works.
        self._is_known = b'"cwd":null' not in recorded.ends.get(ABOUT, (b"", b""))[1]

    @property
    def unsettled(self) -> bool:
        return self._session.unsettled or self._hooked.is_waiting

    @property
    def problems(self) -> Mapping[str, str]:
        return self._session.problems

    def read(self, *, at_once: bool = False) -> Iterator[Chunk]:
        """Yields what is new in its files. A run begins with the facts of its session, but only
        when there is something in its files. Raises SourceError if those are elsewhere by now: the
        next follower finds them there.
        """
        main, now = self._session.main, self._main_now()
        if not self.has_ended and now not in (None, main) and not is_regular(main):
            raise SourceError(str(main), f"moved to {now}")
        if self._begun:
            yield from map(self._hooks.chunk, self._hooked.take_answers())
        for chunk in self._session.drain(now=at_once, last=self.has_ended):
            if not self._begun:
                if ABOUT_AGENT in chunk.source:
                    # Every run of a session reads who its agents are; nothing was said with it.
                    self._about_agents.append(chunk)
                    continue
                self._begun = True
                yield from begin_chunks(self._known)
                yield self._introduction(first_time(chunk.data))
                yield from self._about_agents
            elif not self._is_known and opening_of_file(self._session.main).cwd is not None:
                yield self._introduction()
            yield from self._copies.before(chunk)
            yield from self._written(chunk)
        self._is_live = True
        if self._begun and not self.has_ended:
            yield from map(self._hooks.chunk, self._hooked.take())
            # A hook says what the terminal asks for, the state only that it does; and an answer
            # from here was put among the lines before the process went on by it.
            state = self._states.line()
            if not self._hooked.is_waiting:
                yield from self._states.changed(state)

    def _written(self, chunk: Chunk) -> Iterator[Chunk]:
        """Yields a chunk with the time at which it was written. A line that has none was written
        when the one before it was; only of the last ones, behind all that have a time, the file's
        own time says it. In a file that existed before the first look, they may have been added
        long after its session had ended, and are no part of it.
        """
        source, offset, data, _ = chunk
        latest, end = last_time(data)
        self._latest_ms = max(self._latest_ms, latest)
        if end:
            in_future = self._latest_ms > now_ms() + LIVE_RECORD_MS
            yield Chunk(source, offset, data[:end], arrived_ms=0 if in_future else STORED)
        if end < len(data):
            written_ms = modified_ms(self._session.main)
            silent_ms = written_ms - self._latest_ms
            is_its_end = silent_ms >= 0 and (self._is_live or silent_ms < LIVE_RECORD_MS)
            yield Chunk(
                source, offset + end, data[end:], arrived_ms=written_ms if is_its_end else STORED
            )

    def _introduction(self, first_ms: int = 0) -> Chunk:
        """Returns which session this is, where it works and, at the beginning, since when:
        transcripts say it on every line and nowhere in particular. A run that continues a session
        begins with what is new in it, at `first_ms`.
        """
        main = self._session.main
        facts = opening_of_file(main)
        # Notes have no time: they were there when the file was last written to.
        began_ms = (first_ms if self._earlier_ms else facts.started) or modified_ms(main)
        started_ms = 0 if self._about else began_ms
        cwd = facts.cwd or process_folder(main)
        self._is_known = cwd is not None
        line = session_line(
            main.stem,
            cwd=cwd,
            version=facts.version,
            started_ms=started_ms,
            continues=bool(self._earlier_ms),
        )
        offset, self._about = self._about, self._about + len(line)
        return Chunk(ABOUT, offset, line)

    def silent_seconds(self) -> float:
        return self._session.silent_seconds()


class StateSource:
    """What the process of a session says that it does, as one more source of its run."""

    def __init__(self, session_id: str, recorded: Recorded, processes: Processes) -> None:
        self._session_id, self._processes = session_id, processes
        self._chunks = ChunkedSource(STATE, recorded.offsets.get(STATE, 0))
        self._latest = b""

    def line(self) -> bytes:
        """Returns what the process says, as of the latest look at all of them."""
        return self._processes.published_line(self._session_id)

    def changed(self, line: bytes) -> Iterator[Chunk]:
        """Yields that, if it is something else than before."""
        if line and line != self._latest:
            self._latest = line
            yield self._chunks.chunk(line)


class CopyNote:
    """Says which messages were copied into a session, before the first of them comes."""

    def __init__(self, main: Path, recorded: Recorded, beginnings: Beginnings) -> None:
        self._main, self._beginnings = main, beginnings
        self._is_due = COPIED not in recorded.offsets and not recorded.earlier_ms

    def before(self, chunk: Chunk) -> Iterator[Chunk]:
        """Yields that, if this chunk of the session has its first message."""
        if self._is_due and chunk.source.startswith(f"{MAIN}@") and ANSWER in chunk.data:
            self._is_due = False
            if messages := self._beginnings.copied(self._main):
                yield Chunk(COPIED, 0, copied_line(messages), arrived_ms=STORED)


def files_from_sizes(main: Path, sizes: Mapping[Path, int]) -> dict[str, RecordedFile]:
    """Returns a session's files for a run that begins when they already have these sizes."""
    inner = main.with_suffix("")
    found: dict[str, RecordedFile] = {}
    for path, size in sizes.items():
        known = RecordedFile.from_end(1, size)
        if path == main:
            found[MAIN] = known
        elif path.is_relative_to(inner):
            found[file_name(str(path.relative_to(inner)))] = known
        elif path.parent == main.parent and path.name.startswith("agent-"):
            found[file_name(path.name)] = known
    return found


def known_files(
    recorded: Recorded, standing: Mapping[str, RecordedFile] | None = None
) -> dict[str, RecordedFile]:
    """Returns how far a session's files are known: those that the log does not have are so as they
    were `standing` when the run began.
    """
    known = recorded_files(recorded)
    if not recorded.is_new:
        return known
    # Every run of a session reads who its agents are.
    known = {**(standing or {}), **known}
    return {name: file for name, file in known.items() if not name.endswith(".meta.json")}
