"""Starting and continuing Codex; reading what it prints (its main agent) and stores (all agents).

Its command line is passed on as it is: rollouts have every agent in every release. What is printed
as JSON is recorded too, behind the rollouts: they know the times and the ids of the same words.
Only if the run is to be steered, an app-server does the work of `codex exec`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec
from msgspec import field

from unbraid.agents.codex.app_server import server_message, text_of
from unbraid.agents.codex.controller import CodexController
from unbraid.agents.codex.exec import ExecRenderer, ServedExec, served_exec
from unbraid.agents.codex.records import ABOUT, decode
from unbraid.agents.codex.rollouts import (
    KIND,
    SESSION_ID,
    RolloutFolders,
    created_ms,
    file_size,
    first_line,
    with_time,
)
from unbraid.agents.codex.sessions import RolloutFollower
from unbraid.agents.command_line import NOT_STORED_HERE, arguments_at, checked_id
from unbraid.agents.files import source_name
from unbraid.agents.port import AgentProcess, Command, Resumption, RunReference, StoredAgent
from unbraid.agents.source import PrintingSource, Recorded
from unbraid.errors import SourceError
from unbraid.read.chunk import Chunk
from unbraid.read.record import BAD_JSON
from unbraid.screen import safe
from unbraid.system.clock import now_ms
from unbraid.timings import PIPE_BEGAN_MS

# What Codex prints waits so long for the file that has the same words with their ids and times.
STORED_TWIN_APPEARING_SECONDS = 5.0
# Codex's folders, which may hold years, are searched for files of new agents this often.
NEW_AGENT_SCAN_SECONDS = 0.3

_NO_RESUME = (
    "belongs to an agent that Codex continues only through its parent: resume the main agent"
)
_JSON = ("--json", "--experimental-json")


class CodexCommand(Command):
    """An app-server in place of a command; `served` is what it is asked for."""

    served: ServedExec = field(default_factory=ServedExec)


class CodexLauncher:
    """Starts `codex` as it was asked for."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._folders = RolloutFolders.of(env)

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
        return None if thread is None else self._folders.root(thread) or thread

    def source(self, command: Command, cwd: Path) -> CodexSource | ServerSource:
        """Returns what reads its rollouts from now on, and its stdout if that is JSON; for an
        app-server, what that writes.
        """
        if isinstance(command, CodexCommand):
            resumed = command.served.resumed
            return ServerSource(self._folders, session=command.session, resumed=resumed)
        sizes = {thread: file_size(path) for thread, path in self._folders.files().items()}
        return CodexSource(
            self._folders,
            began_ms=now_ms(),
            session_id=command.session,
            begun_in=None if command.captured else cwd,
            sizes={thread: size for thread, size in sizes.items() if size is not None},
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
        return CodexSource(self._folders, began_ms=now_ms() - PIPE_BEGAN_MS)

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

    def resume(
        self, stored: StoredAgent, arguments: Sequence[str], *, write: bool = True
    ) -> Resumption:
        """Returns the command that continues a thread; `exec` as its first argument stays in front,
        with the options behind it.
        """
        wanted = stored.agent_id or stored.session_id
        thread = checked_id(wanted, SESSION_ID, "a thread of Codex")
        path = self._folders.files().get(thread)
        head = None if path is None else self._folders.head(path)
        if head is None:
            raise SourceError(thread, NOT_STORED_HERE)
        if head.is_child and head.path is not None:
            raise SourceError(thread, _NO_RESUME)
        if arguments and arguments[0] == "exec":
            rest = list(arguments[1:])
            at = next((n for n, word in enumerate(rest) if not word.startswith("-")), len(rest))
            # Early releases take options only in front of `resume`.
            argv = ["codex", "exec", *rest[:at], "resume", thread, *rest[at:]]
        else:
            argv = ["codex", "resume", thread, *arguments]
        return Resumption(argv, head.cwd)


class ThreadSource(PrintingSource):
    """A process of Codex, and the rollouts of its session, which are looked for now and then."""

    def __init__(self, folders: RolloutFolders, session_id: str | None) -> None:
        super().__init__(session_id)
        self._folders = folders
        self._scanned = 0.0

    def _is_due(self) -> bool:
        now = time.monotonic()
        due = self.has_ended or now - self._scanned >= NEW_AGENT_SCAN_SECONDS
        self._scanned = now if due else self._scanned
        return due

    def _source_of(self, thread: str) -> str:
        return source_name(self._folders.source(thread))


class CodexSource(ThreadSource):
    """One process of Codex. `sizes` are the rollouts that were there before it, by thread.

    Without a `session_id` it is the thread that the process names on stdout, or, with `begun_in`,
    the first that begins or grows in that folder.
    """

    def __init__(
        self,
        folders: RolloutFolders,
        *,
        began_ms: int,
        session_id: str | None = None,
        begun_in: Path | None = None,
        sizes: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(folders, session_id)
        self._began_ms, self._begun_in, self._sizes = began_ms, begun_in, sizes or {}
        self._follower: RolloutFollower | None = None
        self._waiting_since = time.monotonic()
        self._has_rollout = False
        self._files: dict[str, Path] = {}

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
            standing = {self._source_of(thread): size for thread, size in sizes.items()}
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
            self._session = None if thread is None else self._folders.root(thread) or thread
            self._waiting_since = time.monotonic()
        return line

    def _tree(self) -> dict[str, Path]:
        if not self._files or self._is_due():
            self._files = self._folders.tree(self._session or "")
        return self._files

    def _found(self) -> str | None:
        """Returns the thread of a process that prints nothing we could read: one that is new in its
        folder, or grew.
        """
        for thread, path in sorted(self._folders.files().items()):
            is_new = thread not in self._sizes and created_ms(thread) >= self._began_ms - 1000
            size = file_size(path)
            has_grown = size is not None and size > self._sizes.get(thread, 1 << 62)
            head = self._folders.head(path) if is_new or has_grown else None
            if head is not None and not head.is_child and head.cwd == str(self._begun_in):
                return thread
        return None


class ServerSource(ThreadSource):
    """What an app-server of ours writes: every agent, word by word. `resumed` is the thread of the
    session that it continues.

    The rollouts say the same later, and are not read. How long they are is noted, so that a process
    that continues the session, or takes it over after a kill, begins behind what was recorded here.
    """

    def __init__(
        self, folders: RolloutFolders, *, session: str | None = None, resumed: str | None = None
    ) -> None:
        super().__init__(folders, session)
        self._resumed, self._is_resumed = resumed, resumed is not None
        self._about: list[Chunk] = []
        self._is_open = False
        self._sizes: dict[str, int] = {}

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
        tree = self._folders.tree(self._session or "") if self._is_due() else {}
        for thread, path in tree.items():
            size = file_size(path)
            if size is not None and self._sizes.get(thread) != size:
                self._sizes[thread] = size
                yield Chunk(self._source_of(thread), size, b"")

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
        path = self._folders.files().get(self._session or "")
        line = b"" if path is None else first_line(path)
        return [Chunk(f"{ABOUT}{self._session}", 0, with_time(line, now_ms()))] if line else []


def _show_error(problem: str) -> None:
    print(f"ERROR: {safe(problem)}", file=sys.stderr)


def _thread_of(line: bytes) -> str | None:
    try:
        record = decode(line)
    except BAD_JSON:
        return None
    thread = record.thread_id if record.type == "thread.started" else None
    return thread if thread is not None and SESSION_ID.fullmatch(thread) else None


def _arguments_of(argv: Sequence[str]) -> int | None:
    return arguments_at(argv, lambda word: Path(word).name in ("codex", "codex.exe"))
