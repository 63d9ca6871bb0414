"""Redacts answers: what is not from the log, such as permission requests, and errors."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from unbraid.redact.secrets import redact

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
