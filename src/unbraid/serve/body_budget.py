"""What all requests together may hold in memory of the bodies that they send."""

from __future__ import annotations

from starlette.types import Scope

_HELD = "unbraid.body_bytes"


class BodyBudget:
    """Counts bytes of bodies, from their arrival to the end of their request."""

    def __init__(self, most: int) -> None:
        self._most, self._held = most, 0

    def take(self, scope: Scope, size: int) -> bool:
        """Adds some bytes of a request; returns whether there is room for them."""
        if self._held + size > self._most:
            return False
        self._held += size
        scope[_HELD] = scope.get(_HELD, 0) + size
        return True

    def release(self, scope: Scope) -> None:
        """Ends a request."""
        self._held -= scope.pop(_HELD, 0)
