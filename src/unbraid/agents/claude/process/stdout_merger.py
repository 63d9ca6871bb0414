"""Claude Code's stdout and its transcripts, merged into one order while both are being written.

Stdout is early but incomplete; the transcripts are complete but late by up to a few hundred
milliseconds. A line of stdout that reports an agent's end is held back until the transcripts have
caught up: until the same line (its `uuid`, or, where an old version prints none, the call that it
answers) is in one of them, or, where it has no twin, until they are quiet. A sub-agent's own line
is held back, too, if stdout omits some of its lines: otherwise its text would come after a record
that it preceded. The wait is bounded. The session's own file goes last, because it repeats what
stdout has said already: it is needed when stdout stalls, and for what is never on stdout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from unbraid.agents.claude.heads import (
    Ending,
    calls_answered,
    ending_of,
    is_prompt,
    uuids_in,
)
from unbraid.agents.claude.records import (
    OTHER_SPAWNING_TOOLS,
    SPAWNING_TOOLS,
    Block,
    ClaudeRecord,
    Init,
    decode_printed,
)
from unbraid.agents.claude.sessions.session_files import Session
from unbraid.read.chunk import Chunk
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

STDOUT, CHILDREN, OWN = "stdout", "children", "own"


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
        self._clock, self._find, self._source = clock, find, source
        self._sequencer = Sequencer[Chunk]((CHILDREN, STDOUT, OWN), is_open=self._is_open)
        self._offset = 0
        self._spawning: set[str] = set()
        self._nameless = False
        self._forwards = forwards
        self._keeps_files = False
        self._turns = self._prompts = 0  # as stdout and the transcript have begun them
        self._unasked = False  # whether the answer to the latest prompt has not begun
        self._is_announced = is_announced
        self._first: float | None = None  # when the first line came

    def use_session(self, session_id: str) -> None:
        """Notes which session it is, where stdout does not say it."""
        self.session_id = session_id

    def line(self, line: bytes) -> None:
        """Takes one more line of stdout, with its end."""
        # A line that is wrong in one place still says which run it belongs to.
        record, chunk = decode_printed(Chunk(self._source, self._offset, line))
        self._offset += len(line)
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
        else:
            item = self._late(chunk, record, twin) if waits else _immediate(chunk, twin)
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

    def take(self) -> Iterator[Chunk]:
        """Yields all that may be recorded now."""
        now = self._clock()
        yield from self._look(now)
        # Nothing is worth waiting for where there are no transcripts; but they may be late.
        late = self.session is None and now - (self._first or now) > STDOUT_TWIN_TIMEOUT_SECONDS
        yield from self._sequencer.finish() if late else self._sequencer.take(now)

    def end(self) -> Iterator[Chunk]:
        """Yields everything that is left, when the process is over."""
        # Nothing in the files has to settle any more: a number there is final, stdout's is not.
        yield from self._look(self._clock(), settled=True)
        yield from self._sequencer.finish()
        if self.session is not None:
            yield from self.session.drain(last=True)

    def _look(self, now: float, *, settled: bool = False) -> Iterator[Chunk]:
        if self.session is None and self.session_id is not None:
            self.session = self._find(self.session_id)
        if self.session is None:
            return
        for chunk in self.session.children(now=settled):
            for line in chunk.data.split(b"\n"):
                self._note(CHILDREN, line, now)
            yield chunk
        for chunk in self.session.own():
            at = chunk.offset
            for line in split([chunk.data]):
                own = Chunk(chunk.source, at, line)
                at += len(line)
                twin = self._note(OWN, line, now)
                provides: tuple[str, ...] = () if twin is None else (twin,)
                if is_prompt(line):
                    self._prompts += 1
                    provides += (_prompt_key(self._prompts),)
                self._sequencer.add(_repetition(own, provides), now)

    def _is_open(self, ending: Ending) -> bool:
        return self.session is not None and self.session.awaits(ending)

    def _note(self, source: str, line: bytes, now: float) -> str | None:
        """Notes a line of a transcript that a line of stdout may wait for; returns that
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
        for block in blocks:
            if block.name in SPAWNING_TOOLS or block.name in OTHER_SPAWNING_TOOLS:
                self._spawning.add(block.id or "")
        if record.parent_tool_use_id is not None and not self._forwards:
            if record.type == "assistant" and blocks and blocks[0].type in ("text", "thinking"):
                self._forwards = True
            else:
                # 1.0 has no files of sub-agents, and nothing to wait for until they are over. Any
                # other may print an agent's first line before there is a file of it.
                return self._keeps_files or (self.session is not None and self.session.has_children)
        return any(block.tool_use_id in self._spawning for block in blocks)


def _prompt_key(number: int) -> str:
    return f"prompt {number}"


def _immediate(chunk: Chunk, twin: str | None) -> SourceItem[Chunk]:
    """Returns a line of stdout that does not wait. 1.0 keeps sub-agents' words in the session's
    file, before the result of their call: if they are there, they go first.
    """
    after = (After(twin),) if twin is not None else ()
    return SourceItem(STDOUT, chunk, waits_for=after, max_wait_seconds=0)


def _repetition(chunk: Chunk, provides: tuple[str, ...]) -> SourceItem[Chunk]:
    """Returns a line of the session's own file."""
    return SourceItem(
        OWN,
        chunk,
        provides=provides,
        waits_for=(Aged(OWN_TRANSCRIPT_DELAY_SECONDS), Emptied(STDOUT)),
        patient=True,
    )


def _keeps_files(version: str | None) -> bool:
    """Returns whether a version, as it names itself, has files of sub-agents."""
    return version is not None and not version.startswith(("0.", "1."))
