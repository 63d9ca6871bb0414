"""Tool parts: calls and their results, and the agents that `task` calls start."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw

from unbraid.agents.opencode.dialect.sessions import SessionAttribution
from unbraid.agents.opencode.dialect.texts import Texts
from unbraid.agents.opencode.records import Part, ToolState, agent_answer, error_text
from unbraid.events import RelayEvent, ToolResult, ToolUse
from unbraid.events.parts import decoded
from unbraid.read.clock import Clock
from unbraid.read.content import split_content
from unbraid.read.contexts import Agents, Context
from unbraid.read.seen import newly


class ToolParts:
    """Reports each call once, when it runs, and each result once."""

    def __init__(
        self,
        *,
        clock: Clock,
        agents: Agents[Context],
        sessions: SessionAttribution,
        texts: Texts,
        seen: dict[int, None],
    ) -> None:
        self._clock = clock
        self._agents = agents
        self._sessions = sessions
        self._texts = texts
        self._seen = seen
        self._begun: dict[str, tuple[int, Raw]] = {}  # by open call: when, and with what

    @property
    def are_open(self) -> bool:
        """Whether a call has no result yet."""
        return bool(self._begun)

    def input_of(self, call_id: str) -> Any:
        """Returns what an open call was given; None if there is none of that id."""
        found = self._begun.get(call_id)
        return None if found is None else decoded(bytes(found[1]))

    def part(self, context: Context, part: Part, out: list[RelayEvent]) -> None:
        """Takes a tool part as it is now."""
        state = part.state
        call_id = part.call_id or part.id
        spawns = part.tool == "task"
        if state is None or state.status == "pending":
            if spawns and hash(("call", part.message_id, call_id)) not in self._seen:
                self._sessions.call_pending(call_id)
            return
        self._sessions.call_begun(call_id)
        if newly(self._seen, hash(("call", part.message_id, call_id))):
            self._begun[call_id] = self._clock.ts, state.input
            out.append(
                ToolUse(
                    context=context.id,
                    ts=self._clock.ts,
                    message_id=part.message_id,
                    block=self._texts.next_block(part.message_id),
                    tool_use_id=call_id,
                    tool=part.tool or "",
                    input_json=state.input,
                )
            )
        child = self._sessions.spawned(context, part, call_id, out=out) if spawns else None
        if state.status not in ("completed", "error"):
            return
        if not newly(self._seen, hash(("result", part.message_id, call_id))):
            return
        ok = state.status == "completed"
        content, parts = split_content(state.output if ok else error_text(state.error))
        out.append(
            ToolResult(
                context=context.id,
                ts=self._clock.ts,
                tool_use_id=call_id,
                ok=ok,
                content_json=Raw(msgspec.json.encode(content)),
                parts=(parts or []) + (state.attachments or []) or None,
                tool=part.tool,
                duration_ms=self._duration(call_id, state),
            )
        )
        if child is not None and child.call == call_id:
            reason = "completed" if ok else "failed"
            self._agents.end(child, ok=ok, reason=reason, content=agent_answer(content), out=out)

    def _duration(self, call_id: str, state: ToolState) -> int | None:
        began, _ = self._begun.pop(call_id, (0, None))
        time = state.time
        if time is not None and time.start is not None and time.end is not None:
            return round(time.end) - round(time.start)
        now = self._clock.ts
        return now - began if began and now >= began else None
