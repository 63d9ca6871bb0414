"""Which commands of the orchestrator an agent may use.

A file that was written for one kind of agent lists that kind's tools: an agent that has the tool
which starts sub-agents may delegate, and one that has the tool which reads web pages may `/fetch`.
"""

from __future__ import annotations

from unbraid.agents.agent_spec import AgentSpec
from unbraid.agents.registry import kinds


def may_use(agent: AgentSpec, command: str) -> bool:
    """Returns whether an agent may use a command, by its name or by any kind's tool that does the
    same.
    """
    names = {f"/{command}"}.union(*(kind.tools_like.get(command, ()) for kind in kinds()))
    if not names.isdisjoint(agent.denied):
        return False
    return agent.tools is None or not names.isdisjoint(agent.tools)
