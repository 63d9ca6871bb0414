"""How much an agent, or a whole request, may do and spend."""

from __future__ import annotations

from msgspec import Struct


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """Bounds; None is no bound of its own.

    `turns` are model turns, `children` delegations, `tokens` all tokens in and out, `dollars` what
    the backend says it cost, `seconds` from its start.
    """

    turns: int | None = None
    children: int | None = None
    tokens: int | None = None
    dollars: float | None = None
    seconds: float | None = None
