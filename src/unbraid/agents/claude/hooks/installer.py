"""Installs our hooks into Claude Code: into a person's settings, or as a plugin."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from unbraid.agents.claude.hooks.commands import hook_groups
from unbraid.agents.claude.hooks.settings import (
    Settings,
    SettingsFile,
    has_hooks,
    is_installed,
)
from unbraid.agents.hook_port import HookState, hook_folder
from unbraid.errors import CallerError, SourceError
from unbraid.system.atomic_file import write_atomically
from unbraid.system.files import open_regular
from unbraid.system.home import make_private_folder

# Claude Code copies a plugin in half a second; it may have to start for the first time.
PLUGIN_INSTALL_TIMEOUT_SECONDS = 60.0

NAME = "unbraid"
PLUGIN = f"{NAME}@{NAME}"


class ClaudeHooks:
    """The `CliHooks` of Claude Code."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env, self._folder = env, hook_folder(env)
        home = Path(env.get("HOME") or Path.home())
        self._config = Path(env.get("CLAUDE_CONFIG_DIR") or home / ".claude")
        backup = self._folder / "backups" / "claude-settings.json"
        self._file = SettingsFile(self._config / "settings.json", backup)

    def is_present(self) -> bool:
        """Returns whether there is its folder, or its program."""
        return self._config.is_dir() or self._program() is not None

    def state(self) -> HookState:
        """Returns where hooks are installed, and whether they can work."""
        settings = self._file.read()
        place = self._file.path
        if has_hooks(settings):
            installed = "yes" if is_installed(settings, self._folder) else "outdated"
        elif _has_plugin(settings):
            place = self._plugin_folder()
            installed = "plugin" if self._is_plugin_current() else "outdated"
        else:
            installed = "no"
        return HookState(
            kind="claude",
            title="Claude Code",
            installed=installed,
            place=str(place),
            problem=None if installed == "no" else self._problem(settings),
        )

    def install(self, *, plugin: bool = False) -> HookState:
        """Installs the hooks in one way, and removes those of the other. Returns the state after
        that.
        """
        settings = self._file.read()
        if plugin:
            self._install_plugin()
            self._file.uninstall()
        else:
            make_private_folder(self._folder)
            self._file.install(self._folder)
            if _has_plugin(settings):
                self._uninstall_plugin()
        return self.state()

    def uninstall(self) -> HookState:
        """Removes the hooks of both ways. Returns the state after that."""
        self._file.uninstall()
        if _has_plugin(self._file.read()):
            self._uninstall_plugin()
        shutil.rmtree(self._plugin_folder(), ignore_errors=True)
        return self.state()

    def _problem(self, settings: Settings) -> str | None:
        if shutil.which("curl", path=self._env.get("PATH")) is None:
            return "there is no curl on PATH: the hooks do nothing"
        if settings.get("disableAllHooks"):
            return "disableAllHooks is set in the settings: no hook runs"
        return None

    # --- the plugin ---

    def _install_plugin(self) -> None:
        folder = self._plugin_folder()
        if _has_plugin(self._file.read()) and not self._is_plugin_current():
            self._uninstall_plugin()  # it was copied: it would stay as it is
        make_private_folder(folder.parent)
        for name, content in plugin_files(self._folder).items():
            write_atomically(folder / name, content)
        self._claude("marketplace", "add", str(folder))
        self._claude("install", PLUGIN)

    def _uninstall_plugin(self) -> None:
        self._claude("uninstall", PLUGIN)
        self._claude("marketplace", "remove", NAME)

    def _plugin_folder(self) -> Path:
        return self._folder / "claude-plugin"

    def _is_plugin_current(self) -> bool:
        try:
            for name, content in plugin_files(self._folder).items():
                with open_regular(self._plugin_folder() / name, links=True) as file:
                    if file.read() != content:
                        return False
        except OSError:
            return False
        return True

    def _program(self) -> str | None:
        return shutil.which("claude", path=self._env.get("PATH"))

    def _claude(self, *words: str) -> None:
        program = self._program()
        if program is None:
            raise CallerError("there is no `claude` on PATH, which installs and removes plugins")
        try:
            done = subprocess.run(
                [program, "plugin", *words],
                env=dict(self._env),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=PLUGIN_INSTALL_TIMEOUT_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SourceError(program, f"plugin {' '.join(words)}: {error}") from None
        if done.returncode:
            said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
            raise SourceError(program, f"plugin {' '.join(words)}: {said}")


def plugin_files(folder: Path) -> dict[str, bytes]:
    """Returns the files of our plugin, with a marketplace that has nothing but it, by name."""
    about = {"name": NAME, "description": "Answer and steer sessions from unbraid."}
    owner = {"name": NAME}
    root = f"plugins/{NAME}"
    marketplace = {**about, "owner": owner, "plugins": [{**about, "source": f"./{root}"}]}
    files = {
        ".claude-plugin/marketplace.json": marketplace,
        f"{root}/.claude-plugin/plugin.json": {**about, "version": "1.0.0", "author": owner},
        f"{root}/hooks/hooks.json": {"hooks": hook_groups(folder)},
    }
    return {name: json.dumps(each, indent=2).encode() + b"\n" for name, each in files.items()}


def _has_plugin(settings: Settings) -> bool:
    enabled = settings.get("enabledPlugins")
    return isinstance(enabled, dict) and PLUGIN in enabled
