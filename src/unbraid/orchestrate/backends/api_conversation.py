"""A conversation with an API that remembers nothing: its history is ours."""

from __future__ import annotations

import asyncio
import gc
import importlib
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any, Generic, Protocol, TypeVar

from unbraid.errors import BackendError
from unbraid.events import RelayEvent, TextDelta, TurnComplete

_importing = threading.Lock()


class ModelApi(Protocol):
    """One API, for one model."""

    def stream(self, messages: list[Any]) -> AsyncGenerator[RelayEvent, None]:
        """Yields one answer to all messages so far; `turn_complete` is last."""
        ...

    def advice(self, status: int | None) -> str:
        """Returns what to do about an error with that HTTP status."""
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


def advice_for(status: int | None, *, key: str, not_found: str) -> str:
    """Returns how to go on after an error with that HTTP status; `key` is the variable of the
    API key.
    """
    match status:
        case 401 | 403:
            return f"check {key}"
        case 404:
            return not_found
        case 400 | 413:
            return "ask for less"
        case _:
            return "ask again later"


class _Closable(Protocol):
    async def close(self) -> None: ...


C = TypeVar("C", bound=_Closable)


class SharedClient(Generic[C]):
    """The client of a backend's SDK, made when it is first needed. There is one for all
    conversations: they share connections, and nothing else.
    """

    def __init__(self, backend: str, make: Callable[[], C]) -> None:
        self._backend, self._make = backend, make
        self._client: C | None = None

    async def get(self) -> C:
        """Returns the client. Raises BackendError if the SDK is not installed."""
        if self._client is None:
            try:
                # Not here: it takes a second or two.
                await asyncio.to_thread(_import, self._backend)
            except ImportError:
                advice = f"install it with: pip install 'unbraid[{self._backend}]'"
                raise BackendError(self._backend, "its SDK is not installed", advice) from None
            # Another conversation may have made it meanwhile.
            self._client = self._client or self._make()
        return self._client

    async def close(self) -> None:
        """Closes the connections."""
        if self._client is not None:
            await self._client.close()


def _import(module: str) -> None:
    # One at a time, and nothing collected meanwhile: what is collected may import too, and Python
    # 3.11 loses count of its locks then (gh-91351).
    with _importing:
        gc.disable()
        try:
            importlib.import_module(module)
        finally:
            gc.enable()
