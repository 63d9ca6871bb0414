"""How many files and connections this process may have open."""

from __future__ import annotations

import contextlib

# More than any server of ours needs, and few enough for programs that look at every number.
MOST_DESCRIPTORS = 1 << 16


def raise_descriptor_limit() -> int:
    """Raises the limit on open files as far as it may be raised; returns what it is then."""
    try:
        import resource
    except ImportError:
        return MOST_DESCRIPTORS  # Windows has no such limit
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return MOST_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
