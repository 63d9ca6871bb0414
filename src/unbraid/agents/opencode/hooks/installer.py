"""Installs our plugin into OpenCode: one file, which its terminal view and `run` load."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from unbraid.agents.hook_port import SOCKET_NAME, HookState, hook_folder
from unbraid.errors import CallerError, SourceError
from unbraid.system.atomic_file import write_atomically
from unbraid.system.files import open_regular
from unbraid.system.home import make_private_folder

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
        """Returns whether there is its folder, or its program."""
        found = shutil.which("opencode", path=self._env.get("PATH"))
        return self._config.is_dir() or found is not None

    def state(self) -> HookState:
        """Returns whether the file is there, and is ours."""
        found = self._found()
        installed = "no" if found is None else "yes" if found == self._text() else "outdated"
        return HookState(
            kind="opencode",
            title="OpenCode",
            installed=installed,
            place=str(self._path),
            problem=None if installed == "no" else self._problem(),
        )

    def install(self, *, plugin: bool = False) -> HookState:
        """Writes the file, with `plugin` or without: it is a plugin in any case. Returns the state
        after that.
        """
        self._check()
        make_private_folder(self._folder)
        if self._found() != self._text():
            try:
                write_atomically(self._path, self._text(), mode=0o644)
            except OSError as error:
                raise self._unwritable(error) from error
        return self.state()

    def uninstall(self) -> HookState:
        """Deletes the file, and its folder if nothing else is in it. Returns the state after
        that.
        """
        if self._found() is not None:
            self._check()
            try:
                self._path.unlink()
                if not any(self._path.parent.iterdir()):
                    self._path.parent.rmdir()
            except OSError as error:
                raise self._unwritable(error) from error
        return self.state()

    def _problem(self) -> str | None:
        # A plugin cannot change into the folder first, as a command does.
        if len(os.fsencode(self._folder / SOCKET_NAME)) > MAX_ADDRESS_BYTES:
            return f"{self._folder} is too long for a socket: set a shorter UNBRAID_HOME"
        return None

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

    def _check(self) -> None:
        """Raises if the file is a person's own."""
        found = self._found()
        if found is not None and not found.startswith(MARK):
            raise CallerError(f"{self._path} was not written by unbraid: move it away first")

    def _unwritable(self, error: OSError) -> SourceError:
        return SourceError(str(self._path), f"cannot be written: {error.strerror}")
