"""Watched sessions that can be steered, registered by the run that records them."""

from __future__ import annotations

from functools import partial

from unbraid.agents.port import SessionWatch
from unbraid.log.port import Log
from unbraid.steer.controllers import Controllers
from unbraid.steer.resume import agent_of

MAX_SILENT = 64


class SteeredRuns:
    """The controllers of watched sessions."""

    def __init__(self, log: Log, controllers: Controllers) -> None:
        self._log, self._controllers = log, controllers
        self._runs: dict[str, str] = {}  # session: the run that it is registered by
        self._silent: dict[str, None] = {}

    def note(self, watch: SessionWatch, session_id: str, run: str) -> None:
        """Registers the run that records a session, if the session can be steered."""
        self._silent.pop(session_id, None)
        before = self._runs.get(session_id)
        if before == run:
            return
        controller = watch.controller(session_id, run, partial(agent_of, self._log, run))
        if controller is None:
            return
        if before is not None:
            # The run before has ended, and the session continues.
            self._controllers.unregister(before)
        self._runs[session_id] = run
        self._controllers.register(run, controller)

    def note_silent(self, session_id: str) -> None:
        """Notes that a session is no longer followed. A message can begin its next run, so the
        last ones stay registered; older ones do not.
        """
        if session_id not in self._runs:
            return
        self._silent[session_id] = None
        while len(self._silent) > MAX_SILENT:
            forgotten = next(iter(self._silent))
            del self._silent[forgotten]
            self._controllers.unregister(self._runs.pop(forgotten))
