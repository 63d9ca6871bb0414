"""An orchestrator as servers have it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unbraid.events import Draft
from unbraid.log.port import Log
from unbraid.orchestrate.orchestrator import Orchestrator
from unbraid.steer.controllers import Controllers
from unbraid.timings import SERVED_MASTER_IDLE_SECONDS


def orchestrator_factory(
    env: Mapping[str, str],
) -> Callable[[Log, Controllers, Callable[[str, Draft], None]], Orchestrator]:
    """Returns a function that makes the orchestrator of a server's log."""

    def make(
        log: Log, controllers: Controllers, on_draft: Callable[[str, Draft], None]
    ) -> Orchestrator:
        return Orchestrator(
            env=env,
            log=log,
            controllers=controllers,
            leases=log.leases(),
            on_draft=on_draft,
            keep_seconds=SERVED_MASTER_IDLE_SECONDS,
        )

    return make
