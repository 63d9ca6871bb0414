"""Starting Codex, and reading what it prints (its main agent) and stores (all agents).

Its command line is passed on as it is: rollouts have every agent in every release. What is printed
as JSON is recorded too, behind the rollouts: they know the times and the ids of the same words.
Only if the run is to be steered, an app-server does the work of `codex exec` (`codex/server/`).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec
from msgspec import field

from unbraid.agents.codex.places import SESSION_ID, codex_folders
from unbraid.agents.codex.records import decode
from unbraid.agents.codex.server.command import ServedExec, served_exec
from unbraid.agents.codex.server.controller import CodexController
from unbraid.agents.codex.server.renderer import ExecRenderer
from unbraid.agents.codex.server.source import ServerSource
from unbraid.agents.codex.sessions.follower import RolloutFollower
from unbraid.agents.codex.sessions.rollout_file import created_ms, rollout_source
from unbraid.agents.codex.sessions.thread_tree import RolloutFolders
from unbraid.agents.command_line import arguments_at
from unbraid.agents.file_sources import source_name
from unbraid.agents.process_port import AgentProcess, Command, RunReference
from unbraid.agents.source import PrintingSource, Recorded
from unbraid.read.chunk import Chunk
from unbraid.read.record import BAD_JSON
from unbraid.screen import safe
from unbraid.system.clock import now_ms
from unbraid.timings import NEW_AGENT_SCAN_SECONDS, PIPE_BEGAN_MS

# What Codex prints waits so long for the file that has the same words with their ids and times.
STORED_TWIN_APPEARING_SECONDS = 5.0

KIND = "codex"
_JSON = ("--json", "--experimental-json")


class CodexCommand(Command):
    """An app-server in place of a command; `served` is what it is asked for."""

    served: ServedExec = field(default_factory=ServedExec)


class CodexLauncher:
    """Starts `codex` as it was asked for."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env

    def recognizes(self, argv: Sequence[str]) -> bool:
        """Returns whether a command line starts Codex."""
        return _arguments_of(argv) is not None

    async def command(self, argv: Sequence[str], *, steered: bool) -> Command:
        """Returns the command itself. Its stdout goes through us only where it is JSON: anything
        else is meant for the person's own terminal.
        """
        first = _arguments_of(argv) or 0
        args = argv[first:]
        served = served_exec(args, str(Path.cwd())) if steered else ""
        if isinstance(served, ServedExec):
            return CodexCommand(
                served.argv(argv[:first]),
                KIND,
                prints="json" if served.prints_json else "text",
                reads_stdin=True,
                is_server=True,
                session=self._session_of(served.resumed),
                resumes=served.resumed is not None,
                prompt=served.prompt,
                served=served,
            )
        resumed = next(
            (
                word
                for before, word in pairwise(args)
                if before == "resume" and SESSION_ID.fullmatch(word)
            ),
            None,
        )
        return Command(
            list(argv),
            KIND,
            captured=any(word in args for word in _JSON),
            session=self._session_of(resumed),
            resumes=resumed is not None or "resume" in args,
            why_not_steered=served,
        )

    def _session_of(self, thread: str | None) -> str | None:
        """Returns the session that a thread is part of: a sub-agent's may be continued, too."""
        return None if thread is None else _root_of(thread, self._env)

    def source(self, command: Command, cwd: Path) -> CodexSource | ServerSource:
        """Returns what reads its rollouts from now on, and its stdout if that is JSON; for an
        app-server, what that writes.
        """
        if isinstance(command, CodexCommand):
            return ServerSource(self._env, session=command.session, resumed=command.served.resumed)
        return CodexSource(
            self._env,
            began_ms=now_ms(),
            session_id=command.session,
            begun_in=None if command.captured else cwd,
            sizes=rollout_sizes(self._env),
        )

    def piped(self, line: bytes) -> CodexSource | None:
        """Returns what reads the lines of `exec --json`, and the rollouts of the thread that they
        name; None if the line is not such a line.
        """
        try:
            record = decode(line)
        except BAD_JSON:
            return None
        if not record.is_printed or record.type == "error":
            return None
        return CodexSource(self._env, began_ms=now_ms() - PIPE_BEGAN_MS)

    def renderer(self, command: Command) -> ExecRenderer | None:
        """Returns what prints the output of `exec`, if an app-server does its work; otherwise
        None.
        """
        if not isinstance(command, CodexCommand):
            return None
        served = command.served
        return ExecRenderer(
            _show_error, prints_json=served.prints_json, answer_path=served.answer_path
        )

    def controller(
        self, command: Command, process: AgentProcess, run: RunReference
    ) -> CodexController | None:
        """Returns what steers an app-server; None for any other process, which takes no
        messages.
        """
        if not isinstance(command, CodexCommand):
            return None
        return CodexController(process, run, command.served)


class CodexSource(PrintingSource):
    """One process of Codex. `sizes` are the rollouts that were there before it, by thread.

    Without a `session_id` it is the thread that the process names on stdout, or, with `begun_in`,
    the first that begins or grows in that folder.
    """

    def __init__(
        self,
        env: Mapping[str, str],
        *,
        began_ms: int,
        session_id: str | None = None,
        begun_in: Path | None = None,
        sizes: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(session_id)
        self._env, self._began_ms, self._begun_in = env, began_ms, begun_in
        self._sizes = dict(sizes or {})
        self._folders = RolloutFolders(codex_folders(env))
        self._follower: RolloutFollower | None = None
        self._waiting_since = time.monotonic()
        self._has_rollout = False
        self._files: list[Path] = []
        self._scanned = 0.0

    def end(self) -> None:
        """Notes that the process is gone."""
        super().end()
        if self._follower is not None:
            self._follower.end()

    def begin(self, recorded: Recorded) -> None:
        """Notes that the session's run is open: what a thread said before this process, or what
        the log has already, is not given out.
        """
        if recorded.is_new:
            sizes = {thread: size for thread, size in self._sizes.items() if size}
            standing = {source_name(rollout_source(name)): size for name, size in sizes.items()}
            earlier = {**standing, **recorded.earlier}
            recorded = msgspec.structs.replace(recorded, earlier=earlier)
        self._follower = RolloutFollower(recorded, self._tree)
        if self.has_ended:
            self._follower.end()

    def read(self, *, at_once: bool = False) -> Iterator[Chunk]:
        """Yields what is new in the rollouts, and behind it what was printed."""
        if self._session is None and self._begun_in is not None and self._is_due():
            self._session = self._found()
        if self._follower is None:
            return
        for chunk in self._follower.read():
            self._has_rollout = True
            yield chunk
        # Without its rollout, a thread's words are taken from here: so it is given some time.
        is_late = time.monotonic() - self._waiting_since > STORED_TWIN_APPEARING_SECONDS
        if self._has_rollout or self.has_ended or is_late:
            yield from self._take_printed()

    def _line(self, line: bytes) -> bytes:
        if self._session is None:
            thread = _thread_of(line)
            self._session = None if thread is None else _root_of(thread, self._env)
            self._waiting_since = time.monotonic()
        return line

    def _tree(self) -> list[Path]:
        if self.has_ended or not self._files or self._is_due():
            self._folders = RolloutFolders(codex_folders(self._env), self._folders)
            self._files = [file.path for file in self._folders.tree(self._session or "")]
        return self._files

    def _is_due(self) -> bool:
        now = time.monotonic()
        due = now - self._scanned >= NEW_AGENT_SCAN_SECONDS
        self._scanned = now if due else self._scanned
        return due

    def _found(self) -> str | None:
        """Returns the thread of a process that prints nothing we could read: one that is new in its
        folder, or grew.
        """
        folders = self._folders = RolloutFolders(codex_folders(self._env), self._folders)
        for thread, path in sorted(folders.files().items()):
            is_new = thread not in self._sizes and created_ms(thread) >= self._began_ms - 1000
            try:
                has_grown = not is_new and path.stat().st_size > self._sizes.get(thread, 1 << 62)
            except OSError:
                continue
            head = folders.head(path) if is_new or has_grown else None
            if head is not None and not head.is_child and head.cwd == str(self._begun_in):
                return thread
        return None


def rollout_sizes(env: Mapping[str, str]) -> dict[str, int]:
    """Returns all threads and how long their rollouts are, before an agent continues one."""
    found: dict[str, int] = {}
    for thread, path in RolloutFolders(codex_folders(env)).files().items():
        try:
            found[thread] = path.stat().st_size
        except OSError:
            continue
    return found


def _show_error(problem: str) -> None:
    print(f"ERROR: {safe(problem)}", file=sys.stderr)


def _root_of(thread: str, env: Mapping[str, str]) -> str:
    return RolloutFolders(codex_folders(env)).root(thread) or thread


def _thread_of(line: bytes) -> str | None:
    try:
        record = decode(line)
    except BAD_JSON:
        return None
    thread = record.thread_id if record.type == "thread.started" else None
    return thread if thread is not None and SESSION_ID.fullmatch(thread) else None


def _arguments_of(argv: Sequence[str]) -> int | None:
    return arguments_at(argv, lambda word: Path(word).name in ("codex", "codex.exe"))
