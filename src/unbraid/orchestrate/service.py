"""An orchestrator as servers have it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from unbraid.control.controllers import Controllers
from unbraid.events import Draft
from unbraid.log.port import Log
from unbraid.orchestrate.orchestrator import Orchestrator
from unbraid.timings import SERVED_MASTER_IDLE_SECONDS


def orchestrator_factory(
    env: Mapping[str, str], *, backend: str | None = None, cwd: Path | None = None
) -> Callable[[Log, Controllers, Callable[[str, Draft], None]], Orchestrator]:
    """Makes an orchestrator for a server's log."""

    def make(
        log: Log, controllers: Controllers, on_draft: Callable[[str, Draft], None]
    ) -> Orchestrator:
        return Orchestrator(
            backend=backend,
            cwd=cwd,
            env=env,
            log=log,
            controllers=controllers,
            leases=log.leases(),
            on_draft=on_draft,
            keep_seconds=SERVED_MASTER_IDLE_SECONDS,
        )

    return make
