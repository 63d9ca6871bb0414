"""Starting Claude Code so that every agent is visible, and reading what it prints and stores."""

from __future__ import annotations

import contextlib
import re
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from unbraid.agents.claude.heads import head_of
from unbraid.agents.claude.places import claude_projects, session_transcripts
from unbraid.agents.claude.process.command import arguments_of, visible_command
from unbraid.agents.claude.process.control import ClaudeController
from unbraid.agents.claude.process.render import StreamJsonRenderer
from unbraid.agents.claude.process.stdout_merger import StdoutTranscriptMerger
from unbraid.agents.claude.sessions.copies import CopyNote, FirstMessages
from unbraid.agents.claude.sessions.follower import (
    ABOUT,
    StateSource,
    TranscriptFollower,
    known_files,
)
from unbraid.agents.claude.sessions.opening import Opening, opening_of_file
from unbraid.agents.claude.sessions.processes import Processes
from unbraid.agents.claude.sessions.session_files import Session, files_from_sizes
from unbraid.agents.claude.sessions.store import ClaudeSessions
from unbraid.agents.claude.transcript import session_line
from unbraid.agents.file_sources import RecordedFile, begin_chunks
from unbraid.agents.process_port import AgentProcess, Command, RunReference
from unbraid.agents.source import Recorded, Source
from unbraid.read.chunk import Chunk
from unbraid.read.lines import LineParts
from unbraid.system.clock import now_ms
from unbraid.system.liveness import own_start_ms
from unbraid.system.process import nobody_writes
from unbraid.system.versions import version_of
from unbraid.timings import LIVE_RECORD_MS, PROCESS_CHECK_SECONDS

_SLUG = re.compile(r"[^A-Za-z0-9]")
_STDOUT_TYPES = ("system", "assistant", "user", "result", "stream_event")


class ClaudeLauncher:
    """Starts `claude`, in any of the ways in which people start it."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env

    def recognizes(self, argv: Sequence[str]) -> bool:
        """Returns whether a command line starts Claude Code."""
        return arguments_of(argv) is not None

    async def command(self, argv: Sequence[str], *, steered: bool) -> Command:
        """Returns the command with the flags that its version has for making sub-agents visible."""
        version = await version_of(argv[: arguments_of(argv)])
        return visible_command(argv, version, steered=steered)

    def source(self, command: Command, cwd: Path) -> ClaudeSource:
        """Returns what reads its stdout, if that goes through us, and its transcripts."""
        draws = not command.captured
        prompt = command.prompt
        if prompt is None and command.captured and nobody_writes():
            prompt = command.asked  # what comes in on stdin would be a part of it
        return ClaudeSource(
            self._env,
            sizes=_transcript_sizes(self._env) if command.resumes or draws else {},
            session_id=command.session,
            start=ProcessStart(now_ms(), str(cwd), prompt),
            draws=draws,
            forwards=command.forwards,
        )

    def piped(self, line: bytes) -> ClaudeSource | None:
        """Returns what reads a `stream-json` stream, and the transcripts of the session that it
        names; None if the line is not Claude Code's.
        """
        read = head_of(line)
        is_ours = read.type in _STDOUT_TYPES or (read.type and read.session_id)
        return ClaudeSource(self._env) if is_ours else None

    def renderer(self, command: Command) -> StreamJsonRenderer | None:
        """Returns what prints `text` or `json`; None if the person asked for neither."""
        return None if command.prints == "raw" else StreamJsonRenderer(command)

    def controller(
        self, command: Command, process: AgentProcess, run: RunReference
    ) -> ClaudeController:
        """Returns what steers it over its stdin, if we may write to that."""
        return ClaudeController(
            process, run, reads_stdin=command.reads_stdin, prompt=command.prompt
        )


class ProcessStart(NamedTuple):
    """When (in milliseconds since 1970) and in which folder a process is started, and with which
    prompt, if that is clear.
    """

    at_ms: int
    cwd: str | None
    prompt: str | None = None


class ClaudeSource(Source):
    """One process of Claude Code; `start` is set if unbraid starts the process.

    `sizes` are the transcripts that were there before, and how long they were then. Without a
    `session_id` it is the one that the process names on stdout, or, if it `draws` on the terminal,
    the first new one of its folder.
    """

    def __init__(
        self,
        env: Mapping[str, str],
        *,
        sizes: Mapping[Path, int] | None = None,
        session_id: str | None = None,
        start: ProcessStart | None = None,
        draws: bool = False,
        forwards: bool = False,
    ) -> None:
        self._env, self._sizes, self._start = env, sizes or {}, start
        self._begun_in = Path(start.cwd) if draws and start is not None and start.cwd else None
        self._lines = LineParts()
        self._known: dict[str, RecordedFile] | None = None
        self._notes: list[Chunk] = []
        self._has_said = False
        # Only of a process that prints nothing we could read: others say it on stdout.
        self._states: StateSource | None = None
        self._copies: CopyNote | None = None
        self._recorded = Recorded()
        self._processes, self._looked_at = Processes(env), 0.0
        self._process: tuple[int, str | None] | None = None
        self._moved_to: str | None = None
        self._merger = StdoutTranscriptMerger(
            time.monotonic,
            self._find,
            f"stdout.{now_ms()}",
            session_id=session_id,
            forwards=forwards,
            is_announced=start is not None and start.prompt is not None,
        )

    @property
    def session_id(self) -> str | None:
        """Its session, once that is known."""
        return self._merger.session_id

    def moved_to(self) -> str | None:
        """Returns the session that the process has by its own note, once that is not the first."""
        self._look_at_processes()
        entries = self._processes.entries
        own = entries.get(self._merger.session_id or "")
        if own is not None and self._moved_to is None:
            self._process = own.pid, own.proc_start
        elif self._process is not None:
            for name, entry in entries.items():
                if (entry.pid, entry.proc_start) == self._process:
                    self._moved_to = name
        return self._moved_to

    def follow(self, session_id: str, recorded: Recorded) -> TranscriptFollower | None:
        """Returns a follower that reads its transcripts from where the log stands."""
        return ClaudeSessions(self._env).follow(session_id, recorded)

    def printed(self, data: bytes) -> None:
        """Takes more of its stdout."""
        for line in self._lines.feed(data):
            self._merger.line(line)

    def end(self) -> None:
        """Notes that the process is gone, and its files are complete."""
        super().end()
        for line in self._lines.finish():
            self._merger.line(line)
        if self._merger.session_id is None and self._merger.recognized:
            self._merger.use_session(str(uuid.uuid4()))  # a dialect whose lines name no session

    def begin(self, recorded: Recorded) -> None:
        """Notes that the session's run is open."""
        self._recorded = recorded
        assert self._merger.session_id is not None
        main = next(session_transcripts(self._merger.session_id, self._env), None)
        before = files_from_sizes(main, self._sizes) if main is not None else {}
        self._known = known_files(recorded, before)
        if self._begun_in is not None:
            self._states = StateSource(self._merger.session_id, recorded, self._processes)
        if recorded.is_new:
            introduction = self._introduction(main, continues=bool(recorded.earlier_ms))
            self._notes = [*begin_chunks(self._known), *introduction]

    def _introduction(self, main: Path | None, *, continues: bool) -> Iterator[Chunk]:
        """Yields what a new run begins with: which session it is, and since when. A recording that
        is piped says when it began by its first line that has a time, or by its transcript.
        """
        assert self._merger.session_id is not None
        start = self._start or self._piped_start(main, continues=continues)
        line = session_line(
            self._merger.session_id,
            cwd=start.cwd,
            version=None,
            started_ms=start.at_ms,
            prompt=start.prompt,
            continues=any(known.base for known in (self._known or {}).values()),
        )
        yield Chunk(ABOUT, 0, line)

    def _piped_start(self, main: Path | None, *, continues: bool) -> ProcessStart:
        facts = Opening() if main is None else opening_of_file(main)
        times = (self._merger.began_ms, 0 if continues else facts.started)
        at_ms = min(filter(None, times), default=0)
        if now_ms() - at_ms < LIVE_RECORD_MS or not at_ms:
            # A process that pipes to us now was started together with us.
            at_ms = min(at_ms or now_ms(), own_start_ms())
        return ProcessStart(at_ms, self._merger.cwd or facts.cwd)

    def read(self, *, at_once: bool = False) -> Iterator[Chunk]:
        """Yields what stdout and the transcripts have, in one order."""
        if self._merger.session_id is None and (begun := self._session_begun()) is not None:
            self._merger.use_session(begun)
        if self._known is not None:
            notes, self._notes = self._notes, []
            yield from notes
            for chunk in self._merger.end() if self.has_ended else self._merger.take():
                self._has_said = True
                yield from self._copied_before(chunk)
                yield chunk
            if self._states is not None and self._has_said and not self.has_ended:
                self._look_at_processes()
                yield from self._states.read(self._states.entry)

    def _copied_before(self, chunk: Chunk) -> Iterator[Chunk]:
        """Yields what has to be known before this chunk: which messages were copied into the
        session.
        """
        session = self._merger.session
        if self._copies is None and session is not None:
            self._copies = CopyNote(session.main, self._recorded, FirstMessages())
        if self._copies is not None:
            yield from self._copies.before(chunk)

    def _look_at_processes(self) -> None:
        now = time.monotonic()
        if self._states is not None and now - self._looked_at >= PROCESS_CHECK_SECONDS:
            self._looked_at = now
            self._processes.meet()

    def _find(self, session: str) -> Session | None:
        main = next(session_transcripts(session, self._env), None)
        return None if main is None else Session(main, self._known)

    def _session_begun(self) -> str | None:
        """Returns the session of a process that prints nothing we could read: one that is new, or
        grew. None if it prints.
        """
        if self._begun_in is None:
            return None
        slug = _SLUG.sub("-", str(self._begun_in))
        for projects in claude_projects(self._env):
            for path in projects.joinpath(slug).glob("*-*-*-*-*.jsonl"):
                if path.stat().st_size != self._sizes.get(path, 0):
                    return path.stem
        return None


def _transcript_sizes(env: Mapping[str, str]) -> dict[Path, int]:
    """Returns all transcripts and how long they are, before an agent continues one of them."""
    found: dict[Path, int] = {}
    for projects in claude_projects(env):
        for path in projects.rglob("*.jsonl"):
            with contextlib.suppress(OSError):
                found[path] = path.stat().st_size
    return found
