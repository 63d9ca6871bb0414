"""What an app-server writes, as far as its client has to know it."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from unbraid.read.record import BAD_JSON


class ServerMessage(Struct):
    """One line: a notification or a request (with a method), or the answer to one of ours."""

    id: int | str | None = None
    method: str | None = None
    params: Any = None
    result: Any = None
    error: Any = None

    @property
    def thread_id(self) -> str | None:
        """The thread that it is about."""
        return text_of(self.params, "threadId")

    @property
    def problem(self) -> str | None:
        """Why a request of ours failed; None if it did not."""
        if self.error is None:
            return None
        return text_of(self.error, "message") or str(self.error)[:500]


def server_message(line: bytes) -> ServerMessage | None:
    """Returns a line as a message; None if it is none."""
    try:
        return msgspec.json.decode(line, type=ServerMessage)
    except BAD_JSON:
        return None


def text_of(given: Any, *names: str) -> str | None:
    """Returns a text in objects within objects."""
    for name in names:
        given = given.get(name) if isinstance(given, dict) else None
    return given if isinstance(given, str) else None
