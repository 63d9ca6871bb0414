"""Another unbraid server's log, to read, and the runs that can be controlled through it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Collection
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import Struct

from unbraid.agents.control_port import AnswerDetails, Controller, PermissionRequest
from unbraid.agents.port import SearchHit
from unbraid.errors import CallerError, LogError
from unbraid.log.entry import Entry
from unbraid.log.port import READ_LIMIT, Found
from unbraid.log.summary import RunSummary, select_runs
from unbraid.remote.client import NOT_FOUND, RemoteError, RemoteServer
from unbraid.system.tasks import cancel_task
from unbraid.timings import REMOTE_LIST_REFRESH_SECONDS, REMOTE_LOG_RETRY_SECONDS
from unbraid.wire.names import names_run
from unbraid.wire.record import BAD_JSON

MAX_RUNS = 500
MAX_FOUND = 200
# What changes the list of runs; words change nothing in it.
LISTED = (
    "request_received,stream_start,prompt,token_usage,turn_complete,permission_asked,"
    "permission_replied,stream_end,done"
)
# To one viewer only, and not in the log.
ASIDES = ("gap", "draft", "cut")


class _Head(Struct):
    type: str
    seq: int = 0
    ts: int = 0
    stream_id: int = 0


class _Runs(Struct):
    runs: list[RunSummary]


class _Places(Struct):
    places: list[Found]
    history: list[SearchHit] = []


class _Control(Struct):
    run: str
    verbs: list[str]


class _Steerable(Struct):
    runs: list[_Control]


class _Waiting(Struct):
    permissions: list[PermissionRequest]


class RemoteLog:
    """A log that is read over HTTP. Use as `async with RemoteLog(server) as log`."""

    def __init__(self, server: RemoteServer) -> None:
        self._server = server
        self._changes = 0
        self._lost: LogError | None = None
        self._watching: asyncio.Task[None] | None = None
        self.history = RemoteHistory()

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
        """Numbers that grow when something has changed; the real cursors stay with the server."""
        if self._lost is not None:
            raise self._lost
        return 1, self._changes + int(time.monotonic() / REMOTE_LIST_REFRESH_SECONDS)

    async def run(self, run: str) -> RunSummary | None:
        """Returns one run's summary; one that is history is read into the server's log by this."""
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
        """Runs, last started first."""
        found = await self._listed(
            status=status, q=matching, limit=min(limit, MAX_RUNS), before=before
        )
        self.history.found = [run for run in found if run.last_seq == 0]
        return [run for run in found if run.last_seq > 0]

    async def _listed(self, **wanted: str | int | None) -> list[RunSummary]:
        # Names of runs become parts of commands that are printed and copied here.
        found = await self._server.get("/v1/runs", _Runs, **wanted)
        return [run for run in found.runs if names_run(run.run)]

    async def named(self, name: str) -> str:
        """Returns the run whose name begins so."""
        found = await self._listed(q=name, limit=MAX_RUNS)
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
        found = await self._server.get(
            "/v1/search", _Places, q=query, run=run, limit=min(limit, MAX_FOUND)
        )
        self.history.hits = (query, found.history)
        return found.places

    async def _watch(self) -> None:
        """Note that something has changed, for ever."""
        while True:
            try:
                async for lines in self._server.lines("/v1/events", types=LISTED):
                    self._lost = None
                    # After a loss, too: nobody knows what has come meanwhile.
                    self._changes += len(lines) or 1
            except LogError as error:
                self._lost = error
            await asyncio.sleep(REMOTE_LOG_RETRY_SECONDS)


class RemoteHistory:
    """The stored sessions that the server lists with the runs of its log."""

    def __init__(self) -> None:
        self.found: list[RunSummary] = []
        self.hits: tuple[str, list[SearchHit]] = ("", [])

    async def runs(
        self,
        *,
        status: str | None = None,
        matching: str | None = None,
        limit: int = MAX_RUNS,
        before: str | None = None,
    ) -> list[RunSummary]:
        """Returns sessions that are not in the server's log, last started first."""
        return list(select_runs(self.found, status=status, matching=matching, before=before))[
            :limit
        ]

    async def open(self, name: str) -> RunSummary | None:
        """Does nothing more: a server imports a session when its log is asked for it."""
        return None

    async def search(self, query: str, *, limit: int = 20, redact: bool = False) -> list[SearchHit]:
        """Returns where it was said in sessions that are not in the log, newest first."""
        hits = self.hits[1][:limit] if self.hits[0] == query else []
        if redact:
            from unbraid.redact.matches import redact_hits

            return redact_hits(hits, query)
        return hits


class RemoteControllers:
    """The runs that can be controlled through the server."""

    def __init__(self, server: RemoteServer) -> None:
        self._server = server

    async def controllers(self) -> dict[str, Controller]:
        """Returns the controllers of the runs that can be controlled now, by run."""
        held = await self._server.get("/v1/control", _Steerable)
        waiting = (await self._server.get("/v1/permissions", _Waiting)).permissions
        return {
            run.run: RemoteController(self._server, run, [w for w in waiting if w.run == run.run])
            for run in held.runs
        }

    async def attend(self, who: str, seconds: float) -> None:
        """Lets the server know that somebody answers here for so long."""
        await self._server.post("/v1/attendance", {"seconds": seconds})


class RemoteController:
    """Controls one run through the server."""

    def __init__(
        self, server: RemoteServer, about: _Control, waiting: list[PermissionRequest]
    ) -> None:
        self._server, self._about, self._waiting = server, about, waiting

    def verbs(self) -> list[str]:
        """Returns what the server lets us do with the run."""
        return self._about.verbs

    def pending(self) -> list[PermissionRequest]:
        """Returns the permission requests that were open when the server was asked."""
        return self._waiting

    async def message(self, text: str) -> None:
        """Send a message to the root agent."""
        await self._post(f"/v1/runs/{self._about.run}/message", {"text": text})

    async def message_agent(self, stream_id: int, text: str) -> None:
        """Send a message to one agent."""
        body = {"text": text, "stream_id": stream_id}
        await self._post(f"/v1/runs/{self._about.run}/message", body)

    async def interrupt(self) -> None:
        """Interrupt the root agent; the run goes on."""
        await self._post(f"/v1/runs/{self._about.run}/interrupt")

    async def cancel(self) -> None:
        """End the run."""
        await self._post(f"/v1/runs/{self._about.run}/cancel")

    async def stop(self, stream_id: int) -> None:
        """End one sub-agent."""
        await self._post(f"/v1/runs/{self._about.run}/streams/{stream_id}/stop")

    async def answer(
        self,
        request_id: str,
        behavior: str,
        message: str | None,
        details: AnswerDetails | None = None,
    ) -> None:
        """Answer a permission request."""
        more = {} if details is None else msgspec.to_builtins(details)
        decision = {"behavior": behavior, "message": message, "run": self._about.run, **more}
        # Who it is, the server knows by the token.
        decision.pop("by", None)
        # The id is the agent's word: it must not lead to another route.
        await self._post(f"/v1/permissions/{quote(request_id, safe='')}", decision)

    async def _post(self, path: str, body: dict[str, Any] | None = None) -> None:
        try:
            await self._server.post(path, body)
        except RemoteError as error:
            raise CallerError(error.problem) from None


def _entries(run: str, lines: list[bytes]) -> list[Entry]:
    """Returns lines of the server as entries of a log; its cursors are not known here."""
    entries: list[Entry] = []
    for line in lines:
        try:
            head = msgspec.json.decode(line, type=_Head)
        except BAD_JSON:
            raise LogError("the server sent something that is not an event") from None
        if head.type not in ASIDES:
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
