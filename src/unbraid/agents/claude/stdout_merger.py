"""Claude Code's stdout and its transcripts, woven into one order while both are being written.

Stdout is early and hides words; the transcripts have all words and are late by up to a few hundred
milliseconds. A line of stdout that tells of an agent's end is kept back until the transcripts have
caught up: until the same line (its `uuid`, or, where an old version prints none, the call that it
answers) is in one of them, or, where it has no twin, until they are quiet. So is a sub-agent's own
line where stdout hides some of them, or its words would follow what it said them before. The wait
is bounded. The session's own file goes last, because it says what stdout has said already: it is
needed when stdout stalls, and for what never was there.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from msgspec import Struct

from unbraid.agents.claude.records import OTHER_SPAWNING_TOOLS, SPAWNING_TOOLS
from unbraid.agents.claude.session_files import LONGEST_WAIT_SECONDS, SETTLE_SECONDS, Session
from unbraid.wire.chunk import Chunk
from unbraid.wire.names import names_run
from unbraid.wire.record import read_as

QUIET_SECONDS = 0.15
OWN_FILE_DELAY_SECONDS = 0.25

_UUID = re.compile(rb'"uuid":"([^"]+)"')
_ANSWERED = re.compile(rb'"tool_use_id":"([^"]+)"')


class _Block(Struct):
    type: str = ""
    id: str | None = None
    name: str | None = None
    tool_use_id: str | None = None


class _Message(Struct):
    content: list[_Block] | str | None = None


class _Line(Struct):
    type: str = ""
    subtype: str | None = None
    uuid: str | None = None
    session_id: str | None = None
    parent_tool_use_id: str | None = None
    claude_code_version: str | None = None
    message: _Message | None = None


class _Waiting(NamedTuple):
    arrived: float
    fed: Chunk
    waits: bool
    twin: str | None


class StdoutTranscriptMerger:
    """Lines of stdout in, pieces of all sources out, in an order that keeps causes first."""

    def __init__(
        self,
        clock: Callable[[], float],
        find: Callable[[str], Session | None],
        source: str = "stdout",
        *,
        forwards: bool = False,
    ) -> None:
        self.session_id: str | None = None
        self.session: Session | None = None
        self._clock, self._find, self._source = clock, find, source
        self._lines: deque[_Waiting] = deque()
        self._own: deque[_Waiting] = deque()
        self._offset = 0
        self.recognized = False
        self._spawning: set[str] = set()
        self._twins: dict[str, float] = {}
        self._nameless = False
        self._grown = 0.0
        self._forwards = forwards
        self._keeps_files = False

    def line(self, line: bytes) -> None:
        """One more line of stdout, with its end."""
        fed = Chunk(self._source, self._offset, line)
        self._offset += len(line)
        # A line that is wrong in one place still tells of a run.
        read = read_as(_Line, line)
        self.recognized = self.recognized or bool(read.type)
        # An agent may print anything; what cannot name a run must not name a file either.
        if self.session_id is None and names_run(read.session_id or ""):
            self.session_id = read.session_id
        self._keeps_files = self._keeps_files or _keeps_files(read.claude_code_version)
        waits = self._waits(read)
        twin = read.uuid or self._answered(read)
        self._lines.append(_Waiting(self._clock(), fed, waits, twin))

    def take(self) -> Iterator[Chunk]:
        """All that may be told now."""
        now = self._clock()
        yield from self._look(now)
        while self._lines:
            head = self._lines[0]
            if head.waits and not self._settled(head, now):
                return
            self._lines.popleft()
            yield from self._own_up_to(head.twin)
            yield head.fed
        while self._own and self._own[0].arrived <= now - OWN_FILE_DELAY_SECONDS:
            yield self._own.popleft().fed

    def end(self) -> Iterator[Chunk]:
        """Everything that is left, when the process is over."""
        yield from self._look(self._clock())
        while self._lines:
            head = self._lines.popleft()
            yield from self._own_up_to(head.twin)
            yield head.fed
        while self._own:
            yield self._own.popleft().fed
        if self.session is not None:
            yield from self.session.drain(last=True)

    def _look(self, now: float) -> Iterator[Chunk]:
        if self.session is None and self.session_id is not None:
            self.session = self._find(self.session_id)
        if self.session is None:
            return
        for fed in self.session.children():
            self._grown = now
            for line in fed.data.split(b"\n"):
                self._note(line, now)
            yield fed
        for fed in self.session.own():
            self._grown = now
            at = fed.offset
            for line in fed.data.split(b"\n")[:-1]:
                own = Chunk(fed.source, at, line + b"\n")
                self._own.append(_Waiting(now, own, False, self._note(line, now)))
                at += len(own.data)

    def _note(self, line: bytes, now: float) -> str | None:
        """A line of a transcript that a line of stdout may wait for."""
        if b'"uuid"' not in line:
            return None
        # The last one: an earlier one could be in what a tool has printed.
        found = _UUID.findall(line)
        if not found:
            return None
        uuids: list[str] = [uuid.decode("ascii", "replace") for uuid in found]
        for uuid in uuids:
            self._twins.setdefault(uuid, now)
        if self._nameless:
            for call in _ANSWERED.findall(line):
                answered: str = call.decode("ascii", "replace")
                if answered in self._spawning:
                    self._twins.setdefault(answered, now)
                    return answered
        return uuids[-1]

    def _answered(self, read: _Line) -> str | None:
        """The spawning call that a line without a `uuid` answers."""
        content = read.message.content if read.message is not None else None
        if not isinstance(content, list):
            return None
        self._nameless = True
        for block in content:
            if block.tool_use_id in self._spawning:
                return block.tool_use_id
        return None

    def _waits(self, read: _Line) -> bool:
        if read.type == "system":
            return read.subtype in ("task_notification", "task_updated")
        content = read.message.content if read.message is not None else None
        if not isinstance(content, list):
            return False
        for block in content:
            if block.name in SPAWNING_TOOLS or block.name in OTHER_SPAWNING_TOOLS:
                self._spawning.add(block.id or "")
        if read.parent_tool_use_id is not None and not self._forwards:
            if read.type == "assistant" and content and content[0].type in ("text", "thinking"):
                self._forwards = True
            else:
                # 1.0 has no files of sub-agents, and nothing to wait for until they are over. Any
                # other may print an agent's first line before there is a file of it.
                return self._keeps_files or (self.session is not None and self.session.has_children)
        return any(block.tool_use_id in self._spawning for block in content)

    def _settled(self, head: _Waiting, now: float) -> bool:
        waited = now - head.arrived
        if self.session is None or waited >= LONGEST_WAIT_SECONDS:
            return True
        # Each file is written by itself: the agent's own may be behind its parent's.
        if self.session.awaits(head.fed.data):
            return False
        noted = self._twins.get(head.twin or "")
        if noted is not None:
            return now - noted >= SETTLE_SECONDS
        twin = head.twin is not None and b'"type":"system"' not in head.fed.data[:100]
        return not twin and min(waited, now - self._grown) >= QUIET_SECONDS

    def _own_up_to(self, twin: str | None) -> Iterator[Chunk]:
        """1.0 keeps sub-agents' words in the session's file, before the result of their call."""
        if twin is None or not any(waiting.twin == twin for waiting in self._own):
            return
        while self._own:
            waiting = self._own.popleft()
            yield waiting.fed
            if waiting.twin == twin:
                return


def _keeps_files(version: str | None) -> bool:
    """Whether a version, as it names itself, has files of sub-agents."""
    return version is not None and not version.startswith(("0.", "1."))
