"""Slows down callers that try to sign in again and again with unknown tokens or codes.

Tokens cannot be guessed; but tries should not be free, and should not fill anything. The first few
are answered at once. After that the address they came from has to wait before the next, each time
twice as long, and is forgiven when it has been quiet.
"""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable

from msgspec import Struct

# After too many wrong tokens an address waits a second before the next try, then two, up to this.
SIGN_IN_LONGEST_WAIT_SECONDS = 60.0
# An address that has not tried for this long is forgiven.
SIGN_IN_FORGET_SECONDS = 600.0


MAX_ADDRESSES = 10_000


class _Tries(Struct):
    failed: int = 0
    latest: float = 0.0
    blocked_until: float = 0.0


class Throttle:
    """Failed tries by address."""

    def __init__(self, free: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._free, self._clock = free, clock
        self._tries: dict[str, _Tries] = {}

    def wait_seconds(self, address: str) -> float:
        """Returns how long an address has to wait before its next try; 0 if it may try now."""
        tries = self._tries.get(_network(address))
        return 0.0 if tries is None else max(0.0, tries.blocked_until - self._clock())

    def failed(self, address: str) -> None:
        """Notes a try that failed."""
        now, key = self._clock(), _network(address)
        tries = self._tries.pop(key, None)
        if tries is None or now - tries.latest > SIGN_IN_FORGET_SECONDS:
            tries = _Tries()
        tries.failed, tries.latest = tries.failed + 1, now
        if tries.failed >= self._free:
            doubled = min(tries.failed - self._free, 16)
            tries.blocked_until = now + min(2.0**doubled, SIGN_IN_LONGEST_WAIT_SECONDS)
        self._tries[key] = tries
        if len(self._tries) > MAX_ADDRESSES:
            # The first in the dict is the one that has been quiet for the longest time.
            del self._tries[next(iter(self._tries))]

    def succeeded(self, address: str) -> None:
        """Forgets an address."""
        self._tries.pop(_network(address), None)


def _network(address: str) -> str:
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    # A caller with one IPv6 address has a whole network of them.
    return address if found.version == 4 else str(ipaddress.ip_network((found, 64), strict=False))
