"""The name under which agents' descriptions have been documented: `Agent` is `AgentSpec`."""

from unbraid.agents.spec import AgentSpec as Agent

__all__ = ["Agent"]
