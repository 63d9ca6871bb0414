"""Where a log on NATS is, taken from its URL:

    nats://[credentials@]host[:port][,host…][/STREAM][?view=FILE&tls_ca=FILE&creds=FILE&…]

`tls://` encrypts, and is a must beyond this machine: agents' words and a password go over the wire.
A name or password in the URL is never shown again.
"""

from __future__ import annotations

import hashlib
import ipaddress
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from msgspec import Struct

from unbraid.errors import CallerError
from unbraid.system.home import data_folder

STREAM = "UNBRAID"
PORT = 4222
FOLDER = "views"
_OPTIONS = frozenset(
    ("view", "monitor", "tls_ca", "tls_cert", "tls_key", "creds", "password_file", "insecure")
)
_STREAM = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?")


class NatsAddress(Struct, frozen=True):
    """A stream of a NATS cluster, and how to get there."""

    hosts: tuple[str, ...]
    stream: str = STREAM
    user: str | None = None
    password: str | None = None
    tls: bool = False
    tls_ca: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None
    creds: str | None = None
    password_file: str | None = None
    monitor: str | None = None
    view: str | None = None

    @property
    def servers(self) -> list[str]:
        """The addresses of all nodes, without a name or password."""
        return [f"{'tls' if self.tls else 'nats'}://{host}" for host in self.hosts]

    @property
    def shown(self) -> str:
        """The address as people may see it."""
        return f"{'tls' if self.tls else 'nats'}://{','.join(self.hosts)}/{self.stream}"

    @property
    def prefix(self) -> str:
        """What all subjects of this log begin with."""
        return self.stream.lower()

    def view_path(self, env: Mapping[str, str]) -> Path:
        """Returns the file of this machine's copy."""
        if self.view is not None:
            return Path(self.view)
        address = "\n".join((self.stream, *sorted(self.hosts)))
        name = f"{self.stream}-{hashlib.sha256(address.encode()).hexdigest()[:12]}.db"
        return data_folder(env) / FOLDER / name


def parse_address(url: str) -> NatsAddress:
    """Returns what a URL says. Raises CallerError, without the secrets in it."""
    scheme, _, rest = url.partition("://")
    userinfo, _, rest = rest.rpartition("@")
    parts = urlsplit(f"//{rest}")
    address, _, path = rest.partition("?")[0].partition("/")
    try:
        hosts = _hosts(address)
        query = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError as error:
        raise _refused(address, str(error)) from None
    options = dict(query)
    if unknown := sorted(options.keys() - _OPTIONS):
        raise _refused(address, f"unknown option {unknown[0]!r}")
    stream = path or STREAM
    if not _STREAM.fullmatch(stream):
        raise _refused(address, "the name of a stream has letters, digits, - and _")
    user, _, password = userinfo.partition(":")
    tls = scheme.lower() == "tls" or "tls_ca" in options
    insecure = options.pop("insecure", "") == "1"
    if not (tls or insecure or all(_is_loopback(host) for host in hosts)):
        problem = "give tls:// beyond this machine (or ?insecure=1 in a network of your own)"
        raise _refused(address, problem)
    return NatsAddress(
        hosts=hosts,
        stream=stream,
        user=unquote(user) or None,
        password=unquote(password) or None,
        tls=tls,
        **options,
    )


def _hosts(address: str) -> tuple[str, ...]:
    found = [_HOST.fullmatch(each) for each in address.split(",")]
    if not all(found):
        raise ValueError("specify the hosts of its nodes: host:port,host:port")
    named = [(each[1], each[2]) for each in found if each is not None]
    # `a,b,c:4223` means that port for all.
    last = named[-1][1] or str(PORT)
    return tuple(f"{host}:{port or last}" for host, port in named)


def _is_loopback(host: str) -> bool:
    name = host.rpartition(":")[0].strip("[]")
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _refused(address: str, problem: str) -> CallerError:
    return CallerError(f"cannot open a log at nats://{address}: {problem}")
