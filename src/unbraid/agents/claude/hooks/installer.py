"""Installs our hooks into Claude Code: into a person's settings, or as a plugin.

In the settings, everything that is not ours stays as it is, in its order. Claude Code rewrites the
file itself, in its own layout, so hooks of ours are known by their commands alone. It does not read
a file with comments; we do not write to one.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from unbraid.agents.claude.hooks.commands import hook_groups, is_ours, ours_in
from unbraid.agents.port import HookState, hook_folder
from unbraid.errors import CallerError, SourceError
from unbraid.system.atomic_file import write_atomically
from unbraid.system.files import open_regular
from unbraid.system.home import make_private_folder

# Claude Code copies a plugin in half a second; it may have to start for the first time.
PLUGIN_INSTALL_TIMEOUT_SECONDS = 60.0

NAME = "unbraid"
PLUGIN = f"{NAME}@{NAME}"


Settings = dict[str, Any]
_INDENT = re.compile(r"\n([ \t]+)\"")
TRIES = 5


class ClaudeHooks:
    """The `CliHooks` of Claude Code."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env, self._folder = env, hook_folder(env)
        home = Path(env.get("HOME") or Path.home())
        self._config = Path(env.get("CLAUDE_CONFIG_DIR") or home / ".claude")
        backup = self._folder / "backups" / "claude-settings.json"
        self._file = SettingsFile(self._config / "settings.json", backup)

    def is_present(self) -> bool:
        return self._config.is_dir() or self._program() is not None

    def state(self) -> HookState:
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


# --- the settings ---


class SettingsFile:
    """One such file; `backup` is where it is kept as it was before we wrote to it."""

    def __init__(self, path: Path, backup: Path) -> None:
        self.path, self._backup = path, backup

    def read(self) -> Settings:
        """Returns what is in it; nothing if there is none. Raises SourceError if it cannot be
        used.
        """
        return self._parsed(self._bytes())

    def install(self, folder: Path) -> None:
        """Puts our hooks into it, each behind those that are there."""

        def put(settings: Settings) -> Settings:
            if not is_installed(settings, folder):
                settings = without_hooks(settings)
                hooks = settings.setdefault("hooks", {})
                for event, groups in hook_groups(folder).items():
                    hooks[event] = [*hooks.get(event, []), *groups]
            return settings

        self._change(put, keep=True)

    def uninstall(self) -> None:
        """Takes our hooks out of it. If nothing else has changed meanwhile, the file is what it
        was, byte for byte.
        """
        self._change(without_hooks, keep=False)

    def _change(self, change: Callable[[Settings], Settings], *, keep: bool) -> None:
        for _ in range(TRIES):
            before = self._bytes()
            found = self._parsed(before)
            settings = change(found)
            if settings == found:
                return
            data = self._text(settings, before)
            if keep and not has_hooks(found):
                self._save(before)
            saved = None if keep else _bytes_of(self._backup)
            if saved is not None and _meaning(self._parsed(saved)) == _meaning(settings):
                data = saved
            # Claude Code may have written to it meanwhile: then what it wrote counts.
            if self._bytes() == before:
                self._write(data, empty=not settings and not keep)
                return
        raise SourceError(str(self.path), "another program keeps writing to it: try again")

    def _save(self, before: bytes | None) -> None:
        if before is None:
            self._backup.unlink(missing_ok=True)
        else:
            write_atomically(self._backup, before, private_folder=True)

    def _write(self, data: bytes, *, empty: bool) -> None:
        try:
            if empty and not self._backup.exists():
                self.path.unlink(missing_ok=True)  # it was not there before we came
            else:
                write_atomically(self.path, data)
        except OSError as error:
            raise SourceError(str(self.path), f"cannot be written: {error.strerror}") from error

    def _bytes(self) -> bytes | None:
        try:
            return _bytes_of(self.path)
        except OSError as error:
            raise SourceError(str(self.path), f"cannot be read: {error.strerror}") from error

    def _parsed(self, data: bytes | None) -> Settings:
        if data is None or not data.strip():
            return {}
        try:
            settings = json.loads(data, parse_float=_finite, parse_constant=_finite)
        except (ValueError, RecursionError) as error:
            reason = f"is not JSON, so Claude Code does not use it either: {error}"
            raise SourceError(str(self.path), reason) from None
        hooks = settings.get("hooks", {}) if isinstance(settings, dict) else None
        if not isinstance(hooks, dict) or not all(
            isinstance(each, list) for each in hooks.values()
        ):
            raise SourceError(str(self.path), "its hooks are not in the expected format")
        assert isinstance(settings, dict)
        return settings

    def _text(self, settings: Settings, before: bytes | None) -> bytes:
        text = (before or b"").decode("utf-8", "replace")
        found = _INDENT.search(text)
        indent = found[1] if found else "  "
        try:
            data = json.dumps(settings, indent=indent, ensure_ascii=False).encode()
        except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can hold
            data = json.dumps(settings, indent=indent).encode()
        return data + (b"\n" if before is None or before.endswith(b"\n") else b"")


def is_installed(settings: Settings, folder: Path) -> bool:
    """Returns whether the settings have exactly the hooks of this version, for this folder."""
    hooks = settings.get("hooks", {})
    wanted = {event: list(ours_in(groups)) for event, groups in hook_groups(folder).items()}
    found = {event: list(ours_in(groups)) for event, groups in hooks.items()}
    return {event: ours for event, ours in found.items() if ours} == wanted


def has_hooks(settings: Settings) -> bool:
    """Returns whether there are hooks of ours at all."""
    return any(True for groups in settings.get("hooks", {}).values() for _ in ours_in(groups))


def without_hooks(settings: Settings) -> Settings:
    """Returns the settings without hooks of ours, and without what would then be empty."""
    if not has_hooks(settings):
        return {**settings, **({"hooks": dict(settings["hooks"])} if "hooks" in settings else {})}
    kept: dict[str, list[Any]] = {}
    for event, groups in settings["hooks"].items():
        left = [kept for group in groups for kept in _without_ours(group)]
        if left or not groups:
            kept[event] = left
    changed = {**settings, "hooks": kept}
    if not kept:
        del changed["hooks"]
    return changed


def _meaning(settings: Settings) -> Settings:
    """Returns the settings without lists of hooks that have none."""
    hooks = {event: groups for event, groups in settings.get("hooks", {}).items() if groups}
    return {**{name: each for name, each in settings.items() if name != "hooks"}, "hooks": hooks}


def _without_ours(group: Any) -> list[Any]:
    """Returns the group without our hooks, in a list; an empty list if no hook is left."""
    if not any(True for _ in ours_in([group])):
        return [group]
    left = [hook for hook in group["hooks"] if not is_ours(hook)]
    return [{**group, "hooks": left}] if left else []


def _finite(text: str) -> float:
    """Returns a number, if JSON can hold it: what we write has to be JSON, too."""
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text} is no number")
    return number


def _bytes_of(path: Path) -> bytes | None:
    try:
        with open_regular(path, links=True) as file:
            return file.read()
    except FileNotFoundError:
        return None
