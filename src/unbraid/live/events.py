"""The log's entries as events again."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any

import msgspec

from unbraid.events import FLEET_EVENTS, FleetEvent

_union: Any = reduce(or_, FLEET_EVENTS)
_decoder: msgspec.json.Decoder[FleetEvent] = msgspec.json.Decoder(_union)


def decode_event(data: bytes) -> FleetEvent:
    """One event from its JSON."""
    return _decoder.decode(data)
