"""What OpenCode prints (its main agent) and keeps (everyone), on its way to the log."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path

from unbraid.agents.opencode.changes import Database
from unbraid.agents.opencode.heads import printed_head
from unbraid.agents.places import opencode_database
from unbraid.launch.run_log import RunLog, now_ms
from unbraid.translate.sequencer import Aged, Closed, Sequencer, SourceItem
from unbraid.wire.chunk import Chunk
from unbraid.wire.lines import Lines
from unbraid.wire.names import names_run


class OpenCodeSource:
    """One process of OpenCode's: what has changed since it `began` (milliseconds)."""

    def __init__(
        self,
        run_log: RunLog,
        env: Mapping[str, str],
        *,
        began: int,
        session: str | None = None,
        begun_in: Path | None = None,
    ) -> None:
        self._keeping, self._env, self._began = run_log, env, began
        self._session, self._begun_in = session, begun_in
        self._database: Database | None = None
        self._lines = Lines()
        self._printed = Sequencer[Chunk](is_open=self._is_open)
        self._found: dict[str, list[bytes]] = {}
        self._offsets: dict[str, int] = {}
        self._mark = now_ms()

    def printed(self, data: bytes) -> None:
        """More of its stdout."""
        for line in self._lines.feed(data):
            if isinstance(line, bytes):
                self._line(line + b"\n")

    async def look(self) -> None:
        """Tell what can be told now."""
        await self._tell(last=False)

    async def _tell(self, *, last: bool) -> None:
        """Tell what can be told now; the database first, it knows the right order of calls."""
        now = time.monotonic()
        for root, lines in (await asyncio.to_thread(self._changed, last=last)).items():
            self._found.setdefault(root, []).extend(lines)
        mine = self._root()
        if mine is None:
            return
        if not self._keeping.opened:
            since = await self._keeping.rows_since(mine, self._began)
            await self._keeping.open(mine)
            self._keeping.rows_begin(since)
            if self._database is not None:
                # From here on this session alone, and from where the log has it.
                self._database = self._database.part(mine, since)
                self._found = await asyncio.to_thread(self._changed, last=last)
        pieces = [self._fed("database", line) for line in self._found.pop(mine, ())]
        self._found.clear()
        if self._database is not None and mine in self._database.upto:
            self._keeping.rows_told(self._database.upto[mine])
        printed = self._printed.finish() if last else self._printed.take(now)
        await self._keeping.feed([*pieces, *printed])

    async def end(self) -> None:
        """Tell the rest."""
        for line in self._lines.finish():
            if isinstance(line, bytes):
                self._line(line)
        await self._tell(last=True)

    def _line(self, line: bytes) -> None:
        head = printed_head(line)
        if head is None:
            return
        session = head.session_id
        # An agent may print anything; what cannot name a run must not name a file either.
        if self._session is None and names_run(session or ""):
            self._session = session
        printed = SourceItem(
            "stdout",
            self._fed("stdout", line),
            # What was printed may follow from rows that have to wait; and what is printed while the
            # rows are read, from rows of the next look. The wait of the rows is bounded.
            waits_for=(Aged(0), Closed("rows")),
        )
        self._printed.add(printed, time.monotonic())

    def _is_open(self, rows: str) -> bool:
        return self._database is not None and self._root() in self._database.waiting

    def _changed(self, *, last: bool) -> dict[str, list[bytes]]:
        if self._database is None:
            path = opencode_database(self._env)
            if path is None:
                return {}
            self._database = Database(path, self._began)
        return self._database.changed(last=last)

    def _root(self) -> str | None:
        """The session that it names, or the first that has changed in its folder."""
        database = self._database
        if database is None:
            return self._session
        if self._session is None and self._begun_in is not None:
            for root in self._found:
                about = database.about.get(root)
                if about is not None and about["directory"] == str(self._begun_in):
                    self._session = root
                    break
        return None if self._session is None else database.root(self._session)

    def _fed(self, name: str, data: bytes) -> Chunk:
        source = f"{name}.{self._mark}"
        at = self._offsets.get(source, 0)
        self._offsets[source] = at + len(data)
        return Chunk(source, at, data)
