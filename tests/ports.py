"""Ports for servers that have to be told where to listen."""

from __future__ import annotations

import socket


def free_port() -> int:
    """One that nobody listens at, and that the system will hardly give to another soon."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port: int = held.getsockname()[1]
        return port
