"""What is written to an app-server: requests, answers and notifications, one JSON object a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

_NOT_KNOWN = -32601
ABOUT = {"name": "unbraid", "title": "unbraid", "version": "0"}
INITIALIZED = b'{"method":"initialized"}\n'


def request(number: int, method: str, params: Mapping[str, Any]) -> bytes:
    """Returns the line of a request; the answer has the same number."""
    return _line({"id": number, "method": method, "params": params})


def initialize(number: int) -> bytes:
    """Returns the line that introduces us: the first request of all."""
    capabilities = {"experimentalApi": True}
    return request(number, "initialize", {"clientInfo": ABOUT, "capabilities": capabilities})


def text_input(text: str) -> list[dict[str, str]]:
    """Returns a prompt as an app-server takes it."""
    return [{"type": "text", "text": text.encode("utf-8", "replace").decode()}]


def decision(request_id: int | str, method: str, asked: Any, *, allow: bool) -> bytes:
    """Returns the answer to a permission request, in the form that its `method` requires."""
    if method == "item/permissions/requestApproval":
        wanted = asked.get("permissions") if isinstance(asked, dict) else None
        result: dict[str, Any] = {"permissions": wanted if allow and wanted else {}}
    else:
        result = {"decision": "accept" if allow else "decline"}
    return _line({"id": request_id, "result": result})


def refusal(request_id: int | str, problem: str) -> bytes:
    """Returns the answer to a request that cannot be fulfilled here: otherwise the agent would wait
    forever.
    """
    return _line({"id": request_id, "error": {"code": _NOT_KNOWN, "message": problem}})


def _line(message: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(message) + b"\n"
