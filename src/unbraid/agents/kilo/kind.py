"""Kilo, as the registry knows it: a program made from OpenCode, with places of its own."""

from __future__ import annotations

from typing import ClassVar

from unbraid.agents.opencode.editions import KILO, Edition
from unbraid.agents.opencode.kind import OpenCode


class Kilo(OpenCode):
    """Kilo."""

    edition: ClassVar[Edition] = KILO
    name = "kilo"
    title = "Kilo"
    program = "kilo"
    place_variables: ClassVar[tuple[str, ...]] = (KILO.variable("DB"),)
    steered_command: ClassVar[str] = (
        "kilo serve --port 4096 & unbraid --opencode http://127.0.0.1:4096"
    )
    agent_folders: ClassVar[tuple[str, ...]] = (".kilo/agent", ".kilocode/agent")

    def deltas(self) -> None:
        """Returns None: its lines are OpenCode's, which are read already."""
