"""Claude Code's sessions on this machine, by their transcripts.

Most commands need one part of this: each is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from unbraid.agents.claude.sessions.layout import (
    SESSION_ID,
    child_files,
    claude_projects,
    is_session_file,
    session_transcripts,
)
from unbraid.agents.port import (
    Recorded,
    SessionState,
    SessionStore,
    StoredBlock,
    StoredSession,
    WatchOptions,
)
from unbraid.system.files import is_regular

if TYPE_CHECKING:
    from unbraid.agents.claude.sessions.beginnings import Beginnings
    from unbraid.agents.claude.sessions.follower import TranscriptFollower
    from unbraid.agents.claude.sessions.watch import TranscriptWatch
    from unbraid.read.tracks import RunTracks


class ClaudeSessions(SessionStore):
    """Claude Code's `SessionStore`."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self._beginnings: Beginnings | None = None  # read when many are followed, one by one

    def is_session_id(self, name: str) -> bool:
        return SESSION_ID.fullmatch(name) is not None

    def matching(self, prefix: str) -> Iterator[str]:
        for projects in claude_projects(self._env):
            for path in projects.glob(f"*/{prefix}*.jsonl"):
                if is_session_file(path.name) and is_regular(path):
                    yield path.stem

    def root(self, session_id: str) -> str | None:
        """Returns the session itself if it exists: sub-agents are no sessions, so every session is
        a root.
        """
        return None if self._main(session_id) is None else session_id

    def listed(
        self,
        *,
        since_ms: int = 0,
        cache: Path | None = None,
        warn: Callable[[str], None] = lambda text: None,
    ) -> list[StoredSession]:
        from unbraid.agents.claude.sessions.listing import stored_sessions

        return stored_sessions(self._env, since_ms=since_ms, cache=cache, warn=warn)

    def blocks(self, needle: str, known: Collection[str]) -> Iterator[StoredBlock]:
        from unbraid.agents.claude.sessions.search import transcript_blocks

        return transcript_blocks(self._env, needle, known)

    def run(self, session_id: str) -> RunTracks | None:
        """Returns a transcript, with those of its sub-agents, and what its process says."""
        from unbraid.agents.claude.sessions.file_formats import state_track, transcript_run
        from unbraid.agents.claude.sessions.processes import Processes

        main = self._main(session_id)
        if main is None:
            return None
        run = transcript_run(main)
        run.tracks += state_track(session_id, Processes(self._env))
        return run

    def updated(self, session_id: str) -> int:
        main = self._main(session_id)
        if main is None:
            return 0
        inner = max((file.mtime_ns for file in child_files(main)), default=0)
        return max(main.stat().st_mtime_ns, inner) // 1_000_000

    def follow(self, session_id: str, recorded: Recorded) -> TranscriptFollower | None:
        from unbraid.agents.claude.sessions.beginnings import Beginnings
        from unbraid.agents.claude.sessions.follower import TranscriptFollower
        from unbraid.agents.claude.sessions.processes import Processes

        main = self._main(session_id)
        if main is None:
            return None
        processes = Processes(self._env)
        processes.refresh()
        if self._beginnings is None:
            self._beginnings = Beginnings()
        return TranscriptFollower(
            main=main,
            recorded=recorded,
            beginnings=self._beginnings,
            processes=processes,
        )

    def states(self, among: Collection[str] = ()) -> dict[str, SessionState]:
        """Returns what its processes publish; a session of one that keeps no entry has none."""
        from unbraid.agents.claude.sessions.processes import Processes, is_left

        processes = Processes(self._env)
        found = processes.states()
        for name in set(among) - found.keys():
            main = self._main(name)
            if main is not None and is_left(main, processes):
                found[name] = SessionState(alive=False)
        return found

    def watch(self, options: WatchOptions) -> TranscriptWatch:
        from unbraid.agents.claude.sessions.watch import TranscriptWatch

        return TranscriptWatch(self._env, options)

    def _main(self, session_id: str) -> Path | None:
        if not self.is_session_id(session_id):
            return None
        return next(session_transcripts(session_id, self._env), None)
