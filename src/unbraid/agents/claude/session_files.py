"""The transcripts of one session of Claude Code's, followed as they grow.

Causes first: the sizes are noted from the parents to the children, then everything is read up to
them. So a child's last words are there whenever the parent's line that reports its end is. What is
new at one look is merged by its own times, children before parents where those are equal.

Claude Code writes each file by itself, so a parent's may be ahead of its child's by moments: a line
that reports an agent's end is left lying until it has been there for `SETTLE_SECONDS`, and, for a
while, until the agent's own file ends with its answer.

Everything is told as bytes of named sources. A source's name says which file it is, which
generation of it (see `follow`), and from which byte on it belongs to the run: `main.jsonl@1+0`.
That, and how much of each is known, is all a restart needs.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from unbraid.agents.claude.endings import answers, done_agent, reports_end
from unbraid.agents.claude.file_formats import session_of
from unbraid.agents.claude.transcript import AgentFacts, agent_line
from unbraid.system.file_tail import Place, Tail
from unbraid.translate.tracks import Track, merge
from unbraid.wire.chunk import Chunk
from unbraid.wire.record import BAD_JSON, read_as

MAIN = "main.jsonl"
BATCH_BYTES = 1 << 16
SETTLE_SECONDS = 0.1
LONGEST_WAIT_SECONDS = 1.0
# More than this at once is history, not news.
MAX_SETTLING_BYTES = 1 << 20

_SOURCE = re.compile(r"(.+)@(\d+)\+(\d+)")
_UNFIT = re.compile(r"[^A-Za-z0-9._:@+/-]")


class Known(NamedTuple):
    """How far a file is known to the log, and where its present source began in it."""

    place: Place
    base: int = 0


def source_name(name: str, generation: int, base: int) -> str:
    """A file as a source."""
    return f"{_UNFIT.sub('_', name)[:200]}@{generation}+{base}"


def known_places(
    offsets: Mapping[str, int], marks: Mapping[str, tuple[bytes, bytes]] | None = None
) -> dict[str, Known]:
    """How far each file is known, from the sources' positions; of generations the latest."""
    found: dict[str, Known] = {}
    for source, position in offsets.items():
        match = _SOURCE.fullmatch(source)
        if match is None:
            continue
        name, generation, base = match[1], int(match[2]), int(match[3])
        head, tail = (marks or {}).get(source, (b"", b""))
        known = Known(Place(generation, base + position, b"" if base else head, tail), base)
        if name not in found or found[name].place.generation < generation:
            found[name] = known
    return found


def continued(known: Mapping[str, Known]) -> dict[str, Known]:
    """The same files for a run that begins where another has ended."""
    return {
        name: Known(Place(at.generation, at.offset), at.offset)
        for name, (at, _) in known.items()
        if not name.endswith(".meta.json")
    }


def standing(main: Path, sizes: Mapping[Path, int]) -> dict[str, Known]:
    """A session's files for a run that begins when they already have these sizes."""
    inner = main.with_suffix("")
    found: dict[str, Known] = {}
    for path, size in sizes.items():
        known = Known(Place(1, size), size)
        if path == main:
            found[MAIN] = known
        elif path.is_relative_to(inner):
            found[_UNFIT.sub("_", str(path.relative_to(inner)))] = known
        elif path.parent == main.parent and path.name.startswith("agent-"):
            found[_UNFIT.sub("_", path.name)] = known
    return found


class Session:
    """One session: its own file and those of its sub-agents, in every layout."""

    def __init__(
        self,
        main: Path,
        known: Mapping[str, Known] | None = None,
        *,
        owner_of: Callable[[Path], str | None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.main, self.id, self._clock = main, main.stem, clock
        self._folder = main.with_suffix("") / "subagents"
        self._known = dict(known or {})
        self._owner_of = owner_of or Owners().of
        self._tails: dict[str, Tail] = {}
        self._bases: dict[str, int] = {}
        self._beside: list[Chunk] = []
        self._calls: dict[bytes, str] = {}  # a call that has started an agent: that agent's id
        self._sizes: dict[str, list[tuple[int, float]]] = {}  # file: its sizes, and since when
        self._project = _Folder(main.parent)
        self.unsettled = False  # whether something was left lying at the last look
        self._add(MAIN, main)

    @property
    def problems(self) -> dict[str, str]:
        """The files that could not be read, and why."""
        return {str(t.path): t.problem for t in self._tails.values() if t.problem and t.offset}

    @property
    def has_children(self) -> bool:
        """Whether its sub-agents have files of their own."""
        return len(self._tails) > 1

    @property
    def files(self) -> list[Path]:
        """The files known so far."""
        return [tail.path for tail in self._tails.values()]

    def children(self) -> Iterator[Chunk]:
        """What is new in the sub-agents' files."""
        return self._drain(with_main=False)

    def own(self) -> Iterator[Chunk]:
        """What is new in the session's own file."""
        for piece in (tail := self._tails[MAIN]).read():
            yield self._fed(MAIN, tail.generation, piece.offset, piece.data)

    def drain(self, *, now: bool = False, last: bool = False) -> Iterator[Chunk]:
        """What is new in all files; `now` without waiting for any of it to settle, and with
        `last` also what will never be whole.
        """
        yield from self._drain(with_main=True, now=now, last=last)
        for name, tail in self._tails.items() if last else ():
            rest = tail.rest()
            if rest is not None:
                yield self._fed(name, tail.generation, rest.offset, rest.data)

    def _drain(self, *, with_main: bool, now: bool = False, last: bool = False) -> Iterator[Chunk]:
        sizes = {MAIN: self._tails[MAIN].changed()} if with_main else {}
        self._beside += self._look(last=last)
        for name, tail in self._tails.items():
            if name != MAIN:
                sizes[name] = tail.changed()
        if not (now or last):
            self._settle(sizes)
        started: dict[str, tuple[str, int]] = {}
        tracks = [
            Track(name, self._reader(name, size, started), True, by_request=_asked(name))
            for name, size in reversed(sizes.items())
            if size is not None
        ]
        news = _joined(merge(tracks) if tracks else (), started)
        first = next(news, None)
        # What stands beside a transcript is no news by itself: a run does not begin with it.
        if first is not None or last:
            beside, self._beside = self._beside, []
            yield from beside
        if first is not None:
            yield first
            yield from news

    def awaits(self, line: bytes, sizes: Mapping[str, int | None] | None = None) -> bool:
        """Whether a line reports that an agent is done, and what is told of its own file, now or
        with these sizes, does not end with its answer.
        """
        file = f"agent-{done_agent(line, self._calls)}.jsonl"
        name = next((name for name, t in self._tails.items() if t.path.name == file), None)
        if name is None:
            return False
        # Not what is there by now: it would be told after the line that waits for it.
        upto = (sizes or {}).get(name) or self._tails[name].offset
        return not answers(self._tails[name].path, upto)

    def _settle(self, sizes: dict[str, int | None]) -> None:
        """Cut the sizes short where an end is told that is too new."""
        now, self.unsettled = self._clock(), False
        # Children first: how much of them will be told decides how much of their parents can be.
        for name, size in reversed(list(sizes.items())) if self.has_children else ():
            tail = self._tails[name]
            if size is None or not 0 < size - tail.offset < MAX_SETTLING_BYTES:
                continue
            at = tail.offset
            seen = [mark for mark in self._sizes.get(name, ()) if mark[0] > at]
            self._sizes[name] = [*seen, (size, now)]
            for line in tail.peek(size).split(b"\n"):
                end = at + len(line) + 1
                if reports_end(line, self._calls):
                    since = next((since for upto, since in seen if upto >= end), now)
                    waited = now - since
                    longer = waited < LONGEST_WAIT_SECONDS and self.awaits(line, sizes)
                    if waited < SETTLE_SECONDS or longer:
                        self.unsettled, sizes[name] = True, at
                        break
                at = end

    def _reader(
        self, name: str, upto: int, started: dict[str, tuple[str, int]]
    ) -> Callable[[], Iterator[bytes]]:
        def read() -> Iterator[bytes]:
            for piece in (tail := self._tails[name]).read(upto):
                fed = self._fed(name, tail.generation, piece.offset, piece.data)
                started.setdefault(name, (fed.source, fed.offset))
                yield fed.data

        return read

    def _fed(self, name: str, generation: int, offset: int, data: bytes) -> Chunk:
        known = self._known.get(name)
        first = known.place.generation if known is not None else 1
        base = self._bases[name] if generation == first else 0
        return Chunk(source_name(name, generation, base), offset - base, data)

    def _look(self, *, last: bool) -> Iterator[Chunk]:
        """Find files that are new; tell what stands beside a transcript."""
        for path in [*_walk(self._folder), *self._mine()]:
            inner = path.is_relative_to(self._folder)
            name = str(path.relative_to(self._folder.parent if inner else self.main.parent))
            if name not in self._tails:
                self._add(name, path)
        for name in list(self._tails):
            if name.startswith("subagents/") and "/agent-" in name:
                yield from self._facts(name, last=last)

    def _mine(self) -> list[Path]:
        """2.0's sub-agents; a folder of thousands of sessions is not listed at every line."""
        if not self._project.changed():
            return []
        beside = list(self.main.parent.glob("agent-*.jsonl"))
        mine = [path for path in beside if self._owner_of(path) == self.id]
        if any(self._owner_of(path) is None for path in beside):
            self._project.again()  # one that does not tell yet whose it is
        return mine

    def _facts(self, name: str, *, last: bool) -> Iterator[Chunk]:
        meta = name.removesuffix(".jsonl") + ".meta.json"
        source = source_name(meta, 1, 0)
        if meta in self._bases or meta in self._known:
            return
        path = self._tails[name].path
        workflow = path.parent.name if path.parent.parent.name == "workflows" else None
        try:
            about = path.with_suffix(".meta.json").read_bytes()
            msgspec.json.decode(about)
        except (OSError, *BAD_JSON):
            # Not there yet, or half-written.
            if not last or workflow is None:
                return
            about = b"{}"
        self._bases[meta] = 0
        agent = path.stem.removeprefix("agent-")
        call = read_as(AgentFacts, about).tool_use_id
        if call is not None:
            self._calls[call.encode()] = agent
        yield Chunk(source, 0, agent_line(agent, about, workflow))

    def _add(self, name: str, path: Path) -> None:
        fit = _UNFIT.sub("_", name)
        known = self._known.get(fit)
        if known is not None:
            self._known[name] = known
        self._tails[name] = Tail(path, None if known is None else known.place)
        self._bases[name] = 0 if known is None else known.base


class _Folder:
    """Whether a folder may have other files in it than at the look before."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: int | None = None

    def changed(self) -> bool:
        """Look at its time; one that is too new could stand for two changes."""
        try:
            at = self._path.stat().st_mtime_ns
        except OSError:
            return True
        same = at == self._stamp
        self._stamp = at if time.time_ns() - at > SETTLE_SECONDS * 1e9 else None
        return not same

    def again(self) -> None:
        """Look again next time, whatever it says."""
        self._stamp = None


class Owners:
    """To which session an `agent-*.jsonl` beside the transcripts (2.0) belongs, read once each."""

    def __init__(self) -> None:
        self._owners: dict[Path, str] = {}

    def of(self, path: Path) -> str | None:
        """The session's id, or None while the file does not tell."""
        owner = self._owners.get(path)
        if owner is None:
            try:
                owner = session_of(path)
            except OSError:
                return None
            if owner is not None:
                self._owners[path] = owner
        return owner


def _asked(name: str) -> bool:
    return name.startswith("subagents/workflows/")


def _walk(folder: Path) -> list[Path]:
    """The transcripts below a folder, oldest first; no link is followed, so none can loop."""
    found: list[tuple[int, Path]] = []
    waiting = [folder]
    while waiting:
        try:
            entries = list(waiting.pop().iterdir())
        except OSError:
            continue
        for path in entries:
            if path.is_symlink():
                continue
            if path.suffix == ".jsonl":
                try:
                    found.append((path.stat().st_ctime_ns, path))
                except OSError:
                    continue
            elif path.suffix != ".json" and path.is_dir():
                waiting.append(path)
    return [path for _, path in sorted(found)]


def _joined(
    lines: Iterable[tuple[str, bytes]], started: dict[str, tuple[str, int]]
) -> Iterator[Chunk]:
    """Lines of named files as pieces of their sources, neighbours of one file in one piece."""
    offsets: dict[str, int] = {}
    name, held, size = "", list[bytes](), 0

    def flush() -> Iterator[Chunk]:
        if held:
            source, first = started[name]
            at = offsets.get(name, first)
            data = b"".join(held)
            offsets[name] = at + len(data)
            yield Chunk(source, at, data)

    for here, line in lines:
        if here != name or size >= BATCH_BYTES:
            yield from flush()
            name, held, size = here, [], 0
        held.append(line)
        size += len(line)
    yield from flush()
