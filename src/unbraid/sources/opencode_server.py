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

import msgspec
from msgspec import Struct, field

from unbraid.errors import SourceError
from unbraid.wire.opencode import export_as_lines

# Its heartbeat comes every 10 s: a stream that is silent for longer is dead.
SILENCE_SECONDS = 35.0
RECENT_MS = 300_000


class _Info(Struct):
    id: str | None = None
    session_id: str | None = field(default=None, name="sessionID")
    parent_id: str | None = field(default=None, name="parentID")


class _Part(Struct):
    session_id: str | None = field(default=None, name="sessionID")


class _Properties(Struct):
    session_id: str | None = field(default=None, name="sessionID")
    info: _Info | None = None
    part: _Part | None = None


class _Event(Struct):
    type: str = ""
    properties: _Properties | None = None


_event = msgspec.json.Decoder(_Event).decode


class Server:
    """One server, by its address."""

    def __init__(self, url: str, env: Mapping[str, str]) -> None:
        self.url = url.rstrip("/")
        self.parents: dict[str, str | None] = {}
        self._headers = {"Content-Type": "application/json"}
        password = env.get("OPENCODE_SERVER_PASSWORD")
        if password:
            user = env.get("OPENCODE_SERVER_USERNAME") or "opencode"
            token = base64.b64encode(f"{user}:{password}".encode()).decode()
            self._headers["Authorization"] = f"Basic {token}"

    def events(self) -> Iterator[tuple[str, bytes]]:
        """(root session, line) for ever; blocking. SourceError when the server is gone."""
        with self._open("GET", "/event", None, SILENCE_SECONDS) as stream:
            try:
                for line in stream:
                    if line.startswith(b"data:"):
                        data = line.removeprefix(b"data:").strip()
                        session = self._session(data)
                        if session is not None:
                            yield self.root(session), data + b"\n"
            except OSError as error:
                raise SourceError(self.url, str(error)) from None
        raise SourceError(self.url, "the server has ended its event stream")

    def snapshot(self, since_ms: int) -> Iterator[tuple[str, list[bytes]]]:
        """(root session, lines) of the sessions that have changed since."""
        sessions = self.call("GET", "/session")
        recent: set[str] = set()
        for info in sessions:
            self.parents[info["id"]] = info.get("parentID")
        for info in sessions:
            if (info.get("time") or {}).get("updated", 0) >= since_ms:
                recent.add(self.root(info["id"]))
        for info in sorted(sessions, key=lambda info: info["id"], reverse=True):
            root = self.root(info["id"])
            if root in recent:
                messages = self.call("GET", f"/session/{info['id']}/message")
                yield root, export_as_lines({"info": info, "messages": messages})

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """One request, and what it gave."""
        data = None if body is None else json.dumps(body).encode()
        with self._open(method, path, data, 30.0) as answer:
            printed = answer.read()
        return json.loads(printed) if printed else None

    def root(self, session: str) -> str:
        """The session at the top of this one's tree."""
        seen = {session}
        while (above := self.parents.get(session)) is not None and above not in seen:
            seen.add(above)
            session = above
        return session

    def _session(self, data: bytes) -> str | None:
        try:
            event = _event(data)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None
        given = event.properties
        if given is None:
            return None
        if event.type.startswith("session.") and given.info is not None and given.info.id:
            self.parents[given.info.id] = given.info.parent_id
            return given.info.id
        for place in (given, given.info, given.part):
            if place is not None and place.session_id is not None:
                return place.session_id
        return None

    def _open(self, method: str, path: str, data: bytes | None, seconds: float) -> Any:
        request = urllib.request.Request(
            self.url + path, data=data, headers=self._headers, method=method
        )
        try:
            return cast(Any, urllib.request.urlopen(request, timeout=seconds))
        except (OSError, ValueError) as error:
            reason = error.reason if isinstance(error, urllib.error.HTTPError) else error
            raise SourceError(self.url, f"{method} {path}: {reason}") from None
