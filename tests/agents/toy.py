"""A kind of agents that needs no more than a dialect and a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from unbraid.agents.files import JsonlSessions
from unbraid.agents.port import AgentKind, Dialect
from unbraid.events import RelayEvent
from unbraid.wire.record import Record, decode


class Toy(AgentKind):
    """It keeps each session in a file of its own."""

    name = "toy"
    title = "Toy"

    def dialect(self) -> Dialect:
        """Lines that say `toy`."""
        return ToyDialect()

    def sessions(self, env: Mapping[str, str]) -> JsonlSessions:
        """Files below its folder."""
        return JsonlSessions(self.name, Path(env["HOME"]) / "toys")


class ToyDialect:
    """Its lines say who wrote them."""

    ts = 0
    outcome = None

    def decode(self, line: bytes) -> Record | None:
        """A line that says so."""
        return decode(line) if b'"toy"' in line else None

    def translate(self, record: Record, out: list[RelayEvent]) -> None:
        """Nothing new."""

    def finish(self, out: list[RelayEvent]) -> None:
        """Nothing waits."""


def said(text: str) -> bytes:
    """A line in which the agent says something, in words that a translator knows."""
    message = {
        "id": f"msg_{text}",
        "role": "assistant",
        "content": [{"type": "text", "text": text}],
    }
    return json.dumps({"type": "assistant", "uuid": text, "message": message}).encode() + b"\n"
