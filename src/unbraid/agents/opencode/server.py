"""A running OpenCode server: requests to it, its events, and the steering of its sessions."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

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
from unbraid.agents.opencode.editions import OPENCODE, Edition
from unbraid.errors import CallerError, SourceError
from unbraid.read.lines import Lines
from unbraid.read.sse import data_of

if TYPE_CHECKING:
    # Every watch imports this module, and few of them talk to a server.
    import httpx

# An agent's own server answers at once, but for prompts that it has to queue first.
AGENT_SERVER_REQUEST_TIMEOUT_SECONDS = 30.0
# Its heartbeat comes every 10 s: a stream that is silent for longer is dead.
AGENT_SERVER_SILENCE_TIMEOUT_SECONDS = 35.0

MAX_LINE_BYTES = 16 << 20
MAX_REFUSAL_CHARACTERS = 500


class ServerGone(SourceError):
    """The connection to a server could not be made, or was closed."""


class OpenCodeServer:
    """One server, by its address; its password is in the environment, as for its own clients. With
    a `folder`, its requests are about that project.
    """

    def __init__(
        self,
        url: str,
        env: Mapping[str, str],
        *,
        edition: Edition = OPENCODE,
        folder: Path | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        self._folder = folder
        self._headers: dict[str, str] = {}
        if password := env.get(edition.variable("SERVER_PASSWORD")):
            user = env.get(edition.variable("SERVER_USERNAME")) or edition.name
            token = base64.b64encode(f"{user}:{password}".encode()).decode()
            self._headers["Authorization"] = f"Basic {token}"

    @asynccontextmanager
    async def events(self) -> AsyncIterator[AsyncIterator[bytes]]:
        """Yields an iterator over its events from here on, each as one line of JSON, for as long as
        the context lasts. It raises SourceError when the server is gone.
        """
        async with self._client(AGENT_SERVER_SILENCE_TIMEOUT_SECONDS) as client:
            with self._blamed("GET /event: "):
                async with client.stream("GET", "/event") as answer:
                    self._check(answer)
                    async with aclosing(self._lines(answer)) as lines:
                        yield lines

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        """Sends one request, and returns the answer."""
        # Over a connection of its own: a request that does something is never sent twice.
        async with self._client(AGENT_SERVER_REQUEST_TIMEOUT_SECONDS) as client:
            with self._blamed(f"{method} {path}: "):
                answer = await client.request(method, path, json=body)
        self._check(answer, answer.text)
        try:
            return json.loads(answer.content) if answer.content else None
        except ValueError:
            raise SourceError(self.url, f"{method} {path}: the answer is not JSON") from None

    def _client(self, seconds: float) -> httpx.AsyncClient:
        import httpx

        from unbraid.system.http import client_options

        options = client_options(self.url)
        options["headers"] |= self._headers
        params = {} if self._folder is None else {"directory": str(self._folder)}
        return httpx.AsyncClient(base_url=self.url, params=params, timeout=seconds, **options)

    @contextmanager
    def _blamed(self, what: str) -> Iterator[None]:
        """Turns errors of the connection to the server into SourceError."""
        import httpx

        from unbraid.system.http import HTTP_ERRORS, reason_of

        try:
            yield
        except HTTP_ERRORS as error:
            kind = SourceError if isinstance(error, httpx.TimeoutException) else ServerGone
            raise kind(self.url, f"{what}{reason_of(error)}") from None

    def _check(self, answer: httpx.Response, text: str = "") -> None:
        if not answer.is_success:
            request, code = answer.request, answer.status_code
            reason = f"{answer.reason_phrase} ({code}) {text}".strip()
            problem = f"{request.method} {request.url.path}: {reason}"
            raise SourceError(self.url, problem[:MAX_REFUSAL_CHARACTERS])

    async def _lines(self, answer: httpx.Response) -> AsyncGenerator[bytes, None]:
        lines = Lines(MAX_LINE_BYTES)
        with self._blamed(""):
            async for data in answer.aiter_raw():
                for line in lines.feed(data):
                    if isinstance(line, bytes) and (event := data_of(line)):
                        yield event
        raise ServerGone(self.url, "the server has ended its event stream")


class ServerRequests(Protocol):
    """What makes requests to a server: we, or a plugin in the server's own process."""

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        """Makes one request, and returns the answer. Raises SourceError if it fails."""
        ...


class ServerController(Controller):
    """The controller of one root session on a server, or in a process with our plugin. `server` is
    who has the session now.
    """

    def __init__(self, server: ServerRequests, root: str) -> None:
        self.server, self._root = server, root
        # Returns which agents are behind the streams of the run that records the session now.
        self.agent_of: Callable[[int], Awaitable[str | None]] | None = None
        self._answered: dict[str, AnswerDetails] = {}  # here, and not confirmed yet
        self._asked: set[str] = set()  # requests that wait

    def permission_event(self, line: bytes) -> bytes:
        """Reads an event about a permission. Returns it, with the person who has answered, if that
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
        await self._say(self._root, text)

    async def message_agent(self, stream_id: int, text: str) -> None:
        await self._say(await require_agent_id(self.agent_of, stream_id), text)

    async def interrupt(self) -> None:
        await self._post(f"/session/{self._root}/abort", {})

    async def cancel(self) -> None:
        """Ends the run: on a server, a session has no other end than to do nothing more."""
        await self.interrupt()

    async def stop(self, stream_id: int) -> None:
        child = await require_agent_id(self.agent_of, stream_id)
        await self._post(f"/session/{child}/abort", {})

    async def answer(
        self,
        request_id: str,
        behavior: str,
        message: str | None,
        details: AnswerDetails | None = None,
    ) -> None:
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

    async def _say(self, session: str, text: str) -> None:
        body = {"parts": [{"type": "text", "text": text}]}
        await self._post(f"/session/{session}/prompt_async", body)

    async def _post(self, path: str, body: object) -> None:
        try:
            await self.server.call("POST", path, body)
        except SourceError as error:
            raise CallerError(str(error)) from None
