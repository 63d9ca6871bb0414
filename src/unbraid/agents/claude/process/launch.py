"""Starting Claude Code so that every agent is visible, and reading what it prints and stores: its
stdout and its transcripts, merged into one order while both are being written.

Stdout is early but incomplete; the transcripts are complete but late by up to a few hundred
milliseconds. A line of stdout that reports an agent's end is held back until the transcripts have
caught up: until the same line (its `uuid`, or, where an old version prints none, the call that it
answers) is in one of them, or, where it has no twin, until they are quiet. A sub-agent's own line
is held back, too, if stdout omits some of its lines: otherwise its text would come after a record
that it preceded. The wait is bounded. The session's own file goes last, because it repeats what
stdout has said already: it is needed when stdout stalls, and for what is never on stdout.
"""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from unbraid.agents.claude.heads import (
    Ending,
    calls_answered,
    ending_of,
    head_of,
    is_prompt,
    uuids_in,
)
from unbraid.agents.claude.process.command import (
    ClaudeCommand,
    StreamJsonRenderer,
    arguments_of,
    visible_command,
)
from unbraid.agents.claude.process.control import ClaudeController
from unbraid.agents.claude.records import (
    OTHER_SPAWNING_TOOLS,
    SPAWNING_TOOLS,
    Block,
    ClaudeRecord,
    Init,
    decode_printed,
)
from unbraid.agents.claude.resume import resumption
from unbraid.agents.claude.sessions.beginnings import Beginnings, Opening, opening_of_file
from unbraid.agents.claude.sessions.follower import (
    ABOUT,
    CopyNote,
    Session,
    StateSource,
    TranscriptFollower,
    files_from_sizes,
    known_files,
)
from unbraid.agents.claude.sessions.layout import Scan, claude_projects, session_transcripts
from unbraid.agents.claude.sessions.processes import Processes
from unbraid.agents.claude.sessions.store import ClaudeSessions
from unbraid.agents.claude.transcript import session_line
from unbraid.agents.files import RecordedFile, begin_chunks
from unbraid.agents.port import AgentProcess, Command, Resumption, RunReference, StoredAgent
from unbraid.agents.source import Recorded, Source
from unbraid.read.chunk import Chunk, ChunkedSource
from unbraid.read.lines import LineParts
from unbraid.read.names import names_run
from unbraid.read.record import milliseconds, read_as
from unbraid.read.sequencer import (
    After,
    Aged,
    Closed,
    Condition,
    Either,
    Emptied,
    Quiet,
    Sequencer,
    SourceItem,
)
from unbraid.read.tracks import split
from unbraid.system.clock import now_ms
from unbraid.system.liveness import own_start_ms
from unbraid.system.process import nobody_writes
from unbraid.system.versions import version_of
from unbraid.timings import LIVE_RECORD_MS, PROCESS_CHECK_SECONDS

# The transcripts follow stdout by up to a few hundred milliseconds. A line of stdout waits at most
# this long for its twin in a transcript.
STDOUT_TWIN_TIMEOUT_SECONDS = 1.0
# Once the twin is there, the other files get this long to bring what was written before it.
STDOUT_TWIN_SETTLE_SECONDS = 0.1
# A line of stdout that has no twin goes when no transcript has grown for this long.
TRANSCRIPTS_QUIET_SECONDS = 0.15
# The session's own transcript repeats what stdout has said already. It is needed when stdout stalls
# and for what stdout never has, so stdout gets this long to be first.
OWN_TRANSCRIPT_DELAY_SECONDS = 0.25

_SLUG = re.compile(r"[^A-Za-z0-9]")
STDOUT, CHILDREN, OWN = "stdout", "children", "own"
_STDOUT_TYPES = ("system", "assistant", "user", "result", "stream_event")


class ClaudeLauncher:
    """Starts `claude`, in any of the ways in which people start it."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env

    def recognizes(self, argv: Sequence[str]) -> bool:
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
            forwards=isinstance(command, ClaudeCommand) and command.forwards,
        )

    def piped(self, line: bytes) -> ClaudeSource | None:
        """Returns what reads a `stream-json` stream, and the transcripts of the session that it
        names; None if the line is not Claude Code's.
        """
        read = head_of(line)
        is_ours = read.type in _STDOUT_TYPES or (read.type and read.session_id)
        return ClaudeSource(self._env) if is_ours else None

    def renderer(self, command: Command) -> StreamJsonRenderer | None:
        if not isinstance(command, ClaudeCommand) or command.prints == "raw":
            return None
        return StreamJsonRenderer(command)

    def controller(
        self, command: Command, process: AgentProcess, run: RunReference
    ) -> ClaudeController:
        return ClaudeController(
            process, run, reads_stdin=command.reads_stdin, prompt=command.prompt
        )

    def resume(
        self, stored: StoredAgent, arguments: Sequence[str], *, write: bool = True
    ) -> Resumption:
        return resumption(self._env, stored, arguments, write=write)


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
        self._processes, self._refreshed_at = Processes(env), 0.0
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
        return self._merger.session_id

    def moved_to(self) -> str | None:
        """Returns the session that the process has by its own note, once that is not the first. One
        that prints does not move on.
        """
        if self._states is None:
            return None
        self._refresh_processes()
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
        return ClaudeSessions(self._env).follow(session_id, recorded)

    def printed(self, data: bytes) -> None:
        for line in self._lines.feed(data):
            self._merger.line(line)

    def end(self) -> None:
        super().end()
        for line in self._lines.finish():
            self._merger.line(line)
        if self._merger.session_id is None and self._merger.recognized:
            self._merger.session_id = str(uuid.uuid4())  # a dialect whose lines name no session

    def begin(self, recorded: Recorded) -> None:
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
            self._merger.session_id = begun
        if self._known is not None:
            notes, self._notes = self._notes, []
            yield from notes
            for chunk in self._merger.read(last=self.has_ended):
                self._has_said = True
                session = self._merger.session
                if self._copies is None and session is not None:
                    self._copies = CopyNote(session.main, self._recorded, Beginnings())
                if self._copies is not None:
                    yield from self._copies.before(chunk)
                yield chunk
            if self._states is not None and self._has_said and not self.has_ended:
                self._refresh_processes()
                yield from self._states.changed(self._states.line())

    def _refresh_processes(self) -> None:
        now = time.monotonic()
        if now - self._refreshed_at >= PROCESS_CHECK_SECONDS:
            self._refreshed_at = now
            self._processes.refresh()

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
    scan = Scan(env)
    files = [file for found in scan.sessions for file in (found.main, *found.children)]
    return {Path(file.path): file.size for file in [*files, *scan.beside]}


# --- the order of both ---


class StdoutTranscriptMerger:
    """Lines of stdout in, chunks of all sources out, in an order that keeps causes first.

    What an agent was asked is not printed, only written down: the first line of its answer waits
    for that. `is_announced`: what it was asked first is known already. Without a `session_id` it is
    the one that stdout names.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        find: Callable[[str], Session | None],
        source: str = "stdout",
        *,
        session_id: str | None = None,
        forwards: bool = False,
        is_announced: bool = False,
    ) -> None:
        self.began_ms = 0  # the first time that a line of stdout has said
        self.cwd: str | None = None
        self.session_id = session_id
        self.session: Session | None = None
        self.recognized = False
        self._clock, self._find, self._stdout = clock, find, ChunkedSource(source)
        self._sequencer = Sequencer[Chunk]((CHILDREN, STDOUT, OWN), is_open=self._is_open)
        self._spawning: set[str] = set()
        self._nameless = False
        self._forwards = forwards
        self._keeps_files = False
        self._turns = self._prompts = 0  # as stdout and the transcript have begun them
        self._unasked = False  # whether the answer to the latest prompt has not begun
        self._is_announced = is_announced
        self._first: float | None = None  # when the first line came

    def line(self, line: bytes) -> None:
        """Takes one more line of stdout, with its end."""
        # A line that is wrong in one place still says which run it belongs to.
        record, chunk = decode_printed(self._stdout.chunk(line))
        self.recognized = self.recognized or bool(record.type)
        # An agent may print anything; what cannot name a run must not name a file either.
        if self.session_id is None and names_run(record.session_id_stdout or ""):
            self.session_id = record.session_id_stdout
        content = None if record.message is None else record.message.content
        blocks = content if isinstance(content, list) else None
        if self._first is None:
            self._first = self._clock()
        self.began_ms = self.began_ms or milliseconds(record.timestamp)
        if record.subtype == "init":
            init = read_as(Init, line)
            self.cwd = self.cwd or init.cwd
            self._keeps_files = self._keeps_files or _keeps_files(init.claude_code_version)
        waits = self._waits(record, blocks)
        twin = record.uuid or self._answered(blocks)
        if self._begins_answer(record) and not waits:
            item = self._answer(chunk)
        elif waits:
            item = self._late(chunk, record, twin)
        else:
            # 1.0 keeps sub-agents' words in the session's file, before the result of their call: if
            # they are there, they go first.
            after = (After(twin),) if twin is not None else ()
            item = SourceItem(STDOUT, chunk, waits_for=after, max_wait_seconds=0)
        self._sequencer.add(item, self._clock())

    def _begins_answer(self, record: ClaudeRecord) -> bool:
        """Returns whether a line is the first after the beginning of a turn that says anything."""
        if record.type == "system":
            if record.subtype == "init":
                self._turns += 1
                self._unasked = self._turns > 1 or not self._is_announced
            return False
        begins, self._unasked = self._unasked, False
        return begins

    def _answer(self, chunk: Chunk) -> SourceItem[Chunk]:
        """Returns the first line of an answer, which waits for what was asked."""
        asked: Condition = After(_prompt_key(self._turns))
        if self._turns > 1:
            # The end of a background agent begins a turn, too, and such a turn has no prompt.
            asked = Either(asked, Quiet((CHILDREN, OWN), TRANSCRIPTS_QUIET_SECONDS))
        return SourceItem(
            STDOUT, chunk, waits_for=(asked,), max_wait_seconds=STDOUT_TWIN_TIMEOUT_SECONDS
        )

    def _late(self, chunk: Chunk, record: ClaudeRecord, twin: str | None) -> SourceItem[Chunk]:
        """Returns a line that waits for the transcripts."""
        # Without a twin all one can do is wait until nothing more comes.
        caught_up: Condition = Quiet((CHILDREN, OWN), TRANSCRIPTS_QUIET_SECONDS)
        if twin is not None:
            found = After(twin, STDOUT_TWIN_SETTLE_SECONDS)
            # What the system itself says is not always written down.
            caught_up = Either(found, caught_up) if record.type == "system" else found
        # Each file is written by itself: the agent's own may be behind its parent's.
        return SourceItem(
            STDOUT,
            chunk,
            waits_for=(caught_up, Closed(ending_of(chunk.data))),
            max_wait_seconds=STDOUT_TWIN_TIMEOUT_SECONDS,
        )

    def read(self, *, last: bool = False) -> Iterator[Chunk]:
        """Yields all that may be recorded now; with `last`, when the process is over, everything
        that is left.
        """
        now = self._clock()
        if self.session is None and self.session_id is not None:
            self.session = self._find(self.session_id)
        if self.session is not None:
            # At the end, nothing in the files has to settle any more: a number there is final,
            # stdout's is not.
            for chunk in self.session.drain(with_main=False, now=last):
                for line in chunk.data.split(b"\n"):
                    self._provide(CHILDREN, line, now)
                yield chunk
            for chunk in self.session.own():
                self._add_own(chunk, now)
        # Nothing is worth waiting for where there are no transcripts; but they may be late.
        late = self.session is None and now - (self._first or now) > STDOUT_TWIN_TIMEOUT_SECONDS
        yield from self._sequencer.finish() if last or late else self._sequencer.take(now)
        if last and self.session is not None:
            yield from self.session.drain(last=True)

    def _add_own(self, chunk: Chunk, now: float) -> None:
        """Adds lines of the session's own file to what waits."""
        at = chunk.offset
        for line in split([chunk.data]):
            own = Chunk(chunk.source, at, line)
            at += len(line)
            twin = self._provide(OWN, line, now)
            provides: tuple[str, ...] = () if twin is None else (twin,)
            if is_prompt(line):
                self._prompts += 1
                provides += (_prompt_key(self._prompts),)
            repetition = SourceItem(
                OWN,
                own,
                provides=provides,
                waits_for=(Aged(OWN_TRANSCRIPT_DELAY_SECONDS), Emptied(STDOUT)),
                patient=True,
            )
            self._sequencer.add(repetition, now)

    def _is_open(self, ending: Ending) -> bool:
        return self.session is not None and self.session.awaits(ending)

    def _provide(self, source: str, line: bytes, now: float) -> str | None:
        """Declares a line of a transcript for which a line of stdout may wait; returns that
        line's key.
        """
        uuids = uuids_in(line)
        self._sequencer.note(source, uuids, now)
        if not uuids:
            return None
        if self._nameless:
            answered = next(filter(self._spawning.__contains__, calls_answered(line)), None)
            if answered is not None:
                self._sequencer.note(source, (answered,), now)
                return answered
        return uuids[-1]

    def _answered(self, blocks: list[Block] | None) -> str | None:
        """Returns the spawning call that a line without a `uuid` answers."""
        if blocks is None:
            return None
        self._nameless = True
        ids = (block.tool_use_id for block in blocks)
        return next((call for call in ids if call in self._spawning), None)

    def _waits(self, record: ClaudeRecord, blocks: list[Block] | None) -> bool:
        if record.type == "system":
            return record.subtype in ("task_notification", "task_updated")
        if blocks is None:
            return False
        is_answer = False
        for block in blocks:
            if block.name in SPAWNING_TOOLS or block.name in OTHER_SPAWNING_TOOLS:
                self._spawning.add(block.id or "")
            is_answer = is_answer or block.tool_use_id in self._spawning
        if record.parent_tool_use_id is not None and not self._forwards:
            if record.type == "assistant" and blocks and blocks[0].type in ("text", "thinking"):
                self._forwards = True
            else:
                # 1.0 has no files of sub-agents, and nothing to wait for until they are over. Any
                # other may print an agent's first line before there is a file of it.
                return self._keeps_files or (self.session is not None and self.session.has_children)
        return is_answer


def _prompt_key(number: int) -> str:
    return f"prompt {number}"


def _keeps_files(version: str | None) -> bool:
    """Returns whether a version, as it names itself, has files of sub-agents."""
    return version is not None and not version.startswith(("0.", "1."))
