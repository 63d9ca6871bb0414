"""One run in, many viewers out."""

from unbraid.hub.fanout import Hub, HubStats, TooManyViewers
from unbraid.hub.frames import Cut, Form
from unbraid.hub.viewer import Viewer

__all__ = ["Cut", "Form", "Hub", "HubStats", "TooManyViewers", "Viewer"]
