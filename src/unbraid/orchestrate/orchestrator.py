"""A fleet of our own: takes requests, and lets a master and its agents work on them."""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, suppress
from pathlib import Path

from unbraid.agents.agent_spec import Limits
from unbraid.agents.port import Backend
from unbraid.errors import CallerError, LogError, RequestConflict, TooManyRequests
from unbraid.events import Draft, FleetEvent, RequestReceived
from unbraid.log.engines import memory_log
from unbraid.log.leases import Leases
from unbraid.log.port import Log, every_run
from unbraid.orchestrate.backends import Backends
from unbraid.orchestrate.budget import REQUEST_LIMITS
from unbraid.orchestrate.commands import Commands, built_in
from unbraid.orchestrate.request import SOURCE, MasterSession, Request
from unbraid.orchestrate.roster import Roster
from unbraid.record.runs import end_interrupted
from unbraid.steer.controllers import Controllers
from unbraid.timings import SERVED_MASTER_IDLE_SECONDS

RUN_PREFIX = "ask-"


class Orchestrator:
    """Runs requests: `async for event in Orchestrator().run("…")`.

    Agents come from `roster`, else from the files of `cwd` and the person's home. `backend` and
    `model` are for agents that do not say; `backends` are further ones, or others, by name. Runs go
    into `log`, else they are kept in memory. A master stays for `keep_seconds` after its answer, so
    that a further request can continue with it. `on_draft` is shown what the gate holds back.

    Close it, or use it as `async with`, so that nothing stays behind.
    """

    def __init__(
        self,
        roster: Roster | None = None,
        *,
        backend: str | None = None,
        model: str | None = None,
        backends: Mapping[str, Backend] | None = None,
        commands: Commands | None = None,
        limits: Limits | None = None,
        log: Log | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        keep_seconds: float = 0.0,
        max_requests: int = 64,
        on_draft: Callable[[str, Draft], None] = lambda run, draft: None,
        controllers: Controllers | None = None,
        leases: Leases | None = None,
    ) -> None:
        where, env = cwd or Path.cwd(), os.environ if env is None else env
        self.cwd, self.model = str(where), model
        self._roster = roster
        self._where, self._home = where, Path(env.get("HOME") or Path.home())
        self.commands = built_in(env) if commands is None else commands
        self.backends = Backends(env, where, default=backend, given=backends)
        self.log: Log = memory_log() if log is None else log
        self.draft = on_draft
        self._limits = (limits or Limits()).filled(REQUEST_LIMITS)
        self._keep_seconds, self._max_requests = keep_seconds, max_requests
        self._controllers, self.leases = controllers or Controllers(), leases
        self._sessions: dict[str, MasterSession] = {}
        self._requests: dict[str, Request] = {}
        self._watching: set[asyncio.Task[None]] = set()
        self._keyed = asyncio.Lock()
        self._closed = self._entered = False

    @property
    def roster(self) -> Roster:
        """The agents that were given, or those that the files describe now."""
        return self._roster or Roster.read(self._where, self._home)

    async def __aenter__(self) -> Orchestrator:
        self._entered = True
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def run(
        self, prompt: str, *, continues: str | None = None, limits: Limits | None = None
    ) -> AsyncGenerator[FleetEvent, None]:
        """Yields every event of a new run, each once it is in the log; `done` is last. Leaving the
        loop early cancels the run.
        """
        try:
            request = await self.begin(prompt, continues=continues, limits=limits)
            try:
                async with aclosing(request.follow()) as batches:
                    async for batch in batches:
                        for entry in batch:
                            yield entry.event
            finally:
                if not request.over:
                    await request.cancel()
                await request.ended()
        finally:
            if not self._entered:
                await self.close()

    async def follow(self, run: str, since: int = 0) -> AsyncGenerator[FleetEvent, None]:
        """Yields the events of a run, replayed and then live."""
        async for batch in self.log.follow(run, since):
            for entry in batch:
                yield entry.event

    async def start(
        self,
        prompt: str,
        *,
        key: str | None = None,
        continues: str | None = None,
        limits: Limits | None = None,
    ) -> str:
        """Begins a run. Returns its name, once it is in the log.

        The same `key` and prompt give the same run, however often and whenever they come.
        `continues` names a run whose master continues with this one.
        """
        if key is None:
            return (await self.begin(prompt, continues=continues, limits=limits)).run
        run = RUN_PREFIX + hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:24]
        async with self._keyed:
            if not await self._known(run, prompt, key):
                await self.begin(prompt, run=run, continues=continues, limits=limits)
        return run

    async def begin(
        self,
        prompt: str,
        *,
        run: str | None = None,
        continues: str | None = None,
        limits: Limits | None = None,
    ) -> Request:
        """Begins a run, under a new name if none is given; it is in the log when this returns."""
        if not prompt.strip():
            raise CallerError("the prompt is empty")
        if self._closed:
            raise CallerError("this orchestrator is closed")
        name = run or f"{RUN_PREFIX}{secrets.token_hex(8)}"
        if self.leases is not None and not await self.leases.acquire(name):
            raise CallerError(f"run {name} belongs to another process")
        try:
            # From here on nothing is waited for: what is checked now still holds.
            if self._closed:
                raise CallerError("this orchestrator is closed")
            if len(self._requests) >= self._max_requests:
                raise TooManyRequests(
                    f"too many requests at once: the limit is {self._max_requests}"
                )
            session = None if continues is None else self._session(continues)
            request = self._open(name, prompt=prompt, limits=limits, session=session)
        except BaseException:
            if self.leases is not None:
                await self.leases.release(name)
            raise
        await request.begun()
        return request

    def request(self, run: str) -> Request:
        """Returns a run that lives here."""
        if run not in self._requests:
            raise CallerError(f"run {run} is not orchestrated here")
        return self._requests[run]

    def lives(self, run: str) -> bool:
        """Returns whether the master of a run is there to continue with another request."""
        session = self._sessions.get(run)
        return session is not None and not session.over

    async def recover(self) -> None:
        """Ends the runs that died with their process. To be called before the first request."""
        if self.leases is not None:
            await recover(self.log, self.leases)

    async def close(self, reason: str = "cancelled") -> None:
        """Ends every run, every master, and what their backends share."""
        self._closed = True
        sessions = set(self._sessions.values())
        for session in sessions:
            session.end(reason)
        for session in sessions:
            with suppress(LogError):
                await session.ended()
        if self._watching:
            await asyncio.wait(self._watching)
        await self.backends.close()

    def _open(
        self, run: str, *, prompt: str, limits: Limits | None, session: MasterSession | None
    ) -> Request:
        # A request cannot have higher limits than the server.
        bounds = self._limits.lowered(limits or Limits())
        request = Request(self, run=run, prompt=prompt, limits=bounds)
        if session is None:
            session = MasterSession(request, keep_seconds=self._keep_seconds)
        else:
            session.go_on(request)
        self._sessions[run], self._requests[run] = session, request
        self._controllers.register(run, request)
        task = asyncio.create_task(self._watch(request))
        self._watching.add(task)
        task.add_done_callback(self._watching.discard)
        return request

    async def _watch(self, request: Request) -> None:
        """Forgets a run when it is over, and its master when that is gone."""
        with suppress(LogError):
            await request.ended()
        self._controllers.unregister(request.run)
        del self._requests[request.run]
        if self.leases is not None:
            await self.leases.release(request.run)
        await self._sessions[request.run].gone()
        del self._sessions[request.run]

    async def _known(self, run: str, prompt: str, key: str) -> bool:
        """Returns whether a key has been used before, for the same request."""
        first = await self.log.read(run, 0, 1)
        if not first:
            return False
        event = first[0].event
        if not isinstance(event, RequestReceived) or event.prompt != prompt:
            raise RequestConflict(f"the key {key[:80]!r} was used for another request")
        return True

    def _session(self, run: str) -> MasterSession:
        session = self._sessions.get(run)
        if session is None or session.over:
            raise RequestConflict(f"the master of run {run} has ended: send a new request")
        if not session.idle:
            raise RequestConflict(f"the master of run {run} is working: send it a message instead")
        return session


def orchestrator_factory(
    env: Mapping[str, str],
) -> Callable[[Log, Controllers, Callable[[str, Draft], None]], Orchestrator]:
    """Returns a function that makes the orchestrator of a server's log."""
    return lambda log, controllers, on_draft: Orchestrator(
        env=env,
        log=log,
        controllers=controllers,
        leases=log.leases(),
        on_draft=on_draft,
        keep_seconds=SERVED_MASTER_IDLE_SECONDS,
    )


async def recover(log: Log, leases: Leases) -> list[str]:
    """Ends the orchestrated runs whose process is gone, and returns their names."""
    ended = []
    async for summary in every_run(log, status="live"):
        # A lease dies with the process that holds it: one that can be acquired has no holder.
        if summary.source == SOURCE and await leases.acquire(summary.run):
            try:
                await end_interrupted(log, summary.run)
                ended.append(summary.run)
            finally:
                await leases.release(summary.run)
    return ended
