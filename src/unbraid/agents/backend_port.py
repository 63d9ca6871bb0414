"""Names of the port under their former module: the orchestrator."""

from unbraid.agents.port import AgentConversation as AgentConversation
from unbraid.agents.port import Backend as Backend
