"""What is known of one transcript: ids, folder, times, usage. The index stores this.

A list of unchanged sessions needs nothing else, so the modules that read transcripts are not
imported for it.
"""

from __future__ import annotations

from msgspec import Struct, field

from unbraid.agents.claude.agent_facts import AgentFacts
from unbraid.agents.claude.sessions.discovery import File
from unbraid.fleet.prices import MessageTokens
from unbraid.fleet.shares import UsageShare

# The agent of what sub-agents have used that 1.0 keeps in the session's own file.
SIDECHAIN = "sidechain"
# The id of a transcript's first message, and the session that it is marked to be copied from.
First = tuple[str, str | None]


class LastMessage(Struct, array_like=True):
    """The last message of a sub-agent whose usage is not final: when, of which model, how much."""

    ts: int
    model: str | None
    tokens: MessageTokens


class SessionAccount(Struct, array_like=True):
    """What a session has cost by its own `cost-state`, all agents together: the tokens that this
    covers, their model if it is one, and the time up to which.
    """

    session_id: str | None
    cost_usd: float
    tokens: UsageShare
    until: int


class Counts(Struct, omit_defaults=True):
    """What was counted in one transcript.

    `messages` are in `shares`, those of sub-agents that 1.0 keeps in the session's own file as
    `SIDECHAIN`; those that were `copied` from another transcript are not. `reports` are the final
    usages that sub-agents' last messages had, as this conversation was given them. `spawns` are the
    calls that were to start an agent, whether they did or not.
    """

    messages: int = 0
    copied: int = 0
    shares: list[UsageShare] = field(default_factory=list)
    unfinished: LastMessage | None = None
    reports: dict[str, MessageTokens] = field(default_factory=dict)
    account: SessionAccount | None = None
    spawns: set[str] = field(default_factory=set)


class Facts(Struct):
    """One transcript. `sidechains` are the sub-agents that 1.0 keeps in the session's own file;
    `agent` is what the `agent_file` beside a sub-agent's says.
    """

    size: int = 0
    mtime_ns: int = 0
    session_id: str | None = None
    agent_id: str | None = None
    cwd: str | None = None
    title: str | None = None
    version: str | None = None
    model: str | None = None
    started: int = 0
    updated: int = 0
    answered: bool = False
    ending: str | None = None
    sidechains: int = 0
    counts: Counts = field(default_factory=Counts)
    behind: list[File] = field(default_factory=list)
    agent: AgentFacts = field(default_factory=AgentFacts)
    agent_file: File | None = None
