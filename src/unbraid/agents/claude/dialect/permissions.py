"""Permission requests: `control_request`, and the results that answer them."""

from __future__ import annotations

from unbraid.agents.claude.records import ClaudeRecord, ControlRecord
from unbraid.events import PermissionAsked, PermissionReplied, RelayEvent
from unbraid.translate.clock import Clock
from unbraid.translate.contexts import Context
from unbraid.translate.lifecycle import Agents
from unbraid.wire.record import read_as


class Permissions:
    """Which tool calls wait for a permission: `requests` has their request ids, by call."""

    def __init__(self, clock: Clock, agents: Agents) -> None:
        self._clock = clock
        self._agents = agents
        self.requests: dict[str, str] = {}  # by tool call
        self._awaited: dict[str, str] = {}  # asked in a terminal: request, and whose it is

    def asked(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """A `control_request` record."""
        control = read_as(ControlRecord, record.raw)
        request = control.request
        if request is None or request.subtype != "can_use_tool":
            return
        call_id = request.tool_use_id
        if call_id is None:  # 1.0 does not say which call it is about
            open_calls = self._agents.calls.items()
            call_id = next((i for i, c in open_calls if c.tool == request.tool_name), None)
        call = self._agents.calls.get(call_id or "")
        context = call.context if call is not None else self._agents.contexts.root
        if call_id is not None:
            self.requests[call_id] = control.request_id
        out.append(
            PermissionAsked(
                context.id,
                self._clock.ts,
                request_id=control.request_id,
                tool=request.tool_name,
                tool_use_id=call_id,
                input_json=request.input,
            )
        )

    def cancelled(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """A `control_cancel_request` record."""
        request_id = read_as(ControlRecord, record.raw).request_id
        for call_id, asked in list(self.requests.items()):
            if asked == request_id:
                del self.requests[call_id]
        out.append(PermissionReplied("", self._clock.ts, request_id, "cancelled"))

    def awaited(self, request_id: str, out: list[RelayEvent]) -> None:
        """A person is asked in the session's own terminal: for the oldest call that is open and
        starts no agent, as far as can be seen from outside.
        """
        if self._awaited:
            return
        calls = self._agents.calls
        asking = [name for name, call in calls.items() if call.spawns is None]
        call_id = next((name for name in asking if name not in self.requests), None)
        call = calls.get(call_id or "")
        context = call.context if call is not None else self._agents.contexts.root
        self._awaited[request_id] = context.id
        if call_id is not None:
            self.requests[call_id] = request_id
        out.append(
            PermissionAsked(
                context.id,
                self._clock.ts,
                request_id=request_id,
                tool=call.tool if call is not None else "",
                tool_use_id=call_id,
            )
        )

    def dismissed(self, out: list[RelayEvent]) -> None:
        """Nobody is asked any more. What the answer was, the call's result may show later."""
        for request_id, context_id in self._awaited.items():
            self.requests = {
                call: asked for call, asked in self.requests.items() if asked != request_id
            }
            out.append(PermissionReplied(context_id, self._clock.ts, request_id, "answered"))
        self._awaited.clear()

    def answered(self, call_id: str, context: Context, out: list[RelayEvent], *, ok: bool) -> None:
        """A call has its result, so its permission request has been answered."""
        request = self.requests.pop(call_id, None)
        if request is not None:
            self._awaited.pop(request, None)
            behavior = "allow" if ok else "deny"
            out.append(PermissionReplied(context.id, self._clock.ts, request, behavior))
