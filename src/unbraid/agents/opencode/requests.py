"""What a permission request of OpenCode would allow.

A request names a permission and says little else: for a shell command only patterns, which leave
out parts of it, and for the tool of a plugin or an MCP server nothing. What is approved is the call
that the request belongs to, so the input of that call is shown with it.
"""

from __future__ import annotations

from typing import Any

# Ours, in the properties of a request: what its call was given.
CALLED = "unbraidInput"


def call_of(asked: dict[str, Any]) -> str | None:
    """Returns the call that a request is about, if it says so."""
    tool = asked.get("tool")
    call = tool.get("callID") if isinstance(tool, dict) else asked.get("callID")
    return call if isinstance(call, str) else None


def request_input(asked: dict[str, Any], called: Any) -> dict[str, Any]:
    """Returns all that is known of what a request would allow: the input of its call, and what the
    request says. Where both have a name, the request counts: an agent chooses what it gives a call.
    """
    shown: dict[str, Any] = {}
    for given, name in ((called, "input"), (asked.get("metadata"), "metadata")):
        if isinstance(given, dict):
            shown |= given
        elif given is not None:
            shown[name] = given
    return shown | {
        name: asked[name] for name in ("title", "pattern", "patterns") if asked.get(name)
    }


def offers(asked: dict[str, Any]) -> list[str]:
    """Returns what would be allowed from now on with "always": one offer, or none."""
    patterns = asked.get("always")
    return [", ".join(map(str, patterns))] if isinstance(patterns, list) and patterns else []
