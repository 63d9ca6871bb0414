"""Permission requests of an app-server: what is asked, and what answers it."""

from __future__ import annotations

from typing import Any, NamedTuple

from unbraid.agents.codex.dialect.approvals import (
    FileChanges,
    approval_id,
    approval_input,
    approval_tool,
)
from unbraid.agents.codex.server.messages import ServerMessage
from unbraid.agents.codex.server.requests import decision, refusal
from unbraid.agents.control_port import UnknownRequest


class Approval(NamedTuple):
    """One request: what is shown of it, which thread makes it and how it is answered."""

    request_id: str
    tool: str
    input: dict[str, Any]
    thread_id: str
    asked: ServerMessage

    def answer(self, *, allow: bool) -> bytes:
        """Returns the line that answers it."""
        assert self.asked.id is not None and self.asked.method is not None
        return decision(self.asked.id, self.asked.method, self.asked.params, allow=allow)


class Approvals:
    """The permission requests that wait for an answer."""

    def __init__(self) -> None:
        self.waiting: dict[str, Approval] = {}
        self._changes = FileChanges()

    def note(self, message: ServerMessage) -> bytes | None:
        """Takes a line of the server; returns the answer to a request that cannot be fulfilled
        here.
        """
        match message.method:
            case "item/started" if isinstance(message.params, dict):
                self._changes.note(message.params.get("item"))
            case "serverRequest/resolved":
                self._resolved(message.thread_id or "", message.params.get("requestId"))
            case str(method) if message.id is not None:
                if not method.endswith("/requestApproval") or message.thread_id is None:
                    return refusal(message.id, "unbraid cannot answer this")
                asked = self._asked(message)
                self.waiting[asked.request_id] = asked
        return None

    def take(self, request_id: str) -> Approval:
        """Returns a request that is now to be answered. Raises UnknownRequest if none waits."""
        if request_id not in self.waiting:
            raise UnknownRequest(request_id)
        return self.waiting.pop(request_id)

    def _asked(self, message: ServerMessage) -> Approval:
        assert message.id is not None and message.method is not None
        return Approval(
            request_id=approval_id(message.thread_id or "", message.id),
            tool=approval_tool(message.method),
            input=approval_input(message.method, message.params, self._changes),
            thread_id=message.thread_id or "",
            asked=message,
        )

    def _resolved(self, thread_id: str, number: object) -> None:
        if isinstance(number, int | str):
            self.waiting.pop(approval_id(thread_id, number), None)
