"""Ports for servers that have to be told where to listen."""

from __future__ import annotations

import secrets
import socket

# Below those that the system gives to whoever connects to somewhere, of whom other tests have
# thousands: one of these would be taken now and then before its server is there.
FIRST, COUNT = 20_000, 12_000


def free_port() -> int:
    """One that nobody listens at, and that nobody is given by chance."""
    while True:
        port = FIRST + secrets.randbelow(COUNT)
        with socket.socket() as held:
            try:
                held.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
