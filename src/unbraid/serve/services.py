"""What the routes work with: made once for a server, found through the request."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

from unbraid.hub.control import Controllers
from unbraid.hub.fanout import Hub
from unbraid.hub.ingest import Ingest
from unbraid.log.port import Log
from unbraid.serve.auth import Keys
from unbraid.serve.config import ServeConfig
from unbraid.serve.metrics import Metrics


@dataclass(frozen=True)
class Services:
    """The parts of a running server."""

    log: Log
    hub: Hub
    ingest: Ingest
    controllers: Controllers
    keys: Keys
    config: ServeConfig
    metrics: Metrics


def services_of(request: Request) -> Services:
    """The server's parts."""
    services: Services = request.app.state.services
    return services
