"""Opens logs. An engine is a subclass of `Log`, found by the scheme of a URL.

A package brings one by an entry point of the group `unbraid.logs`: its name is the scheme, and it
names the class. One that another package brings cannot take the scheme of ours.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from unbraid.errors import CallerError
from unbraid.log.memory import MemoryLog
from unbraid.log.port import Log, LogUnusable, unknown_address
from unbraid.log.sqlite.log import SqliteLog
from unbraid.system.home import LOG_FILE_NAME, data_folder, mend_folder, open_to_others

GROUP = "unbraid.logs"
# Imported when they are asked for. `tls` is how people write that a log on NATS is encrypted.
BUILT_IN: Mapping[str, str] = {
    "memory": "unbraid.log.memory:MemoryLog",
    "nats": "unbraid.log.nats.log:NatsLog",
    "sqlite": "unbraid.log.sqlite.log:SqliteLog",
    "tls": "unbraid.log.nats.log:NatsLog",
}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):.*", re.DOTALL)


async def open_log(
    url: str | Path | None = None,
    env: Mapping[str, str] = os.environ,
    *,
    even_away: bool = False,
) -> Log:
    """Opens a log: a file by its path or as `sqlite:///path`, `memory:` for one that lives as long
    as this process, `nats://host,…` for one that many machines share, or the URL of an engine that
    another package brings. None is the one that `UNBRAID_LOG` names in `env`, or else the log of
    this machine, in the data folder.

    With `even_away`, a shared log is opened although it cannot be reached: what this machine has of
    it can be read, and the rest follows.
    """
    address = url or configured_log(env)
    if address == machine_log(env):
        _check_private(data_folder(env))
    if _scheme(address) is None:
        return await SqliteLog.open(address)
    return await engine_of(address).open_url(str(address), env, even_away=even_away)


def engine_of(address: str | Path) -> type[Log]:
    """Returns the engine that opens the log at an address. Raises CallerError if there is none."""
    scheme = _scheme(address)
    if scheme is None:
        return SqliteLog
    place = BUILT_IN.get(scheme)
    return _brought(scheme, str(address)) if place is None else _built_in(place)


def _scheme(address: str | Path) -> str | None:
    found = _SCHEME.fullmatch(address) if isinstance(address, str) else None
    return None if found is None else found[1].lower()


def _built_in(place: str) -> type[Log]:
    module, _, name = place.partition(":")
    try:
        engine: type[Log] = getattr(importlib.import_module(module), name)
    except ImportError as error:
        if error.name is None or error.name.partition(".")[0] != "nats":
            raise
        problem = f"a log on NATS needs the extra ({error.msg}): pip install 'unbraid[nats]'"
        raise CallerError(problem) from error
    return engine


def _brought(scheme: str, url: str) -> type[Log]:
    from importlib.metadata import entry_points

    found = next(iter(entry_points(group=GROUP, name=scheme)), None)
    if found is None:
        raise unknown_address(url)
    # Another package's code may fail in any way.
    try:
        engine = found.load()
    except Exception as error:
        problem = f"{found.value}: {type(error).__name__}: {error}"
        raise CallerError(f"the engine of {scheme}: logs cannot be used: {problem}") from error
    if not (isinstance(engine, type) and issubclass(engine, Log)):
        raise CallerError(f"the engine of {scheme}: logs, {found.value}, is not a subclass of Log")
    return engine


def _check_private(folder: Path) -> None:
    try:
        mend_folder(folder)
        problem = open_to_others(folder)
    except OSError as error:
        problem = error.strerror or str(error)
    if problem is not None:
        raise LogUnusable(str(folder), "io", problem)


@asynccontextmanager
async def opened_log(
    url: str | Path | None = None, env: Mapping[str, str] = os.environ
) -> AsyncIterator[Log]:
    """Opens a log for as long as the block runs."""
    log = await open_log(url, env)
    try:
        yield log
    finally:
        await log.close()


def memory_log() -> Log:
    """Returns a log that lives as long as this process."""
    return MemoryLog()


def machine_log(env: Mapping[str, str] = os.environ) -> Path:
    """Returns the file of this machine's log, whether it is there or not."""
    return data_folder(env) / LOG_FILE_NAME


def configured_log(env: Mapping[str, str] = os.environ) -> str | Path:
    """Returns which log is used if none is named: the one of `UNBRAID_LOG`, or this machine's."""
    return env.get("UNBRAID_LOG") or machine_log(env)


def log_name(url: str | Path | None = None, env: Mapping[str, str] = os.environ) -> str:
    """Returns by what name other processes open the same log, wherever they were started."""
    address = url or configured_log(env)
    return str(Path(address).absolute()) if _scheme(address) is None else str(address)


def has_log(env: Mapping[str, str] = os.environ) -> bool:
    """Returns whether there is a log to ask; asking makes none."""
    address = configured_log(env)
    return address.is_file() if isinstance(address, Path) else True
