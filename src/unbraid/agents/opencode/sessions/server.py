"""A running OpenCode server: its events as lines by session, and its sessions' whole state.

The event stream has no ids, so nothing can be replayed: after every (re)connection the state of the
sessions is read once, and the reader of the lines recognizes what it has seen before.
"""

from __future__ import annotations

import base64
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from unbraid.agents.opencode.editions import OPENCODE, UNFORKED, Edition, Editions
from unbraid.agents.opencode.records import export_as_lines
from unbraid.agents.opencode.sessions.session_tree import SessionTree
from unbraid.errors import SourceError
from unbraid.read.lines import Lines
from unbraid.read.sse import data_of
from unbraid.timings import (
    AGENT_SERVER_REQUEST_TIMEOUT_SECONDS,
    AGENT_SERVER_SILENCE_TIMEOUT_SECONDS,
)

if TYPE_CHECKING:
    # Every watch imports this module, and few of them talk to a server.
    import httpx

MAX_LINE_BYTES = 16 << 20


def authorization(env: Mapping[str, str], edition: Edition = OPENCODE) -> dict[str, str]:
    """Returns the header by which a server knows us, where it has a password."""
    password = env.get(edition.variable("SERVER_PASSWORD"))
    if not password:
        return {}
    user = env.get(edition.variable("SERVER_USERNAME")) or edition.name
    token = base64.b64encode(f"{user}:{password}".encode()).decode()
    return {"Authorization": f"Basic {token}"}


async def event_lines(answer: httpx.Response) -> AsyncGenerator[bytes, None]:
    """Yields the events of an event stream, each as one line of JSON."""
    lines = Lines(MAX_LINE_BYTES)
    async for data in answer.aiter_raw():
        for line in lines.feed(data):
            if isinstance(line, bytes) and (event := data_of(line)):
                yield event


class OpenCodeServer:
    """One server, by its address."""

    def __init__(
        self,
        url: str,
        env: Mapping[str, str],
        *,
        edition: Edition = OPENCODE,
        editions: Editions = UNFORKED,
    ) -> None:
        self._edition, self._editions = edition, editions
        self.url = url.rstrip("/")
        self._tree = SessionTree()
        self._authorization = authorization(env, edition)

    @contextlib.asynccontextmanager
    async def events(self) -> AsyncIterator[AsyncIterator[tuple[str, bytes]]]:
        """Yields an iterator over (root session, line) from here on, for as long as the context
        lasts. It raises SourceError when the server is gone.
        """
        async with self._client(AGENT_SERVER_SILENCE_TIMEOUT_SECONDS) as client:
            with self._blamed("GET /event: "):
                async with client.stream("GET", "/event") as answer:
                    self._check(answer)
                    yield self._by_session(answer)

    async def is_of_edition(self) -> bool:
        """Returns whether the program behind the address is the one that was meant."""
        try:
            health = await self.call("GET", "/global/health")
        except SourceError:
            health = None  # early releases of OpenCode do not have it
        version = health.get("version") if isinstance(health, dict) else None
        known = version if isinstance(version, str) else None
        return self._editions.of_version(known) == self._edition

    async def snapshot(self, since_ms: int) -> list[tuple[str, list[bytes]]]:
        """Returns (root session, lines) of the sessions that have changed since."""
        sessions = await self.call("GET", "/session")
        recent: set[str] = set()
        for info in sessions:
            self._tree.parents[info["id"]] = info.get("parentID")
        for info in sessions:
            if (info.get("time") or {}).get("updated", 0) >= since_ms:
                recent.add(self._tree.root(info["id"]))
        found = []
        for info in sorted(sessions, key=lambda info: info["id"], reverse=True):
            root = self._tree.root(info["id"])
            if root in recent:
                messages = await self.call("GET", f"/session/{info['id']}/message")
                found.append((root, export_as_lines({"info": info, "messages": messages})))
        return found

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        """Sends one request, and returns the answer."""
        # Over a connection of its own: a request that does something is never sent twice.
        async with self._client(AGENT_SERVER_REQUEST_TIMEOUT_SECONDS) as client:
            with self._blamed(f"{method} {path}: "):
                answer = await client.request(method, path, json=body)
        self._check(answer)
        try:
            return json.loads(answer.content) if answer.content else None
        except ValueError:
            raise SourceError(self.url, f"{method} {path}: the answer is not JSON") from None

    def _client(self, seconds: float) -> httpx.AsyncClient:
        import httpx

        from unbraid.system.http import client_options

        options = client_options(self.url)
        options["headers"] |= self._authorization
        return httpx.AsyncClient(base_url=self.url, timeout=seconds, **options)

    @contextlib.contextmanager
    def _blamed(self, what: str) -> Iterator[None]:
        """Turns errors of the connection to the server into SourceError."""
        from unbraid.system.http import HTTP_ERRORS, reason_of

        try:
            yield
        except HTTP_ERRORS as error:
            raise SourceError(self.url, f"{what}{reason_of(error)}") from None

    def _check(self, answer: httpx.Response) -> None:
        if not answer.is_success:
            request = answer.request
            reason = answer.reason_phrase or str(answer.status_code)
            raise SourceError(self.url, f"{request.method} {request.url.path}: {reason}")

    async def _by_session(self, answer: httpx.Response) -> AsyncIterator[tuple[str, bytes]]:
        with self._blamed(""):
            async for line in event_lines(answer):
                root = self._tree.root_of(line)
                if root is not None:
                    yield root, line + b"\n"
        raise SourceError(self.url, "the server has ended its event stream")
