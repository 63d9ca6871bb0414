"""Opens logs. This is the only module that knows which engines there are."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from unbraid.errors import CallerError
from unbraid.log.memory import MemoryLog
from unbraid.log.port import Log, LogUnusable
from unbraid.log.sqlite.log import SqliteLog
from unbraid.system.home import LOG_FILE_NAME, data_folder, mend_folder, open_to_others

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)


async def open_log(
    url: str | Path | None = None,
    env: Mapping[str, str] = os.environ,
    *,
    even_away: bool = False,
) -> Log:
    """Opens a log: a file by its path or as `sqlite:///path`, `memory:` for one that lives as long
    as this process, or `nats://host,…` for one that many machines share. None is the one that
    `UNBRAID_LOG` names in `env`, or else the log of this machine, in the data folder.

    With `even_away`, a shared log is opened although it cannot be reached: what this machine has of
    it can be read, and the rest follows.
    """
    address = url or configured_log(env)
    if address == machine_log(env):
        _check_private(data_folder(env))
    found = _SCHEME.fullmatch(address) if isinstance(address, str) else None
    if found is None:
        return await SqliteLog.open(address)
    engine = ENGINES.get(found[1].lower())
    if engine is None:
        raise _unknown(str(address))
    return await engine(str(address), found[2], env, even_away=even_away)


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
    if isinstance(address, str) and _SCHEME.fullmatch(address):
        return address
    return str(Path(address).absolute())


def has_log(env: Mapping[str, str] = os.environ) -> bool:
    """Returns whether there is a log to ask; asking makes none."""
    address = configured_log(env)
    return address.is_file() if isinstance(address, Path) else True


def shares_log(env: Mapping[str, str] = os.environ) -> bool:
    """Returns whether the log that is used if none is named is one that other machines share."""
    address = configured_log(env)
    found = _SCHEME.fullmatch(address) if isinstance(address, str) else None
    return found is not None and ENGINES.get(found[1].lower()) is _nats


async def _sqlite(url: str, rest: str, env: Mapping[str, str], *, even_away: bool) -> Log:
    path = rest.removeprefix("//")
    if not rest.startswith("///") or not path.strip("/"):
        raise _unknown(url)
    return await SqliteLog.open(path)


async def _memory(url: str, rest: str, env: Mapping[str, str], *, even_away: bool) -> Log:
    if rest.strip("/"):
        raise _unknown(url)
    return memory_log()


async def _nats(url: str, rest: str, env: Mapping[str, str], *, even_away: bool) -> Log:
    from unbraid.log.nats.address import parse_address

    address = parse_address(url)
    try:
        from unbraid.log.nats.log import open_nats_log
    except ImportError as error:
        if error.name is None or error.name.partition(".")[0] != "nats":
            raise
        problem = f"a log on NATS needs the extra ({error.msg}): pip install 'unbraid[nats]'"
        raise CallerError(problem) from error
    return await open_nats_log(address, env, even_away=even_away)


def _unknown(url: str) -> CallerError:
    # A mistyped address of a shared log may have a name and password in it.
    secret, _, address = url.rpartition("@")
    shown = f"{secret.partition('://')[0]}://{address}" if "://" in secret else address
    return CallerError(
        f"cannot open a log at {shown!r}: give the path of a file, sqlite:///path or memory:,"
        " or nats://host"
    )


class Engine(Protocol):
    """Opens the logs of a scheme, given the whole URL and what stands after the scheme."""

    async def __call__(
        self, url: str, rest: str, env: Mapping[str, str], *, even_away: bool
    ) -> Log:
        """Opens one; with `even_away`, although it cannot be reached."""
        ...


# By scheme.
ENGINES: Mapping[str, Engine] = {
    "memory": _memory,
    "nats": _nats,
    "sqlite": _sqlite,
    "tls": _nats,
}
