"""Continuing an agent of OpenCode.

A sub-agent's child is a session, but OpenCode lets no sub-agent continue one, and takes its default
agent instead: so the child's own agent is declared fit for both, to that one process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from unbraid.agents.command_line import NOT_STORED_HERE, checked_id, option
from unbraid.agents.opencode.editions import OPENCODE, Edition
from unbraid.agents.opencode.places import SESSION_ID, opencode_stores
from unbraid.agents.opencode.sessions.database import session_folder
from unbraid.agents.port import Resumption, StoredAgent
from unbraid.errors import SourceError

SETTINGS = "CONFIG_CONTENT"  # the variable with settings for one process, over all others


class OpenCodeResumer:
    """Resumes sessions, those of sub-agents too."""

    def __init__(self, env: Mapping[str, str], edition: Edition = OPENCODE) -> None:
        self._env, self._edition = env, edition

    def resume(
        self, stored: StoredAgent, arguments: Sequence[str], *, write: bool = True
    ) -> Resumption:
        """Returns the command that continues a session; `run` as its first argument stays in
        front.
        """
        wanted = stored.agent_id or stored.session_id
        session = checked_id(wanted, SESSION_ID, f"a session of {self._edition.title}")
        runs = bool(arguments) and arguments[0] == "run"
        verb, rest = (["run"], arguments[1:]) if runs else ([], arguments)
        env: dict[str, str] = {}
        named: list[str] = []
        if stored.agent_id and stored.agent and option(rest, "--agent") is None:
            named = [f"--agent={stored.agent}"]
            settings = self._edition.variable(SETTINGS)
            env[settings] = _settings(self._env.get(settings), stored.agent)
        argv = [self._edition.name, *verb, "--session", session, *named, *rest]
        return Resumption(argv, self._folder_of(session), env=env)

    def _folder_of(self, session: str) -> str | None:
        for store in opencode_stores(self._env, self._edition):
            folder = session_folder(store, session)
            if folder is not None:
                return folder
        raise SourceError(session, NOT_STORED_HERE)


def _settings(before: str | None, agent: str) -> str:
    """Returns settings with an agent that may be a main one, too; whatever else is set there
    stays.
    """
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
