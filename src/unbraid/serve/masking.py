"""Masks secrets in answers: what is in the log may have come there without `--redact`."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from unbraid.redact.secrets import mask


class Masked:
    """ASGI middleware over answers in JSON. A mask is as long as what it hides, so lengths stay
    true. Streams of events are masked where they are made, once for all viewers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and its answer back masked."""
        whole = False

        async def sending(message: Message) -> None:
            nonlocal whole
            if message["type"] == "http.response.start":
                kind = Headers(raw=message["headers"]).get("content-type", "")
                whole = kind.startswith("application/json")
            elif whole and message["type"] == "http.response.body":
                message = {**message, "body": mask(message.get("body", b""))}
            await send(message)

        await self._app(scope, receive, sending)
