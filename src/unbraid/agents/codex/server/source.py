"""What an app-server of ours writes, as the source of a run: every agent, word by word.

The rollouts say the same later, and are not read. How long they are is noted, so that a process
that continues the session, or takes it over after a kill, begins behind what was recorded here.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

import msgspec

from unbraid.agents.codex.places import SESSION_ID, codex_folders
from unbraid.agents.codex.records import ABOUT
from unbraid.agents.codex.server.messages import server_message, text_of
from unbraid.agents.codex.sessions.file_formats import with_time
from unbraid.agents.codex.sessions.rollout_file import first_line, rollout_source
from unbraid.agents.codex.sessions.thread_tree import RolloutFolders
from unbraid.agents.file_sources import source_name
from unbraid.agents.source import PrintingSource, Recorded
from unbraid.read.chunk import Chunk
from unbraid.system.clock import now_ms
from unbraid.timings import NEW_AGENT_SCAN_SECONDS


class ServerSource(PrintingSource):
    """One app-server; `resumed` is the thread of the session that it continues."""

    def __init__(
        self, env: Mapping[str, str], *, session: str | None = None, resumed: str | None = None
    ) -> None:
        super().__init__(session)
        self._env, self._resumed = env, resumed
        self._is_resumed = resumed is not None
        self._folders = RolloutFolders(codex_folders(env))
        self._about: list[Chunk] = []
        self._is_open = False
        self._noted: dict[str, int] = {}
        self._scanned = 0.0

    def begin(self, recorded: Recorded) -> None:
        """Notes that the session's run is open."""
        self._is_open = True
        if self._resumed != self._session:
            self._about = self._about_main_agent()

    def read(self, *, at_once: bool = False) -> Iterator[Chunk]:
        """Yields what was written, and how long the rollouts are now."""
        if not self._is_open:
            return
        about, self._about = self._about, []
        yield from about
        yield from self._take_printed()
        now = time.monotonic()
        if self.has_ended or now - self._scanned >= NEW_AGENT_SCAN_SECONDS:
            self._scanned = now
            yield from self._sizes()

    def _line(self, line: bytes) -> bytes:
        """Looks for the answer that names the thread; returns it without what was said before."""
        if self._session is not None and not self._is_resumed:
            return line
        message = server_message(line)
        thread = None if message is None else text_of(message.result, "thread", "id")
        if message is None or thread is None or not SESSION_ID.fullmatch(thread):
            return line
        self._session, self._is_resumed = self._session or thread, False
        if not message.result["thread"].get("turns"):
            return line
        message.result["thread"]["turns"] = []
        return msgspec.json.encode({"id": message.id, "result": message.result}) + b"\n"

    def _about_main_agent(self) -> list[Chunk]:
        """Returns what has to be known of the main agent where one of its sub-agents is continued:
        its first line, as of now.
        """
        path = self._folders.path(self._session or "")
        line = b"" if path is None else first_line(path)
        return [Chunk(f"{ABOUT}{self._session}", 0, with_time(line, now_ms()))] if line else []

    def _sizes(self) -> Iterator[Chunk]:
        self._folders = RolloutFolders(codex_folders(self._env), self._folders)
        for file in self._folders.tree(self._session or ""):
            try:
                size = file.path.stat().st_size
            except OSError:
                continue
            if self._noted.get(file.head.id) != size:
                self._noted[file.head.id] = size
                yield Chunk(source_name(rollout_source(file.head.id)), size, b"")
