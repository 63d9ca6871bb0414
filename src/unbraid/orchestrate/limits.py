"""How much an agent, or a whole request, may do and spend."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

Count = Annotated[int, Meta(ge=1, le=10**12)]
# The upper end keeps out what YAML calls .inf and .nan.
Amount = Annotated[float, Meta(gt=0, le=1e9)]


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """Bounds; None is no bound of its own.

    `turns` are model turns, `children` delegations, `tokens` all tokens in and out, `dollars` what
    the backend says it cost, `seconds` from its start.
    """

    turns: Count | None = None
    children: Count | None = None
    tokens: Count | None = None
    dollars: Amount | None = None
    seconds: Amount | None = None

    def filled(self, other: Limits) -> Limits:
        """With another's bounds where these have none."""
        own = {name: value for name, value in msgspec.structs.asdict(self).items() if value}
        return msgspec.structs.replace(other, **own)


# Loops and hangs come to an end even where nobody has thought of them.
AGENT_LIMITS = Limits(turns=25, seconds=1800.0)
REQUEST_LIMITS = Limits(turns=250, children=128, seconds=7200.0)
