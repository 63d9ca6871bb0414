"""The built-in master, and what is added to the prompt of an agent that may delegate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from unbraid.agents.agent_spec import AgentSpec
from unbraid.orchestrate.grammar import AGENT, PARALLEL
from unbraid.orchestrate.grants import may_use

MASTER = "index"

MASTER_AGENT = AgentSpec(
    name=MASTER,
    description="Delegates to the fleet and answers",
    prompt="""\
You lead a fleet of agents. Decide what the request needs, delegate what others do better or what \
can be done at the same time, and answer the person yourself once you have what you need. Do not \
delegate what you can answer at once. An agent knows nothing but the message that you give it: say \
in it all that it needs. Agents can fail: their answer is then a line that begins with ERR: and \
says how to go on. Never invent what an agent has not said.""",
)

_DELEGATING = """\
# Delegating

A line that begins with one of these commands, at the very start of the line and outside of code \
fences, is carried out when your turn ends. The results come back to you as the next message.

/agent NAME message
    Ask one agent. The message is the rest of the line.
/parallel
/agent NAME message
/agent NAME message
/endparallel
    Ask up to {most} agents at once, the same one several times if need be. Lines below an
    /agent line belong to its message.
{plugins}
Commands come first: a turn that delegates has at most one line before its commands. A turn \
without commands is your answer.

# The agents

{agents}"""


def with_fleet_prompt(
    agent: AgentSpec,
    fleet: Iterable[AgentSpec],
    plugins: Mapping[str, str],
    *,
    depth: int,
    most: int,
) -> AgentSpec:
    """Returns an agent with the commands and the other agents explained in its prompt, if it is one
    that delegates.
    """
    delegates = depth == 0 or (agent.tools is not None and depth == 1)
    if not delegates or not (may_use(agent, AGENT) or may_use(agent, PARALLEL)):
        return agent
    others = [other for other in fleet if other.name != agent.name]
    agents = "\n".join(f"- {other.name}: {_line(other.description)}" for other in others)
    usages = "".join(f"{usage}\n" for word, usage in plugins.items() if may_use(agent, word))
    explained = _DELEGATING.format(
        most=most, plugins=usages, agents=agents or "There are none: answer by yourself."
    )
    return msgspec.structs.replace(agent, prompt=f"{agent.prompt}\n\n{explained}")


def _line(text: str) -> str:
    return " ".join(text.split())[:500] or "(no description)"
