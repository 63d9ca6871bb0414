"""Our plugin in OpenCode: one file, which its terminal view and `run` load; how it is installed,
and the processes that it is in. Each polls for orders, and reports results.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from unbraid.agents.order_queue import OrderQueue
from unbraid.agents.port import SOCKET_NAME, HookState, hook_folder
from unbraid.errors import CallerError, SourceError
from unbraid.system.atomic_file import write_atomically
from unbraid.system.files import open_regular
from unbraid.system.home import make_private_folder

# A plugin that waits for orders calls again after this, well before it would give up.
PLUGIN_ORDERS_SECONDS = 60.0
# What a plugin is asked to do, it does at once, if its process lives.
PLUGIN_REPLY_TIMEOUT_SECONDS = 10.0

EVENT, ORDERS = "event", "orders"
SOURCE = Path(__file__).with_name("plugin.js")
MARK = b"// unbraid"
MAX_ADDRESS_BYTES = 103


class OpenCodeHooks:
    """The `CliHooks` of OpenCode."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env, self._folder = env, hook_folder(env)
        home = Path(env.get("HOME") or Path.home())
        settings = Path(env.get("XDG_CONFIG_HOME") or home / ".config") / "opencode"
        self._config = Path(env.get("OPENCODE_CONFIG_DIR") or settings)
        self._path = self._config / "plugin" / "unbraid.js"

    def is_present(self) -> bool:
        found = shutil.which("opencode", path=self._env.get("PATH"))
        return self._config.is_dir() or found is not None

    def state(self) -> HookState:
        found = self._found()
        installed = "no" if found is None else "yes" if found == self._text() else "outdated"
        problem = f"{self._folder} is too long for a socket: set a shorter UNBRAID_HOME"
        # A plugin cannot change into the folder first, as a command does.
        is_too_long = len(os.fsencode(self._folder / SOCKET_NAME)) > MAX_ADDRESS_BYTES
        return HookState(
            kind="opencode",
            title="OpenCode",
            installed=installed,
            place=str(self._path),
            problem=problem if is_too_long and found is not None else None,
        )

    def install(self, *, plugin: bool = False) -> HookState:
        """Writes the file, with `plugin` or without: it is a plugin in any case. Returns the state
        after that.
        """
        make_private_folder(self._folder)
        with self._changing() as found:
            if found != self._text():
                write_atomically(self._path, self._text(), mode=0o644)
        return self.state()

    def uninstall(self) -> HookState:
        """Deletes the file, and its folder if nothing else is in it. Returns the state after
        that.
        """
        with self._changing() as found:
            if found is not None:
                self._path.unlink()
                if not any(self._path.parent.iterdir()):
                    self._path.parent.rmdir()
        return self.state()

    @contextmanager
    def _changing(self) -> Iterator[bytes | None]:
        """Yields what is in the file. Raises if it is a person's own, or cannot be written."""
        found = self._found()
        if found is not None and not found.startswith(MARK):
            raise CallerError(f"{self._path} was not written by unbraid: move it away first")
        try:
            yield found
        except OSError as error:
            raise SourceError(str(self._path), f"cannot be written: {error.strerror}") from error

    def _text(self) -> bytes:
        socket = json.dumps(str(self._folder / SOCKET_NAME)).encode()
        return SOURCE.read_bytes().replace(b'"SOCKET"', socket)

    def _found(self) -> bytes | None:
        try:
            with open_regular(self._path, links=True) as file:
                return file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise SourceError(str(self._path), f"cannot be read: {error.strerror}") from error


class OrderDone(Struct):
    """The result of an order."""

    id: int
    error: str | None = None


class OrdersCall(Struct):
    """A plugin calls for orders. `events` are those of requests and sessions that were there before
    it could call.
    """

    done: list[OrderDone] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)


class EventCall(Struct):
    """An event of OpenCode's, as its plugin got it."""

    event: dict[str, Any]


class PluginLink:
    """One process, by its plugin. What it is asked to do are requests of OpenCode's own server,
    which a plugin can make without a port.
    """

    def __init__(self) -> None:
        self._queue: OrderQueue[dict[str, Any], str | None] = OrderQueue()
        self._fetched = 0

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        """Has one request made. Raises SourceError if it fails, or if the plugin does not make
        it.
        """
        try:
            error = await self._queue.give(
                lambda number: {"id": number, "path": path, "body": body},
                timeout_seconds=PLUGIN_REPLY_TIMEOUT_SECONDS,
            )
        except TimeoutError:
            error = "its plugin does not answer"
        if error is not None:
            raise SourceError("OpenCode", f"{method} {path}: {error}")

    async def fetch(self, done: list[OrderDone]) -> bytes:
        """Takes the results of orders. Returns the orders that wait, as soon as there are any; none
        after a while.
        """
        for each in done:
            self._queue.answer(each.id, each.error)
        orders = await self._queue.fetch(self._fetched, timeout_seconds=PLUGIN_ORDERS_SECONDS)
        self._fetched = max(orders, default=self._fetched)
        return msgspec.json.encode(list(orders.values()))
