"""One run in, many viewers out."""

from unbraid.serve.hub.fanout import Hub, HubStats, TooManyViewers
from unbraid.serve.hub.viewer import Cut, Form, Viewer

__all__ = ["Cut", "Form", "Hub", "HubStats", "TooManyViewers", "Viewer"]
