"""What Claude Code prints and writes down, on its way to the log."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Mapping
from pathlib import Path

from unbraid.agents.claude.places import claude_projects, session_transcripts
from unbraid.agents.claude.session_files import Known, Session, standing
from unbraid.agents.claude.stdout_merger import StdoutTranscriptMerger
from unbraid.launch.run_log import RunLog, now_ms
from unbraid.wire.lines import Lines

_SLUG = re.compile(r"[^A-Za-z0-9]")


class ClaudeSource:
    """One process of Claude Code's; or of something else that prints lines of a dialect we know.

    `sizes` are the transcripts that were there before, and how long they were then. Without a
    `session` it is the one that the process names on stdout, or, with `begun_in`, the first new one
    of that folder.
    """

    def __init__(
        self,
        run_log: RunLog,
        env: Mapping[str, str],
        *,
        sizes: Mapping[Path, int] | None = None,
        session: str | None = None,
        begun_in: Path | None = None,
        forwards: bool = False,
    ) -> None:
        self._keeping, self._env, self._sizes = run_log, env, sizes or {}
        self._begun_in = begun_in
        self._lines = Lines()
        self._known: dict[str, Known] = {}
        self.weaving = StdoutTranscriptMerger(
            time.monotonic, self._find, f"stdout.{now_ms()}", forwards=forwards
        )
        self.weaving.session_id = session

    def printed(self, data: bytes) -> None:
        """More of its stdout."""
        for line in self._lines.feed(data):
            if isinstance(line, bytes):
                self.weaving.line(line + b"\n")

    async def look(self) -> None:
        """Tell what can be told now."""
        if await self._open():
            await self._keeping.feed(self.weaving.take())

    async def end(self) -> None:
        """Tell the rest: a CLI's files are whole when it is gone."""
        for line in self._lines.finish():
            if isinstance(line, bytes):
                self.weaving.line(line)
        if self.weaving.session_id is None and self.weaving.recognized:
            self.weaving.session_id = str(uuid.uuid4())  # a dialect whose lines name no session
        if await self._open():
            await self._keeping.feed(self.weaving.end())

    async def _open(self) -> bool:
        if self.weaving.session_id is None and self._begun_in is not None:
            self.weaving.session_id = self._begun()
        session = self.weaving.session_id
        if session is not None and not self._keeping.opened:
            main = next(session_transcripts(session, self._env), None)
            before = standing(main, self._sizes) if main is not None else {}
            self._known = await self._keeping.open(session, before)
        return self._keeping.opened

    def _find(self, session: str) -> Session | None:
        main = next(session_transcripts(session, self._env), None)
        return None if main is None else Session(main, self._known)

    def _begun(self) -> str | None:
        """The session of a process that prints nothing we could read: one that is new, or grew."""
        assert self._begun_in is not None
        slug = _SLUG.sub("-", str(self._begun_in))
        for projects in claude_projects(self._env):
            for path in projects.joinpath(slug).glob("*-*-*-*-*.jsonl"):
                if path.stat().st_size != self._sizes.get(path, 0):
                    return path.stem
        return None
