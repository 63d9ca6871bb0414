"""A route and its description in one value, so that what is served and what is documented cannot
differ.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from unbraid.serve.access.auth import Scope

Endpoint = Callable[[Request], Awaitable[ASGIApp]]


@dataclass(frozen=True)
class Parameter:
    """A parameter of the query (or, with `where`, of the path or the header)."""

    name: str
    schema: dict[str, Any]
    description: str = ""
    where: str = "query"
    required: bool = False


@dataclass(frozen=True)
class Operation:
    """One method of one path. `scope` is what a caller needs; None: anyone may."""

    method: str
    path: str
    endpoint: Endpoint
    summary: str
    answer: Any = None
    media: str = "application/json"
    status: int = 200
    parameters: tuple[Parameter, ...] = ()
    body: Any = None
    body_media: str = "application/json"
    problems: tuple[int, ...] = field(default=(400,))
    scope: Scope | None = "read"


def json_answer(value: Any, status: int = 200) -> Response:
    """Returns a value as a JSON answer."""
    return Response(msgspec.json.encode(value), status, media_type="application/json")
