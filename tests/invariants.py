"""The log of a run as bytes."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unbraid import events as e


def log_of(events: Sequence[e.FleetEvent]) -> bytes:
    """The log as bytes; each event is one JSON object of its type, on one line."""
    lines = [e.encode(event) for event in events]
    for event, line in zip(events, lines, strict=True):
        assert b"\n" not in line
        assert msgspec.json.decode(line)["type"] == event.type
    return b"\n".join(lines)
