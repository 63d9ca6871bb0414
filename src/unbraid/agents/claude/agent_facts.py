"""The contents of a sub-agent's meta file, and the prompt by which warm-up agents are
recognized.
"""

from __future__ import annotations

from msgspec import Struct, field

# The prompt of the two warm-up agents that version 2.0 starts by itself.
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
