"""What watches need to answer hooks: which run records a session, and how a request is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path

from unbraid.agents.control_port import Attendance
from unbraid.agents.hook_port import FOLDER, ORDERS_NAME, HookedWatch
from unbraid.agents.port import SessionWatch
from unbraid.control.controllers import Controllers
from unbraid.errors import LogError
from unbraid.events import FleetEvent, FleetPermissionReplied
from unbraid.log.port import Log
from unbraid.timings import HOOK_SESSION_TIMEOUT_SECONDS, RUN_POLL_SECONDS
from unbraid.watch.hook_socket import HookSocket


class HookService:
    """The `HookServices` of a watcher. `run_now` returns the run that records a session at present,
    and `look` makes the watcher look at a session.
    """

    def __init__(
        self,
        log: Log,
        controllers: Controllers,
        home: Path,
        *,
        run_now: Callable[[str], str | None],
        look: Callable[[SessionWatch, str], None],
    ) -> None:
        self._log, self._controllers, self._home = log, controllers, home
        self._run_now, self._look = run_now, look
        self._mail: set[str] = set()
        self._socket: HookSocket | None = None

    async def run(self, watches: Iterable[SessionWatch]) -> None:
        """Answers hooks until cancelled."""
        hooked: dict[str, HookedWatch] = {}
        for watch in watches:
            if isinstance(watch, HookedWatch):
                watch.use_hooks(_OfWatch(self, partial(self._look, watch)))
                hooked[watch.hook_kind] = watch
        self._socket = HookSocket(self._home / FOLDER, hooked)
        try:
            await self._socket.run()
        finally:
            self._put_mail(waits=False)

    @property
    def is_others(self) -> bool:
        """Whether another process of ours answers hooks: it can only do so for sessions that it
        records.
        """
        return self._socket is not None and self._socket.is_others

    @property
    def attendance(self) -> Attendance:
        """Whether a person answers here."""
        return self._controllers.attendance

    async def run_of(self, session_id: str) -> str | None:
        """Returns the run that records a session, as soon as there is one."""
        with suppress(TimeoutError):
            async with asyncio.timeout(HOOK_SESSION_TIMEOUT_SECONDS):
                while (run := self._run_now(session_id)) is None:  # noqa: ASYNC110
                    await asyncio.sleep(RUN_POLL_SECONDS)
                return run
        return None

    async def replied(self, run: str, request_id: str) -> None:
        """Waits until the log says that a request was answered."""
        try:
            summary = await self._log.run(run)
            since = 0 if summary is None else summary.last_seq
            async for batch in self._log.follow(run, since):
                for entry in batch:
                    if entry.type == "permission_replied" and _is_reply(entry.event, request_id):
                        return
        except LogError:
            # It is unknown whether there was an answer: the request waits for one here.
            await asyncio.get_running_loop().create_future()

    def note_orders(self, kind: str, *, waits: bool) -> None:
        """Notes whether something waits for sessions of a kind."""
        before = bool(self._mail)
        (self._mail.add if waits else self._mail.discard)(kind)
        if bool(self._mail) != before:
            self._put_mail(waits=bool(self._mail))

    def _put_mail(self, *, waits: bool) -> None:
        path = self._home / FOLDER / ORDERS_NAME
        with suppress(OSError):
            if waits:
                path.touch(mode=0o600)
            else:
                path.unlink(missing_ok=True)


class _OfWatch:
    """The same for one watch."""

    def __init__(self, service: HookService, look: Callable[[str], None]) -> None:
        self.attendance, self.look = service.attendance, look
        self.run_of, self.replied, self.note_orders = (
            service.run_of,
            service.replied,
            service.note_orders,
        )


def _is_reply(event: FleetEvent, request_id: str) -> bool:
    return isinstance(event, FleetPermissionReplied) and event.request_id == request_id
