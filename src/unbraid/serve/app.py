"""The ASGI application: routes and the page, guarded, measured, with one error shape."""

from __future__ import annotations

import asyncio
import hashlib
import mimetypes
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from unbraid.errors import UnbraidError
from unbraid.serve.guard import OPEN_PATHS, Guard, require
from unbraid.serve.operations import Operation
from unbraid.serve.problems import Problem, on_error, on_http_error
from unbraid.serve.routes import OPERATIONS
from unbraid.serve.services import ServeConfig, Services


class Pages:
    """Static files by their path."""

    def __init__(self, folder: Traversable | None = None) -> None:
        folder = files("unbraid.serve") / "static" if folder is None else folder
        self._files = dict(_walk(folder, "/")) if folder.is_dir() else {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers requests that no route has taken."""
        if scope["path"] not in OPEN_PATHS:
            require(scope, "read")
        await self._page(Request(scope))(scope, receive, send)

    def _page(self, request: Request) -> Response:
        path = "/index.html" if request.url.path == "/" else request.url.path
        content = self._files.get(path)
        if content is None or request.method not in ("GET", "HEAD"):
            raise Problem(404, "not found")
        etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
        headers = {"etag": etag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == etag:
            return Response(status_code=304, headers=headers)
        kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
        return Response(content, headers=headers, media_type=kind)


def _walk(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for item in folder.iterdir():
        if item.is_dir():
            yield from _walk(item, f"{path}{item.name}/")
        else:
            yield f"{path}{item.name}", item.read_bytes()


REDACTED = ("application/json", "application/problem+json", "text/plain")


class RedactedAnswers:
    """ASGI middleware over answers that are made whole: JSON, errors, metrics. What is redacted
    keeps its length, so headers stay true. Events are redacted where they are read from the log,
    once for all viewers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, and its answer back redacted."""
        # Imported here, because compiling the patterns takes time that only redaction needs.
        from unbraid.redact.secrets import redact

        whole, held = False, b""

        async def sending(message: Message) -> None:
            nonlocal whole, held
            if message["type"] == "http.response.start":
                kind = Headers(raw=message["headers"]).get("content-type", "")
                whole = kind.startswith(REDACTED)
            elif whole and message["type"] == "http.response.body":
                if message.get("more_body"):
                    held += message.get("body", b"")
                    return
                # In a thread, because others must not wait for a long answer.
                body = await asyncio.to_thread(redact, held + message.get("body", b""))
                message = {**message, "body": body}
            await send(message)

        await self._app(scope, receive, sending)


def create_app(
    services: Services, operations: Sequence[Operation] = OPERATIONS, pages: Pages | None = None
) -> ASGIApp:
    """Returns the application over a server's parts."""
    routes = [
        Route(op.path, _Timed(op, services), methods=[op.method], name=op.path) for op in operations
    ]
    app = Starlette(
        routes=routes,
        middleware=[
            *_sharing(services.config),
            Middleware(Guard, services.config, services.keys),
            *_redaction(services.config),
        ],
        exception_handlers={
            HTTPException: on_http_error,
            UnbraidError: on_error,
            Exception: on_error,
        },
    )
    app.state.services = services
    app.router.default = pages or Pages()
    return app


def _sharing(config: ServeConfig) -> list[Middleware]:
    """Returns the middleware that lets pages of allowed origins, and no others, read the answers;
    they come with a token.
    """
    if not config.origins:
        return []
    sharing = Middleware(
        CORSMiddleware,
        allow_origins=config.origins,
        allow_methods=["GET", "POST"],
        allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID"],
    )
    return [sharing]


def _redaction(config: ServeConfig) -> list[Middleware]:
    return [Middleware(RedactedAnswers)] if config.redact else []


class _Timed:
    """An endpoint as an ASGI application, which measures the time to its answer."""

    def __init__(self, op: Operation, services: Services) -> None:
        self._op, self._services = op, services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        if self._op.scope is not None:
            require(scope, self._op.scope)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                labels = (self._op.method, self._op.path, str(message["status"]))
                seconds = time.perf_counter() - started
                self._services.metrics.requests.labels(*labels).observe(seconds)
            await send(message)

        endpoint: Callable[[Request], Awaitable[ASGIApp]] = self._op.endpoint
        try:
            answer = await endpoint(Request(scope, receive))
        finally:
            self._services.bodies.release(scope)
        await answer(scope, receive, sending)
