"""The conversation with an app-server: one JSON object a line, requests and their answers in both
directions, and notifications.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from unbraid.agents.codex.dialect.approvals import (
    FileChanges,
    approval_id,
    approval_input,
    approval_tool,
)
from unbraid.agents.control_port import UnknownRequest
from unbraid.read.record import BAD_JSON

_NOT_KNOWN = -32601
_ABOUT_US = {"name": "unbraid", "title": "unbraid", "version": "0"}


class ServerMessage(Struct):
    """One line: a notification or a request (with a method), or the answer to one of ours."""

    id: int | str | None = None
    method: str | None = None
    params: Any = None
    result: Any = None
    error: Any = None

    @property
    def thread_id(self) -> str | None:
        """The thread that it is about."""
        return text_of(self.params, "threadId")

    @property
    def problem(self) -> str | None:
        """Why a request of ours failed; None if it did not."""
        if self.error is None:
            return None
        return text_of(self.error, "message") or str(self.error)[:500]


def server_message(line: bytes) -> ServerMessage | None:
    """Returns a line as a message; None if it is none."""
    try:
        return msgspec.json.decode(line, type=ServerMessage)
    except BAD_JSON:
        return None


def text_of(given: Any, *names: str) -> str | None:
    """Returns a text in objects within objects."""
    for name in names:
        given = given.get(name) if isinstance(given, dict) else None
    return given if isinstance(given, str) else None


def text_input(text: str) -> list[dict[str, str]]:
    """Returns a prompt as an app-server takes it."""
    return [{"type": "text", "text": text.encode("utf-8", "replace").decode()}]


class Approval(NamedTuple):
    """A permission request of the server: what is shown of it, which thread makes it and how it is
    answered.
    """

    request_id: str
    tool: str
    input: dict[str, Any]
    thread_id: str
    asked: ServerMessage

    def answer(self, *, allow: bool) -> bytes:
        """Returns the line that answers it, in the form that its method requires."""
        result: dict[str, Any] = {"decision": "accept" if allow else "decline"}
        if self.asked.method == "item/permissions/requestApproval":
            asked = self.asked.params
            wanted = asked.get("permissions") if isinstance(asked, dict) else None
            result = {"permissions": wanted if allow and wanted else {}}
        return _line({"id": self.asked.id, "result": result})


class Approvals:
    """The permission requests that wait for an answer."""

    def __init__(self) -> None:
        self.waiting: dict[str, Approval] = {}
        self._changes = FileChanges()

    def read(self, message: ServerMessage) -> bytes | None:
        """Reads a line of the server; returns the answer to a request that cannot be fulfilled
        here: otherwise the agent would wait forever.
        """
        match message.method:
            case "item/started" if isinstance(message.params, dict):
                item = message.params.get("item")
                if isinstance(item, dict):
                    self._changes.started(item.get("type"), item.get("id"), item.get("changes"))
            case "serverRequest/resolved":
                number = message.params.get("requestId")
                if isinstance(number, int | str):
                    self.waiting.pop(approval_id(message.thread_id or "", number), None)
            case str(method) if message.id is not None:
                thread = message.thread_id
                if not method.endswith("/requestApproval") or thread is None:
                    error = {"code": _NOT_KNOWN, "message": "unbraid cannot answer this"}
                    return _line({"id": message.id, "error": error})
                request = approval_id(thread, message.id)
                shown = approval_input(method, message.params, self._changes)
                tool = approval_tool(method)
                self.waiting[request] = Approval(request, tool, shown, thread, message)
        return None

    def pop(self, request_id: str) -> Approval:
        """Returns a request that is now to be answered. Raises UnknownRequest if none waits."""
        if request_id not in self.waiting:
            raise UnknownRequest(request_id)
        return self.waiting.pop(request_id)


class ServerClient:
    """Our side of it: numbers requests, and gives each answer to who has asked."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self.approvals = Approvals()
        self._write = write
        self._requests = 0
        self._answers: dict[int, Callable[[ServerMessage], object]] = {}

    @property
    def waits(self) -> bool:
        """Whether a request has not been answered yet."""
        return bool(self._answers)

    def introduce(self, answered: Callable[[ServerMessage], object]) -> None:
        """Says who we are: the first request of all."""

        def introduced(reply: ServerMessage) -> None:
            if reply.problem is None:
                self._write(b'{"method":"initialized"}\n')
            answered(reply)

        capabilities = {"experimentalApi": True}
        about = {"clientInfo": _ABOUT_US, "capabilities": capabilities}
        self.request("initialize", about, introduced)

    def request(
        self,
        method: str,
        params: Mapping[str, Any],
        answered: Callable[[ServerMessage], object] = lambda reply: None,
    ) -> None:
        """Sends a request; `answered` is given its answer."""
        self._requests += 1
        self._answers[self._requests] = answered
        self._write(_line({"id": self._requests, "method": method, "params": params}))

    def read(self, line: bytes) -> ServerMessage | None:
        """Reads a line of the server. Returns it unless it is an answer, or no message at all."""
        message = server_message(line)
        if message is None:
            return None
        if message.method is None:
            answered = self._answers.pop(message.id, None) if isinstance(message.id, int) else None
            if answered is not None:
                answered(message)
            return None
        refused = self.approvals.read(message)
        if refused is not None:
            self._write(refused)
        return message

    def answer(self, request_id: str, *, allow: bool) -> str:
        """Answers a permission request. Returns the thread that has made it. Raises UnknownRequest
        if it does not wait.
        """
        asked = self.approvals.pop(request_id)
        self._write(asked.answer(allow=allow))
        return asked.thread_id


def _line(message: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(message) + b"\n"
