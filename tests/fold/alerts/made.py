"""Events made by hand: of agents that work, wait, fail and repeat themselves."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw

from unbraid import events as e

MAIN: dict[str, Any] = {"stream_id": 0, "depth": 0, "agent": "main"}


def helper(number: int, agent: str = "helper") -> dict[str, Any]:
    return {"stream_id": number, "depth": 1, "agent": agent}


class Maker:
    """Makes the events of one run, a second apart unless it is said otherwise."""

    def __init__(self, begin: int = 1_000_000, step: int = 1000) -> None:
        self.ts, self.seq, self.step = begin, 0, step

    def make(
        self, kind: type[e.FleetEvent], who: dict[str, Any] = MAIN, **given: Any
    ) -> e.FleetEvent:
        self.ts += self.step
        self.seq += 1
        return kind(seq=self.seq, ts=self.ts, **who, **given)

    def begin(self, cwd: str = "/srv/shop", source: str = "claude") -> list[e.FleetEvent]:
        return [
            self.make(e.RequestReceived, source=source, cwd=cwd, prompt="Fix the tests"),
            self.make(e.StreamStart, parent_stream_id=None),
        ]

    def start(
        self, number: int, agent: str = "helper", parent: int = 0, prompt: str | None = None
    ) -> e.FleetEvent:
        who = helper(number, agent)
        return self.make(e.StreamStart, who, parent_stream_id=parent, prompt=prompt)

    def end(self, who: dict[str, Any] = MAIN, reason: str = "failed") -> e.FleetEvent:
        return self.make(e.StreamEnd, who, ok=reason == "completed", reason=reason)

    def done(self, *, ok: bool = False) -> e.FleetEvent:
        return self.make(
            e.Done,
            ok=ok,
            streams=1,
            input_tokens=0,
            output_tokens=0,
            cache_read_tokens=0,
            cache_creation_tokens=0,
        )

    def text(self, who: dict[str, Any] = MAIN) -> e.FleetEvent:
        return self.make(e.Text, who, delta="So", message_id="m", block=0)

    def asked(self, request_id: str, who: dict[str, Any] = MAIN, **given: Any) -> e.FleetEvent:
        raw = Raw(msgspec.json.encode(given or {"command": "rm -rf build"}))
        return self.make(
            e.FleetPermissionAsked, who, request_id=request_id, tool="Bash", input_json=raw
        )

    def replied(self, request_id: str, who: dict[str, Any] = MAIN) -> e.FleetEvent:
        return self.make(e.FleetPermissionReplied, who, request_id=request_id, behavior="allow")

    def turn(self) -> e.FleetEvent:
        return self.make(e.FleetTurnComplete, ok=True, subtype="")

    def usage(self, tokens: int, dollars: float | None, who: dict[str, Any] = MAIN) -> e.FleetEvent:
        return self.make(
            e.FleetTokenUsage,
            who,
            message_id=f"m{self.seq}",
            model="x",
            input_tokens=tokens,
            output_tokens=0,
            cache_read_tokens=0,
            cache_creation_tokens=0,
            estimated_usd=dollars,
        )

    def call(
        self, given: object, content: str, who: dict[str, Any] = MAIN, *, ok: bool = True
    ) -> list[e.FleetEvent]:
        """A call of Bash and its result."""
        name = f"t{self.seq}"
        raw = Raw(msgspec.json.encode({"command": given}))
        result = Raw(msgspec.json.encode(content))
        return [
            self.make(e.FleetToolUse, who, tool_use_id=name, tool="Bash", input_json=raw),
            self.make(e.FleetToolResult, who, tool_use_id=name, ok=ok, content_json=result),
        ]
