"""Machines of their own for tests: network namespaces, joined by a bridge that belongs to them.

A test runs a module in a network of its own (`in_own_network`); there, that module adds hosts to a
`Network`. Nothing of it touches the networks of this machine: the addresses are those kept for
documentation, and all is gone with the processes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Self

_BRIDGE = "hub"
_NET = "192.0.2"  # TEST-NET-1: nobody has these addresses
HERE = f"{_NET}.1"


def has_namespaces() -> bool:
    """Returns whether this machine lets us make them."""
    if any(shutil.which(program) is None for program in ("unshare", "nsenter", "ip")):
        return False
    # A bridge and a pair, not only the namespace: both may be missing.
    trial = "ip link add hub type bridge && ip link add end1 type veth peer name end2"
    done = subprocess.run([*_unshared(), "sh", "-c", trial], capture_output=True)
    return done.returncode == 0


def in_own_network(module: str, *args: str) -> list[str]:
    """Returns the command that runs a module of the tests in a network of its own."""
    return [*_unshared(), sys.executable, "-m", module, *args]


def _unshared() -> list[str]:
    # As root of a user namespace, so that nobody has to be root; with processes of its own, which
    # end when the first of them does.
    own = ["--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    return ["unshare", *own]


@dataclass(frozen=True)
class NetworkHost:
    """A machine: its address, and what stands before a command that is to run on it."""

    address: str
    command: tuple[str, ...]
    port: str


class Network:
    """The hosts of one network. Use it as a context manager, in a network of its own."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._hosts = 0

    def __enter__(self) -> Self:
        _ip("link", "set", "lo", "up")
        _ip("link", "add", _BRIDGE, "type", "bridge")
        _ip("addr", "add", f"{HERE}/24", "dev", _BRIDGE)
        _ip("link", "set", _BRIDGE, "up")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stack.close()

    def add(self) -> NetworkHost:
        """Adds a host."""
        self._hosts += 1
        # It says something once it is in its namespace, and ends with its standard input.
        holder = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "echo && cat"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._stack.callback(_ended, holder)
        assert holder.stdout is not None
        holder.stdout.readline()
        inside = ("nsenter", f"--net=/proc/{holder.pid}/ns/net")
        address, port = f"{_NET}.{10 + self._hosts}", f"port{self._hosts}"
        _ip("link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", str(holder.pid))
        _ip("link", "set", port, "master", _BRIDGE, "up")
        for words in (
            ("link", "set", "lo", "up"),
            ("addr", "add", f"{address}/24", "dev", "eth0"),
            ("link", "set", "eth0", "up"),
        ):
            subprocess.run([*inside, "ip", *words], check=True)
        return NetworkHost(address, inside, port)

    def cut(self, host: NetworkHost) -> None:
        """Cuts a host off: what is sent is lost, and nobody is informed."""
        _ip("link", "set", host.port, "nomaster")

    def heal(self, host: NetworkHost) -> None:
        """Joins a host again."""
        _ip("link", "set", host.port, "master", _BRIDGE)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def _ended(holder: subprocess.Popen[bytes]) -> None:
    holder.kill()
    holder.communicate()
