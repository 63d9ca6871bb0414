"""How much an agent, or a whole request, may do and spend if nobody says otherwise."""

from __future__ import annotations

from unbraid.agents.spec import Limits

# Loops and hangs come to an end even where nobody has thought of them.
AGENT_LIMITS = Limits(turns=25, seconds=1800.0)
REQUEST_LIMITS = Limits(turns=250, children=128, seconds=7200.0)
