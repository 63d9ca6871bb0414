"""The transcripts of one Claude Code session, followed as they grow.

Causes first: the sizes are noted from the parents to the children, then everything is read up to
them. So when the parent's line that reports a child's end is read, the child's last records are
read, too. What is new at one look is merged by its own times, children before parents where those
are equal.

Claude Code writes each file by itself, so a parent's may be ahead of its child's by moments: a line
that reports an agent's end stays in its file until it has been there for a moment, and, for a
while, until the agent's own file ends with its answer (`_hold_back`).

Everything is given out as chunks of the sources that the files are (`unbraid.agents.file_sources`).
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
    is_answer,
    line_order,
    workflow_line_order,
)
from unbraid.agents.claude.sessions.child_files import ChildFiles, Owners
from unbraid.agents.claude.transcript import AgentFacts, agent_line
from unbraid.agents.file_sources import FollowedFiles, RecordedFile, file_name, source_name
from unbraid.read.chunk import Chunk
from unbraid.read.record import BAD_JSON, read_as
from unbraid.read.sequencer import Aged, Closed, Sequencer, SourceItem
from unbraid.read.tracks import LineOrder
from unbraid.system.files import open_regular, read_small
from unbraid.timings import CHILD_FILE_SETTLE_SECONDS

# The end of an agent waits at most this long for the agent's own answer. After a kill there is
# none, and a finished agent must not be shown as working for longer than this.
CHILD_ANSWER_TIMEOUT_SECONDS = 1.0

MAIN = "main.jsonl"
# More than this at once is history, not news.
MAX_SETTLING_BYTES = 1 << 20
# Where a file that ends with an answer has that: an answer is not longer.
LAST_BYTES = 1 << 18


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
        owner_of: Callable[[Path], str | None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.main, self.id, self._clock = main, main.stem, clock
        self._child_files = ChildFiles(main, owner_of or Owners().of)
        self._known = known or {}
        self._files = FollowedFiles(self._known)
        self._tails = self._files.tails
        self._about_agents: set[str] = set()  # the files with facts that were given out
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

    def children(self, *, now: bool = False) -> Iterator[Chunk]:
        """Yields what is new in the sub-agents' files; `now` without waiting for it to settle."""
        return self._drain(with_main=False, now=now)

    def own(self) -> Iterator[Chunk]:
        """Yields what is new in the session's own file."""
        return self._files.read(MAIN)

    def drain(self, *, now: bool = False, last: bool = False) -> Iterator[Chunk]:
        """Yields what is new in all files; `now` without waiting for any of it to settle, and with
        `last` also what will never be whole.
        """
        yield from self._drain(with_main=True, now=now, last=last)
        for _, rest in self._files.rest() if last else ():
            yield rest

    def _drain(self, *, with_main: bool, now: bool = False, last: bool = False) -> Iterator[Chunk]:
        sizes = {MAIN: self._tails[MAIN].changed()} if with_main else {}
        self._beside += self._look(last=last)
        for name, tail in self._tails.items():
            if name != MAIN:
                sizes[name] = tail.changed()
        if not self._beside and not self.unsettled and set(sizes.values()) <= {None}:
            return
        if now or last:
            for name in sizes:
                self._let_go(name)
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
                self._let_go(name)
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
            self._let_go(name)
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

    def _let_go(self, name: str) -> None:
        """Holds back nothing of a file any more."""
        self._lines.forget(name)
        self._declared.pop(name, None)

    def _look(self, *, last: bool) -> Iterator[Chunk]:
        """Finds files that are new, and gives out what stands beside a transcript."""
        for name, path in self._child_files.found():
            if name not in self._tails:
                self._files.add(name, path)
        for name in list(self._tails):
            if name.startswith("subagents/") and "/agent-" in name:
                yield from self._facts(name, last=last)

    def _facts(self, name: str, *, last: bool) -> Iterator[Chunk]:
        meta = name.removesuffix(".jsonl") + ".meta.json"
        if meta in self._about_agents or file_name(meta) in self._known:
            return
        path = self._tails[name].path
        workflow = path.parent.name if path.parent.parent.name == "workflows" else None
        try:
            about = read_small(path.with_suffix(".meta.json"))
            msgspec.json.decode(about)
        except (OSError, *BAD_JSON):
            # Not there yet, or half-written.
            if not last or workflow is None:
                return
            about = b"{}"
        self._about_agents.add(meta)
        agent = path.stem.removeprefix("agent-")
        call = read_as(AgentFacts, about).tool_use_id
        if call is not None:
            self._calls[call] = agent
        yield Chunk(source_name(meta), 0, agent_line(agent, about, workflow))


def _order_in(name: str) -> Callable[[bytes], LineOrder]:
    return workflow_line_order if name.startswith("subagents/workflows/") else line_order


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
