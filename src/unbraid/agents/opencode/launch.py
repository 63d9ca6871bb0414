"""Starting OpenCode and continuing its agents, and reading what it prints (its main agent) and
stores (all agents).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from unbraid.agents.command_line import NOT_STORED_HERE, arguments_at, checked_id, option
from unbraid.agents.opencode.database import session_folders
from unbraid.agents.opencode.editions import OPENCODE, Edition
from unbraid.agents.opencode.follower import ROWS_FROM, Database, RowFollower
from unbraid.agents.opencode.records import head_of
from unbraid.agents.opencode.store import SESSION_ID, Installation
from unbraid.agents.port import Command, Launcher, Resumption, StoredAgent
from unbraid.agents.source import PrintingSource, Recorded
from unbraid.errors import SourceError
from unbraid.read.chunk import Chunk
from unbraid.read.names import names_run
from unbraid.system.clock import now_ms
from unbraid.timings import PIPE_BEGAN_MS

SETTINGS = "CONFIG_CONTENT"  # the variable with settings for one process, over all others


class OpenCodeLauncher(Launcher):
    """Starts the program as it was asked for: its database has every agent."""

    def __init__(self, here: Installation) -> None:
        self._here, self._edition = here, here.edition

    def recognizes(self, argv: Sequence[str]) -> bool:
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
        return OpenCodeSource(
            self._here, began_ms=now_ms(), session_id=command.session, begun_in=cwd
        )

    def piped(self, line: bytes) -> OpenCodeSource | None:
        """Returns what reads the lines of `run --format json`, and the database; None if the line
        is not of this program.
        """
        session = head_of(line).session_id
        if session is None or self._keeper(session) != self._edition:
            return None
        return OpenCodeSource(self._here, began_ms=now_ms() - PIPE_BEGAN_MS)

    def resume(
        self, stored: StoredAgent, arguments: Sequence[str], *, write: bool = True
    ) -> Resumption:
        """Returns the command that continues a session, also a sub-agent's; `run` as its first
        argument stays in front.

        A sub-agent's child is a session, but OpenCode lets no sub-agent continue one, and takes its
        default agent instead: so the child's own agent is declared fit for both, to that one
        process.
        """
        wanted = stored.agent_id or stored.session_id
        session = checked_id(wanted, SESSION_ID, f"a session of {self._edition.title}")
        runs = bool(arguments) and arguments[0] == "run"
        verb, rest = (["run"], arguments[1:]) if runs else ([], arguments)
        env: dict[str, str] = {}
        named: list[str] = []
        if stored.agent_id and stored.agent and option(rest, "--agent") is None:
            named = [f"--agent={stored.agent}"]
            settings = self._edition.variable(SETTINGS)
            env[settings] = _settings(self._here.env.get(settings), stored.agent)
        argv = [self._edition.name, *verb, "--session", session, *named, *rest]
        return Resumption(argv, self._folder_of(session), env=env)

    def _folder_of(self, session: str) -> str | None:
        for store in self._here.stores:
            if (folder := session_folders(store).get(session)) is not None:
                return folder
        raise SourceError(session, NOT_STORED_HERE)

    def _keeper(self, session: str) -> Edition:
        """Returns the program that keeps a session, by whose database has it: what they print is
        the same.
        """
        for fork in self._here.editions.forks:
            path = replace(self._here, edition=fork).database
            with suppress(SourceError):
                if path is not None and session in session_folders(path):
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
        here: Installation,
        *,
        began_ms: int,
        session_id: str | None = None,
        begun_in: Path | None = None,
    ) -> None:
        super().__init__(session_id)
        self._here, self._began_ms, self._begun_in = here, began_ms, begun_in
        self._database: Database | None = None  # all sessions, until it is known which is ours
        self._recorded: Recorded | None = None  # once the run of our session is open
        self._rows: RowFollower | None = None
        self._root: str | None = None

    @property
    def session_id(self) -> str | None:
        if self._root is not None or self._session is None or self._database is None:
            return self._root or self._session
        return self._database.root(self._session)

    def begin(self, recorded: Recorded) -> None:
        """Notes that the session's run is open: only this session is read, from where the
        log ends.
        """
        self._root, self._recorded = self.session_id, recorded

    def read(self, *, at_once: bool = False) -> list[Chunk]:
        """Returns what can be recorded now; the database first, it knows the right order of
        calls.
        """
        if self._root is None or self._recorded is None:
            self._find_session()
            return []
        chunks: list[Chunk] = []
        if self._rows is None:
            path = self._here.database
            if path is not None:
                self._rows = RowFollower(self._root, self._recorded, path, since_ms=self._began_ms)
                chunks.append(Chunk(ROWS_FROM, self._rows.since_ms, b""))
        if self._rows is not None:
            self._rows.has_ended, self._rows.may_have_changed = self.has_ended, True
            chunks += self._rows.read()
        # What was printed may follow from rows that have to wait; their wait is bounded.
        if self.has_ended or self._rows is None or not self._rows.unsettled:
            chunks += self._take_printed()
        return chunks

    def _find_session(self) -> None:
        """Finds the session of a process that names none: the first one that has changed in its
        folder.
        """
        if self._database is None:
            path = self._here.database
            if path is None:
                return
            self._database = Database(path, self._began_ms)
        for root, rows in self._database.changed(last=True).items():
            folder = rows.sessions.get(root, {}).get("directory")
            if self._session is None and self._begun_in is not None:
                self._session = root if folder == str(self._begun_in) else None

    def _line(self, line: bytes) -> bytes:
        if self._session is None:
            session = head_of(line).session_id
            # An agent may print anything; what cannot name a run must not name a file either.
            self._session = session if names_run(session or "") else None
        return line


def _settings(before: str | None, agent: str) -> str:
    """Returns settings with an agent that may be a main one, too; whatever else is set there
    stays.
    """
    try:
        settings = msgspec.json.decode(before or "{}", type=dict[str, Any])
    except msgspec.MsgspecError:
        settings = {}
    agents = settings.get("agent")
    agents = agents if isinstance(agents, dict) else {}
    about = agents.get(agent)
    about = about if isinstance(about, dict) else {}
    settings["agent"] = {**agents, agent: {**about, "mode": "all"}}
    return msgspec.json.encode(settings).decode()
