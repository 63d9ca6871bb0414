"""A program that runs from login on: a systemd user unit on Linux, a launchd agent on macOS.

Only files of the user are written, and nothing needs root. The service gets the parts of the
environment that say where sessions are: a login has none of what a shell's profile sets.
"""

from __future__ import annotations

import os
import plistlib
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from unbraid.errors import UnbraidError
from unbraid.system.atomic_file import write_atomically

# Enabling a unit waits until it has started, on a machine that may just have booted.
SERVICE_MANAGER_TIMEOUT_SECONDS = 60.0
# One that has failed is started again after this.
SERVICE_RESTART_SECONDS = 10

NAME = "unbraid"
# launchd knows the installed service by this name: another one would run beside it.
LABEL = "io.unbraid.watch"
# It follows agents beside a person's own work: it gives way, and it is bounded.
MEMORY_MAX_MEGABYTES = 1024
PASSED_ON = ("PATH", "UNBRAID_HOME", "UNBRAID_PRICES", "XDG_DATA_HOME", "XDG_CONFIG_HOME")


_PASSWORD = re.compile(r"://[^@]*:[^@]*@")


class ServiceError(UnbraidError):
    """The service could not be installed, queried or removed."""


@dataclass(frozen=True)
class Service:
    """What is to run: a command and its environment."""

    argv: tuple[str, ...]
    env: Mapping[str, str]


# What starts services on a platform. `path` is the file that describes a service, and `logs` the
# command that shows what it has printed.


class SystemdUser:
    """The systemd of a user's session."""

    logs = f"journalctl --user -u {NAME}"

    def __init__(self, env: Mapping[str, str] = os.environ) -> None:
        config = env.get("XDG_CONFIG_HOME", "")
        base = Path(config) if config.startswith("/") else _home(env) / ".config"
        self.path = base / "systemd" / "user" / f"{NAME}.service"

    def text(self, service: Service) -> bytes:
        """Returns the file that describes a service: a unit."""
        lines = [
            "[Unit]",
            "Description=unbraid: records this user's coding agents",
            "",
            "[Service]",
            f"ExecStart={' '.join(_quoted(word, expands=True) for word in service.argv)}",
            *(
                f"Environment={_quoted(f'{name}={value}')}"
                for name, value in sorted(service.env.items())
            ),
            "Restart=on-failure",
            f"RestartSec={SERVICE_RESTART_SECONDS}",
            "Nice=10",
            f"MemoryMax={MEMORY_MAX_MEGABYTES}M",
            "NoNewPrivileges=yes",
            "UMask=0077",
            "",
            "[Install]",
            "WantedBy=default.target",
        ]
        return ("\n".join(lines) + "\n").encode()

    def start(self) -> None:
        """Reads the units anew, and starts this one."""
        _call("systemctl", "--user", "daemon-reload")
        _call("systemctl", "--user", "enable", "--now", self.path.name)
        _call("systemctl", "--user", "restart", self.path.name)

    def stop(self) -> None:
        """Stops the unit, and takes it out of the login."""
        _call("systemctl", "--user", "disable", "--now", self.path.name)

    def state(self) -> str:
        """Returns `active`, `failed` and the like."""
        return _call("systemctl", "--user", "is-active", self.path.name, check=False) or "unknown"


class LaunchAgent:
    """launchd, for a user who is logged in."""

    def __init__(self, env: Mapping[str, str] = os.environ) -> None:
        home = _home(env)
        self.path = home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
        self._output = home / "Library" / "Logs" / f"{NAME}.log"
        self.logs = f"tail -f {self._output}"
        self._domain = f"gui/{os.getuid()}"

    def text(self, service: Service) -> bytes:
        """Returns the file that describes a service: a property list."""
        described = {
            "Label": LABEL,
            "ProgramArguments": list(service.argv),
            "EnvironmentVariables": dict(service.env),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": SERVICE_RESTART_SECONDS,
            "ProcessType": "Background",
            "Umask": 0o077,
            "HardResourceLimits": {"ResidentSetSize": MEMORY_MAX_MEGABYTES << 20},
            "StandardOutPath": str(self._output),
            "StandardErrorPath": str(self._output),
        }
        return plistlib.dumps(described)

    def start(self) -> None:
        """Loads the agent; one that is loaded is replaced."""
        _call("launchctl", "bootout", f"{self._domain}/{LABEL}", check=False)
        _call("launchctl", "bootstrap", self._domain, str(self.path))

    def stop(self) -> None:
        """Unloads the agent."""
        _call("launchctl", "bootout", f"{self._domain}/{LABEL}")

    def state(self) -> str:
        """Returns `running` and the like."""
        printed = _call("launchctl", "print", f"{self._domain}/{LABEL}", check=False)
        found = (line.split(" = ")[1] for line in printed.splitlines() if "\tstate = " in line)
        return next(found, "unknown")


ServiceManager = SystemdUser | LaunchAgent


def service_manager(
    env: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> ServiceManager:
    """Returns what starts services here; raises ServiceError where that is nothing we know."""
    if platform == "darwin":
        return LaunchAgent(env)
    if platform.startswith("linux") and shutil.which("systemctl", path=env.get("PATH")) is not None:
        return SystemdUser(env)
    raise ServiceError(
        "no service manager found (systemd or launchd): start `unbraid watch` by other means"
    )


def watch_service(
    words: Sequence[str], env: Mapping[str, str], passed_on: Sequence[str]
) -> Service:
    """Returns the service that watches, with the options that `unbraid watch` is to get and those
    variables that are `passed_on`, too.
    """
    if any(_PASSWORD.search(word) for word in words):
        raise ServiceError(
            "a password in a service's file can be read by others: put it into a file of its own"
            " (`?password_file=FILE` in the address)"
        )
    # `-P`: no module from the folder that it is started in, where agents may write.
    argv = (sys.executable, "-P", "-m", "unbraid", "watch", *words)
    names = (*PASSED_ON, *passed_on)
    return Service(argv, {name: env[name] for name in names if env.get(name)})


def write_service(manager: ServiceManager, service: Service) -> None:
    """Writes a service's file, whole or not at all."""
    try:
        write_atomically(manager.path, manager.text(service), mode=0o644)
    except OSError as error:
        raise ServiceError(f"{manager.path} cannot be written: {error.strerror}") from error


def _quoted(word: str, *, expands: bool = False) -> str:
    """Returns a word of a unit in systemd's quoting: it has specifiers (%) everywhere, and
    variables ($) in commands.
    """
    if any(ord(character) < 32 for character in word):
        raise ServiceError("a path or variable with control characters cannot be written to a unit")
    text = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{text.replace("$", "$$") if expands else text}"'


def _home(env: Mapping[str, str]) -> Path:
    return Path(env.get("HOME") or Path.home())


def _call(*argv: str, check: bool = True) -> str:
    try:
        done = subprocess.run(
            argv,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SERVICE_MANAGER_TIMEOUT_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ServiceError(f"`{' '.join(argv)}` does not work here: {error}") from error
    if check and done.returncode:
        said = (done.stderr or done.stdout).strip() or f"exit code {done.returncode}"
        raise ServiceError(f"`{' '.join(argv)}` failed: {said}")
    return done.stdout.strip()
