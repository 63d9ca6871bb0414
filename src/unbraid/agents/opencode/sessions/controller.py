"""Steers one of OpenCode's sessions by requests of its server."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from msgspec.structs import replace

from unbraid.agents.control_port import (
    VERBS,
    AnswerDetails,
    Controller,
    UnknownRequest,
    allows,
    refuse_details,
    require_agent_id,
)
from unbraid.errors import CallerError, SourceError


class ServerRequests(Protocol):
    """What makes requests to a server: we, or a plugin in the server's own process."""

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        """Makes one request, and returns the answer. Raises SourceError if it fails."""
        ...


class ServerController(Controller):
    """The controller of one root session on a server, or in a process with our plugin."""

    def __init__(self, server: ServerRequests, root: str) -> None:
        self._server, self._root = server, root
        self._answered: dict[str, AnswerDetails] = {}  # here, and not confirmed yet
        self._agent_of: Callable[[int], Awaitable[str | None]] | None = None
        self._asked: set[str] = set()  # requests that wait

    def set_run(self, agent_of: Callable[[int], Awaitable[str | None]]) -> None:
        """Notes which agents are behind the streams of the run that records the session now."""
        self._agent_of = agent_of

    def set_server(self, server: ServerRequests) -> None:
        """Notes who has the session now."""
        self._server = server

    def note(self, line: bytes) -> bytes:
        """Takes an event about a permission. Returns it, with the person who has answered, if that
        was here.
        """
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            return line  # nested too deeply to be read
        given = event.get("properties", {})
        if event.get("type") == "permission.asked":
            self._asked.add(str(given.get("id")))
        else:
            request_id = str(given.get("requestID") or given.get("permissionID"))
            self._asked.discard(request_id)
            if (details := self._answered.pop(request_id, None)) is not None:
                given |= {"unbraidBy": details.by, "unbraidWhere": details.where}
                return json.dumps(event).encode() + b"\n"
        return line

    def verbs(self) -> list[str]:
        """Returns all verbs: a server can do everything."""
        return list(VERBS)

    async def message(self, text: str) -> None:
        """Sends the main agent a further message."""
        parts = [{"type": "text", "text": text}]
        await self._post(f"/session/{self._root}/prompt_async", {"parts": parts})

    async def message_agent(self, stream_id: int, text: str) -> None:
        """Sends one agent a message, in its own session."""
        child = await self._session(stream_id)
        parts = [{"type": "text", "text": text}]
        await self._post(f"/session/{child}/prompt_async", {"parts": parts})

    async def interrupt(self) -> None:
        """Interrupts the main agent; the run continues."""
        await self._post(f"/session/{self._root}/abort", {})

    async def cancel(self) -> None:
        """Ends the run: on a server, a session has no other end than to do nothing more."""
        await self.interrupt()

    async def stop(self, stream_id: int) -> None:
        """Ends one sub-agent."""
        await self._post(f"/session/{await self._session(stream_id)}/abort", {})

    async def _session(self, stream_id: int) -> str:
        return await require_agent_id(self._agent_of, stream_id)

    async def answer(
        self,
        request_id: str,
        behavior: str,
        message: str | None,
        details: AnswerDetails | None = None,
    ) -> None:
        """Answers a permission request: `behavior` is allow or deny."""
        if request_id not in self._asked:
            raise UnknownRequest(request_id)
        allowed = allows(behavior)
        always = details is not None and bool(details.always)
        if details is not None:
            refuse_details(replace(details, always=[]))
        reply = ("always" if always else "once") if allowed else "reject"
        body = {"reply": reply, **({"message": message} if message and reply == "reject" else {})}
        if details is not None:
            self._answered[request_id] = details
        await self._post(f"/permission/{request_id}/reply", body)
        self._asked.discard(request_id)

    async def _post(self, path: str, body: object) -> None:
        try:
            await self._server.call("POST", path, body)
        except SourceError as error:
            raise CallerError(str(error)) from None
