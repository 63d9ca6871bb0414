"""The ASGI application: routes, guarded, measured, with one error shape."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from unbraid.errors import UnbraidError
from unbraid.serve.access.guard import Guard, require
from unbraid.serve.config import ServeConfig
from unbraid.serve.operations import Operation
from unbraid.serve.pages import Pages
from unbraid.serve.problems import on_error, on_http_error
from unbraid.serve.routes import OPERATIONS
from unbraid.serve.services import Services


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
    if not config.redact:
        return []
    # Imported here, because compiling the patterns takes time that only redaction needs.
    from unbraid.serve.redaction import RedactedAnswers

    return [Middleware(RedactedAnswers)]


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
