"""The version that a program says it is."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Mapping, Sequence

from unbraid.system.process import NOTHING, PIPE, start
from unbraid.timings import VERSION_TIMEOUT_SECONDS

Release = tuple[int, ...]

_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


def release_of(printed: str) -> Release:
    """Returns the version in what `--version` has printed; () if there is none."""
    found = _VERSION.search(printed)
    return tuple(map(int, found.groups())) if found else ()


async def installed(name: str, env: Mapping[str, str]) -> tuple[Release, str] | None:
    """The version of a program on PATH, and the same with its place in words; None if there is no
    such program.
    """
    program = shutil.which(name, path=env.get("PATH"))
    if program is None:
        return None
    version = await version_of([program])
    return version, f"{'.'.join(map(str, version)) or 'of unknown version'} at {program}"


async def version_of(program: Sequence[str], env: Mapping[str, str] | None = None) -> Release:
    """Returns what a program says it is; () if it does not say."""
    try:
        asked = await start(
            [*program, "--version"], env, stdin=NOTHING, stdout=PIPE, stderr=NOTHING
        )
    except (OSError, ValueError):
        return ()
    assert asked.stdout is not None
    try:
        async with asyncio.timeout(VERSION_TIMEOUT_SECONDS):
            printed = await asked.stdout.read()
            await asked.wait()
    except TimeoutError:
        return ()
    finally:
        await asked.let_go()
    return release_of(printed.decode("utf-8", "replace"))
