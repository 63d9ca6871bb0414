"""What can be set on a server."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field

from unbraid.errors import CallerError
from unbraid.serve.auth import Token


@dataclass(frozen=True)
class ServeLimits:
    """Bounds on what anyone can make the server hold."""

    body_bytes: int = 16 * 1024 * 1024
    json_bytes: int = 1024 * 1024
    header_bytes: int = 32 * 1024
    header_seconds: float = 10.0
    body_seconds: float = 30.0
    body_bytes_per_second: int = 8 * 1024
    connections: int = 12_000
    viewers: int = 10_000
    runs: int = 1000
    backlog_bytes: int = 8 * 1024 * 1024
    heartbeat_seconds: float = 15.0
    stall_seconds: float = 30.0
    shutdown_seconds: float = 5.0


@dataclass(frozen=True)
class ServeConfig:
    """Where to listen, who may come, and how much of it.

    Beyond loopback a token is a must. `hosts` are further names that this server answers to;
    addresses and, on loopback, `localhost` always work. Runs that are over go after `keep_days`,
    and the oldest of them beyond `keep_bytes`.
    """

    host: str = "127.0.0.1"
    port: int = 8420
    tokens: tuple[Token, ...] = ()
    require_token: bool = False
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    redact: bool = False
    keep_days: float | None = None
    keep_bytes: int | None = None
    limits: ServeLimits = field(default_factory=ServeLimits)

    def __post_init__(self) -> None:
        if self.keep_days is not None and not 0 <= self.keep_days <= 1e6:
            raise CallerError(f"keep_days: from 0 to 1000000, not {self.keep_days}")
        if self.keep_bytes is not None and not 0 <= self.keep_bytes < 2**63:
            raise CallerError(f"keep_bytes: from 0 to {2**63 - 1}, not {self.keep_bytes}")

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)

    @property
    def guarded(self) -> bool:
        """Whether a token is needed."""
        return self.require_token or not self.loopback


def is_loopback(host: str) -> bool:
    """Returns whether a name or address means this machine and no other."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
