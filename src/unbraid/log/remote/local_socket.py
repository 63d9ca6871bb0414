"""The socket of a server of our own on this machine: a user who may enter our folder needs no token
there.

Other users of the machine can reach a server on loopback, but not this folder.
"""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path
from urllib.parse import urlsplit

from unbraid.system.home import data_folder
from unbraid.system.sockets import connecting_address

FOLDER = "http"
LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")


def socket_path(home: Path, port: int) -> Path:
    """Returns where the server on a port of this machine listens for its owner."""
    return home / FOLDER / f"{port}.sock"


def local_socket(url: str) -> Path | None:
    """Returns the socket of the server at an address, if it is ours and listens."""
    parts = urlsplit(url)
    # It does not speak TLS, and a caller that asks for TLS wants the server's identity proven.
    local = parts.scheme == "http" and parts.hostname in LOCAL_HOSTS
    if not local or not hasattr(socket, "AF_UNIX"):
        return None
    path = socket_path(data_folder(), parts.port or 80)
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
        address = connecting_address(path)
        # One that was left behind by a server that is gone refuses.
        probe.connect(os.fspath(address))
        return address
    return None
