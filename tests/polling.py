"""Waiting for what nobody tells of: the state of another process, of a file, of a server.

A test that can wait for an event, a line or a screen waits for that. Others read again and again,
here and nowhere else, and a failure says what was there instead.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar, overload

# Shorter than the time limit of a test, which cannot say what was waited for.
PATIENCE_SECONDS = 100.0
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.001, 0.1

T = TypeVar("T")


@overload
async def until(
    read: Callable[[], Awaitable[T]],
    holds: Callable[[T], object] = ...,
    *,
    seconds: float = ...,
) -> T: ...
@overload
async def until(
    read: Callable[[], T], holds: Callable[[T], object] = ..., *, seconds: float = ...
) -> T: ...
async def until(
    read: Callable[[], Any],
    holds: Callable[[Any], object] = bool,
    *,
    seconds: float = PATIENCE_SECONDS,
) -> Any:
    """Read until what is read is as wanted, and return that."""
    found: Any = None
    for pause in _pauses(seconds):
        found = read()
        if inspect.isawaitable(found):
            found = await found
        if holds(found):
            return found
        await asyncio.sleep(pause)
    raise TimeoutError(f"this is not what was waited for:\n{found}")


def blocked_until(
    read: Callable[[], T], holds: Callable[[T], object] = bool, *, seconds: float = PATIENCE_SECONDS
) -> T:
    """Do the same without an event loop."""
    found: T | None = None
    for pause in _pauses(seconds):
        found = read()
        if holds(found):
            return found
        time.sleep(pause)
    raise TimeoutError(f"this is not what was waited for:\n{found}")


def _pauses(seconds: float) -> Iterator[float]:
    """Yield pauses that are short at first, until the time is over."""
    deadline, pause = time.monotonic() + seconds, FIRST_PAUSE_SECONDS
    while time.monotonic() < deadline:
        yield pause
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
