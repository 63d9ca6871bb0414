"""What the routes work with: made once for a server, found through the request."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from starlette.requests import Request

from unbraid.log.port import Log, WholeLogReader
from unbraid.record.event_ingest import EventIngest
from unbraid.record.ingest import Ingest
from unbraid.record.sessions.all_runs import AllRuns
from unbraid.record.sessions.stored_sessions import StoredSessionList
from unbraid.send.senders import PageAlerts
from unbraid.serve.access.auth import Keys
from unbraid.serve.access.throttle import Throttle
from unbraid.serve.body_budget import BodyBudget
from unbraid.serve.config import ServeConfig
from unbraid.serve.hub.fanout import Hub
from unbraid.serve.log_health import LogHealth
from unbraid.serve.metrics import Metrics
from unbraid.steer.controllers import Controllers
from unbraid.steer.servers import SendingMachines

if TYPE_CHECKING:
    from unbraid.orchestrate.orchestrator import Orchestrator

MAX_THREADS = 1000


class AgUiThreads:
    """Which run of ours an AG-UI thread is in, of the threads that were used last: the next request
    of a thread goes to the same master.
    """

    def __init__(self) -> None:
        self._runs: dict[str, str] = {}

    def get(self, thread_id: str) -> str | None:
        """Returns the latest run of a thread."""
        return self._runs.get(thread_id)

    def put(self, thread_id: str, run: str) -> None:
        """Notes the latest run of a thread."""
        self._runs.pop(thread_id, None)
        self._runs[thread_id] = run
        while len(self._runs) > MAX_THREADS:
            del self._runs[next(iter(self._runs))]


@dataclass(frozen=True)
class Services:
    """The parts of a running server. `log` is what may be shown, `store` what it is read from, and
    `all_runs` are those that are listed.
    """

    log: WholeLogReader
    store: Log
    hub: Hub
    ingest: Ingest
    event_ingest: EventIngest
    controllers: Controllers
    sending_machines: SendingMachines
    keys: Keys
    config: ServeConfig
    metrics: Metrics
    throttle: Throttle
    bodies: BodyBudget
    health: LogHealth
    all_runs: AllRuns
    stored_sessions: StoredSessionList | None = None
    alerts: PageAlerts = field(default_factory=PageAlerts)
    orchestrator: Orchestrator | None = None
    threads: AgUiThreads = field(default_factory=AgUiThreads)


def services_of(request: Request) -> Services:
    """Returns the server's parts."""
    services: Services = request.app.state.services
    return services
