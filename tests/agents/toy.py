"""A kind of agents that needs no more than a dialect and a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import msgspec

from unbraid.agents.files import JsonlSessions
from unbraid.agents.port import AgentKind, Dialect
from unbraid.events import RelayEvent, TextDelta
from unbraid.read.record import Record


class Toy(AgentKind):
    """It keeps each session in a file of its own."""

    name = "toy"
    title = "Toy"

    def dialect(self) -> ToyDialect:
        """Records that have a field `toy`."""
        return ToyDialect()

    def sessions(self, env: Mapping[str, str]) -> JsonlSessions:
        """Files below its folder."""
        return JsonlSessions(self.name, Path(env["HOME"]) / "toys")


class ToyRecord(Record):
    """What the agent says, and under which id."""

    toy: str | None = None
    says: str = ""


class ToyDialect(Dialect[ToyRecord]):
    """Every record is a message of its own."""

    ts, outcome = 0, (True, "completed")

    def decode(self, line: bytes) -> ToyRecord | None:
        """A line that has a field `toy`."""
        record = msgspec.json.decode(line, type=ToyRecord)
        record.raw = line
        return record if record.toy is not None else None

    def translate(self, record: ToyRecord, out: list[RelayEvent]) -> None:
        """What it says is new, always."""
        out.append(TextDelta(message_id=record.toy or "", delta=record.says))

    def finish(self, out: list[RelayEvent]) -> None:
        """Nothing waits."""


def said(text: str) -> bytes:
    """A line in which the agent says something."""
    return json.dumps({"toy": f"msg-{text}", "says": text}).encode() + b"\n"
