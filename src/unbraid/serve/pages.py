"""The page: its built files, read once at the start. No path of a request ever reaches the file
system.
"""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from unbraid.serve.access.guard import OPEN_PATHS, require
from unbraid.serve.problems import Problem


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
