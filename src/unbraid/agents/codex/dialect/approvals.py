"""Permission requests of an app-server: their names, and what each would allow."""

from __future__ import annotations

from typing import Any

from unbraid.read.seen import forget_oldest

# All else is shown, also what later releases add: by these nothing is allowed, they say where a
# request belongs, and how else it could be answered.
_LEFT_OUT = frozenset((
    "threadId", "turnId", "itemId", "approvalId", "kind", "startedAtMs", "environmentId",
    "commandActions", "availableDecisions", "proposedExecpolicyAmendment",
    "proposedNetworkPolicyAmendments",
))  # fmt: skip
FILE_CHANGE = "fileChange"
_KEPT_CHANGES = 64


def approval_id(thread_id: str, request: int | str) -> str:
    """Returns the name of a permission request, of the server's number for it. Every server counts
    from 0, and an answer must not reach another one's request: so the thread is in it.
    """
    return f"{thread_id[-12:]}-{request}"


def approval_tool(method: str) -> str:
    """Returns what a permission request is for, by the method that it came with."""
    return "exec_command" if "commandExecution" in method else method.split("/")[1]


class FileChanges:
    """What calls want to change in files. A request does not say it: the call does, before it."""

    def __init__(self) -> None:
        self._changes: dict[str, Any] = {}

    def started(self, kind: object, call: object, changes: Any) -> None:
        """Notes what a call that has started would change, if it changes files."""
        if kind in (FILE_CHANGE, "file_change"):
            self._changes[str(call)] = changes
            forget_oldest(self._changes, _KEPT_CHANGES)

    def of(self, call: object) -> Any:
        """Returns what a call wants to change; None if that is not known."""
        return self._changes.get(str(call))


def approval_input(method: str, params: Any, changes: FileChanges) -> dict[str, Any]:
    """Returns what a request would allow, by what came with it."""
    if not isinstance(params, dict):
        return {"params": params}
    shown = {
        name: value for name, value in params.items() if value is not None and name not in _LEFT_OUT
    }
    if FILE_CHANGE in method:
        shown["changes"] = changes.of(params.get("itemId"))
    return shown
