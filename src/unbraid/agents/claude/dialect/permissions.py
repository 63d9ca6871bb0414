"""Permission requests: `control_request`, what a session's process publishes, what its hooks bring,
and the results that answer them.

A session's process publishes that its terminal asks, but not for what; a hook says for what. Either
may come first, and both are one request.
"""

from __future__ import annotations

from typing import NamedTuple

from unbraid.agents.claude.records import ClaudeRecord, ControlRecord
from unbraid.agents.claude.transcript import HookedPermission
from unbraid.events import PermissionAsked, PermissionReplied, RelayEvent
from unbraid.read.clock import Clock
from unbraid.read.contexts import Context
from unbraid.read.lifecycle import Agents
from unbraid.read.record import read_as

# What a process of Claude Code publishes and what its hooks say of one dialog are this close.
SAME_DIALOG_MS = 3000
# No person answers a dialog faster.
DIALOG_ANSWER_MS = 300


class _Awaited(NamedTuple):
    """The context of a request, and when a hook brought it; 0 if none did."""

    context_id: str
    asked_ms: int


class Permissions:
    """Which tool calls wait for a permission: `requests` has their request ids, by call."""

    def __init__(self, clock: Clock, agents: Agents) -> None:
        self._clock = clock
        self._agents = agents
        self.requests: dict[str, str] = {}  # by tool call
        self._calls: dict[str, str] = {}  # the same, by request
        self._awaited: dict[str, _Awaited] = {}  # asked in a terminal, by request
        self._hooked: dict[str, _Awaited] = {}  # brought by a hook, and not answered
        self._answered_ms = 0  # when the request was made that was answered here last
        self.uncalled: str | None = None  # asked in a terminal, for a call that was not read yet

    def asked(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles a `control_request` record."""
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
        self._assign(call_id, control.request_id)
        out.append(
            PermissionAsked(
                context.id,
                self._clock.ts,
                request_id=control.request_id,
                tool=request.tool_name,
                tool_use_id=call_id,
                input_json=request.input,
                can_edit=True,
            )
        )

    def cancelled(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles a `control_cancel_request` record."""
        request_id = read_as(ControlRecord, record.raw).request_id
        self._unassign(request_id)
        out.append(PermissionReplied("", self._clock.ts, request_id, behavior="cancelled"))

    def awaited(self, request_id: str, out: list[RelayEvent]) -> None:
        """Reports that a person is asked in the session's own terminal: for the oldest call that is
        open and starts no agent, as far as can be seen from outside.
        """
        # What is published may be read after the request was answered here.
        is_over = abs(self._clock.own - self._answered_ms) < SAME_DIALOG_MS
        if self._awaited or is_over:
            return
        calls = self._agents.calls
        asking = [name for name, call in calls.items() if call.spawns is None]
        call_id = next((name for name in asking if name not in self.requests), None)
        call = calls.get(call_id or "")
        context = call.context if call is not None else self._agents.contexts.root
        self._await(request_id, context, call_id, call.tool if call is not None else "", out)

    def called(self, call_id: str, context: Context, tool: str, out: list[RelayEvent]) -> None:
        """Assigns a request that was published without a call to this call, which starts no agent
        and was read after it.
        """
        request_id, self.uncalled = self.uncalled, None
        if request_id is not None:
            asked = self._awaited[request_id].context_id
            out.append(PermissionReplied(asked, self._clock.ts, request_id, behavior="cancelled"))
            self._await(request_id, context, call_id, tool, out)

    def _await(
        self,
        request_id: str,
        context: Context,
        call_id: str | None,
        tool: str,
        out: list[RelayEvent],
    ) -> None:
        self._awaited[request_id] = _Awaited(context.id, 0)
        self._assign(call_id, request_id)
        if call_id is None:
            self.uncalled = request_id
        out.append(
            PermissionAsked(
                context.id, self._clock.ts, request_id=request_id, tool=tool, tool_use_id=call_id
            )
        )

    def dismissed(self, out: list[RelayEvent]) -> None:
        """Reports that the requests in the terminal are answered. The call's result may show the
        answer later.
        """
        for request_id, (context_id, asked_ms) in list(self._awaited.items()):
            # What the process did before it asked may be read after the request.
            if asked_ms and self._clock.own < asked_ms + DIALOG_ANSWER_MS:
                continue
            self._forget(request_id)
            out.append(
                PermissionReplied(context_id, self._clock.ts, request_id, behavior="answered")
            )

    def hooked(self, record: ClaudeRecord, out: list[RelayEvent]) -> None:
        """Handles an `unbraid.permission` record: a request that a hook has brought, or its
        answer.
        """
        said = read_as(HookedPermission, record.raw)
        if said.behavior is None:
            self._hook_asked(said, record.agent_id, out)
        elif (asked := self._hooked.get(said.request_id)) is not None:
            self._answered_ms = asked.asked_ms
            self._forget(said.request_id)
            out.append(
                PermissionReplied(
                    asked.context_id,
                    self._clock.ts,
                    said.request_id,
                    behavior=said.behavior,
                    by=said.by,
                    where=said.where,
                    message=said.message,
                )
            )

    def _hook_asked(
        self, said: HookedPermission, agent_id: str | None, out: list[RelayEvent]
    ) -> None:
        contexts = self._agents.contexts
        found = contexts.root if agent_id is None else contexts.by_agent.get(agent_id)
        context = found if found is not None and found.spawned else contexts.root
        if said.in_terminal:
            # Published before: now it is known for what.
            for request_id, (context_id, asked_ms) in list(self._awaited.items()):
                if not asked_ms:
                    self._forget(request_id)
                    out.append(
                        PermissionReplied(
                            context_id, self._clock.ts, request_id, behavior="cancelled"
                        )
                    )
        call_id = next(
            (
                name
                for name, call in self._agents.calls.items()
                if call.context is context and call.tool == said.tool and name not in self.requests
            ),
            None,
        )
        self._assign(call_id, said.request_id)
        asked = self._hooked[said.request_id] = _Awaited(context.id, self._clock.own)
        if said.in_terminal:
            self._awaited[said.request_id] = asked
        out.append(
            PermissionAsked(
                context.id,
                self._clock.ts,
                request_id=said.request_id,
                tool=said.tool,
                tool_use_id=call_id,
                input_json=said.input,
                always=said.always,
                can_edit=True,
                also_in_terminal=said.in_terminal,
                held_until=said.held_until,
            )
        )

    def answered(self, call_id: str, context: Context, out: list[RelayEvent], *, ok: bool) -> None:
        """Reports that a call's permission request was answered, because the call has its
        result.
        """
        request = self.requests.get(call_id)
        if request is not None:
            self._forget(request)
            behavior = "allow" if ok else "deny"
            out.append(PermissionReplied(context.id, self._clock.ts, request, behavior=behavior))

    def _forget(self, request_id: str) -> None:
        self._awaited.pop(request_id, None)
        self._hooked.pop(request_id, None)
        self.uncalled = None if self.uncalled == request_id else self.uncalled
        self._unassign(request_id)

    def _assign(self, call_id: str | None, request_id: str) -> None:
        if call_id is not None:
            self._unassign(request_id)
            self._calls.pop(self.requests.get(call_id, ""), None)
            self.requests[call_id] = request_id
            self._calls[request_id] = call_id

    def _unassign(self, request_id: str) -> None:
        call_id = self._calls.pop(request_id, None)
        if call_id is not None:
            del self.requests[call_id]
