"""One of Claude Code's sessions, read from where the log stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from unbraid.agents.claude.heads import first_time, last_time
from unbraid.agents.claude.hooks.session import HookLines
from unbraid.agents.claude.sessions.copies import CopyNote, FirstMessages
from unbraid.agents.claude.sessions.opening import opening_of_file
from unbraid.agents.claude.sessions.processes import Processes, process_folder
from unbraid.agents.claude.sessions.session_files import Session
from unbraid.agents.claude.transcript import (
    ProcessEntry,
    PublishedState,
    session_line,
    state_line,
)
from unbraid.agents.file_sources import RecordedFile, begin_chunks, recorded_files
from unbraid.agents.source import Recorded, Source
from unbraid.errors import SourceError
from unbraid.read.chunk import STORED, Chunk
from unbraid.system.clock import now_ms
from unbraid.system.files import is_regular, modified_ms
from unbraid.timings import LIVE_RECORD_MS

ABOUT, STATE, HOOKS = "about", "state", "hooks"
ABOUT_AGENT = ".meta.json@"


class TranscriptFollower(Source):
    """A session by its transcripts as they grow."""

    def __init__(
        self,
        main: Path,
        recorded: Recorded,
        owner_of: Callable[[Path], str | None],
        processes: Processes,
        firsts: FirstMessages,
        hooked: HookLines | None = None,
        main_now: Callable[[], Path | None] = lambda: None,
    ) -> None:
        self._main_now = main_now
        self._known = known_files(recorded)
        self._session = Session(main, self._known, owner_of=owner_of)
        self._begun = not recorded.is_new
        self._states = StateSource(main.stem, recorded, processes)
        self._hooked, self._hooked_offset = hooked, recorded.offsets.get(HOOKS, 0)
        self._copies = CopyNote(main, recorded, firsts)
        self._about_agents: list[Chunk] = []
        self._latest_ms = 0
        self._is_live = False
        self._earlier_ms = recorded.earlier_ms
        self._about = recorded.offsets.get(ABOUT, 0)
        # A session that has only just begun does not say where it works.
        self._is_known = b'"cwd":null' not in recorded.ends.get(ABOUT, (b"", b""))[1]

    @property
    def unsettled(self) -> bool:
        """Whether a line was left in its file that should be looked at again soon."""
        return self._session.unsettled or (self._hooked is not None and self._hooked.is_waiting)

    @property
    def problems(self) -> Mapping[str, str]:
        """The files that could not be read, and why."""
        return self._session.problems

    def read(self, *, at_once: bool = False) -> Iterator[Chunk]:
        """Yields what is new in its files. A run begins with the facts of its session, but only
        when there is something in its files. Raises SourceError if those are elsewhere by now: the
        next follower finds them there.
        """
        main, now = self._session.main, self._main_now()
        if not self.has_ended and now not in (None, main) and not is_regular(main):
            raise SourceError(str(main), f"moved to {now}")
        if self._begun and self._hooked is not None:
            yield from self._hook_lines(self._hooked.take_answers())
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
            if self._hooked is not None:
                yield from self._hook_lines(self._hooked.take())
            # A hook says what the terminal asks for, the state only that it does; and an answer
            # from here was put among the lines before the process went on by it.
            entry = self._states.entry
            if self._hooked is None or not self._hooked.is_waiting:
                yield from self._states.read(entry)

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

    def _hook_lines(self, lines: Iterator[bytes]) -> Iterator[Chunk]:
        for line in lines:
            yield Chunk(HOOKS, self._hooked_offset, line)
            self._hooked_offset += len(line)

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
        """Returns for how long none of its files has been written."""
        return self._session.silent_seconds()


class StateSource:
    """What the process of a session says that it does, as one more source of its run."""

    def __init__(self, session_id: str, recorded: Recorded, processes: Processes) -> None:
        self._session_id, self._processes = session_id, processes
        self._offset = recorded.offsets.get(STATE, 0)
        self._latest: tuple[str | None, str | None, int] | None = None

    @property
    def entry(self) -> ProcessEntry | None:
        """What the process says, as of the latest look at all of them."""
        return self._processes.entries.get(self._session_id)

    def read(self, entry: ProcessEntry | None) -> Iterator[Chunk]:
        """Yields what is new in it."""
        if entry is None or entry.status is None:
            return
        latest = (entry.status, entry.waiting_for, entry.status_since)
        if latest != self._latest:
            self._latest = latest
            published = PublishedState(entry.status, entry.waiting_for)
            line = state_line(self._session_id, published, entry.status_since)
            yield Chunk(STATE, self._offset, line)
            self._offset += len(line)


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
