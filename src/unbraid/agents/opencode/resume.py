"""Continuing an agent of OpenCode.

A sub-agent's child is a session, but OpenCode lets no sub-agent continue one, and takes its default
agent instead: so the child's own agent is declared fit for both, to that one process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from unbraid.agents.command_line import option
from unbraid.agents.port import Resumption, StoredAgent

SETTINGS = "OPENCODE_CONFIG_CONTENT"  # OpenCode's settings for one process, over all others


class OpenCodeResumer:
    """Resumes sessions, those of sub-agents too."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env

    def resume(self, stored: StoredAgent, arguments: Sequence[str]) -> Resumption:
        """The command that continues a session; `run` as its first argument stays in front."""
        runs = bool(arguments) and arguments[0] == "run"
        verb, rest = (["run"], arguments[1:]) if runs else ([], arguments)
        env: dict[str, str] = {}
        named: list[str] = []
        if stored.agent_id and stored.agent and option(rest, "--agent") is None:
            named = [f"--agent={stored.agent}"]
            env[SETTINGS] = _settings(self._env.get(SETTINGS), stored.agent)
        session = stored.agent_id or stored.session_id
        return Resumption(
            ["opencode", *verb, "--session", session, *named, *rest], stored.cwd, env=env
        )


def _settings(before: str | None, agent: str) -> str:
    """Settings with an agent that may be a main one, too; whatever else is set there stays."""
    try:
        settings = msgspec.json.decode(before or "{}", type=dict[str, Any])
    except msgspec.MsgspecError:
        settings = {}
    agents = settings.get("agent")
    agents = agents if isinstance(agents, dict) else {}
    about = agents.get(agent)
    about = about if isinstance(about, dict) else {}
    settings["agent"] = {**agents, agent: {**about, "mode": "all"}}
    return msgspec.json.encode(settings).decode()
