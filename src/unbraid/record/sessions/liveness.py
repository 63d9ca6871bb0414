"""Whether a stored session is live: the one rule for lists, for imports and for `cat` and `tree`.

What its kind knows of the session's processes decides. Where nothing is known of them, a session is
live if it has changed lately.
"""

from __future__ import annotations

import time

from unbraid.agents.session_port import SessionState, SessionStore
from unbraid.timings import LIVE_SESSION_SECONDS


def session_state(store: SessionStore, session_id: str) -> SessionState | None:
    """Returns what a kind knows of the processes of a session; None if that is nothing. Blocks."""
    return store.states([session_id]).get(session_id)


def seconds_since(time_ms: float) -> float:
    """Returns how long ago a time is, given in milliseconds since 1970; negative if it is to
    come.
    """
    return time.time() - time_ms / 1000


def is_live(
    state: SessionState | None,
    silent_seconds: float,
    *,
    timeout_seconds: float = LIVE_SESSION_SECONDS,
) -> bool:
    """Returns whether a session is live that has last changed so long ago. Whoever records its end,
    which cannot be taken back, passes a longer timeout than whoever only shows it.
    """
    if state is not None:
        return state.alive
    # A time that is to come was set by another clock: that is no sign of life either.
    return abs(silent_seconds) < timeout_seconds
