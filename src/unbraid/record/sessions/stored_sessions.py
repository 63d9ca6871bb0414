"""The sessions on this machine that are not in the log: listed, opened and searched.

Listing reads an index, newest first, and gives out what it has so far while the rest is being read.
Nothing is copied until a session is opened; then it is read into the log, once, and is a run like
any other. What is asked for is looked up by its id among the sessions that were found: no path is
ever made of a request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path

from unbraid.agents.port import SearchHit
from unbraid.agents.registry import stores
from unbraid.errors import CallerError
from unbraid.fold.query import Query
from unbraid.log.port import Log
from unbraid.log.summary import RunSummary, select_runs
from unbraid.record.ingest import TooManyRuns
from unbraid.record.sessions.all_runs import DEFAULT_LIMIT
from unbraid.record.sessions.costs import SpentRun, stored_runs
from unbraid.record.sessions.importer import has_gone_on, import_sessions, open_or_import
from unbraid.record.sessions.run_list import list_sessions

# Search over sessions that are not in the log: each kind reads where it keeps them.
#
# The rule is that of a search of the log (`fold/query`), but accents have to be typed, because
# files are searched for words as they are.


def search_files(
    query: str,
    env: Mapping[str, str],
    *,
    limit: int = 20,
    known: Collection[str] = (),
    redact: bool = False,
) -> list[SearchHit]:
    """Returns places where an agent, or a person, said this; sessions that are `known` are left
    out, and with `redact` so is what is in secrets alone.

    Kind by kind, newest sessions first. Raises nothing: what cannot be read holds nothing.
    """
    wanted = Query(query)
    return list(islice(_hits(wanted, env, known, redact=redact), limit)) if wanted else []


def _hits(
    query: Query, env: Mapping[str, str], known: Collection[str], *, redact: bool
) -> Iterator[SearchHit]:
    for store in stores(env).values():
        for session, agent_id, kind, ts, text in store.blocks(query.needle, known):
            match = query.match(text)
            if match is not None and redact:
                from unbraid.redact.secrets import redact_words

                # Not what is stored: an answer that depends on a secret gives it away.
                match = query.match(redact_words(text, cut=False))
            if match is not None:
                yield SearchHit(
                    run=session, agent_id=agent_id, kind=kind, ts=ts, snippet=match.snippet
                )


OPENED_TOGETHER = 2
MAX_OPENING = 64
SEARCHED_TOGETHER = 2


class StoredSessionList:
    """The sessions that are stored on this machine; `home` is our data folder."""

    def __init__(
        self, log: Log, env: Mapping[str, str], home: Path, *, redact: bool = False
    ) -> None:
        self._log, self._env, self._home, self._redact = log, env, home, redact
        self._found: dict[str, RunSummary] = {}
        self._logged: set[str] = set()
        self._opening: dict[str, asyncio.Task[RunSummary]] = {}
        self._openers = asyncio.Semaphore(OPENED_TOGETHER)
        self._searchers = asyncio.Semaphore(SEARCHED_TOGETHER)
        self._closing = False
        self.listed, self.total = 0, 0

    async def read(
        self,
        warn: Callable[[str], None],
        on_run: Callable[[RunSummary], None] = lambda run: None,
    ) -> None:
        """Finds all of them; `on_run` is called from another thread, for each, newest first."""

        def progress(done: int, total: int) -> None:
            self.listed, self.total = done, total

        redact: Callable[[str], str] | None = None
        if self._redact:
            from unbraid.redact.reader import redact_summary
            from unbraid.redact.reader import redact_title as redact

        def read() -> None:
            for run in list_sessions(
                self._env, self._home, warn=warn, progress=progress, redact=redact
            ):
                shown = redact_summary(run) if self._redact else run
                self._found[run.run] = shown
                on_run(shown)
                if self._closing:
                    break

        await asyncio.to_thread(read)

    async def catch_up(self) -> None:
        """Records what sessions have said after their last run in the log was over, while they were
        not followed: no list would show it, and costs count it.
        """
        for name, found in self._found.copy().items():
            if self._closing:
                return
            if has_gone_on(found, await self._log.runs_of(name)):
                async for _ in import_sessions(self._log, [name], self._env, redact=self._redact):
                    pass

    async def runs(
        self,
        *,
        status: str | None = None,
        matching: str | None = None,
        limit: int = DEFAULT_LIMIT,
        before: str | None = None,
    ) -> list[RunSummary]:
        """Returns sessions that are not in the log, as the log lists its runs: last started
        first.
        """
        known = self._found.copy().values()
        chosen: list[RunSummary] = []
        for run in select_runs(known, status=status, matching=matching, before=before):
            if len(chosen) >= limit:
                break
            if not await self._in_log(run.run):
                chosen.append(run)
        return chosen

    async def open(self, name: str) -> RunSummary | None:
        """Returns the run of a session, which is imported into the log if it is not there; None if
        there is none.
        """
        if name not in self._found:
            return None
        task = self._opening.get(name)
        if task is None:
            if len(self._opening) >= MAX_OPENING:
                raise TooManyRuns(f"too many sessions are being opened: the limit is {MAX_OPENING}")
            # A task of its own: the first to ask may be cancelled while others wait for it, too.
            task = self._opening[name] = asyncio.create_task(self._open(name))
            task.add_done_callback(lambda _: self._opening.pop(name))
        try:
            return await asyncio.shield(task)
        except CallerError:
            return None

    async def spent(self, *, since: int = 0) -> list[SpentRun]:
        """Returns what all stored sessions have used since a time, those in the log included."""
        async with self._searchers:
            return await asyncio.to_thread(
                lambda: list(stored_runs(self._env, self._home, since=since))
            )

    async def search(self, query: str, *, limit: int = 20, redact: bool = False) -> list[SearchHit]:
        """Returns where it was said in sessions that are not in the log, newest first; with
        `redact`, where what may be shown says it.
        """
        logged = set(await self._log.run_names())
        async with self._searchers:
            return await asyncio.to_thread(
                search_files, query, self._env, limit=limit, known=logged, redact=redact
            )

    async def close(self) -> None:
        """Stops reading, and waits for the sessions that are being opened."""
        self._closing = True
        await asyncio.gather(*self._opening.values(), return_exceptions=True)

    async def _open(self, name: str) -> RunSummary:
        async with self._openers:
            return await open_or_import(self._log, name, self._env, redact=self._redact)

    async def _in_log(self, name: str) -> bool:
        if name not in self._logged and await self._log.runs_of(name):
            self._logged.add(name)
        return name in self._logged
