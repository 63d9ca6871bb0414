"""What the file beside a sub-agent's transcript says of it, and what tells that it is nobody's."""

from __future__ import annotations

from msgspec import Struct, field

# What 2.0 asks two agents of its own at every start, for nobody.
WARMUP = "Warmup"


class AgentFacts(Struct):
    """An agent's meta file, and the workflow it belongs to."""

    agent_id: str = field(default="", name="agentId")
    agent_type: str | None = field(default=None, name="agentType")
    description: str | None = None
    tool_use_id: str | None = field(default=None, name="toolUseId")
    parent_agent_id: str | None = field(default=None, name="parentAgentId")
    spawn_depth: int | None = field(default=None, name="spawnDepth")
    workflow: str | None = None
    finished: bool | None = None
