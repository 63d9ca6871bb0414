"""Counts of tokens, summed and added, whatever has counted them."""

from __future__ import annotations

from typing import Protocol


class TokenCounts(Protocol):
    """Whatever has the four counts: no token is in two of them."""

    @property
    def input_tokens(self) -> int: ...

    @property
    def output_tokens(self) -> int: ...

    @property
    def cache_read_tokens(self) -> int: ...

    @property
    def cache_creation_tokens(self) -> int: ...


class TokenSums(Protocol):
    """Counts that more are added to."""

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_creation_tokens: int


def all_tokens(counts: TokenCounts) -> int:
    """Returns all tokens that went in or came out."""
    return (
        counts.input_tokens
        + counts.output_tokens
        + counts.cache_read_tokens
        + counts.cache_creation_tokens
    )


def add_tokens(sums: TokenSums, counts: TokenCounts) -> None:
    """Adds counts to sums."""
    sums.input_tokens += counts.input_tokens
    sums.output_tokens += counts.output_tokens
    sums.cache_read_tokens += counts.cache_read_tokens
    sums.cache_creation_tokens += counts.cache_creation_tokens
