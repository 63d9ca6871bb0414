"""Watched sessions that can be steered, registered by the run that records them."""

from __future__ import annotations

from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

from unbraid.agents.port import SessionWatch
from unbraid.agents.session_port import SteeredWatch
from unbraid.control.controllers import Controllers
from unbraid.control.resume import agent_of
from unbraid.control.sockets import steerable
from unbraid.log.port import Log

MAX_SILENT = 64


class SteeredRuns:
    """The controllers of watched sessions. Other processes use them through `home`, our folder."""

    def __init__(self, log: Log, controllers: Controllers, home: Path) -> None:
        self._log, self._controllers, self._home = log, controllers, home
        self._runs: dict[str, str] = {}  # session: the run that it is registered by
        self._silent: dict[str, None] = {}
        self._listening: dict[str, AsyncExitStack] = {}  # session: the socket of its own

    async def note(self, watch: SessionWatch, session_id: str, run: str) -> None:
        """Registers the run that records a session, if the session can be steered."""
        self._silent.pop(session_id, None)
        before = self._runs.get(session_id)
        if before == run or not isinstance(watch, SteeredWatch):
            return
        controller = watch.controller(session_id, run, partial(agent_of, self._log, run))
        if controller is None:
            return
        self._runs[session_id] = run
        if before is None:
            opened = self._listening[session_id] = AsyncExitStack()
            await opened.enter_async_context(steerable(self._home, controller, session_id))
        else:
            # The run before has ended, and the session continues.
            self._controllers.unregister(before)
        self._controllers.register(run, controller)

    async def note_silent(self, session_id: str) -> None:
        """Notes that a session is no longer followed. A message can begin its next run, so the
        last ones stay registered; each has a socket, so older ones do not.
        """
        if session_id not in self._runs:
            return
        self._silent[session_id] = None
        while len(self._silent) > MAX_SILENT:
            await self._forget(next(iter(self._silent)))

    async def _forget(self, session_id: str) -> None:
        self._silent.pop(session_id, None)
        if (run := self._runs.pop(session_id, None)) is not None:
            self._controllers.unregister(run)
        if (opened := self._listening.pop(session_id, None)) is not None:
            await opened.aclose()

    async def close(self) -> None:
        """Unregisters all of them."""
        for session_id in list(self._listening):
            await self._forget(session_id)
