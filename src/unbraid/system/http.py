"""What every HTTP client of ours has in common. Importing it costs 50 ms: only where it is used.

Proxies of the environment are never used: most of these servers are on this machine, and no proxy
can reach them. Certificates are those of the system, as for every other program on it.
"""

from __future__ import annotations

import os
import socket
import ssl
from typing import Any

import httpx

# What goes wrong between us and a server, and is no answer of it.
HTTP_ERRORS = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError)
# What a kept connection gives that the server has closed meanwhile.
CLOSED_ERRORS = (httpx.NetworkError, httpx.RemoteProtocolError)


def client_options(url: str) -> dict[str, Any]:
    """Returns the arguments for a client that talks to the server at `url`, and to no other."""
    secure = url.startswith("https:")
    # Without TLS nothing is trusted, and loading the certificates would cost more than the rest.
    context = ssl.create_default_context() if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Packed answers could grow beyond any limit while they are unpacked.
    return {"verify": context, "trust_env": False, "headers": {"Accept-Encoding": "identity"}}


def reason_of(error: BaseException) -> str:
    """Returns why a request has failed, as the system says it."""
    if isinstance(error, httpx.TimeoutException):
        return "timed out"
    cause: BaseException | None = error
    reason = str(error) or type(error).__name__
    while cause is not None:
        if isinstance(cause, socket.gaierror | ssl.SSLError):
            reason = cause.strerror or reason  # their numbers are their own
        elif isinstance(cause, OSError) and cause.errno:
            # Not its `strerror`, into which asyncio writes the address.
            reason = os.strerror(cause.errno)
        cause = cause.__cause__ or cause.__context__
    return reason
