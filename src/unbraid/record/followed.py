"""One session that is being followed into the log: its files or its rows, and its run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from unbraid.agents.claude.facts import Facts, facts_of
from unbraid.agents.claude.session_files import Session
from unbraid.launch.run_log import now_ms
from unbraid.log.port import Log
from unbraid.record.recorder import Recorder
from unbraid.record.runs import open_run
from unbraid.redact.source import SourceRedactor
from unbraid.wire.chunk import Chunk

ABOUT = "about"


def introduction(main: Path) -> bytes:
    """What a session's process would have printed first: which session this is, and where.

    Transcripts say it on every line and nowhere in particular.
    """
    try:
        facts = facts_of(str(main), head_only=True)
    except (OSError, ValueError):
        facts = Facts()
    line = {
        "type": "system",
        "subtype": "init",
        "session_id": main.stem,
        "cwd": facts.cwd,
        "claude_code_version": facts.version,
    }
    return msgspec.json.encode(line) + b"\n"


async def to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Do something whole; whoever is cancelled meanwhile is so after it."""
    doing = asyncio.ensure_future(work)
    try:
        await asyncio.shield(doing)
    except asyncio.CancelledError:
        await doing
        raise


class Followed:
    """A session, its run, and when it last said something (by the monotonic clock)."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._redactor = SourceRedactor() if recorder.redacts else None
        self.heard = time.monotonic()
        self._lock = asyncio.Lock()

    async def take(self, pieces: Callable[[], Iterable[Chunk]]) -> None:
        """Into the log with what is new; one at a time, because the order is part of it."""
        # What was read from the files is not read again: a cancellation in between would lose it.
        await to_the_end(self._take(pieces))

    async def _take(self, pieces: Callable[[], Iterable[Chunk]]) -> None:
        async with self._lock:
            if self.recorder.over:
                return  # it has ended meanwhile: the next run tells this
            told = pieces()
            if self._redactor is not None:
                told = self._redactor.redact(told)
            if await self.recorder.feed(told, now_ms()):
                self.heard = time.monotonic()

    async def finish(self) -> None:
        """The session is over, as far as anyone can tell."""
        # Whether an end that was cut short is in the log, nobody knows; and it is to be the last.
        await to_the_end(self._finish())

    async def _finish(self) -> None:
        async with self._lock:
            if not self.recorder.cursors:
                return  # a run that nothing was said in is none
            if self._redactor is not None:
                await self.recorder.feed(self._redactor.rest(), now_ms())
            await self.recorder.finish(now_ms())


class FollowedFiles(Followed):
    """A session of Claude Code's."""

    def __init__(self, recorder: Recorder, session: Session) -> None:
        super().__init__(recorder)
        self.session = session

    @classmethod
    async def open(
        cls,
        log: Log,
        main: Path,
        owner_of: Callable[[Path], str | None],
        *,
        redact: bool = False,
    ) -> FollowedFiles:
        """Begin with a session, or go on with it."""
        recorder, known = await open_run(log, main.stem, redact=redact)
        return cls(recorder, Session(main, known, owner_of=owner_of))

    async def look(self, *, now: bool = False) -> None:
        """Tell what is new in its files."""
        await self.take(lambda: self._introduced(self.session.drain(now=now)))

    async def close(self) -> None:
        """Tell what will never be whole, and end the run."""
        await self.take(lambda: self._introduced(self.session.drain(last=True)))
        await self.finish()

    def _introduced(self, pieces: Iterable[Chunk]) -> Iterator[Chunk]:
        """A run begins with who speaks, but only when somebody does."""
        begun = bool(self.recorder.cursors)
        for piece in pieces:
            if not begun:
                begun = True
                yield Chunk(ABOUT, 0, introduction(self.session.main))
            yield piece


class FollowedRows(Followed):
    """A root session of OpenCode's, with its children."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(recorder)
        self._mark = now_ms()
        self._offsets: dict[str, int] = {}

    async def tell(self, lines: list[bytes], source: str = "database") -> None:
        """Lines of its database, or of a server's, that are new, or that may be."""
        # Apart, because the database may tell a text whole while its end is on the way in bits.
        name, data = f"{source}.{self._mark}", b"".join(lines)
        piece = Chunk(name, self._offsets.get(name, 0), data)
        self._offsets[name] = piece.offset + len(data)
        await self.take(lambda: [piece])
