"""Another unbraid server's log, to read."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from typing import NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from unbraid.agents.port import SearchHit
from unbraid.errors import CallerError, LogError
from unbraid.log.entry import Entry
from unbraid.log.port import READ_LIMIT, Found
from unbraid.log.remote.client import NOT_FOUND, RemoteServer
from unbraid.log.remote.ingest import RemoteError
from unbraid.log.summary import RunSummary
from unbraid.read.names import names_run
from unbraid.read.record import BAD_JSON
from unbraid.system.tasks import cancel_task

# A server that has cut us off is asked again after this.
REMOTE_LOG_RETRY_SECONDS = 1.0
# The list of runs has stored sessions too, which no event reports.
REMOTE_LIST_REFRESH_SECONDS = 30.0
MAX_RUNS = 500
MAX_FOUND = 200
# What changes the list of runs; words change nothing in it.
LISTED = (
    "request_received,stream_start,prompt,token_usage,turn_complete,permission_asked,"
    "permission_replied,stream_end,done"
)
# Events to one viewer only, which are not in the log.
UNLOGGED = ("gap", "draft", "cut")

T = TypeVar("T")


class _Head(Struct):
    type: str
    seq: int = 0
    ts: int = 0
    stream_id: int = 0


class _Runs(Struct):
    runs: list[RunSummary]


class RemoteResults(Struct):
    """What a server has found: in its log, best first, and in stored sessions, newest first."""

    places: list[Found]
    history: list[SearchHit] = []


# Returns the hits of a search as they may be shown.
HitRedactor = Callable[[Iterable[SearchHit], str], list[SearchHit]]


class _Answer(NamedTuple):
    query: dict[str, str | int | None]
    content: object
    given_at: float


class RemoteLog:
    """A log that is read over HTTP. Use as `async with RemoteLog(server) as log`."""

    def __init__(self, server: RemoteServer) -> None:
        self._server = server
        self._changes = 0
        self._lost: LogError | None = None
        self._watching: asyncio.Task[None] | None = None
        self._answers: dict[str, _Answer] = {}

    async def __aenter__(self) -> RemoteLog:
        try:
            await self.runs()  # or an error, before anyone waits for anything
        except LogError:
            await self._server.close()
            raise
        self._watching = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._watching is not None:
            await cancel_task(self._watching)
        await self._server.close()

    async def bounds(self) -> tuple[int, int]:
        """Returns a counter of changes in place of cursors, which only the server knows."""
        if self._lost is not None:
            raise self._lost
        return 1, self._changes + int(time.monotonic() / REMOTE_LIST_REFRESH_SECONDS)

    async def run(self, run: str) -> RunSummary | None:
        """Returns one run's summary; the server imports a stored session that is asked for."""
        try:
            return await self._server.get(f"/v1/runs/{run}", RunSummary)
        except RemoteError as error:
            if error.status == NOT_FOUND:
                return None
            raise

    async def runs(
        self,
        *,
        status: str | None = None,
        matching: str | None = None,
        limit: int = MAX_RUNS,
        before: str | None = None,
    ) -> list[RunSummary]:
        """Returns the runs of the server's log, last started first."""
        found = await self.all_runs(status=status, matching=matching, limit=limit, before=before)
        return [run for run in found if run.last_seq > 0]

    async def all_runs(
        self,
        *,
        status: str | None = None,
        matching: str | None = None,
        limit: int = MAX_RUNS,
        before: str | None = None,
        max_age_seconds: float = 0,
    ) -> list[RunSummary]:
        """Returns the runs that the server lists, last started first: those of its log, and stored
        sessions, whose `last_seq` is 0.
        """
        which = {"status": status, "q": matching, "limit": min(limit, MAX_RUNS), "before": before}
        found = await self._get(
            path="/v1/runs", kind=_Runs, query=which, max_age_seconds=max_age_seconds
        )
        # Names of runs become parts of commands that are printed and copied here.
        return [run for run in found.runs if names_run(run.run)]

    async def named(self, name: str) -> str:
        """Returns the run whose name begins so."""
        found = await self.all_runs(matching=name)
        names = [run.run for run in found if run.run.startswith(name)]
        if name in names or len(names) == 1:
            return name if name in names else names[0]
        raise CallerError(
            f"{name} is the beginning of {len(names)} runs"
            if names
            else f"run or session not found: {name}"
        )

    async def read(
        self,
        run: str,
        since: int = 0,
        limit: int = READ_LIMIT,
        *,
        stream_id: int | None = None,
        types: Collection[str] = (),
    ) -> list[Entry]:
        """Returns up to `limit` events of a run after the seq `since`, in order."""
        lines = await self._server.page(
            f"/v1/runs/{run}/events",
            since=since, limit=min(limit, READ_LIMIT), stream=stream_id,
            types=",".join(types) or None,
        )  # fmt: skip
        return _entries(run, lines)

    async def follow(self, run: str, since: int = 0) -> AsyncIterator[list[Entry]]:
        """Yields the events of a run after `since`, then those to come; ends after `done`."""
        while True:
            answered = False
            async for lines in self._server.lines(f"/v1/runs/{run}/events", since=since):
                answered = True
                if batch := _entries(run, lines):
                    since = batch[-1].seq
                    yield batch
                    if batch[-1].type == "done":
                        return
            if not answered:
                return  # it was over before
            await asyncio.sleep(REMOTE_LOG_RETRY_SECONDS)  # we were cut off, and come back

    async def search(self, query: str, *, run: str | None = None, limit: int = 20) -> list[Found]:
        """Returns places where an agent said all words of `query`, best first."""
        return (await self.search_all(query, run=run)).places[:limit]

    async def search_all(
        self, query: str, *, run: str | None = None, max_age_seconds: float = 0
    ) -> RemoteResults:
        """Returns what the server finds, in its log and in stored sessions."""
        which = {"q": query, "run": run, "limit": MAX_FOUND}
        return await self._get(
            path="/v1/search",
            kind=RemoteResults,
            query=which,
            max_age_seconds=max_age_seconds,
        )

    async def _get(
        self, path: str, kind: type[T], query: dict[str, str | int | None], max_age_seconds: float
    ) -> T:
        """Returns the answer to a question: the last one, if that was the same and is not older."""
        last = self._answers.get(path)
        if (
            last is not None
            and isinstance(last.content, kind)
            and last.query == query
            and time.monotonic() - last.given_at < max_age_seconds
        ):
            return last.content
        content = await self._server.get(path, kind, **query)
        self._answers[path] = _Answer(query, content, time.monotonic())
        return content

    async def _watch(self) -> None:
        """Counts the changes that the server reports, until it is cancelled."""
        while True:
            try:
                async for lines in self._server.lines("/v1/events", types=LISTED):
                    self._lost = None
                    # After a loss, too: it is unknown what has come meanwhile.
                    self._changes += len(lines) or 1
            except LogError as error:
                self._lost = error
            await asyncio.sleep(REMOTE_LOG_RETRY_SECONDS)


def _entries(run: str, lines: list[bytes]) -> list[Entry]:
    """Returns lines of the server as entries of a log; its cursors are not known here."""
    entries: list[Entry] = []
    for line in lines:
        try:
            head = msgspec.json.decode(line, type=_Head)
        except BAD_JSON:
            raise LogError("the server sent something that is not an event") from None
        if head.type not in UNLOGGED:
            entries.append(
                Entry(
                    cursor=0,
                    run=run,
                    seq=head.seq,
                    ts=head.ts,
                    stream_id=head.stream_id,
                    type=head.type,
                    data=line,
                )
            )
    return entries


class RemoteStoredSessions:
    """The sessions that are not in the server's log. The server gives them in its answers to what
    its log is asked for, so an answer that is not old is used again.
    """

    def __init__(self, log: RemoteLog, redact_hits: HitRedactor | None = None) -> None:
        self._log, self._redact_hits = log, redact_hits

    async def runs(
        self,
        *,
        status: str | None = None,
        matching: str | None = None,
        limit: int = MAX_RUNS,
        before: str | None = None,
    ) -> list[RunSummary]:
        """Returns sessions that are not in the server's log, last started first."""
        found = await self._log.all_runs(
            status=status,
            matching=matching,
            limit=limit,
            before=before,
            max_age_seconds=REMOTE_LIST_REFRESH_SECONDS,
        )
        return [run for run in found if run.last_seq == 0]

    async def open(self, name: str) -> RunSummary | None:
        """Returns the run of a session, which the server imports into its log."""
        return await self._log.run(name)

    async def search(self, query: str, *, limit: int = 20, redact: bool = False) -> list[SearchHit]:
        """Returns where it was said in sessions that are not in the log, newest first."""
        found = await self._log.search_all(query, max_age_seconds=REMOTE_LIST_REFRESH_SECONDS)
        hits = found.history[:limit]
        if not redact:
            return hits
        # What nobody can redact is not shown.
        return [] if self._redact_hits is None else self._redact_hits(hits, query)
