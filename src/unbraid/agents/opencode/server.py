"""A running server of OpenCode's: its events as lines by session, and its sessions' whole state.

The event stream has no ids, so nothing can be replayed: after every (re)connection the state of the
sessions is read once, and whoever takes the lines in knows what it has seen before.
"""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any, cast

from unbraid.agents.opencode.records import export_as_lines
from unbraid.agents.opencode.session_tree import SessionTree
from unbraid.errors import SourceError

# Its heartbeat comes every 10 s: a stream that is silent for longer is dead.
SILENCE_SECONDS = 35.0
RECENT_MS = 300_000


def authorization(env: Mapping[str, str]) -> dict[str, str]:
    """The header by which a server knows us, where it has a password."""
    password = env.get("OPENCODE_SERVER_PASSWORD")
    if not password:
        return {}
    user = env.get("OPENCODE_SERVER_USERNAME") or "opencode"
    token = base64.b64encode(f"{user}:{password}".encode()).decode()
    return {"Authorization": f"Basic {token}"}


class Server:
    """One server, by its address."""

    def __init__(self, url: str, env: Mapping[str, str]) -> None:
        self.url = url.rstrip("/")
        self._tree = SessionTree()
        self._headers = {"Content-Type": "application/json", **authorization(env)}

    def events(self) -> Iterator[tuple[str, bytes]]:
        """(root session, line) for ever; blocking. SourceError when the server is gone."""
        with self._open("GET", "/event", None, SILENCE_SECONDS) as stream:
            try:
                for line in stream:
                    if line.startswith(b"data:"):
                        data = line.removeprefix(b"data:").strip()
                        root = self._tree.root_of(data)
                        if root is not None:
                            yield root, data + b"\n"
            except OSError as error:
                raise SourceError(self.url, str(error)) from None
        raise SourceError(self.url, "the server has ended its event stream")

    def snapshot(self, since_ms: int) -> Iterator[tuple[str, list[bytes]]]:
        """(root session, lines) of the sessions that have changed since."""
        sessions = self.call("GET", "/session")
        recent: set[str] = set()
        for info in sessions:
            self._tree.parents[info["id"]] = info.get("parentID")
        for info in sessions:
            if (info.get("time") or {}).get("updated", 0) >= since_ms:
                recent.add(self._tree.root(info["id"]))
        for info in sorted(sessions, key=lambda info: info["id"], reverse=True):
            root = self._tree.root(info["id"])
            if root in recent:
                messages = self.call("GET", f"/session/{info['id']}/message")
                yield root, export_as_lines({"info": info, "messages": messages})

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """One request, and what it gave."""
        data = None if body is None else json.dumps(body).encode()
        with self._open(method, path, data, 30.0) as answer:
            printed = answer.read()
        return json.loads(printed) if printed else None

    def _open(self, method: str, path: str, data: bytes | None, seconds: float) -> Any:
        request = urllib.request.Request(
            self.url + path, data=data, headers=self._headers, method=method
        )
        try:
            return cast(Any, urllib.request.urlopen(request, timeout=seconds))
        except (OSError, ValueError) as error:
            reason = error.reason if isinstance(error, urllib.error.HTTPError) else error
            raise SourceError(self.url, f"{method} {path}: {reason}") from None
