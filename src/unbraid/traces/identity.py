"""The ids of a run's trace and of its spans, by the W3C's rules for them.

They are derived from the run and from what the span stands for, never made up: if a run is sent a
second time, from wherever, it has the same spans.
"""

from __future__ import annotations

import re
from hashlib import sha256

from msgspec import Struct

_TRACEPARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_NAMESPACE = "unbraid"


class TraceParent(Struct, frozen=True):
    """A span of another program, as `TRACEPARENT` names it."""

    trace_id: int
    span_id: int
    flags: int = 1

    @classmethod
    def parse(cls, text: str | None) -> TraceParent | None:
        """Returns the span that a `TRACEPARENT` names; None if it names none."""
        found = _TRACEPARENT.fullmatch((text or "").strip())
        if found is None or found[1] == "ff" or (found[1] == "00" and found[5]):
            return None
        trace_id, span_id = int(found[2], 16), int(found[3], 16)
        return cls(trace_id, span_id, int(found[4], 16)) if trace_id and span_id else None

    def __str__(self) -> str:
        return f"00-{self.trace_id:032x}-{self.span_id:016x}-{self.flags:02x}"


class TraceIdentity:
    """The ids of one run; below `parent`, if it has one, the run is part of that one's trace."""

    def __init__(self, run: str, parent: TraceParent | None = None) -> None:
        self.run, self.parent = run, parent
        self.trace_id = parent.trace_id if parent else _derived("trace", run, size=16)

    def span_id(self, kind: str, stream_id: int, name: str = "") -> int:
        """Returns the id of a span: of an agent, or of one thing that it did."""
        return _derived(kind, self.run, str(stream_id), name, size=8)

    @property
    def root(self) -> TraceParent:
        """The span of the main agent, for programs that trace work below it."""
        flags = self.parent.flags if self.parent else 1
        return TraceParent(self.trace_id, self.span_id("agent", 0), flags)


def _derived(*parts: str, size: int) -> int:
    # Lengths, so that no two lists of parts are one text; zero is no id.
    text = "".join(f"{len(part)}:{part}" for part in (_NAMESPACE, *parts))
    return int.from_bytes(sha256(text.encode("utf-8", "replace")).digest()[:size], "big") or 1
