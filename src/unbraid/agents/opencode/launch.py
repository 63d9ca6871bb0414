"""Starting OpenCode, and reading what it prints (its main agent) and stores (all agents)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from unbraid.agents.command_line import arguments_at, option
from unbraid.agents.opencode.editions import OPENCODE, UNFORKED, Edition, Editions
from unbraid.agents.opencode.heads import printed_head
from unbraid.agents.opencode.places import opencode_database
from unbraid.agents.opencode.sessions.changes import Database
from unbraid.agents.opencode.sessions.database import has_session
from unbraid.agents.opencode.sessions.follower import DATABASE, ROWS, ROWS_FROM, rows_since
from unbraid.agents.process_port import Command, Launcher
from unbraid.agents.source import PrintingSource, Recorded
from unbraid.errors import SourceError
from unbraid.read.chunk import Chunk, ChunkedSource
from unbraid.read.names import names_run
from unbraid.read.sequencer import Aged, Closed, Sequencer, SourceItem
from unbraid.system.clock import now_ms
from unbraid.timings import PIPE_BEGAN_MS


class OpenCodeLauncher(Launcher):
    """Starts the program as it was asked for: its database has every agent."""

    def __init__(
        self,
        env: Mapping[str, str],
        edition: Edition = OPENCODE,
        editions: Editions = UNFORKED,
    ) -> None:
        self._env, self._edition, self._editions = env, edition, editions

    def recognizes(self, argv: Sequence[str]) -> bool:
        """Returns whether a command line starts it."""
        return self._arguments_of(argv) is not None

    async def command(self, argv: Sequence[str], *, steered: bool) -> Command:
        """Returns the command itself. Its stdout goes through us only where it is JSON: anything
        else is meant for the person's own terminal.
        """
        args = argv[self._arguments_of(argv) or 0 :]
        session = option(args, "--session", "-s")
        return Command(
            list(argv),
            self._edition.name,
            captured=option(args, "--format") == "json",
            session=session,
            resumes=session is not None,
        )

    def source(self, command: Command, cwd: Path) -> OpenCodeSource:
        """Returns what reads changes of the database from now on, and its stdout if that is
        JSON.
        """
        session = command.session
        return OpenCodeSource(
            self._env,
            began_ms=now_ms(),
            session_id=session,
            begun_in=cwd,
            edition=self._edition,
        )

    def piped(self, line: bytes) -> OpenCodeSource | None:
        """Returns what reads the lines of `run --format json`, and the database; None if the line
        is not of this program.
        """
        session = _session_of(line)
        if session is None or self._keeper(session) != self._edition:
            return None
        began_ms = now_ms() - PIPE_BEGAN_MS
        return OpenCodeSource(self._env, began_ms=began_ms, edition=self._edition)

    def _keeper(self, session: str) -> Edition:
        """Returns the program that keeps a session, by whose database has it: what they print is
        the same.
        """
        for fork in self._editions.forks:
            path = opencode_database(self._env, fork)
            with suppress(SourceError):
                if path is not None and has_session(path, session):
                    return fork
        return OPENCODE

    def _arguments_of(self, argv: Sequence[str]) -> int | None:
        commands = self._edition.commands
        return arguments_at(argv, lambda word: Path(word).name.removesuffix(".exe") in commands)


class OpenCodeSource(PrintingSource):
    """One process of OpenCode: what has changed since it began (milliseconds).

    Without a `session_id` it is the one that the process names on stdout, or, with `begun_in`, the
    first that changes in that folder.
    """

    def __init__(
        self,
        env: Mapping[str, str],
        *,
        began_ms: int,
        session_id: str | None = None,
        begun_in: Path | None = None,
        edition: Edition = OPENCODE,
    ) -> None:
        super().__init__(session_id)
        self._env, self._began_ms, self._edition = env, began_ms, edition
        self._begun_in = begun_in
        self._root: str | None = None  # the session whose run is open
        self._database: Database | None = None
        self._held = Sequencer[Chunk](is_open=self._is_waiting)
        self._stored = ChunkedSource(f"{DATABASE}.{now_ms()}")
        self._rows: dict[str, list[bytes]] = {}  # by root session
        self._begun: list[Chunk] = []

    @property
    def session_id(self) -> str | None:
        """Its root session, once that is known."""
        if self._session is None or self._database is None:
            return self._session
        return self._database.root(self._session)

    def printed(self, data: bytes) -> None:
        """Takes more of its stdout."""
        super().printed(data)
        self._hold_printed()

    def end(self) -> None:
        """Notes that the process is gone."""
        super().end()
        self._hold_printed()

    def begin(self, recorded: Recorded) -> None:
        """Notes that the session's run is open: only this session is read, from where the
        log ends.
        """
        self._root = self.session_id
        assert self._root is not None
        known_ms = rows_since(recorded)
        since = self._began_ms if known_ms is None else known_ms
        self._begun = [Chunk(ROWS_FROM, since, b"")]
        if self._database is not None:
            self._database = self._database.part(self._root, since)
            self._rows.clear()

    def read(self, *, at_once: bool = False) -> list[Chunk]:
        """Returns what can be recorded now; the database first, it knows the right order of
        calls.
        """
        looked = time.monotonic()
        self._look()
        if self._root is None:
            self._find_session()
            return []
        rows = [self._stored.chunk(line) for line in self._rows.pop(self._root, ())]
        self._rows.clear()
        begun, self._begun = self._begun, []
        printed = self._held.finish() if self.has_ended else self._held.take(looked)
        upto: list[Chunk] = []
        if self._database is not None and self._root in self._database.upto:
            upto = [Chunk(ROWS, self._database.upto[self._root], b"")]
        return [*begun, *rows, *printed, *upto]

    def _is_waiting(self, rows: str) -> bool:
        return self._database is not None and self._root in self._database.waiting

    def _look(self) -> None:
        if self._database is None:
            path = opencode_database(self._env, self._edition)
            if path is None:
                return
            self._database = Database(path, self._began_ms)
        for root, lines in self._database.changed(last=self.has_ended).items():
            self._rows.setdefault(root, []).extend(lines)

    def _find_session(self) -> None:
        """Finds the session of a process that names none: the first one that has changed in its
        folder.
        """
        if self._session is None and self._database is not None and self._begun_in is not None:
            for root in self._rows:
                about = self._database.about.get(root)
                if about is not None and about["directory"] == str(self._begun_in):
                    self._session = root
                    return

    def _line(self, line: bytes) -> bytes:
        if self._session is None:
            session = _session_of(line)
            # An agent may print anything; what cannot name a run must not name a file either.
            self._session = session if names_run(session or "") else None
        return line

    def _hold_printed(self) -> None:
        # What was printed may follow from rows that have to wait; and what is printed while the
        # rows are read, from rows of the next look. The wait of the rows is bounded.
        conditions = (Aged(0), Closed("rows"))
        for chunk in self._take_printed():
            item = SourceItem("stdout", chunk, waits_for=conditions)
            self._held.add(item, time.monotonic())


def _session_of(line: bytes) -> str | None:
    head = printed_head(line)
    return None if head is None else head.session_id
