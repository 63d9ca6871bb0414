"""What is written to an app-server: requests, answers and notifications, one JSON object a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

_NOT_KNOWN = -32601
ABOUT = {"name": "unbraid", "title": "unbraid", "version": "0"}
INITIALIZED = b'{"method":"initialized"}\n'


def request(number: int, method: str, params: Mapping[str, Any]) -> bytes:
    """Asks for something; the answer has the same number."""
    return _line({"id": number, "method": method, "params": params})


def initialize(number: int) -> bytes:
    """Introduces ourselves: the first request there is."""
    capabilities = {"experimentalApi": True}
    return request(number, "initialize", {"clientInfo": ABOUT, "capabilities": capabilities})


def text_input(text: str) -> list[dict[str, str]]:
    """Returns a prompt as an app-server takes it."""
    return [{"type": "text", "text": text.encode("utf-8", "replace").decode()}]


def decision(request_id: int | str, method: str, asked: Any, *, allow: bool) -> bytes:
    """Answers a permission request, which has the form that its `method` has."""
    if method == "item/permissions/requestApproval":
        wanted = asked.get("permissions") if isinstance(asked, dict) else None
        result: dict[str, Any] = {"permissions": wanted if allow and wanted else {}}
    else:
        result = {"decision": "accept" if allow else "decline"}
    return _line({"id": request_id, "result": result})


def refusal(request_id: int | str, problem: str) -> bytes:
    """Answers a request that nobody here can fulfil, or the agent would wait for ever."""
    return _line({"id": request_id, "error": {"code": _NOT_KNOWN, "message": problem}})


def _line(message: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(message) + b"\n"
