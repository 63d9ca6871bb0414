"""Processes that can be cancelled at any moment, their start included."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PIPE, NOTHING = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL

Process = asyncio.subprocess.Process


async def start(
    argv: Sequence[str], env: Mapping[str, str] | None, cwd: Path | None = None, **options: Any
) -> Process:
    """Start a program. Raises OSError or ValueError where there is nothing to start.

    asyncio, cancelled while it connects the pipes of a new process, waits for them for ever. So a
    start goes on to its end, and what nobody wants any more is let go of then.
    """
    starting = asyncio.create_task(
        asyncio.create_subprocess_exec(*argv, env=env, cwd=cwd, **options)
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await _to_its_end(starting)
        if starting.exception() is None:
            await _to_its_end(asyncio.create_task(let_go(starting.result())))
        raise


async def _to_its_end(task: asyncio.Task[Any]) -> None:
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait({task})


async def let_go(process: Process) -> None:
    """Kill it if it lives, and close its pipes, whoever may still hold their other ends."""
    process._transport.close()  # type: ignore[attr-defined]
    await exited(process)


async def exited(process: Process) -> None:
    """Wait for its end. Not `wait`: that also waits for pipes, which a stray child may hold."""
    while process.returncode is None:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
