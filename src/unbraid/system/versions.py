"""The version that a program says it is, or the package that it comes from."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from unbraid.events.codec import json_decoder
from unbraid.system.process import NOTHING, PIPE, start

# `--version` takes about a second; a wrapper may first have to unpack something.
VERSION_TIMEOUT_SECONDS = 20.0

Release = tuple[int, ...]

_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


def release_of(printed: str) -> Release:
    """Returns the version in what `--version` has printed; () if there is none."""
    found = _VERSION.search(printed)
    return tuple(map(int, found.groups())) if found else ()


async def installed(name: str, env: Mapping[str, str]) -> tuple[Release, str] | None:
    """Returns the version of a program on PATH, and the same in words, with its path; None if there
    is no such program.
    """
    program = shutil.which(name, path=env.get("PATH"))
    if program is None:
        return None
    version = await version_of([program])
    return version, f"{'.'.join(map(str, version)) or 'of unknown version'} at {program}"


async def version_of(program: Sequence[str], env: Mapping[str, str] | None = None) -> Release:
    """Returns what a program says it is; () if it does not say. A script of an npm package is not
    started for that: its runtime would take a second.
    """
    if release := await asyncio.to_thread(_packaged, program, os.environ if env is None else env):
        return release
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


class _Package(Struct):
    """What an npm package says of itself."""

    version: str
    bin: dict[str, str] | str = ""


def _packaged(program: Sequence[str], env: Mapping[str, str]) -> Release:
    *runtime, script = program
    # Whatever else is before it may choose another program.
    if [Path(word).name for word in runtime] not in ([], ["node"], ["bun"]):
        return ()
    try:
        found = script if runtime else shutil.which(script, path=env.get("PATH"))
        file = Path(found or script).resolve(strict=True)
        if file.suffix not in (".js", ".cjs", ".mjs"):
            return ()
        package = json_decoder(_Package).decode((file.parent / "package.json").read_bytes())
    except (OSError, RuntimeError, ValueError):
        return ()
    programs = package.bin.values() if isinstance(package.bin, dict) else [package.bin]
    is_its = any(Path(file.parent, name) == file for name in programs)
    return release_of(package.version) if is_its else ()
