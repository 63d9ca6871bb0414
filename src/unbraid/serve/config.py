"""What can be set on a server."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path

from unbraid.errors import CallerError
from unbraid.serve.access.auth import Token
from unbraid.serve.access.tokens import TokenFile


@dataclass(frozen=True)
class ServeLimits:
    """Bounds on what anyone can make the server hold."""

    body_bytes: int = 16 * 1024 * 1024
    # One event holds what an agent printed in one line, of at most 32 MiB, perhaps escaped.
    events_bytes: int = 80 * 1024 * 1024
    bodies_bytes: int = 256 * 1024 * 1024
    json_bytes: int = 1024 * 1024
    header_bytes: int = 32 * 1024
    pipelined: int = 16
    header_seconds: float = 10.0
    body_seconds: float = 30.0
    body_bytes_per_second: int = 8 * 1024
    connections: int = 12_000
    viewers: int = 10_000
    sign_in_tries: int = 10
    runs: int = 1000
    backlog_bytes: int = 8 * 1024 * 1024
    heartbeat_seconds: float = 15.0
    stall_seconds: float = 30.0
    shutdown_seconds: float = 5.0


@dataclass(frozen=True)
class ServeConfig:
    """Where to listen, which callers are accepted, and the limits.

    Everyone needs a token or a one-time link, on loopback, too: other users of a machine can reach
    that. `token_file` is read anew whenever it changes. Only a user who may enter the folder `home`
    needs neither: there is a socket in it. There the server also stores which browsers have signed
    in. `hosts` are further names that this server answers to; addresses and, on loopback,
    `localhost` always work. `proxies` are addresses or networks of proxies whose word about callers
    is taken. Runs that are over go after `keep_days`, and the oldest of them beyond `keep_bytes`.
    """

    host: str = "127.0.0.1"
    port: int = 8420
    tokens: tuple[Token, ...] = ()
    token_file: TokenFile | None = None
    home: Path | None = None
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    tls_cert: Path | None = None
    tls_key: Path | None = None
    redact: bool = False
    keep_days: float | None = None
    keep_bytes: int | None = None
    limits: ServeLimits = field(default_factory=ServeLimits)

    def __post_init__(self) -> None:
        if self.keep_days is not None and not 0 <= self.keep_days <= 1e6:
            raise CallerError(f"keep_days: from 0 to 1000000, not {self.keep_days}")
        if self.keep_bytes is not None and not 0 <= self.keep_bytes < 2**63:
            raise CallerError(f"keep_bytes: from 0 to {2**63 - 1}, not {self.keep_bytes}")
        for proxy in self.proxies:
            try:
                ipaddress.ip_network(proxy, strict=False)
            except ValueError:
                raise CallerError(f"not an address or a network: {proxy}") from None
        if self.tls_key is not None and self.tls_cert is None:
            raise CallerError("a TLS key also needs its certificate")

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Returns whether a name or address means this machine and no other."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
