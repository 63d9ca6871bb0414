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


class SteeredRuns:
    """The controllers of watched sessions. Other processes use them through `home`, our folder."""

    def __init__(self, log: Log, controllers: Controllers, home: Path) -> None:
        self._log, self._controllers, self._home = log, controllers, home
        self._runs: dict[str, str] = {}  # session: the run that it is registered by
        self._listening = AsyncExitStack()

    async def note(self, watch: SessionWatch, session_id: str, run: str) -> None:
        """Registers the run that records a session, if the session can be steered."""
        before = self._runs.get(session_id)
        if before == run or not isinstance(watch, SteeredWatch):
            return
        controller = watch.controller(session_id, run, partial(agent_of, self._log, run))
        if controller is None:
            return
        self._runs[session_id] = run
        if before is None:
            opened = steerable(self._home, controller, session_id)
            await self._listening.enter_async_context(opened)
        else:
            # The run before has ended, and the session continues.
            self._controllers.unregister(before)
        self._controllers.register(run, controller)

    async def close(self) -> None:
        """Unregisters all of them."""
        await self._listening.aclose()
