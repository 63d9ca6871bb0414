"""What release a CLI is, and since which release it can do what."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence

from unbraid.system.process import NOTHING, PIPE, let_go, start

Release = tuple[int, ...]

FIRST_SESSION_ID: Release = (1, 0, 54)
FIRST_PARTIAL: Release = (1, 0, 109)
FIRST_TOOLS: Release = (2, 0, 76)
FIRST_WITHOUT_HISTORY: Release = (2, 0, 76)
FIRST_FORWARDING: Release = (2, 1, 211)

VERSION_SECONDS = 20.0
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


def release_of(printed: str) -> Release:
    """The version in what `--version` has printed; () if there is none."""
    found = _VERSION.search(printed)
    return tuple(map(int, found.groups())) if found else ()


async def version_of(program: Sequence[str], env: Mapping[str, str] | None = None) -> Release:
    """What a CLI says it is; () if it does not say."""
    try:
        asked = await start(
            [*program, "--version"], env, stdin=NOTHING, stdout=PIPE, stderr=NOTHING
        )
    except (OSError, ValueError):
        return ()
    try:
        async with asyncio.timeout(VERSION_SECONDS):
            printed, _ = await asked.communicate()
    except TimeoutError:
        return ()
    finally:
        if asked.returncode is None:
            await let_go(asked)
    return release_of(printed.decode("utf-8", "replace"))
