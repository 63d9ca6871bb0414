"""A conversation with an API that remembers nothing: its history is ours."""

from __future__ import annotations

import asyncio
import gc
import importlib
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Any, Protocol

from unbraid.errors import BackendError
from unbraid.events import RelayEvent, TextDelta, TurnComplete

_importing = threading.Lock()
_imported: set[str] = set()


class ModelApi(Protocol):
    """One API, for one model."""

    def stream(self, messages: list[Any]) -> AsyncGenerator[RelayEvent, None]:
        """Yields one answer to all messages so far; `turn_complete` is last."""
        ...

    def advice(self, status: int | None) -> str:
        """Returns how to go on after an error with that HTTP status."""
        ...


class ApiConversation:
    """One conversation: keeps its messages, and names what went wrong."""

    def __init__(self, backend: str, api: ModelApi, history: list[Any] | None = None) -> None:
        self._backend, self._api = backend, api
        self._history = [] if history is None else history

    async def say(self, message: str) -> AsyncGenerator[RelayEvent, None]:
        """Runs one turn."""
        asked = {"role": "user", "content": message}
        said: list[str] = []
        complete = False
        try:
            async with aclosing(self._api.stream([*self._history, asked])) as events:
                async for event in events:
                    if isinstance(event, TextDelta):
                        said.append(event.delta)
                    elif isinstance(event, TurnComplete):
                        # Only whole turns are kept: what was cut off was never said.
                        answer = {"role": "assistant", "content": "".join(said) or "(nothing)"}
                        self._history += [asked, answer]
                        complete = True
                    yield event
        except BackendError:
            raise
        except Exception as error:
            # Whatever an SDK, or the HTTP library below it, calls its errors in this version.
            problem = str(error) or type(error).__name__
            status = getattr(error, "status_code", None)
            raise BackendError(self._backend, problem[:500], self._api.advice(status)) from error
        if not complete:
            raise BackendError(self._backend, "the answer was cut off", "ask again")


async def import_sdk(module: str) -> None:
    """Import an SDK, if it is there, without holding up others: it takes a second or two."""
    if module not in _imported:
        with suppress(ImportError):
            await asyncio.to_thread(_import, module)
        _imported.add(module)


def _import(module: str) -> None:
    # One at a time, and nothing collected meanwhile: what is collected may import too, and Python
    # 3.11 loses count of its locks then (gh-91351).
    with _importing:
        gc.disable()
        try:
            importlib.import_module(module)
        finally:
            gc.enable()
