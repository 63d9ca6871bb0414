"""What the routes work with: made once for a server, found through the request."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from starlette.requests import Request

from unbraid.agents.port import SearchHit
from unbraid.control.controllers import Controllers
from unbraid.control.sending_machines import SendingMachines
from unbraid.hub.fanout import Hub
from unbraid.log.port import Log, WholeLogReader
from unbraid.log.summary import RunSummary
from unbraid.notify.page_alerts import PageAlerts
from unbraid.record.event_ingest import EventIngest
from unbraid.record.ingest import Ingest
from unbraid.serve.access.auth import Keys
from unbraid.serve.access.throttle import Throttle
from unbraid.serve.ag_ui_threads import AgUiThreads
from unbraid.serve.body_budget import BodyBudget
from unbraid.serve.config import ServeConfig
from unbraid.serve.log_health import LogHealth
from unbraid.serve.metrics import Metrics
from unbraid.sessions.costs import SpentRun

if TYPE_CHECKING:
    from unbraid.orchestrate.orchestrator import Orchestrator


class History(Protocol):
    """The sessions on this machine that are not in the log."""

    listed: int
    total: int

    async def runs(
        self,
        *,
        status: str | None = None,
        matching: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunSummary]:
        """Returns those found so far, in the order and with the choices of the log's own runs."""
        ...

    async def open(self, name: str) -> RunSummary | None:
        """Read a session into the log; None if there is none of that name."""
        ...

    async def spent(self, *, since: int = 0) -> list[SpentRun]:
        """Returns what all stored sessions have used, those in the log included."""
        ...

    async def search(self, query: str, *, limit: int = 20, redact: bool = False) -> list[SearchHit]:
        """Returns the matches in them; with `redact`, in what may be shown of them."""
        ...


@dataclass(frozen=True)
class Services:
    """The parts of a running server. `log` is what may be shown, `store` what it is read from."""

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
    history: History | None = None
    alerts: PageAlerts = field(default_factory=PageAlerts)
    orchestrator: Orchestrator | None = None
    threads: AgUiThreads = field(default_factory=AgUiThreads)


def services_of(request: Request) -> Services:
    """Returns the server's parts."""
    services: Services = request.app.state.services
    return services
