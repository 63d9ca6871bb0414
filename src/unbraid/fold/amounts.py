"""Which amounts can be true: an agent may report any number, and sums of it are shown everywhere.

What cannot be true counts as not reported. The bounds leave room for adding millions of amounts up
without an overflow, and for what any JSON reader takes for an integer.
"""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from unbraid.events import FleetTokenUsage, TokenUsage

U = TypeVar("U", TokenUsage, FleetTokenUsage)

MAX_DOLLARS = 1e6
MAX_COUNT = 10**12


def plausible_dollars(given: float | None) -> float | None:
    """Returns dollars, or None for an impossible amount; also for NaN, which compares with
    nothing.
    """
    return given if given is not None and 0 <= given <= MAX_DOLLARS else None


def plausible_count(given: int | None) -> int | None:
    """Returns a number of tokens, turns or milliseconds, or None for an impossible one."""
    return given if given is not None and 0 <= given <= MAX_COUNT else None


def plausible_usage(given: U) -> U:
    """Returns what a message has used, without what cannot be true."""
    if (
        0 <= given.input_tokens <= MAX_COUNT
        and 0 <= given.output_tokens <= MAX_COUNT
        and 0 <= given.cache_read_tokens <= MAX_COUNT
        and 0 <= given.cache_creation_tokens <= MAX_COUNT
        and 0 <= (given.cache_1h_tokens or 0) <= MAX_COUNT
        and 0 <= (given.cost_usd or 0) <= MAX_DOLLARS
    ):
        return given
    counts = {name: getattr(given, name) for name in _COUNTS}
    # A count that may be missing is None then, any other 0.
    kept = {
        name: plausible_count(count)
        if count is None or name == "cache_1h_tokens"
        else plausible_count(count) or 0
        for name, count in counts.items()
    }
    return replace(given, cost_usd=plausible_dollars(given.cost_usd), **kept)


_COUNTS = (
    "input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens",
    "cache_1h_tokens",
)  # fmt: skip
